"""`tallycam venue`: the club's side of many boards, until Ctrl-C."""

import re
import sys
from typing import Annotated

import typer

from service.cli.errors import CommandError


def command(  # noqa: PLR0917 - one parameter an option
    mqtt: Annotated[str, typer.Option(help="The broker that the boards hand over to: HOST or HOST:PORT.")],
    database: Annotated[
        str,
        typer.Option(
            envvar="TALLYCAM_DATABASE",
            help="The club's PostgreSQL: postgresql://USER@HOST/NAME; best in the environment, for the password.",
        ),
    ],
    port: Annotated[int, typer.Option(help="Port of the wall; 0 takes any free one.", min=0, max=65535)] = 8190,
    lan: Annotated[
        bool, typer.Option("--lan", help="Show the wall to other machines of the network too: all may read it.")
    ] = False,
    username: Annotated[str | None, typer.Option(help="Name at the broker.")] = None,
    password: Annotated[
        str | None, typer.Option(envvar="TALLYCAM_MQTT_PASSWORD", help="Password at the broker.")
    ] = None,
    tls: Annotated[bool, typer.Option("--tls", help="Speak TLS with the broker.")] = False,
) -> None:
    """Take in what boards hand over, keep it in PostgreSQL, and show all boards on one wall."""
    try:
        import psycopg  # noqa: F401, PLC0415

        from service.venue.club import open_club  # noqa: PLC0415
        from service.venue.link import Address  # noqa: PLC0415
    except ImportError as error:
        raise CommandError(
            f'the club needs one more package ({error.name}): pip install "tallycam[venue]"'
        ) from error
    from service.network import own_address, own_names  # noqa: PLC0415
    from service.serving import AddressTaken, address, bind, run  # noqa: PLC0415
    from service.venue.app import club_app  # noqa: PLC0415
    from service.venue.database import ClubRefused  # noqa: PLC0415

    host, broker_port = broker_of(mqtt, tls=tls)
    try:
        taken = bind("0.0.0.0" if lan else "127.0.0.1", port)
    except AddressTaken as error:
        raise CommandError(str(error)) from error
    broker = Address(host=host, port=broker_port, username=username, password=password, tls=tls)

    def waiting(said: str) -> None:
        print(f"tallycam: {said}", file=sys.stderr, flush=True)

    try:
        club = open_club(database, broker, waiting)
    except ClubRefused as error:
        taken.close()
        raise CommandError(str(error)) from error
    where = f"http://{own_address() or '127.0.0.1'}:{taken.getsockname()[1]}" if lan else address(taken)
    with club:
        print(f"tallycam venue shows the wall at {where}\nCtrl-C ends it", flush=True)
        run(club_app(club, own_names() if lan else ()), taken)


def broker_of(text: str, *, tls: bool) -> tuple[str, int]:
    """Give host and port of `HOST`, `HOST:PORT` or `[ADDRESS]:PORT`; raises `CommandError`."""
    found = re.fullmatch(r"\[([0-9a-fA-F:]+)\](?::(\d{1,5}))?|([A-Za-z0-9.-]+)(?::(\d{1,5}))?", text)
    port = int(found[2] or found[4] or (8883 if tls else 1883)) if found else 0
    if found is None or not 1 <= port <= 65535:
        raise CommandError(f"--mqtt is {text!r}; takes HOST or HOST:PORT")
    return found[1] or found[3], port
