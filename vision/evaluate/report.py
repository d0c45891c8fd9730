"""The table of a measurement, as text and as JSON."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

from vision.evaluate.darts import Score
from vision.evaluate.throws import Throws
from vision.failure import Failure

_COLUMNS = (
    ("pictures", "pictures", "{:d}"),
    ("boards", "boards", "{:d}"),
    ("darts", "darts", "{:d}"),
    ("exact", "exact", "{:.1%}"),
    ("all_right", "all right", "{:.1%}"),
    ("pcs", "PCS", "{:.1f}"),
    ("mase", "MASE", "{:.2f}"),
    ("precision", "precision", "{:.3f}"),
    ("recall", "recall", "{:.3f}"),
    ("px_median", "px 50%", "{:.1f}"),
    ("px_90", "px 90%", "{:.1f}"),
    ("mm_median", "mm 50%", "{:.2f}"),
    ("mm_90", "mm 90%", "{:.2f}"),
    ("accepted", "accepted", "{:.1%}"),
    ("accepted_right", "of it right", "{:.1%}"),
)


def text_table(scores: Mapping[str, Score], throws: Sequence[Throws | Failure] = ()) -> str:
    """Give a line a group, columns aligned, `-` where no label allows a figure; then a line a set of throws."""
    rows = [["group", *(title for _, title, _ in _COLUMNS)]]
    rows += [
        [group, *(_cell(getattr(score, name), form) for name, _, form in _COLUMNS)]
        for group, score in scores.items()
    ]
    widths = [max(len(row[k]) for row in rows) for k in range(len(rows[0]))]
    lines = [
        "  ".join(_pad(cell, width, k) for k, (cell, width) in enumerate(zip(row, widths, strict=True)))
        for row in rows
    ]
    groups = [(group, score) for group, score in scores.items() if group != "all"]
    wrong = [f"wrong and accepted: {group}/{name}" for group, score in groups for name in score.wrong_accepted]
    whole = [one.message if isinstance(one, Failure) else str(one) for one in throws]
    return "\n".join([*(lines if scores else []), *wrong, *whole])


def json_table(scores: Mapping[str, Score], throws: Sequence[Throws | Failure] = ()) -> dict[str, Any]:
    """Give the same figures under their names, one object a group; those of throws in a list under `throws`."""
    groups: dict[str, Any] = {group: asdict(score) for group, score in scores.items()}
    return groups | ({"throws": [asdict(one) for one in throws]} if throws else {})


def _cell(value: float | None, form: str) -> str:
    return "-" if value is None else form.format(value)


def _pad(cell: str, width: int, column: int) -> str:
    return cell.ljust(width) if column == 0 else cell.rjust(width)
