"""The program that Blender runs: a folder with a scene in, the light that reaches the sensor out.

It is run by `vision.synth.photo` as a file, by a Python that has `bpy` and perhaps nothing of this project: hence
numpy and the standard library only. In the folder: `scene.json`, `arrays.npz`; it writes `light.npy`, (H, W, 3)
float32, linear RGB, top row first, a white thing in a lamp's light of 1 being 1.
"""

import json
import sys
import warnings
from math import pi
from pathlib import Path
from typing import Any

import bpy
import numpy as np
from mathutils import Matrix

warnings.simplefilter("ignore", DeprecationWarning)  # `use_nodes`, which 5.0 needs and 6.0 will not
SENSOR_MM = 36.0
BOUNCES = 5
BEVEL_SAMPLES = 3


def render(folder: Path) -> None:
    """Draw the scene of a folder."""
    told = json.loads((folder / "scene.json").read_text(encoding="utf-8"))
    arrays = np.load(folder / "arrays.npz")
    bpy.ops.wm.read_factory_settings(use_empty=True)
    scene = bpy.context.scene
    images = [_image(arrays[f"texture{k}"]) for k in range(told["textures"])]
    materials = [_material(look, images, told["unit_m"]) for look in told["materials"]]
    meshes = [_mesh(arrays, k) for k in range(told["meshes"])]
    for k, item in enumerate(told["items"]):
        _item(scene, f"item{k}", item, meshes[item["mesh"]], materials[item["material"]])
    for k, lamp in enumerate(told["lamps"]):
        _lamp(scene, f"lamp{k}", lamp)
    _world(scene, told)
    _camera(scene, told["camera"])
    _settings(scene, told, folder)
    bpy.ops.render.render(write_still=True)
    np.save(folder / "light.npy", _read(folder / "light.exr"))


def _image(rgba: Any) -> Any:  # noqa: ANN401 - bpy has no types
    """Give two images: the colour, and the height as data (Blender keeps one colour space an image)."""
    pair = []
    height, width = rgba.shape[:2]
    for name, planes, space in (
        ("colour", rgba[..., :3], "sRGB"),
        ("height", rgba[..., 3:].repeat(3, 2), "Non-Color"),
    ):
        image = bpy.data.images.new(name, width, height, alpha=False, float_buffer=False)
        image.colorspace_settings.name = space
        flat = np.ones((height, width, 4), np.float32)
        flat[..., :3] = planes[::-1].astype(np.float32) / 255
        image.pixels.foreach_set(flat.ravel())
        image.pack()
        pair.append(image)
    return pair


def _mesh(arrays: Any, k: int) -> Any:  # noqa: ANN401 - bpy has no types
    points, normals, uv = (arrays[f"{name}{k}"] for name in ("points", "normals", "uv"))
    triangles = arrays[f"triangles{k}"]
    mesh = bpy.data.meshes.new(f"mesh{k}")
    mesh.from_pydata(points.tolist(), [], triangles.tolist())
    layer = mesh.uv_layers.new()
    corners = uv[triangles.ravel()] * (1, -1) + (0, 1)
    layer.data.foreach_set("uv", np.ascontiguousarray(corners, np.float32).ravel())
    mesh.polygons.foreach_set("use_smooth", np.ones(len(triangles), bool))
    mesh.normals_split_custom_set_from_vertices(normals.tolist())
    return mesh


def _item(scene: Any, name: str, told: Any, mesh: Any, material: Any) -> None:  # noqa: ANN401 - bpy has no types
    body = mesh.copy()
    body.materials.append(material)
    thing = bpy.data.objects.new(name, body)
    thing.matrix_world = Matrix(told["pose"])
    thing.visible_shadow = told["shadow"]
    scene.collection.objects.link(thing)


