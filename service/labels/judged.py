"""The board's own held-back matches, as examples on which a candidate network is held against the one in use."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final, TypeAlias

from service.labels.labels import Label
from service.matches import Matches
from service.shadow.tasks import task_of
from service.store import SightingTable
from vision.evaluate.answers import said, true_of
from vision.evaluate.promotion import Judged
from vision.export.splits import VAL
from vision.models import instead
from vision.reading import Reader

JSON: TypeAlias = Any

OWN: Final = "own matches"
"""Slice of all of them."""


def judge_own(matches: Matches, found: Sequence[Label], name: str, now: Path, candidate: Path) -> list[Judged]:
    """Read each example of held-back matches by both networks and hold what they say against the corrected match.

    Parameters
    ----------
    matches
        Of the store.
    found
        Labels; those of matches for training are passed over, and those whose pictures are gone.
    name
        Of the network.
    now, candidate
        Weights of the one in use, and of the candidate.
    """
    table = SightingTable(matches.store)
    tasks = []
    for label in found:
        row = table.get(label.id) if label.split == VAL else None
        task = None if row is None else task_of(matches, row)
        if task is not None:
            tasks.append((label, json.dumps(task)))
    answers: list[list[JSON]] = []
    for path in (now, candidate):
        with instead(name, path):
            reader = Reader()
            answers.append([said(label.game, reader.read_line(line, Path())) for label, line in tasks])
    judged = []
    for (label, _), first, second in zip(tasks, *answers, strict=True):
        known = true_of(label.game, label.truth)
        judged.append(
            Judged(
                slices=(OWN, *label.labels),
                right=(first.read == known, second.read == known),
                accepted=(first.accepted, second.accepted),
            )
        )
    return judged
