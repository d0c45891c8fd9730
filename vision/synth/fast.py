"""The fast engine: one OpenGL pass over the scene, shadows from every lamp, four samples a pixel.

Runs on whatever OpenGL 3.3 there is; without a graphics card that is Mesa's llvmpipe (Debian: libegl1,
libegl-mesa0, libgl1-mesa-dri). The reasons for this choice are in `docs/decisions/0001-fast-renderer.md`.
"""

import ctypes
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import product
from typing import Any

import cv2
import numpy as np

from vision.failure import Failure
from vision.synth.lens import bent_part, pinhole, through
from vision.synth.masks import Box, Named, Part
from vision.synth.scene import Bytes, Camera, Floats, Item, Lamp, Mesh, Scene, Texture, look_at
from vision.synth.shaders import DEPTH_FRAGMENT, DEPTH_VERTEX, FRAGMENT, NAME_FRAGMENT, SHADOW_FRAGMENT, VERTEX

SHADOW_PX = 1024  # a lamp's depth map; four of them tile one texture
MAX_LAMPS = 4
TEXTURES = 64  # kept on the card; a scene has about half as many
MARGIN_PX = 16  # about what is drawn anew: widest blur of a shadow beyond its lamp's own
MOST_BOXES = 4  # of what changed, drawn one by one
SAMPLES = 4  # a pixel; only edges are sampled so often, colours once

_TONES = np.round((np.arange(256) / 255) ** (2 / 2.2) * 255).astype(np.uint8)  # from square roots of light to sRGB
_TEXTURE_2D, _RGBA8, _RGBA, _BYTES = 0x0DE1, 0x8058, 0x1908, 0x1401  # OpenGL's own numbers for them
_IMAGE_2D = ctypes.CFUNCTYPE(None, *([ctypes.c_int] * 8), ctypes.c_void_p)


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
        import glcontext  # noqa: PLC0415 - the extra `synth` may be missing
        import moderngl  # noqa: PLC0415
    except ImportError:
        return Failure("NO_RENDERER", "drawing pictures needs the extra `synth`: pip install 'tallycam[synth]'")
    try:
        linux = sys.platform == "linux"
        backend = glcontext.get_backend_by_name("egl") if linux else glcontext.default_backend()
        system = backend(mode="standalone", glversion=330)
        context = moderngl.create_context(standalone=True, require=330, context=system)
    except Exception as error:  # moderngl raises it bare for every missing library
        return Failure(
            "NO_RENDERER",
            f"no OpenGL here ({error}); on Debian: apt-get install libegl1 libegl-mesa0 libgl1-mesa-dri",
        )
    return FastEngine(context, system.load("glTexImage2D"))


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