class _Graph:
    """Builds a material's nodes."""

    def __init__(self, tree: Any) -> None:  # noqa: ANN401 - bpy has no types
        self.tree = tree
        tree.nodes.clear()

    def add(self, kind: str, **inputs: Any) -> Any:  # noqa: ANN401 - bpy has no types
        """Add a node; inputs are values, or outputs of other nodes."""
        node = self.tree.nodes.new(kind)
        for name, value in inputs.items():
            self.put(node.inputs[int(name[1:]) if name[1:].isdigit() else name.replace("_", " ")], value)
        return node

    def put(self, socket: Any, value: Any) -> None:  # noqa: ANN401 - bpy has no types
        """Set a value, or connect an output."""
        if isinstance(value, bpy.types.NodeSocket):
            self.tree.links.new(value, socket)
        else:
            socket.default_value = value

    def math(self, kind: str, *values: Any) -> Any:  # noqa: ANN401 - bpy has no types
        """Add arithmetic."""
        node = self.add("ShaderNodeMath", **{f"_{k}": value for k, value in enumerate(values)})
        node.operation = kind
        return node.outputs[0]


def _material(look: Any, images: Any, unit_m: float) -> Any:  # noqa: ANN401 - bpy has no types
    material = bpy.data.materials.new("look")
    material.use_nodes = True
    graph = _Graph(material.node_tree)
    colour: Any = (*(_linear(c) for c in look["colour"]), 1.0)
    metal: Any = look["metal"]
    rough: Any = look["roughness"]
    normal = None
    if look["texture"] is not None:
        pair = images[look["texture"]]
        height = _texture(graph, pair[1], look["tiles"])
        tinted = graph.add("ShaderNodeMix")
        tinted.data_type, tinted.blend_type = "RGBA", "MULTIPLY"
        sockets = [s for s in tinted.inputs if s.type == "RGBA"]
        tinted.inputs[0].default_value = 1.0
        graph.put(sockets[0], _texture(graph, pair[0], look["tiles"]))
        sockets[1].default_value = colour
        colour = next(s for s in tinted.outputs if s.type == "RGBA")
        if look["relief"]:
            bump = graph.add("ShaderNodeBump", Strength=1.0, Distance=look["relief"] * unit_m, Height=height)
            normal = bump.outputs[0]
        if look["wire_level"] < 1:
            ramp = graph.add("ShaderNodeMapRange", Value=height)
            ramp.interpolation_type = "SMOOTHSTEP"
            ramp.inputs[1].default_value = look["wire_level"] - 0.08
            ramp.inputs[2].default_value = look["wire_level"] + 0.04
            wire = ramp.outputs[0]
            metal = graph.math("MAXIMUM", wire, metal)
            fall = graph.math("MULTIPLY", wire, max(rough - 0.3, 0.0))
            rough = graph.math("SUBTRACT", rough, fall)
    body = graph.add("ShaderNodeBsdfPrincipled", Base_Color=colour, Metallic=metal, Roughness=rough)
    body.inputs["Specular IOR Level"].default_value = look["gloss"] / 0.08
    body.inputs["Transmission Weight"].default_value = look["clear"]
    if normal is not None:
        graph.put(body.inputs["Normal"], normal)
    if look["glow"]:
        graph.put(body.inputs["Emission Color"], colour)
        body.inputs["Emission Strength"].default_value = look["glow"]
    surface = _light_through(graph, body.outputs[0], colour) if look["clear"] else body.outputs[0]
    out = graph.add("ShaderNodeOutputMaterial")
    graph.put(out.inputs[0], surface)
    return material


def _light_through(graph: _Graph, surface: Any, colour: Any) -> Any:  # noqa: ANN401 - bpy has no types
    """Let lamps shine through glass, tinted: without caustics its shadow would be black."""
    path = graph.add("ShaderNodeLightPath")
    clear = graph.add("ShaderNodeBsdfTransparent", Color=colour)
    both = graph.add("ShaderNodeMixShader")
    graph.put(both.inputs[0], path.outputs["Is Shadow Ray"])
    graph.put(both.inputs[1], surface)
    graph.put(both.inputs[2], clear.outputs[0])
    return both.outputs[0]


def _texture(graph: _Graph, image: Any, tiles: bool) -> Any:  # noqa: ANN401 - bpy has no types
    node = graph.add("ShaderNodeTexImage")
    node.image = image
    node.interpolation = "Linear"
    node.extension = "REPEAT" if tiles else "EXTEND"
    return node.outputs[0]


def _linear(c: float) -> float:
    return float(((c + 0.055) / 1.055) ** 2.4 if c > 0.04045 else c / 12.92)


