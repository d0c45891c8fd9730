"""Differences as people are shown them: with which reader was right, where a person has said what was true."""

from collections import Counter
from pathlib import Path
from typing import Any, TypeAlias

from engine import ScoresheetError
from service.labels.labels import truth_of, word_on, words_of
from service.matches import Matches
from service.shadow.log import lines_of, read_state
from service.store import NoSuchMatch, SightingTable
from vision.evaluate.answers import right_of

JSON: TypeAlias = Any


def differences(matches: Matches, folder: Path) -> dict[str, JSON]:
    """Give how the comparison stands and every difference, the newest first; `right` is of this comparison.

    Parameters
    ----------
    matches
        Of the store.
    folder
        The data folder, which has the log.
    """
    state, table = read_state(folder), SightingTable(matches.store)
    told = []
    for line in reversed(lines_of(folder)):
        row = table.get(line["sighting"])
        right = None
        if row is not None and row.match_id == line["match"]:
            try:
                sheet = matches.sheet(row.match_id)
                if word_on(row, words_of(matches, row.match_id, sheet)) is not None:
                    right = right_of(line["game"], line, truth_of(row, sheet))
            except (NoSuchMatch, ScoresheetError):
                right = None
        told.append({**line, "right": right})
    candidates = dict(state.candidates)
    judged = [one["right"] for one in told if one["right"] and one.get("networks") == candidates]
    return {
        "candidates": candidates,
        "since": state.since or None,
        "compared": state.compared,
        "differed": state.differed,
        "right": dict(sorted(Counter(judged).items())),
        "differences": told,
    }
