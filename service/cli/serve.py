"""`tallycam serve`: the service until Ctrl-C."""

import gc
import os
import sys
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from service.cli.errors import CommandError

if TYPE_CHECKING:
    from socket import socket

    from service.access import Access
    from service.config import Settings


def command(
    config: Annotated[
        Path | None,
        typer.Option(help="Settings, a TOML file; docs/config.md says what it may hold.", dir_okay=False),
    ] = None,
    port: Annotated[
        int | None,
        typer.Option(
            help="Port to serve on; 0 takes any free one. Without it the file's, or 8180.", min=0, max=65535
        ),
    ] = None,
    data: Annotated[
        Path | None,
        typer.Option(
            help="Folder of the matches; without it the file's, or the user's data folder.", file_okay=False
        ),
    ] = None,
    lan: Annotated[
        bool,
        typer.Option("--lan", help="Answer to other machines of the network too, to devices that are paired."),
    ] = False,
) -> None:
    """Serve the API and the page until Ctrl-C."""
    # What is imported stays: looking through it for what could be thrown away, now and later, is time for nothing.
    gc.disable()
    from service.logs import kept_log  # noqa: PLC0415
    from service.matches import Matches  # noqa: PLC0415
    from service.network import own_address, own_names  # noqa: PLC0415
    from service.outward.start import OutwardRefused, open_outlets  # noqa: PLC0415
    from service.serving import AddressTaken, address, bind, serve  # noqa: PLC0415
    from service.store import StoreRefused, open_store  # noqa: PLC0415

    gc.freeze()
    gc.enable()
    settings = _settings(config)
    found = settings.now.config
    folder = data or _folder_of(settings) or data_folder()
    try:
        taken = bind("0.0.0.0" if lan else "127.0.0.1", found.server.port if port is None else port)
    except AddressTaken as error:
        raise CommandError(str(error)) from error
    try:
        store = open_store(folder)
    except StoreRefused as error:
        taken.close()
        raise CommandError(str(error)) from error
    with store, kept_log(folder):
        if store.dropped:
            print(f"tallycam: {store.dropped}", file=sys.stderr, flush=True)
        matches, names = Matches(store), own_names() if lan else ()
        try:
            outlets = open_outlets(matches, found, folder / "outward", names)
        except OutwardRefused as error:
            taken.close()
            raise CommandError(str(error)) from error
        access, where = _opened(folder, taken) if lan else (None, address(taken))
        if lan and (reached := own_address()) is not None:
            from service.network_name import NetworkName  # noqa: PLC0415

            outlets = replace(outlets, runs=[*outlets.runs, NetworkName(reached, taken.getsockname()[1])])
        print(f"tallycam serves {where}\nmatches are kept in {folder}\nCtrl-C ends it", flush=True)
        serve(matches, taken, names, settings, access=access, outlets=outlets)


def _opened(folder: Path, taken: "socket") -> tuple["Access", str]:
    """Give who may from elsewhere, with a code printed that makes the first device an admin's, and where to go."""
    import segno  # noqa: PLC0415

    from service.access import Access, KeyRing, KeysDamaged, Role  # noqa: PLC0415
    from service.network import own_address  # noqa: PLC0415

    try:
        access = Access(keys=KeyRing(folder / "keys.json"))
    except KeysDamaged as error:
        raise CommandError(str(error)) from error
    where = f"http://{own_address() or '127.0.0.1'}:{taken.getsockname()[1]}"
    code = access.pairing.open(Role.ADMIN)
    link = f"{where}/pair#{code.text}"
    if sys.stdout.isatty():
        segno.make_qr(link).terminal(compact=True)
    print(f"to pair a device as admin, within ten minutes: {link}")
    return access, where


def _settings(path: Path | None) -> "Settings":
    from service.config import ConfigError, Settings  # noqa: PLC0415

    try:
        return Settings(path)
    except ConfigError as error:
        raise CommandError(str(error)) from error


def _folder_of(settings: "Settings") -> Path | None:
    """Give the folder that the file names, seen from where the file is."""
    folder = settings.now.config.data.folder
    if folder is None or settings.path is None:
        return None
    return settings.path.parent / Path(folder).expanduser()


def data_folder() -> Path:
    """Give the folder that the desktop's conventions name for a program's data."""
    base = os.environ.get("XDG_DATA_HOME") or Path.home() / ".local" / "share"
    return Path(base) / "tallycam"
