"""The fast engine: one OpenGL pass over the scene, shadows from every lamp, four samples a pixel.

Runs on whatever OpenGL 3.3 there is; without a graphics card that is Mesa's llvmpipe (Debian: libegl1,
libegl-mesa0, libgl1-mesa-dri). The reasons for this choice are in `docs/decisions/0001-fast-renderer.md`.
"""

import sys
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.failure import Failure
from vision.synth.scene import Bytes, Camera, Floats, Item, Lamp, Mesh, Scene, Texture, look_at

SHADOW_PX = 1024  # a lamp's depth map; four of them tile one texture
MAX_LAMPS = 4
TEXTURES_A_SIZE = 12  # kept on the card; a scene has fewer
MARGIN_PX = 16  # about what is drawn anew: widest blur of a shadow beyond its lamp's own
SAMPLES = 4  # a pixel; only edges are sampled so often, colours once

_VERTEX = """#version 330
in vec3 point; in vec3 normal; in vec2 uv;
uniform mat4 pose; uniform mat4 view;
out vec3 at; out vec3 facing; out vec2 where_uv;
void main() {
    vec4 world = pose * vec4(point, 1.0);
    at = world.xyz; facing = mat3(pose) * normal; where_uv = uv;
    gl_Position = view * world;
}"""

# llvmpipe runs both sides of every `if` and at least one turn of every loop: what can be left out is left out
# by the preprocessor, and the soft shadows, the dearest part, are found at half the picture's size.
_SHADOW_FRAGMENT = """#version 330
in vec3 at; in vec3 facing; in vec2 where_uv;
uniform sampler2DShadow shade; uniform sampler2D depths;
uniform vec3 lamp_at[4]; uniform float lamp_radius[4];
uniform mat4 lamp_view[4]; uniform vec2 lamp_range[4]; uniform float lamp_slope[4];
uniform vec3 eye; uniform float bias;
out vec4 shown;
const vec2 NEAR[6] = vec2[](vec2(-.82,-.40), vec2(.75,-.57), vec2(.05,.93), vec2(.14,.19), vec2(-.72,.56),
    vec2(.9,.4));
const vec2 TAPS[12] = vec2[](vec2(-.94,-.30), vec2(.85,-.47), vec2(-.09,-.93), vec2(.34,.29), vec2(-.92,.36),
    vec2(-.42,-.78), vec2(-.38,.28), vec2(.87,.46), vec2(.44,-.85), vec2(.20,-.35), vec2(-.36,.85), vec2(.30,.89));

float linear_depth(float d, vec2 range) {
    return range.x * range.y / (range.y - d * (range.y - range.x));
}

float lit(int i, vec3 n) {
    vec4 p = lamp_view[i] * vec4(at + n * bias, 1.0);
    vec3 q = p.xyz / p.w * 0.5 + 0.5;
    bool outside = p.w <= 0.0 || any(lessThan(q.xy, vec2(0.01))) || any(greaterThan(q.xy, vec2(0.99)));
    float own = linear_depth(q.z, lamp_range[i]);
    vec2 tile = vec2(i % 2, i / 2) * 0.5;
    float reach = lamp_radius[i] * lamp_slope[i] / own;   // of the lamp, seen from here, over the map
    float search = clamp(reach * 0.25, 0.0012, 0.03);
    float sum = 0.0, count = 0.0;
    for (int k = 0; k < 6; k++) {
        vec2 spot = clamp(q.xy + NEAR[k] * search, 0.004, 0.996);
        float d = linear_depth(texture(depths, tile + spot * 0.5).r, lamp_range[i]);
        float before = step(d, own - bias);
        sum += d * before;
        count += before;
    }
    float blocker = count > 0.5 ? sum / count : own;
    float width = clamp(reach * (own - blocker) / blocker * 0.5, 0.0008, 0.03);
    float z = q.z - 0.00002, seen = 0.0;
    for (int k = 0; k < 12; k++)
        seen += texture(shade, vec3(tile + clamp(q.xy + TAPS[k] * width, 0.004, 0.996) * 0.5, z));
    return outside ? 1.0 : seen / 12.0;
}

void main() {
    vec3 n = normalize(facing);
    if (dot(n, eye - at) < 0.0) n = -n;
    shown = vec4(1.0);
    for (int i = 0; i < LAMPS; i++) shown[i] = lit(i, n);
}"""