def _lamp(scene: Any, name: str, told: Any) -> None:  # noqa: ANN401 - bpy has no types
    """Put up a luminous ball whose light on a surface that faces it at `far` metres is its colour."""
    light = bpy.data.lights.new(name, "POINT")
    strongest = max(*told["colour"], 1e-6)
    light.color = [c / strongest for c in told["colour"]]
    light.energy = strongest * 4 * pi * pi * told["far"] ** 2
    light.shadow_soft_size = told["radius"]
    thing = bpy.data.objects.new(name, light)
    thing.location = told["at"]
    thing.visible_camera = False
    scene.collection.objects.link(thing)


def _world(scene: Any, told: Any) -> None:  # noqa: ANN401 - bpy has no types
    """Light from all around: the colour of above, softly turning into that of below."""
    world = bpy.data.worlds.new("room")
    scene.world = world
    world.use_nodes = True
    graph = _Graph(world.node_tree)
    way = graph.add("ShaderNodeTexCoord").outputs["Generated"]
    up = graph.add("ShaderNodeVectorMath", _0=way, _1=told["up"])
    up.operation = "DOT_PRODUCT"
    share = graph.add("ShaderNodeMapRange", Value=up.outputs["Value"])
    share.inputs[1].default_value, share.inputs[2].default_value = -0.25, 0.25
    blend = graph.add("ShaderNodeMix")
    blend.data_type = "RGBA"
    sockets = [s for s in blend.inputs if s.type == "RGBA"]
    graph.put(blend.inputs[0], share.outputs[0])
    sockets[0].default_value = (*told["ground"], 1.0)
    sockets[1].default_value = (*told["sky"], 1.0)
    colour = next(s for s in blend.outputs if s.type == "RGBA")
    light = graph.add("ShaderNodeBackground", Color=colour, Strength=1.0)
    out = graph.add("ShaderNodeOutputWorld")
    graph.put(out.inputs[0], light.outputs[0])


def _camera(scene: Any, told: Any) -> None:  # noqa: ANN401 - bpy has no types
    width, height = told["size"]
    camera = bpy.data.cameras.new("camera")
    camera.sensor_fit, camera.sensor_width = "HORIZONTAL", SENSOR_MM
    camera.lens = told["f_px"] * SENSOR_MM / width
    camera.shift_x = ((width - 1) / 2 - told["cx_px"]) / width
    camera.shift_y = (told["cy_px"] - (height - 1) / 2) / width
    camera.clip_start, camera.clip_end = 0.005, 200.0
    camera.dof.use_dof = told["aperture_m"] > 0
    camera.dof.focus_distance = told["focus_m"]
    camera.dof.aperture_fstop = camera.lens / 1000 / max(told["aperture_m"], 1e-9)
    thing = bpy.data.objects.new("camera", camera)
    thing.matrix_world = Matrix(told["pose"])
    scene.collection.objects.link(thing)
    scene.camera = thing
    scene.render.resolution_x, scene.render.resolution_y = width, height
    scene.render.resolution_percentage = 100


def _settings(scene: Any, told: Any, folder: Path) -> None:  # noqa: ANN401 - bpy has no types
    scene.render.engine = "CYCLES"
    scene.render.threads_mode, scene.render.threads = "FIXED", told["threads"]
    cycles = scene.cycles
    cycles.device, cycles.samples, cycles.seed = "CPU", told["samples"], 0
    cycles.use_adaptive_sampling = False
    cycles.use_denoising, cycles.denoiser = True, "OPENIMAGEDENOISE"
    cycles.max_bounces, cycles.diffuse_bounces, cycles.glossy_bounces = BOUNCES, 2, 2
    cycles.caustics_reflective = cycles.caustics_refractive = False
    cycles.sample_clamp_indirect = 4.0
    cycles.use_light_tree = False
    scene.view_settings.view_transform = "Raw"
    kind = scene.render.image_settings
    kind.file_format, kind.color_mode, kind.color_depth, kind.exr_codec = "OPEN_EXR", "RGB", "32", "NONE"
    scene.render.filepath = str(folder / "light.exr")


def _read(path: Path) -> Any:  # noqa: ANN401 - an array
    image = bpy.data.images.load(str(path))
    width, height = image.size
    flat = np.empty(width * height * 4, np.float32)
    image.pixels.foreach_get(flat)
    return flat.reshape(height, width, 4)[::-1, :, :3].copy()


if __name__ == "__main__":
    render(Path(sys.argv[1]))
