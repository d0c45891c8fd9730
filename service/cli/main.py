"""The `tallycam` program: finds the subcommand, keeps every error to one line on stderr and exit status 2."""

import os
import signal
import sys
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from importlib import import_module
from importlib.metadata import version

import typer

from service.cli.errors import CommandError
from service.memory import keep_freed_memory

# Name of the subcommand (its module under service.cli has a function `command`) and its line in the help.
# Only the subcommand that is called is imported: `tallycam score` never loads OpenCV.
COMMANDS = {
    "demo": "replay the bundled recording, score it, serve the page with the result",
    "serve": "run the service: API and web page",
    "venue": "run the club: many boards in one database, on one wall",
    "access": "who may from other machines: list, add and revoke keys",
    "backup": "copy the matches while the service runs",
    "support": "put what a helper has to know of a service into one file, without secrets",
    "score": "put scoresheets through the rules",
    "play": "keep score by hand in the terminal",
    "read": "say what one picture shows",
    "replay": "put a recorded video through the whole pipeline",
    "check": "replay a recording and compare it with its corrected scoresheet",
    "rescore": "score many recordings again, say what differs from what was accepted",
    "watch": "watch a camera as it happens",
    "cameras": "list the cameras of this machine",
    "fake-camera": "play a recording as a camera, with faults to switch on",
    "calibrate": "find the board in a picture or video",
    "teach": "choose what of a SETUP reads your own pins or balls better",
    "markers": "print a sheet of markers for the corners of a table",
    "evaluate": "measure accuracy on labelled pictures",
    "models": "the networks in use; try another, put it into use, go back",
    "synth": "make labelled pictures and clips",
    "labels": "list what people said of what was seen, as labelled examples",
    "export": "write labelled pictures for training elsewhere",
    "train": "train a network: its data, weights and card",
    "bench": "measure speed",
}


def main(argv: Sequence[str] | None = None) -> None:
    """Run the program and exit: 0 done, 1 a result that says no, 2 a mistake in the call or its files."""
    args = list(sys.argv[1:] if argv is None else argv)
    match args:
        case [] | ["-h" | "--help", *_]:
            print(_overview())
            sys.exit(0 if args else 2)
        case ["--version", *_]:
            print("tallycam", version("tallycam"))
            sys.exit(0)
        case [name, *rest] if name in COMMANDS:
            keep_freed_memory()
            with _ended_cleanly():
                sys.exit(_run(name, rest))
        case [name, *_]:
            sys.exit(_refuse(f"there is no command {name!r}; `tallycam --help` lists them"))


@contextmanager
def _ended_cleanly() -> Iterator[None]:
    """Let a wish to end (SIGTERM) unwind the program, so that nothing half written stays behind."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGTERM, lambda number, _frame: sys.exit(128 + number))
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


def _run(name: str, args: list[str]) -> int:
    try:
        status = _answer(name, args)
        sys.stdout.flush()
    except BrokenPipeError:
        _let_go_of_output()
        return 1
    except OSError as error:
        _let_go_of_output()
        return _refuse(f"{error.filename or 'the output'}: {error.strerror or error}")
    return status


def _answer(name: str, args: list[str]) -> int:
    try:
        status = _call(name, args)
    except CommandError as error:
        return _refuse(str(error))
    except typer.Exit as stop:
        return stop.exit_code
    except (KeyboardInterrupt, typer.Abort):
        return 130
    except typer.TyperException as error:
        text = getattr(error, "format_message", error.__str__)().replace("Value error, ", "")
        return _refuse(f"{text} See `tallycam {name} --help`.")
    return status if isinstance(status, int) else 0


def _call(name: str, args: list[str]) -> object:
    app = typer.Typer(
        add_completion=False,
        rich_markup_mode=None,
        pretty_exceptions_enable=False,
        context_settings={"help_option_names": ["-h", "--help"]},
    )
    try:
        module = import_module(f"service.cli.{name.replace('-', '_')}")
        if args and args[0] in getattr(module, "PARTS", {}):
            module = import_module(f"service.{name}.{args[0]}")
            name, args = f"{name} {args[0]}", args[1:]
        app.command(name=name)(module.command)
        return app(args, prog_name=f"tallycam {name}", standalone_mode=False)
    except ImportError as error:
        if "cannot open shared object file" not in str(error):
            raise
        raise CommandError(
            f"OpenCV misses a system library ({error}); on Debian: sudo apt-get install libgl1 libglib2.0-0."
        ) from error


def _let_go_of_output() -> None:
    """Keep the interpreter from complaining about what nobody takes, when it flushes at exit."""
    with suppress(OSError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _refuse(message: str) -> int:
    print("tallycam: " + " ".join(message.split()), file=sys.stderr)
    return 2


def _overview() -> str:
    width = max(map(len, COMMANDS))
    rows = "\n".join(f"  {name:<{width}}  {summary}" for name, summary in COMMANDS.items())
    return (
        "Mount a webcam over a board, play, and the score keeps itself.\n\n"
        f"Usage: tallycam COMMAND [ARGS]…\n\nCommands:\n{rows}\n\n"
        "`tallycam COMMAND --help` says more about each; `tallycam --version` gives the version."
    )
