"""`tallycam fake-camera`: a recording as a camera on this machine, with faults to switch on while it runs."""

from pathlib import Path
from typing import Annotated

import typer

from service.cli.errors import CommandError

PORT = 8090


def command(
    video: Annotated[Path, typer.Argument(help="A video, or a folder of pictures in the order of their names.")],
    port: Annotated[int, typer.Option(min=0, max=65535, help="Where; 0 takes any that is free.")] = PORT,
    loop: Annotated[bool, typer.Option(help="Begin again at the end.")] = True,
    fps: Annotated[float | None, typer.Option(metavar="N", help="Pictures a second, for a folder.")] = None,
) -> None:
    """Play a recording as an MJPEG camera until Ctrl-C; POST JSON to /switches for faults.

    True or false: stall, unplugged, freeze, truncate, black, resize. Numbers: drop (share of the pictures), slow
    (pictures a second at most, 0: as recorded), light (a factor). bump is [x, y] px. So {"freeze": true}; GET
    /switches says what is on.
    """
    from service.fake_camera import FakeCamera  # noqa: PLC0415 - a subcommand loads what it needs
    from vision.failure import Failure  # noqa: PLC0415
    from vision.frames import open_frames  # noqa: PLC0415

    frames = open_frames(video, fps)
    if isinstance(frames, Failure):
        raise CommandError(frames.message)
    try:
        camera = FakeCamera(lambda: frames, loop=loop, port=port)
    except OSError as error:
        raise CommandError(
            f"port {port} cannot be used ({error.strerror or error}); name another with --port"
        ) from None
    with camera:
        print(
            f"{camera.url} plays {video}; faults: POST to {camera.url.removesuffix('video')}switches", flush=True
        )
        camera.wait()
