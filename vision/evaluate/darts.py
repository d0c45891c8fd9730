"""Reads labelled pictures of darts and says how often, and how sure, the answers are right."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

import numpy as np

from vision.darts.reading import DartsReading, read_darts
from vision.evaluate.cases import Case
from vision.failure import Failure
from vision.pictures import load_picture
from vision.pool import answers
from vision.setup import Setup

NEAR_PX = 12.0
"""A tip nearer than this to a labelled one is that dart."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """One picture as read, held against its labels.

    Attributes
    ----------
    case
        The picture.
    read
        What was read, or why nothing was.
    exact
        Darts whose segment is right (None: the segments are not labelled).
    found, extra, missed
        Darts read that are there, read that are not, there and not read.
    errors_px, errors_mm
        Distances of tips to their labels.
    right
        Nothing is wrong: by segments, else by tips, else by count.
    """

    case: Case
    read: DartsReading | Failure
    exact: int | None = None
    found: int = 0
    extra: int = 0
    missed: int = 0
    errors_px: tuple[float, ...] = ()
    errors_mm: tuple[float, ...] = ()
    right: bool = False

    @property
    def accepted(self) -> bool:
        """Whether the answer would be taken without a look."""
        return isinstance(self.read, DartsReading) and not self.read.review

    @property
    def confidence(self) -> float:
        """The chance the answer gives itself; 0 where there is none."""
        return self.read.confidence if isinstance(self.read, DartsReading) else 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Score:
    """Totals of a group; names as in the literature (PCS, MASE: DeepDarts), None where no label allows them.

    Attributes
    ----------
    pictures, boards
        Pictures, and those where a board was found.
    darts, exact
        Darts with a labelled segment, share of them read exactly.
    all_right
        Share of pictures in which nothing is wrong.
    pcs, mase
        Percent of pictures with the right total; mean absolute error of the total.
    precision, recall
        Of darts, by their tips within 12 px, else by their segments.
    px_median, px_90, mm_median, mm_90
        Tip errors.
    accepted, accepted_right
        Share of pictures accepted without a look, and the share of those that is right.
    wrong_accepted
        Their names: the worst there is.
    """

    pictures: int
    boards: int
    darts: int | None
    exact: float | None
    all_right: float
    pcs: float | None
    mase: float | None
    precision: float | None
    recall: float | None
    px_median: float | None
    px_90: float | None
    mm_median: float | None
    mm_90: float | None
    accepted: float
    accepted_right: float | None
    wrong_accepted: tuple[str, ...] = field(default_factory=tuple)


def judge_all(cases: Sequence[Case], *, workers: int = 1, scheduler: str | None = None) -> list[Verdict]:
    """Read each picture, the board found in it (or in the one before), and judge the answer.

    Several at a time as `vision.pool` has it; raises `RuntimeError` as that does.
    """
    read = answers(read_case, cases, workers=workers, scheduler=scheduler)
    return [judge(case, answer) for case, answer in zip(cases, read, strict=True)]


def read_case(case: Case) -> DartsReading | Failure:
    """Read one labelled picture as `tallycam read` would with a SETUP that has no points."""
    picture = load_picture(case.image)
    before = load_picture(case.before) if case.before is not None else None
    for loaded in (picture, before):
        if isinstance(loaded, Failure):
            return loaded
    assert isinstance(picture, np.ndarray)
    setup = Setup(game="cricket", image_size=(picture.shape[1], picture.shape[0]))
    return read_darts(setup, picture, before if isinstance(before, np.ndarray) else None)


def judge(case: Case, read: DartsReading | Failure) -> Verdict:
    """Hold an answer against the labels."""
    darts = read.darts if isinstance(read, DartsReading) else ()
    names = [dart.segment for dart in darts]
    exact = None if case.segments is None else (Counter(names) & Counter(case.segments)).total()
    pairs = _match([dart.tip_px for dart in darts], case.tips_px or ())
    if case.tips_px is not None:
        found = len(pairs)
    elif exact is not None:
        found = exact
    else:
        found = min(len(darts), case.darts or 0)
    true = case.darts or 0
    if isinstance(read, Failure):
        return Verdict(case=case, read=read, exact=exact, missed=true)
    miss_px = tuple(distance for _, _, distance in pairs)
    to_board = read.board.plane.to_board
    miss_mm = tuple(
        float(np.hypot(*(to_board([darts[i].dart.plane_px])[0] - to_board([(case.tips_px or ())[k]])[0])))
        for i, k, _ in pairs
    )
    right = found == len(darts) == true and (exact is None or exact == true)
    return Verdict(
        case=case,
        read=read,
        exact=exact,
        found=found,
        extra=len(darts) - found,
        missed=true - found,
        errors_px=miss_px,
        errors_mm=miss_mm,
        right=right,
    )


def score(verdicts: Iterable[Verdict]) -> Score:
    """Add up a group's verdicts."""
    all_of = list(verdicts)
    named = [v for v in all_of if v.exact is not None]
    taken = [v for v in all_of if v.accepted]
    off = [abs(_total(_names(v)) - _total(v.case.segments or ())) for v in named]
    found, extra = sum(v.found for v in all_of), sum(v.extra for v in all_of)
    missed, darts = sum(v.missed for v in all_of), sum(len(v.case.segments or ()) for v in named)
    px, mm = [e for v in all_of for e in v.errors_px], [e for v in all_of for e in v.errors_mm]
    return Score(
        pictures=len(all_of),
        boards=sum(isinstance(v.read, DartsReading) for v in all_of),
        darts=darts if named else None,
        exact=_share(sum(v.exact or 0 for v in named), darts),
        all_right=_share(sum(v.right for v in all_of), len(all_of)) or 0.0,
        pcs=100 * float(np.mean([o == 0 for o in off])) if named else None,
        mase=float(np.mean(off)) if named else None,
        precision=_share(found, found + extra),
        recall=_share(found, found + missed),
        px_median=_quantile(px, 0.5),
        px_90=_quantile(px, 0.9),
        mm_median=_quantile(mm, 0.5),
        mm_90=_quantile(mm, 0.9),
        accepted=_share(len(taken), len(all_of)) or 0.0,
        accepted_right=_share(sum(v.right for v in taken), len(taken)),
        wrong_accepted=tuple(v.case.name for v in taken if not v.right),
    )


