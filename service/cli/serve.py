"""`tallycam serve`: the service until Ctrl-C."""

import os
from pathlib import Path
from typing import Annotated

import typer

from service.cli.errors import CommandError


def command(
    port: Annotated[int, typer.Option(help="Port to serve on; 0 takes any free one.", min=0, max=65535)] = 8180,
    data: Annotated[
        Path | None,
        typer.Option(help="Folder of the matches; by default the user's data folder.", file_okay=False),
    ] = None,
) -> None:
    """Serve the API and the page until Ctrl-C."""
    from service.matches import Matches  # noqa: PLC0415
    from service.serving import AddressTaken, address, bind, serve  # noqa: PLC0415
    from service.store import StoreRefused, open_store  # noqa: PLC0415

    folder = data or data_folder()
    try:
        taken = bind("127.0.0.1", port)
    except AddressTaken as error:
        raise CommandError(str(error)) from error
    try:
        store = open_store(folder)
    except StoreRefused as error:
        taken.close()
        raise CommandError(str(error)) from error
    with store:
        print(f"tallycam serves {address(taken)}\nmatches are kept in {folder}\nCtrl-C ends it", flush=True)
        serve(Matches(store), taken)


def data_folder() -> Path:
    """Give the folder that the desktop's conventions name for a program's data."""
    base = os.environ.get("XDG_DATA_HOME") or Path.home() / ".local" / "share"
    return Path(base) / "tallycam"
