"""`tallycam support`: what someone who is to help has to know, in one file."""

import json
from pathlib import Path
from typing import Annotated

import typer

from service.cli.errors import CommandError


def command(
    output: Annotated[
        Path,
        typer.Option(
            "--output", "-o", metavar="FILE.zip", help="The bundle; it must not exist yet.", dir_okay=False
        ),
    ],
    *,
    config: Annotated[Path | None, typer.Option(help="The settings file of the service.", dir_okay=False)] = None,
    data: Annotated[
        Path | None,
        typer.Option(
            help="Folder of the matches; without it the file's, or the user's data folder.", file_okay=False
        ),
    ] = None,
    url: Annotated[
        str | None, typer.Option(help="Where the service answers; without it on this machine, at the file's port.")
    ] = None,
    key: Annotated[
        str | None,
        typer.Option(envvar="TALLYCAM_KEY", help="A key that is admin, for a service that was begun with --lan."),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print what is in it as JSON.")] = False,
) -> None:
    """Put versions, settings, health, figures, the database's form, the last faults and the log into one file.

    Secrets, names of people, boards and devices, and addresses are taken out; no match and no picture is in it.
    Look into it before you pass it on: it is a zip of texts. The service may be running, or unable to start.
    """
    from service.cli.serve import data_folder  # noqa: PLC0415
    from service.config import Config, ConfigError, read_config  # noqa: PLC0415
    from service.support.bundle import Place, write_bundle  # noqa: PLC0415

    found = Config()
    if config is not None:
        try:
            found = read_config(config)
        except ConfigError as error:  # the bundle says so as well
            typer.echo(f"tallycam: {error}", err=True)
    named = found.data.folder
    own = None if named is None or config is None else config.parent / Path(named).expanduser()
    where = Place(
        data=data or own or data_folder(),
        config=config,
        url=url or f"http://127.0.0.1:{found.server.port}",
        key=key,
    )
    try:
        parts = write_bundle(where, output)
    except FileExistsError:
        raise CommandError(f"{output} exists already; a bundle never writes over a file") from None
    except OSError as error:
        raise CommandError(f"{output} cannot be written: {error.strerror or error}") from error
    print(json.dumps({"file": str(output), "parts": parts}) if as_json else f"{output}: {', '.join(parts)}")