def points_of(segment: str) -> int:
    """Give what a segment counts in plain darts: T20 is 60, DB 50, MISS 0."""
    fixed = {"DB": 50, "SB": 25, "MISS": 0}
    return fixed[segment] if segment in fixed else {"S": 1, "D": 2, "T": 3}[segment[0]] * int(segment[1:])


def _names(verdict: Verdict) -> tuple[str, ...]:
    return tuple(d.segment for d in verdict.read.darts) if isinstance(verdict.read, DartsReading) else ()


def _total(segments: tuple[str, ...]) -> int:
    return sum(map(points_of, segments))


def _match(read: list[tuple[float, float]], true: tuple[tuple[float, float], ...]) -> list[tuple[int, int, float]]:
    """Pair tips one to one, the nearest first, none further than `NEAR_PX`: (place read, place true, px)."""
    every = sorted(
        (float(np.hypot(a[0] - b[0], a[1] - b[1])), i, k) for i, a in enumerate(read) for k, b in enumerate(true)
    )
    pairs: list[tuple[int, int, float]] = []
    for distance, i, k in every:
        if distance <= NEAR_PX and all(i != p[0] and k != p[1] for p in pairs):
            pairs.append((i, k, distance))
    return pairs


def _share(part: int, whole: int) -> float | None:
    return part / whole if whole else None


def _quantile(values: list[float], share: float) -> float | None:
    return float(np.quantile(values, share)) if values else None


def failures(verdicts: Iterable[Verdict]) -> list[Verdict]:
    """Give the verdicts that are not right, those that would have been accepted first."""
    return sorted((v for v in verdicts if not v.right), key=lambda v: (not v.accepted, v.case.group, v.case.name))