class FastEngine:
    """Draws scenes; holds the OpenGL context, the programs and what was uploaded before."""

    def __init__(self, context: Any, image_2d: int) -> None:  # noqa: ANN401 - moderngl has no types
        self.gl = context
        self._image_2d = _IMAGE_2D(image_2d)
        self.renderer = str(context.info["GL_RENDERER"])
        self.version = str(context.info["GL_VERSION"])
        self._programs: dict[tuple[str, int, bool], Any] = {}
        self._depth = context.program(vertex_shader=DEPTH_VERTEX, fragment_shader=DEPTH_FRAGMENT)
        self._name = context.program(vertex_shader=DEPTH_VERTEX, fragment_shader=NAME_FRAGMENT)
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
        whole = (0, 0, *wide.size)
        boxes = [whole] if targets.last is None else changed_px(targets.last, scene, wide)
        if boxes:
            self._paint(scene, wide, targets, boxes)
        targets.last = scene
        targets.many.scissor = whole  # copying keeps to it: else no more than the last box is copied
        self.gl.copy_framebuffer(targets.single, targets.many)
        # All four channels are read as they lie; OpenGL takes ten times as long to leave one out.
        drawn = cv2.cvtColor(_read(targets.single, 4), cv2.COLOR_RGBA2BGR)
        return through(bend, np.asarray(cv2.LUT(drawn, _TONES), np.uint8))

    def _paint(self, scene: Scene, wide: Camera, targets: "_Targets", boxes: Sequence[Box]) -> None:
        matrix = _projection(wide, _range(scene))
        view = _bytes(matrix)
        parts = [(box, _in_view(scene.items, matrix, _shares(box, wide.size))) for box in boxes]
        self.gl.enable(self.gl.DEPTH_TEST)
        self.gl.depth_func = "<="
        if scene.lamps:
            self._shadows(scene)
            targets.seen.use()
            for (x0, y0, x1, y1), items in parts:
                targets.seen.scissor = (x0 // 2 - 1, y0 // 2 - 1, (x1 - x0) // 2 + 3, (y1 - y0) // 2 + 3)
                targets.seen.clear(1.0, 1.0, 1.0, 1.0, 1.0)
                self._cover(targets.seen, items, view)
                self._compare.use(1)
                self._plain.use(2)
                self._fill(scene, items, view, "shadow")
        targets.many.use()
        for (x0, y0, x1, y1), items in parts:
            targets.many.scissor = (x0, y0, x1 - x0, y1 - y0)
            targets.many.clear(0.02, 0.02, 0.02, 1.0, 1.0)
            if scene.lamps:
                targets.seen.color_attachments[0].use(3)
            self._fill(scene, items, view, "paint", wide.size)

    def names(self, scene: Scene, alone: str | None = None) -> Bytes:
        """Draw which object is where: (H, W), 0 for nothing named, else 1 + index into `keys(scene)`.

        With `alone` only that object is drawn, as if nothing hid it.
        """
        wide, bend = pinhole(scene.camera)
        target = self._target(wide.size).names
        items = [item for item in scene.items if alone is None or item.key == alone]
        self._name_items(scene, items, target, (0, 0, *wide.size))
        return through(bend, _read(target, 1)[..., 0], nearest=True)

    def named(self, scene: Scene) -> Named:
        """Draw `names`, for asking about one object after the other."""
        return Named(self.names(scene), keys(scene))

    def part(self, scene: Scene, key: str) -> Part:
        """Draw one object as if nothing hid it: the very pixels of `names(scene, key)`, where they may be."""
        wide, bend = pinhole(scene.camera)
        items = [item for item in scene.items if item.key == key]
        box = _around(np.concatenate([_corners(item) for item in items]), wide, 1) if items else (0, 0, 0, 0)
        if box[2] <= box[0] or box[3] <= box[1]:
            return Part(np.zeros((1, 1), bool), (0, 0))
        target = self._target(wide.size).names
        self._name_items(scene, items, target, box)
        drawn = _read(target, 1, box)[..., 0]
        if bend is None:
            return Part(drawn > 0, box[:2])
        return bent_part(bend, drawn, box[:2])

    def _name_items(self, scene: Scene, items: Sequence[Item], target: Any, box: Box) -> None:  # noqa: ANN401
        target.use()
        target.scissor = (box[0], box[1], box[2] - box[0], box[3] - box[1])
        target.clear(0.0, 0.0, 0.0, 1.0, 1.0)
        self.gl.enable(self.gl.DEPTH_TEST)
        self.gl.depth_func = "<="  # as a drawing has it: else the first scene of a process differs from the others
        self._name["view"].write(_bytes(_projection(pinhole(scene.camera)[0], _range(scene))))
        order = {key: i + 1 for i, key in enumerate(keys(scene))}
        for item in items:
            self._name["pose"].write(_bytes(item.pose))
            self._name["name"].value = order.get(item.key, 0) / 255.0
            self._upload(item.mesh).array(self._name).render()

    def _cover(self, target: Any, items: Sequence[Item], view: bytes) -> None:  # noqa: ANN401
        """Fill the depth buffer first, so that only what is seen is shaded."""
        target.color_mask = False, False, False, False
        self._deepen(items, view)
        target.color_mask = True, True, True, True

    def _shadows(self, scene: Scene) -> None:
        target = self._shadow_target
        target.viewport = (0, 0, 2 * SHADOW_PX, 2 * SHADOW_PX)
        target.use()
        target.clear(depth=1.0)
        for i, lamp in enumerate(scene.lamps[:MAX_LAMPS]):
            target.viewport = (i % 2 * SHADOW_PX, i // 2 * SHADOW_PX, SHADOW_PX, SHADOW_PX)
            target.use()
            view = _lamp_view(lamp)[0]
            self._deepen(_in_view([item for item in scene.items if item.shadow], view), _bytes(view))

    def _deepen(self, items: Sequence[Item], view: bytes) -> None:
        self._depth["view"].write(view)
        for item in items:
            self._depth["pose"].write(_bytes(item.pose))
            self._upload(item.mesh).array(self._depth).render()

    def _fill(
        self, scene: Scene, items: Sequence[Item], view: bytes, kind: str, size: tuple[int, int] = (1, 1)
    ) -> None:
        """Shade what is seen, with the program that has no more in it than each item needs."""
        count = len(scene.lamps[:MAX_LAMPS])
        plain, textured = (self._program(kind, count, with_texture) for with_texture in (False, True))
        for program in {plain, textured}:
            _light(program, scene, size)
            _put(program, "view", view)
        for item in items:
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
            source = FRAGMENT if kind == "paint" else SHADOW_FRAGMENT
            self._programs[key] = self.gl.program(
                vertex_shader=VERTEX, fragment_shader=source.replace("#version 330\n", head, 1)
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
            if len(self._textures) >= TEXTURES:
                self._textures.pop(next(iter(self._textures)))[1].release()
            known = (texture, self._written(texture))
        self._textures[id(texture)] = known  # last used, last in
        return known[1]

    def _written(self, texture: Texture) -> Any:  # noqa: ANN401 - moderngl has no types
        """Put a texture on the card with its mipmaps, which cv2 makes at a tenth of OpenGL's price.

        moderngl takes levels only of a texture that OpenGL has made them of before: they are given past it.
        """
        level = np.ascontiguousarray(texture.rgba)
        made = self.gl.texture(level.shape[1::-1], 4)
        made.filter = (self.gl.LINEAR_MIPMAP_NEAREST, self.gl.LINEAR)
        made.repeat_x = made.repeat_y = texture.tiles
        made.use(0)
        number = 0
        while True:
            height, width = level.shape[:2]
            self._image_2d(_TEXTURE_2D, number, _RGBA8, width, height, 0, _RGBA, _BYTES, level.ctypes.data)
            if max(height, width) == 1:
                return made
            number, size = number + 1, (max(1, width // 2), max(1, height // 2))
            level = np.asarray(cv2.resize(level, size, interpolation=cv2.INTER_AREA), np.uint8)

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


def changed_px(old: Scene, new: Scene, camera: Camera) -> list[Box]:
    """Give boxes px around all that may look different in `new` to a pinhole camera; none where nothing does."""
    whole = [(0, 0, *camera.size)]
    same = all(getattr(old, name) == getattr(new, name) for name in ("lamps", "sky", "ground", "up", "screens"))
    same = same and (old.sensor.exposure, old.sensor.balance) == (new.sensor.exposure, new.sensor.balance)
    if not same or old.camera != new.camera or not np.array_equal(old.camera.pose, new.camera.pose):
        return whole
    before, after = ({_identity(item): item for item in scene.items} for scene in (old, new))
    moved = [item for key, item in before.items() if key not in after]
    moved += [item for key, item in after.items() if key not in before]
    boxes = [_around(_reached(item, new), camera, MARGIN_PX) for item in moved]
    return joined([box for box in boxes if box[2] > box[0] and box[3] > box[1]])


def joined(boxes: Sequence[Box]) -> list[Box]:
    """Join boxes of which most is in common, and more until few are left: each is drawn by itself."""
    found: list[Box] = []
    for box in sorted(set(boxes)):
        new = box
        while found:
            dear = [_area(_both(new, old)) - _area(new) - _area(old) for old in found]
            place = int(np.argmin(dear))
            if dear[place] > 0 and len(found) < MOST_BOXES:
                break
            new = _both(new, found.pop(place))
        found.append(new)
    return found


def _both(one: Box, other: Box) -> Box:
    return min(one[0], other[0]), min(one[1], other[1]), max(one[2], other[2]), max(one[3], other[3])


def _area(box: Box) -> int:
    return (box[2] - box[0]) * (box[3] - box[1])


def _around(points: Floats, camera: Camera, margin_px: int) -> Box:
    """Give the box px of a pinhole camera around world points (N, 3): the whole picture if one is behind it."""
    at = points @ camera.pose[:3, :3].T + camera.pose[:3, 3]
    if at[:, 2].min() < 1e-3 * np.abs(at).max():
        return (0, 0, *camera.size)
    px = at[:, :2] / at[:, 2:] * camera.f_px + (camera.cx_px, camera.cy_px)
    low = np.maximum(np.floor(px.min(0)) - margin_px, 0)
    high = np.minimum(np.ceil(px.max(0)) + margin_px, camera.size)
    return (int(low[0]), int(low[1]), int(high[0]), int(high[1]))


def _shares(box: Box, size: tuple[int, int]) -> tuple[float, float, float, float]:
    """Give a box px, and a little around it, in OpenGL's places: -1 to 1 over a picture of that size."""
    (wide, tall), (x0, y0, x1, y1) = size, box
    return 2 * (x0 - 4) / wide - 1, 2 * (y0 - 4) / tall - 1, 2 * (x1 + 4) / wide - 1, 2 * (y1 + 4) / tall - 1


def _in_view(
    items: Sequence[Item], view: Floats, within: tuple[float, float, float, float] = (-1.0, -1.0, 1.0, 1.0)
) -> list[Item]:
    """Leave out the items that a view (4, 4) cannot show there: their boxes lie wholly beyond one of its sides."""
    if not items:
        return []
    corners = np.stack([_corners(item) for item in items])
    x, y, z, w = np.moveaxis(corners @ view[:, :3].T + view[:, 3], -1, 0)
    x0, y0, x1, y1 = within
    sides = (x < x0 * w, x > x1 * w, y < y0 * w, y > y1 * w, z < -w, z > w)
    outside = np.any([side.all(1) for side in sides], axis=0)
    return [item for item, out in zip(items, outside, strict=True) if not out]


def _corners(item: Item) -> Floats:
    """Give the corners (8, 3) of an item's box, world frame."""
    return np.asarray(_box_of(item.mesh) @ item.pose[:3, :3].T + item.pose[:3, 3])


@lru_cache(maxsize=400)
def _box_of(mesh: Mesh) -> Floats:
    """Give the corners (8, 3) of a mesh's box."""
    low, high = mesh.points.min(0).astype(float), mesh.points.max(0).astype(float)
    return np.asarray(low + np.array(list(product((0, 1), repeat=3))) * (high - low))


def _identity(item: Item) -> tuple[int, int, bytes]:
    return id(item.mesh), id(item.material), item.pose.tobytes()


def _reached(item: Item, scene: Scene) -> Floats:
    """Give the corners of an item's box and where its shadows may fall, (N, 3), to twice the lamp's reach."""
    corners = _corners(item)
    if not item.shadow:
        return corners
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


def _read(target: Any, channels: int, box: Box | None = None) -> Bytes:  # noqa: ANN401 - moderngl has no types
    x0, y0, x1, y1 = box or (0, 0, *target.size)
    data = target.read(viewport=(x0, y0, x1 - x0, y1 - y0), components=channels, alignment=1)
    return np.frombuffer(data, np.uint8).reshape(y1 - y0, x1 - x0, channels)


def _range(scene: Scene) -> tuple[float, float]:
    """Near and far plane from what is in the scene."""
    row, start = scene.camera.pose[2, :3], scene.camera.pose[2, 3]
    corners = np.concatenate([_corners(item) for item in scene.items]) if scene.items else np.zeros((1, 3))
    far = max(float((corners @ row).max() + start), 1e-3) * 1.05
    return far / 4000.0, far


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