_FRAGMENT = """#version 330
in vec3 at; in vec3 facing; in vec2 where_uv;
uniform sampler2D picture; uniform sampler2D seen; uniform vec2 size;
uniform vec3 lamp_at[4]; uniform vec3 lamp_colour[4]; uniform float lamp_radius[4]; uniform float lamp_reach[4];
uniform vec3 eye; uniform vec3 sky; uniform vec3 ground; uniform vec3 up; uniform float exposure;
uniform vec3 balance;
uniform vec3 colour; uniform float roughness; uniform float metal; uniform float gloss; uniform float relief;
uniform float wire_level; uniform float glow;
out vec4 shown;

#ifdef TEXTURED
// Four taps along the longer axis of the pixel's footprint, at the level of the shorter one: what anisotropic
// filtering does, at a third of the price that llvmpipe takes for it.
vec4 sharp(vec2 uv) {
    vec2 texels = vec2(textureSize(picture, 0));
    vec2 dx = dFdx(uv) * texels, dy = dFdy(uv) * texels;
    float xx = dot(dx, dx), yy = dot(dy, dy);
    vec2 way = xx > yy ? dx : dy;
    float level = 0.5 * log2(max(max(min(xx, yy), max(xx, yy) / 16.0), 1e-8));
    vec2 part = way / texels * 0.25;
    return 0.25 * (textureLod(picture, uv - 1.5 * part, level) + textureLod(picture, uv - 0.5 * part, level)
        + textureLod(picture, uv + 0.5 * part, level) + textureLod(picture, uv + 1.5 * part, level));
}
#endif

vec3 surround(vec3 d, float rough) {
    float h = dot(d, up) * 0.5 + 0.5;
    return mix(ground, sky, smoothstep(0.5 - 0.15 - 0.35 * rough, 0.5 + 0.15 + 0.35 * rough, h)) * 2.0;
}

void main() {
    vec3 n = normalize(facing), v = normalize(eye - at);
    if (dot(n, v) < 0.0) n = -n;
#ifdef TEXTURED
    vec4 texel = sharp(where_uv);
    vec3 albedo = texel.rgb * colour;
    // Mikkelsen: the gradient of the height over the surface from differences between pixels
    vec3 dx = dFdx(at), dy = dFdy(at);
    vec3 rx = cross(dy, n), ry = cross(n, dx);
    float det = dot(dx, rx);
    vec3 slope = sign(det) * relief * (dFdx(texel.a) * rx + dFdy(texel.a) * ry);
    n = normalize(abs(det) * n - slope);
    n = normalize(n - 1.05 * min(dot(n, v), 0.0) * v);
    float wire = smoothstep(wire_level - 0.08, wire_level + 0.04, texel.a);
    float steel = max(metal, wire);
    float rough = mix(roughness, min(roughness, 0.3), wire);
#else
    vec3 albedo = colour;
    float steel = metal, rough = roughness;
#endif
    albedo *= albedo * (0.2 + 0.8 * albedo);   // sRGB to linear, near enough
    vec3 f0 = mix(vec3(gloss), albedo, steel);
    float grazing = 1.0 - max(dot(n, v), 0.0);
    float fresnel = grazing * grazing * grazing * grazing * grazing * (1.0 - rough);
    vec3 sheen = f0 + (max(vec3(1.0 - rough), f0) - f0) * fresnel;
    vec3 diffuse = mix(ground, sky, dot(n, up) * 0.5 + 0.5), mirror = surround(reflect(-v, n), rough);
    float power = 2.0 / max(rough * rough * rough * rough, 0.0004);
#if LAMPS > 0
    vec4 open = texture(seen, gl_FragCoord.xy / size);
    for (int i = 0; i < LAMPS; i++) {
        vec3 to = lamp_at[i] - at;
        float far = length(to);
        vec3 l = to / far;
        float fall = lamp_reach[i] / far, widen = lamp_radius[i] / far;
        vec3 light = lamp_colour[i] * (fall * fall * max(dot(n, l), 0.0) * open[i]);
        diffuse += light;
        float p = 1.0 / (1.0 / power + 0.5 * widen * widen);
        mirror += light * (p + 2.0) / 8.0 * exp2(-1.4427 * p * (1.0 - max(dot(n, normalize(l + v)), 0.0)));
    }
#endif
    vec3 light = albedo * (1.0 - steel) * diffuse + sheen * mirror + albedo * glow;
    light *= exposure * balance;
    light = light / (1.0 + max(light - 0.75, 0.0) * 0.8);
    shown = vec4(pow(clamp(light, 0.0, 1.0), vec3(1.0 / 2.2)), 1.0);
}"""

