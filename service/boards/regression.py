"""A recording kept with its corrected scoresheet, as `tallycam check` takes it: a match made a regression test."""

import os
import shutil
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from vision.failure import Failure
from vision.recording import MATCH, SOURCE, Source, folder_written_whole, source_text
from vision.setup import parse_setup

COLOURS = "colours.jpg"
"""The picture in which the colours of balls were taught: it has to come along."""


def write_regression(folder: Path, match: str, source: Path, recorded: Mapping[str, Any]) -> Failure | None:
    """Write the folder, whole or not at all; one that was kept of the same recording before is replaced.

    Parameters
    ----------
    folder
        Where.
    match
        The corrected scoresheet, as text.
    source
        The video or folder of pictures; where that can be the file is linked, so that it takes no room twice.
    recorded
        `setup`: the SETUP; `colours`: file of its `colours_image`, or None; `lying`: what lay on the board.

    Returns
    -------
    Failure or None
        `BAD_SETUP`, `NOT_WRITTEN`.
    """
    setup = parse_setup(recorded["setup"])
    if isinstance(setup, Failure):
        return setup
    if setup.astrolabe is not None and recorded["colours"] is not None:
        setup = replace(setup, astrolabe=replace(setup.astrolabe, colours_image=Path(COLOURS)))
    text = source_text(Source(path=source, setup=setup, lying=recorded["lying"]))
    try:
        shutil.rmtree(folder, ignore_errors=True)
        with folder_written_whole(folder) as work:
            (work / MATCH).write_text(match, encoding="utf-8")
            (work / SOURCE).write_text(text, encoding="utf-8")
            if recorded["colours"] is not None:
                shutil.copyfile(recorded["colours"], work / COLOURS)
            _bring(source, work / f"video{source.suffix if source.is_file() else ''}")
    except OSError as error:
        return Failure("NOT_WRITTEN", f"{folder}: cannot be written ({error.strerror or error}).")
    return None


def _bring(source: Path, target: Path) -> None:
    if source.is_dir():
        shutil.copytree(source, target)
        return
    try:
        os.link(source, target)
    except OSError:  # another file system
        shutil.copyfile(source, target)
