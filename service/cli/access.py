"""`tallycam access`: the keys of devices and programs, at the machine itself."""

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from service.cli.errors import CommandError

if TYPE_CHECKING:
    from service.access import KeyRing


def command(
    what: Annotated[str, typer.Argument(help="list, add or revoke.", show_default=False)] = "list",
    who: Annotated[
        str | None, typer.Argument(help="add: a name for the key; revoke: its id.", show_default=False)
    ] = None,
    *,
    role: Annotated[str, typer.Option(help="display, scorer, umpire or admin.")] = "display",
    data: Annotated[
        Path | None, typer.Option(help="Folder of the matches; without it the user's.", file_okay=False)
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """List the keys that open the service from other machines, make one for a program, or take one back.

    Devices with a screen are paired: `tallycam serve --lan` prints how. A running service heeds changes at once.
    """
    from service.access import KeyRing, KeysDamaged  # noqa: PLC0415
    from service.cli.serve import data_folder  # noqa: PLC0415

    folder = data or data_folder()
    try:
        ring = KeyRing(folder / "keys.json")
    except KeysDamaged as error:
        raise CommandError(str(error)) from error
    match what, who:
        case "list", None:
            _listed(ring, as_json=as_json)
        case "add", str(name) if name.strip():
            folder.mkdir(parents=True, exist_ok=True)
            _added(ring, name.strip(), role, as_json=as_json)
        case "revoke", str(key_id):
            if not ring.revoke(key_id):
                raise CommandError(f"there is no key {key_id!r}; `tallycam access` lists them")
        case "add", _:
            raise CommandError("add takes a name for the key: tallycam access add NAME --role scorer")
        case "revoke", None:
            raise CommandError("revoke takes the id of a key; `tallycam access` lists them")
        case _:
            raise CommandError("takes list, add NAME or revoke ID")


def _listed(ring: "KeyRing", *, as_json: bool) -> None:
    keys = ring.all()
    if as_json:
        print(json.dumps({"keys": [key.shown() for key in keys]}))
        return
    for key in keys:
        print(f"{key.id}  {key.role:<8} {key.used_at or 'never used':<22} {key.name}")
    if not keys:
        print("no key: no device is paired")


def _added(ring: "KeyRing", name: str, word: str, *, as_json: bool) -> None:
    from service.access import GRANTED, Role  # noqa: PLC0415

    words = [one.word for one in GRANTED]
    if word not in words:
        raise CommandError(f"there is no role {word!r}; takes {', '.join(words)}")
    try:
        secret, key = ring.make(name, Role.named(word))
    except OSError as error:
        raise CommandError(f"{ring.path}: cannot be written ({error.strerror or error})") from None
    if as_json:
        print(json.dumps({"key": key.shown(), "secret": secret}))
    else:
        print(f"{secret}\nThis is shown once. A program sends it as: Authorization: Bearer {secret[:9]}…")