_DEPTH_FRAGMENT = "#version 330\nvoid main() {}"
_NAME_FRAGMENT = (
    "#version 330\nuniform float name; out vec4 shown; void main() { shown = vec4(name, 0.0, 0.0, 1.0); }"
)
_DEPTH_VERTEX = """#version 330
in vec3 point; uniform mat4 pose; uniform mat4 view;
void main() { vec4 world = pose * vec4(point, 1.0); gl_Position = view * world; }"""


def open_fast() -> "FastEngine | Failure":
    """Give this process's engine, or say what the machine lacks."""
    return _engine()


def need_fast() -> "FastEngine":
    """Give this process's engine; raises `RuntimeError` where nothing can draw, so that training says why."""
    engine = _engine()
    if isinstance(engine, Failure):
        raise RuntimeError(engine.message)
    return engine


@lru_cache(maxsize=1)
def _engine() -> "FastEngine | Failure":
    try:
        import moderngl  # noqa: PLC0415 - the extra `synth` may be missing
    except ImportError:
        return Failure("NO_RENDERER", "drawing pictures needs the extra `synth`: pip install 'tallycam[synth]'")
    try:
        backend: dict[str, Any] = {"backend": "egl"} if sys.platform == "linux" else {}
        context = moderngl.create_context(standalone=True, require=330, **backend)
    except Exception as error:  # moderngl raises it bare for every missing library
        return Failure(
            "NO_RENDERER",
            f"no OpenGL here ({error}); on Debian: apt-get install libegl1 libegl-mesa0 libgl1-mesa-dri",
        )
    return FastEngine(context)


@dataclass(slots=True, eq=False)
class _Targets:
    """Framebuffers of a picture size (four samples a pixel, resolved, names, half-size shadows), their scene."""

    many: Any
    single: Any
    names: Any
    seen: Any
    last: Scene | None = None

    def release(self) -> None:
        """Give all memory back: a framebuffer that goes leaves what it drew into behind."""
        for target in (self.many, self.single, self.names, self.seen):
            for drawn in (*target.color_attachments, target.depth_attachment):
                if drawn is not None:
                    drawn.release()
            target.release()


Box = tuple[int, int, int, int]


