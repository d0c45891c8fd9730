"""Which camera is which: numbers change when the machine starts again, ports and serial numbers do not.

On Linux the kernel's own links name a camera (`/dev/v4l/by-id/…`) or its port (`/dev/v4l/by-path/…`). Cheap
cameras of one kind often share a serial number: then only the port tells them apart, and is the camera's source.
"""

import sys
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any


@dataclass(frozen=True, slots=True, kw_only=True)
class Camera:
    """A camera that is plugged in.

    Attributes
    ----------
    source
        What to call it for good: give this to `open_source`.
    name
        As the maker calls it.
    device
        Where it is now.
    vendor, product, serial
        Of USB, empty where unknown.
    by_port
        It is named by its port, for another one here has the same number: it must stay plugged in there.
    """

    source: str
    name: str
    device: str
    vendor: str = ""
    product: str = ""
    serial: str = ""
    by_port: bool = False

    def to_json(self) -> dict[str, Any]:
        """Give it as JSON."""
        return asdict(self)


def cameras(root: Path = Path("/")) -> tuple[Camera, ...]:
    """List the cameras of this machine, in the order of their devices.

    Parameters
    ----------
    root
        Where the machine's `dev` and `sys` are.
    """
    if sys.platform != "linux":
        return ()
    found = [
        (number, camera)
        for node in (root / "sys/class/video4linux").glob("video*")
        if (number := node.name.removeprefix("video")).isdigit()
        and _text(node / "index") == "0"  # the others of a camera give no pictures
        and (camera := _camera(node, root)) is not None
    ]
    ordered = [camera for _, camera in sorted(found, key=lambda one: int(one[0]))]
    return tuple(_named(camera, ordered, root) for camera in ordered)


def _camera(node: Path, root: Path) -> Camera | None:
    device = root / "dev" / node.name
    if not device.exists():
        return None
    usb = (node / "device").resolve().parent
    return Camera(
        source=f"/dev/{node.name}",
        name=_text(node / "name") or node.name,
        device=f"/dev/{node.name}",
        vendor=_text(usb / "idVendor"),
        product=_text(usb / "idProduct"),
        serial=_text(usb / "serial"),
    )


def _named(camera: Camera, all_of_them: list[Camera], root: Path) -> Camera:
    """Name a camera by itself if nothing here is like it, else by its port."""
    twins = [one for one in all_of_them if _number(one) == _number(camera)]
    kinds = [("by-path", True)] if len(twins) > 1 else [("by-id", False), ("by-path", True)]
    for kind, by_port in kinds:
        links = (root / "dev/v4l" / kind).glob("*")
        mine = sorted(link.name for link in links if link.resolve().name == Path(camera.device).name)
        if mine:
            values = asdict(camera) | {"source": f"/dev/v4l/{kind}/{mine[0]}", "by_port": by_port}
            return Camera(**values)
    return camera


def _number(camera: Camera) -> tuple[str, str, str]:
    return camera.vendor, camera.product, camera.serial


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8", errors="replace").strip()
    except OSError:
        return ""
