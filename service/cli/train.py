"""`tallycam train`: make a network's data, train it, write its weights and card."""

import sys
from importlib import import_module
from pathlib import Path
from typing import Annotated

import typer

from service.cli.errors import CommandError

TRAINED = {
    "darts": ("vision.train.tips", {"cache", "minutes", "workers"}),
    "finn-pins": ("vision.train.finn", {"cache", "minutes", "workers"}),
    "board-numbers": ("vision.train.numbers", set[str]()),
    "pin-numbers": ("vision.train.pin_numbers", {"cache", "minutes"}),
    "table-balls": ("vision.train.table_balls", {"cache", "minutes"}),
}
"""What can be trained: its module, and the options that it takes beside `--out`."""


def command(
    what: Annotated[str, typer.Argument(help=", ".join(TRAINED), show_default=False)],
    out: Annotated[Path, typer.Option("--out", "-o", help="folder of the weights and their card")] = Path(
        "models"
    ),
    cache: Annotated[Path | None, typer.Option(help="folder of data and checkpoints, to go on from")] = None,
    minutes: Annotated[float | None, typer.Option(min=0.0, help="of training, a network")] = None,
    workers: Annotated[int | None, typer.Option(min=1, help="processes that make the data")] = None,
) -> None:
    """Make the data, train, write weights and card; what was broken off goes on where it was."""
    if what not in TRAINED:
        raise CommandError(f"there is nothing called {what!r} to train; it is one of {', '.join(TRAINED)}")
    module, takes = TRAINED[what]
    given = {"cache": cache, "minutes": minutes, "workers": workers}
    for name, value in given.items():
        if value is not None and name not in takes:
            raise CommandError(f"{what} is trained without --{name}")
    options = [part for name, value in given.items() if value is not None for part in (f"--{name}", str(value))]
    try:
        trainer = import_module(module)
    except ModuleNotFoundError as error:
        raise CommandError(f"training needs {error.name}: pip install 'tallycam[train,synth]'") from error
    called, sys.argv = sys.argv, [f"tallycam train {what}", "--out", str(out), *options]
    try:
        trainer.main()
    except RuntimeError as error:
        raise CommandError(str(error)) from error
    finally:
        sys.argv = called
