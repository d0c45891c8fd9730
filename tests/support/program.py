"""Running `tallycam` in this process: exit status and what it printed."""

import io
import sys
from dataclasses import dataclass

import pytest

from service.cli.main import main


@dataclass(frozen=True)
class Ran:
    """What a call of the program came to."""

    status: int
    out: str
    err: str


def tallycam(capsys: pytest.CaptureFixture[str], *args: str) -> Ran:
    """Run the program with arguments."""
    capsys.readouterr()
    with pytest.raises(SystemExit) as stop:
        main(args)
    out, err = capsys.readouterr()
    assert isinstance(stop.value.code, int)
    return Ran(status=stop.value.code, out=out, err=err)


def type_in(monkeypatch: pytest.MonkeyPatch, data: str | bytes) -> None:
    """Let standard input hold the data."""
    raw = data.encode() if isinstance(data, str) else data
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(raw), encoding="utf-8"))