class FastEngine:
    """Draws scenes; holds the OpenGL context, the programs and what was uploaded before."""

    def __init__(self, context: Any) -> None:  # noqa: ANN401 - moderngl has no types
        self.gl = context
        self.renderer = str(context.info["GL_RENDERER"])
        self.version = str(context.info["GL_VERSION"])
        self._programs: dict[tuple[str, int, bool], Any] = {}
        self._depth = context.program(vertex_shader=_DEPTH_VERTEX, fragment_shader=_DEPTH_FRAGMENT)
        self._name = context.program(vertex_shader=_DEPTH_VERTEX, fragment_shader=_NAME_FRAGMENT)
        self._meshes: dict[int, _Uploaded] = {}
        self._textures: dict[int, tuple[Texture, Any]] = {}
        self._targets: dict[tuple[int, int], _Targets] = {}
        self._shadow = context.depth_texture((2 * SHADOW_PX, 2 * SHADOW_PX))
        self._shadow_target = context.framebuffer(depth_attachment=self._shadow)
        self._compare = context.sampler(texture=self._shadow, compare_func="<=", repeat_x=False, repeat_y=False)
        self._compare.filter = (context.LINEAR, context.LINEAR)
        self._plain = context.sampler(texture=self._shadow, compare_func="", repeat_x=False, repeat_y=False)
        self._plain.filter = (context.NEAREST, context.NEAREST)

    def draw(self, scene: Scene) -> Bytes:
        """Draw what reaches the sensor, through the lens: sRGB (H, W, 3) in BGR order, without noise.

        Where the scene differs from the last one of this size in some items only, no more is drawn anew than what
        they and their shadows may have changed; the picture is the same.
        """
        wide, bend = pinhole(scene.camera)
        targets = self._target(wide.size)
        box = (0, 0, *wide.size)
        if targets.last is not None:
            box = changed_px(targets.last, scene, wide)
        if box[2] > box[0] and box[3] > box[1]:
            self._paint(scene, wide, targets, box)
        targets.last = scene
        self.gl.copy_framebuffer(targets.single, targets.many)
        return through(bend, _read(targets.single, 3)[..., ::-1])

    def _paint(self, scene: Scene, wide: Camera, targets: "_Targets", box: Box) -> None:
        view = _bytes(_projection(wide, _range(scene)))
        self.gl.enable(self.gl.DEPTH_TEST)
        self.gl.depth_func = "<="
        lamps = len(scene.lamps[:MAX_LAMPS])
        if lamps:
            self._shadows(scene)
            targets.seen.use()
            targets.seen.scissor = (
                box[0] // 2 - 1,
                box[1] // 2 - 1,
                (box[2] - box[0]) // 2 + 3,
                (box[3] - box[1]) // 2 + 3,
            )
            targets.seen.clear(1.0, 1.0, 1.0, 1.0, 1.0)
            self._cover(targets.seen, scene, view)
            self._compare.use(1)
            self._plain.use(2)
            self._fill(scene, view, "shadow")
        targets.many.use()
        targets.many.scissor = (box[0], box[1], box[2] - box[0], box[3] - box[1])
        targets.many.clear(0.02, 0.02, 0.02, 1.0, 1.0)
        self._cover(targets.many, scene, view)
        if lamps:
            targets.seen.color_attachments[0].use(3)
        self._fill(scene, view, "paint", wide.size)

    def names(self, scene: Scene, alone: str | None = None) -> Bytes:
        """Draw which object is where: (H, W), 0 for nothing named, else 1 + index into `keys(scene)`.

        With `alone` only that object is drawn, as if nothing hid it.
        """
        wide, bend = pinhole(scene.camera)
        target = self._target(wide.size).names
        target.use()
        target.clear(0.0, 0.0, 0.0, 1.0, 1.0)
        self.gl.enable(self.gl.DEPTH_TEST)
        self.gl.depth_func = "<="  # as a drawing has it: else the first scene of a process differs from the others
        self._name["view"].write(_bytes(_projection(wide, _range(scene))))
        order = {key: i + 1 for i, key in enumerate(keys(scene))}
        for item in scene.items:
            if alone is not None and item.key != alone:
                continue
            self._name["pose"].write(_bytes(item.pose))
            self._name["name"].value = order.get(item.key, 0) / 255.0
            self._upload(item.mesh).array(self._name).render()
        return through(bend, _read(target, 1)[..., 0], nearest=True)

    def _cover(self, target: Any, scene: Scene, view: bytes) -> None:  # noqa: ANN401 - moderngl has no types
        """Fill the depth buffer first, so that only what is seen is shaded."""
        target.color_mask = False, False, False, False
        self._depth["view"].write(view)
        for item in scene.items:
            self._depth["pose"].write(_bytes(item.pose))
            self._upload(item.mesh).array(self._depth).render()
        target.color_mask = True, True, True, True

    def _shadows(self, scene: Scene) -> None:
        target = self._shadow_target
        target.viewport = (0, 0, 2 * SHADOW_PX, 2 * SHADOW_PX)
        target.use()
        target.clear(depth=1.0)
        for i, lamp in enumerate(scene.lamps[:MAX_LAMPS]):
            target.viewport = (i % 2 * SHADOW_PX, i // 2 * SHADOW_PX, SHADOW_PX, SHADOW_PX)
            target.use()
            self._depth["view"].write(_bytes(_lamp_view(lamp)[0]))
            for item in scene.items:
                if item.shadow:
                    self._depth["pose"].write(_bytes(item.pose))
                    self._upload(item.mesh).array(self._depth).render()

    def _fill(self, scene: Scene, view: bytes, kind: str, size: tuple[int, int] = (1, 1)) -> None:
        """Shade what is seen, with the program that has no more in it than each item needs."""
        count = len(scene.lamps[:MAX_LAMPS])
        plain, textured = (self._program(kind, count, with_texture) for with_texture in (False, True))
        for program in {plain, textured}:
            _light(program, scene, size)
            _put(program, "view", view)
        for item in scene.items:
            look = item.material
            program = plain if look.texture is None else textured
            _put(program, "pose", _bytes(item.pose))
            if kind == "paint":
                for name in ("colour", "roughness", "metal", "gloss", "relief", "wire_level", "glow"):
                    _put(program, name, getattr(look, name))
                if look.texture is not None:
                    self._texture(look.texture).use(0)
            self._upload(item.mesh).array(program).render()

    def _program(self, kind: str, lamps: int, textured: bool) -> Any:  # noqa: ANN401 - moderngl has no types
        key = (kind, lamps, textured and kind == "paint")
        if key not in self._programs:
            head = f"#version 330\n#define LAMPS {lamps}\n" + ("#define TEXTURED\n" if key[2] else "")
            source = _FRAGMENT if kind == "paint" else _SHADOW_FRAGMENT
            self._programs[key] = self.gl.program(
                vertex_shader=_VERTEX, fragment_shader=source.replace("#version 330\n", head, 1)
            )
        return self._programs[key]

    def _upload(self, shape: Mesh) -> "_Uploaded":
        known = self._meshes.get(id(shape))
        if known is None:
            if len(self._meshes) >= 400:  # a scene has some hundred at most
                for key in list(self._meshes)[:200]:
                    self._meshes.pop(key).release()
            known = self._meshes[id(shape)] = _Uploaded(self.gl, shape)
        return known

    def _texture(self, texture: Texture) -> Any:  # noqa: ANN401 - moderngl has no types
        known = self._textures.pop(id(texture), None)
        if known is None:
            known = (texture, self._written(texture))
        self._textures[id(texture)] = known  # last used, last in
        return known[1]

    def _written(self, texture: Texture) -> Any:  # noqa: ANN401 - moderngl has no types
        """Put a texture on the card; its memory is reused, for cv2 makes mipmaps at a tenth of OpenGL's price."""
        levels = [np.ascontiguousarray(texture.rgba)]
        while max(levels[-1].shape[:2]) > 1:
            height, width = (max(1, n // 2) for n in levels[-1].shape[:2])
            levels.append(
                np.asarray(cv2.resize(levels[-1], (width, height), interpolation=cv2.INTER_AREA), np.uint8)
            )
        size = (levels[0].shape[1], levels[0].shape[0])
        old = [key for key, (_, held) in self._textures.items() if held.size == size]
        if len(old) >= TEXTURES_A_SIZE:
            made = self._textures.pop(old[0])[1]
        else:
            made = self.gl.texture(size, 4)
            made.build_mipmaps()
            made.filter = (self.gl.LINEAR_MIPMAP_LINEAR, self.gl.LINEAR)
        made.repeat_x = made.repeat_y = texture.tiles
        for number, level in enumerate(levels):
            made.write(level.tobytes(), level=number)
        return made

    def _target(self, size: tuple[int, int]) -> _Targets:
        if size not in self._targets:
            gl, half = self.gl, (size[0] // 2, size[1] // 2)
            if len(self._targets) >= 6:
                self._targets.pop(next(iter(self._targets))).release()
            seen = gl.texture(half, 4)
            seen.repeat_x = seen.repeat_y = False
            self._targets[size] = _Targets(
                gl.framebuffer([gl.renderbuffer(size, 4, samples=4)], gl.depth_renderbuffer(size, samples=4)),
                gl.framebuffer([gl.renderbuffer(size, 4)]),
                gl.framebuffer([gl.renderbuffer(size, 1)], gl.depth_renderbuffer(size)),
                gl.framebuffer([seen], gl.depth_renderbuffer(half)),
            )
        return self._targets[size]


class _Uploaded:
    """A mesh on the card, with a vertex array for each program that drew it."""

    def __init__(self, context: Any, shape: Mesh) -> None:  # noqa: ANN401 - moderngl has no types
        self._gl = context
        self.shape = shape  # kept alive: the cache goes by identity
        corners = np.hstack([shape.points, shape.normals, shape.uv]).astype("f4")
        self._corners = context.buffer(corners.tobytes())
        self._index = context.buffer(shape.triangles.tobytes())
        self._arrays: dict[int, Any] = {}

    def array(self, program: Any) -> Any:  # noqa: ANN401 - moderngl has no types
        """Vertex array of this mesh for a program."""
        if program.glo not in self._arrays:
            wanted = [("point", "3f"), ("normal", "3f"), ("uv", "2f")]
            layout = " ".join(kind if name in program else f"{kind[0]}x4" for name, kind in wanted)
            names = [name for name, _ in wanted if name in program]
            self._arrays[program.glo] = self._gl.vertex_array(
                program, [(self._corners, layout, *names)], self._index
            )
        return self._arrays[program.glo]

    def release(self) -> None:
        """Free the card's memory."""
        for held in (*self._arrays.values(), self._corners, self._index):
            held.release()


def changed_px(old: Scene, new: Scene, camera: Camera) -> Box:
    """Give the box (x0, y0, x1, y1) px of all that may look different in `new` to a pinhole camera."""
    whole = (0, 0, *camera.size)
    same = all(getattr(old, name) == getattr(new, name) for name in ("lamps", "sky", "ground", "up", "screens"))
    same = same and (old.sensor.exposure, old.sensor.balance) == (new.sensor.exposure, new.sensor.balance)
    if not same or old.camera != new.camera or not np.array_equal(old.camera.pose, new.camera.pose):
        return whole
    before, after = ({_identity(item): item for item in scene.items} for scene in (old, new))
    moved = [item for key, item in before.items() if key not in after]
    moved += [item for key, item in after.items() if key not in before]
    if not moved:
        return (0, 0, 0, 0)
    points = np.concatenate([_reached(item, new) for item in moved])
    at = points @ camera.pose[:3, :3].T + camera.pose[:3, 3]
    if at[:, 2].min() < 1e-3 * np.abs(at).max():
        return whole
    px = at[:, :2] / at[:, 2:] * camera.f_px + (camera.cx_px, camera.cy_px)
    low = np.maximum(np.floor(px.min(0)) - MARGIN_PX, 0)
    high = np.minimum(np.ceil(px.max(0)) + MARGIN_PX, camera.size)
    return (int(low[0]), int(low[1]), int(high[0]), int(high[1]))


def _identity(item: Item) -> tuple[int, int, bytes]:
    return id(item.mesh), id(item.material), item.pose.tobytes()


def _reached(item: Item, scene: Scene) -> Floats:
    """Give the corners of an item's box and where its shadows may fall, (N, 3), to twice the lamp's reach."""
    low, high = item.mesh.points.min(0), item.mesh.points.max(0)
    share = np.array([(i, j, k) for i in (0, 1) for j in (0, 1) for k in (0, 1)])
    corners = (low + share * (high - low)) @ item.pose[:3, :3].T + item.pose[:3, 3]
    if not item.shadow:
        return np.asarray(corners)
    found = [corners]
    for lamp in scene.lamps[:MAX_LAMPS]:
        far = 2.0 * float(np.linalg.norm(np.subtract(lamp.at, lamp.toward)))
        for shift in np.vstack([np.zeros(3), np.eye(3), -np.eye(3)]) * lamp.radius:
            source = np.asarray(lamp.at) + shift
            rays = corners - source
            longest = np.maximum(far / np.maximum(np.linalg.norm(rays, axis=1), 1e-9), 1.0)
            for *normal, d in scene.screens:
                sinks = -(rays @ normal)
                height = float(source @ normal - d)
                share_down = np.where(sinks > 1e-9, height / np.maximum(sinks, 1e-9), longest)
                found.append(source + np.clip(share_down, 1.0, longest)[:, None] * rays)
    return np.concatenate(found)


def keys(scene: Scene) -> list[str]:
    """Names of the scene's objects, in order of first appearance, without the unnamed."""
    return list(dict.fromkeys(item.key for item in scene.items if item.key))


def _put(program: Any, name: str, value: Any) -> None:  # noqa: ANN401 - moderngl has no types
    """Set a uniform; one that the program has no use for was left out by the compiler."""
    if name in program:
        if isinstance(value, bytes):
            program[name].write(value)
        else:
            program[name].value = value


def _light(program: Any, scene: Scene, size: tuple[int, int]) -> None:  # noqa: ANN401 - moderngl has no types
    lamps = scene.lamps[:MAX_LAMPS]
    views = [_lamp_view(lamp) for lamp in lamps]
    far = [float(np.linalg.norm(np.subtract(lamp.at, lamp.toward))) for lamp in lamps]
    rows: dict[str, tuple[list[Any], int]] = {
        "lamp_at": ([lamp.at for lamp in lamps], 3),
        "lamp_colour": ([lamp.colour for lamp in lamps], 3),
        "lamp_radius": ([lamp.radius for lamp in lamps], 1),
        "lamp_reach": (far, 1),
        "lamp_range": ([view[1] for view in views], 2),
        "lamp_slope": ([1 / np.tan(np.radians(lamp.spread)) for lamp in lamps], 1),
        "lamp_view": ([view[0].T for view in views], 16),
    }
    for name, (values, width) in rows.items():
        table = np.zeros((MAX_LAMPS, width), "f4")
        table[: len(lamps)] = np.asarray(values, "f4").reshape(len(lamps), width)
        if name in program:
            program[name].write(table[: program[name].array_length].tobytes())
    for name in ("sky", "ground", "up"):
        _put(program, name, getattr(scene, name))
    _put(program, "eye", tuple(scene.camera.position()))
    _put(program, "exposure", scene.sensor.exposure)
    _put(program, "balance", scene.sensor.balance)
    _put(program, "bias", 0.0015 * max(far, default=1.0))
    _put(program, "size", size)
    for unit, name in enumerate(("picture", "shade", "depths", "seen")):
        _put(program, name, unit)


def _bytes(matrix: Floats) -> bytes:
    return np.ascontiguousarray(matrix.T, "f4").tobytes()


def _read(target: Any, channels: int) -> Bytes:  # noqa: ANN401 - moderngl has no types
    width, height = target.size
    flat = np.frombuffer(target.read(components=channels, alignment=1), np.uint8)
    return flat.reshape(height, width, channels)


def _range(scene: Scene) -> tuple[float, float]:
    """Near and far plane from what is in the scene."""
    depths = [_farthest(item, scene.camera.pose) for item in scene.items]
    far = max(depths, default=1.0) * 1.05
    return far / 4000.0, far


def _farthest(item: Item, pose: Floats) -> float:
    row = pose[2, :3] @ item.pose[:3, :3]
    return float((item.mesh.points @ row).max() + pose[2, :3] @ item.pose[:3, 3] + pose[2, 3])


def _projection(camera: Camera, depth: tuple[float, float]) -> Floats:
    """Clip matrix (4, 4) of world points; row 0 of the target is the top row of the picture."""
    width, height = camera.size
    near, far = depth
    clip = np.zeros((4, 4))
    clip[0, 0] = 2 * camera.f_px / width
    clip[0, 2] = (2 * camera.cx_px + 1) / width - 1
    clip[1, 1] = 2 * camera.f_px / height
    clip[1, 2] = (2 * camera.cy_px + 1) / height - 1
    clip[2, 2] = (far + near) / (far - near)
    clip[2, 3] = -2 * far * near / (far - near)
    clip[3, 2] = 1
    return np.asarray(clip @ camera.pose)


def _lamp_view(lamp: Lamp) -> tuple[Floats, tuple[float, float]]:
    at, toward = np.asarray(lamp.at), np.asarray(lamp.toward)
    up = (0.0, 1.0, 0.0) if abs((at - toward)[1]) < 0.95 * np.linalg.norm(at - toward) else (1.0, 0.0, 0.0)
    far = float(np.linalg.norm(at - toward))
    depth = (0.08 * far, 3.0 * far)
    slope = 1 / np.tan(np.radians(lamp.spread))
    eye = Camera(size=(2, 2), f_px=slope, cx_px=0.5, cy_px=0.5, pose=look_at(at, toward, up=up))
    return _projection(eye, depth), depth


Bend = tuple[NDArray[np.int16], NDArray[np.uint16]] | None


def pinhole(camera: Camera) -> tuple[Camera, Bend]:
    """Camera without distortion that sees all that `camera` sees, and the map from its picture."""
    if camera.k1 == 0.0 and camera.k2 == 0.0:
        return camera, None
    return _bent(camera, camera.pose.tobytes())


@lru_cache(maxsize=8)
def _bent(camera: Camera, pose: bytes) -> tuple[Camera, Bend]:
    (width, height), f_px, cx, cy = camera.size, camera.f_px, camera.cx_px, camera.cy_px
    k1, k2 = camera.k1, camera.k2
    x, y = np.meshgrid(
        ((np.arange(width) - cx) / f_px).astype(np.float32), ((np.arange(height) - cy) / f_px).astype(np.float32)
    )
    reach = float(np.hypot(np.abs(x).max(), np.abs(y).max()))
    table = np.linspace(0, reach, 4096)
    ideal = np.linspace(0, 3 * reach, 20000)
    seen = np.maximum.accumulate(ideal * (1 + k1 * ideal**2 + k2 * ideal**4))  # flat from where the lens folds
    straight = np.interp(table, seen, ideal)
    stretch = np.append(1.0, straight[1:] / table[1:]).astype(np.float32)
    at = cv2.magnitude(x, y) * np.float32(4095 / reach)
    ratio = cv2.remap(stretch[None], at, np.zeros_like(at), cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
    px, py = x * ratio * np.float32(f_px), y * ratio * np.float32(f_px)
    low_x, low_y = int(np.floor(px.min())) - 2, int(np.floor(py.min())) - 2
    size_wide = (int(np.ceil(px.max())) + 3 - low_x, int(np.ceil(py.max())) + 3 - low_y)
    shrink = min(1.0, 2.0 * width / size_wide[0], 2.0 * height / size_wide[1])
    size_wide = (int(size_wide[0] * shrink), int(size_wide[1] * shrink))
    wide = Camera(
        size=size_wide,
        f_px=f_px * shrink,
        cx_px=-low_x * shrink,
        cy_px=-low_y * shrink,
        pose=np.frombuffer(pose).reshape(4, 4),
    )
    maps = cv2.convertMaps(
        ((px - low_x) * shrink).astype(np.float32), ((py - low_y) * shrink).astype(np.float32), cv2.CV_16SC2
    )
    return wide, (np.asarray(maps[0], np.int16), np.asarray(maps[1], np.uint16))


def through(bend: Bend, picture: Bytes, nearest: bool = False) -> Bytes:
    """Give a picture (H, W) or (H, W, 3) of the wide camera as the lens bends it."""
    if bend is None:
        return np.ascontiguousarray(picture)
    flag = cv2.INTER_NEAREST if nearest else cv2.INTER_LINEAR
    return np.asarray(cv2.remap(np.ascontiguousarray(picture), bend[0], bend[1], flag), np.uint8)
