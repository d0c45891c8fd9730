"""`tallycam bench`: speed. Each measurement is a module under `service.bench` with a `command` of its own."""

from importlib import import_module
from typing import Annotated, Final

import typer

from service.cli.errors import CommandError

PARTS: Final = {
    "darts": "pictures of a dartboard: pairs, singles, memory",
    "engine": "scoresheets through the rules",
    "finn": "shots of Finn Billiards: settled pairs, memory",
    "pipeline": "recordings, a live camera, the delay of events",
    "replay": "a video through the whole pipeline, against decoding it alone",
    "rescore": "many recordings scored again, by one worker and by two, one of them killed",
    "service": "the running service: start, idling, live changes to many readers",
    "synth": "the twin: physics, pictures a second",
    "venue": "the club: how long entries of many boards take into its database",
}
"""What can be measured, by name; `tallycam bench NAME --help` says more of each."""


def command(
    name: Annotated[
        str | None, typer.Argument(help=f"What to measure: {', '.join(PARTS)}; all of them without a name.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON, one line each.")] = False,
) -> None:
    """Measure speed; `tallycam bench NAME --help` says what a measurement takes."""
    if name is not None:
        raise CommandError(f"there is no measurement {name!r}; takes {', '.join(PARTS)}")
    for part, summary in PARTS.items():
        if not as_json:
            print(f"{part}: {summary}")
        import_module(f"service.bench.{part}").command(as_json=as_json)
