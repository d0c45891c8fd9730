"""`tallycam cameras`: the cameras of this machine, and what to call them."""

import json
from typing import Annotated

import typer


def command(as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False) -> None:
    """List cameras, each with the source that names it for good."""
    from vision.sources import cameras  # noqa: PLC0415 - a subcommand loads what it needs

    found = cameras()
    if as_json:
        print(json.dumps([camera.to_json() for camera in found], ensure_ascii=False))
        return
    for camera in found:
        print(camera.source)
        where = "; named by its port, for it has a twin: leave it plugged in there" if camera.by_port else ""
        print(f"    {camera.name}, now {camera.device}{where}")
    if not found:
        print("No camera is plugged in. A phone's address (http:// or rtsp://) or a recording will do.")
