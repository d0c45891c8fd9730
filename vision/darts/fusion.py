"""One throw seen by several cameras: their tips weighed on the board, the odd one outvoted."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from vision.darts.board import REGULATION, Rings, segment_probabilities, wire_distance_mm
from vision.darts.reading import LIMITS as READING_LIMITS
from vision.darts.reading import DartsReading, ReadDart, Review
from vision.failure import Failure

Array = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class FusionLimits:
    """When tips of two cameras are one dart, and when their word is enough.

    Attributes
    ----------
    near_mm
        Tips nearer than this are one dart whatever their covariances say: a hole is 3 mm wide, and boards are
        known to a millimetre or two in each picture.
    apart
        Otherwise they are one dart up to this many standard deviations apart.
    odd
        A tip this many standard deviations from what the others agree on has no say.
    common_mm
        What cameras do not tell independently of each other: wires lie beside the lines they stand for.
    believed
        A dart that one camera alone saw is told if its chance is above this.
    enough
        So many cameras that agree answer the doubts of any one.
    """

    near_mm: float = 6.0
    apart: float = 4.0
    odd: float = 3.5
    common_mm: float = 0.45
    believed: float = 0.5
    enough: int = 2


LIMITS = FusionLimits()


@dataclass(frozen=True, slots=True, kw_only=True)
class FusedDart:
    """A dart as several cameras saw it.

    Attributes
    ----------
    segment, xy_mm, cov_mm, confidence, probabilities
        As in `ReadDart`.
    tips_px
        Where each camera saw its tip; None where it had no say.
    """

    segment: str
    xy_mm: tuple[float, float]
    cov_mm: tuple[tuple[float, float], tuple[float, float]]
    confidence: float
    probabilities: dict[str, float]
    tips_px: tuple[tuple[float, float] | None, ...]

    def to_json(self) -> dict[str, Any]:
        """Give the dart as `tallycam read` prints it; `tip_px` is the first camera's that saw it."""
        seen = [None if tip is None else [round(v, 2) for v in tip] for tip in self.tips_px]
        others = [name for name, chance in self.probabilities.items() if chance >= READING_LIMITS.alternatives]
        return {
            "segment": self.segment,
            "xy_mm": [round(v, 2) for v in self.xy_mm],
            "tip_px": next(tip for tip in seen if tip is not None),
            "tips_px": seen,
            "confidence": round(self.confidence, 4),
            "alternatives": [name for name in others if name != self.segment],
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class FusedReading:
    """What several pictures of one moment show.

    Attributes
    ----------
    darts, confidence, review
        As in `DartsReading`.
    views
        What each camera said, or why it said nothing.
    """

    darts: tuple[FusedDart, ...]
    confidence: float
    review: tuple[Review, ...]
    views: tuple[DartsReading | Failure, ...]

    def to_json(self) -> dict[str, Any]:
        """Give the answer as `tallycam read` prints it, and in `views` what each camera alone would have said."""
        return {
            "darts": [dart.to_json() for dart in self.darts],
            "actions": [{"kind": "throw", "side": 0, "t_ms": 0, "segment": dart.segment} for dart in self.darts],
            "confidence": round(self.confidence, 4),
            "review": [item.to_json() for item in self.review],
            "views": [_view_json(view) for view in self.views],
        }


def _view_json(view: DartsReading | Failure) -> dict[str, Any]:
    if isinstance(view, Failure):
        return {"error": view.code, "message": view.message}
    return {"segments": [dart.segment for dart in view.darts], "confidence": round(view.confidence, 4)}


@dataclass(frozen=True, slots=True, kw_only=True)
class _Group:
    """Tips that are one dart: at most one a camera."""

    members: tuple[tuple[int, ReadDart], ...]
    outvoted: tuple[int, ...] = ()
    """Cameras that took it for a dart elsewhere."""
    rivals: tuple[ReadDart, ...] = field(default=())
    """The same dart as other cameras have it, where nobody can say who is right."""

    def cameras(self) -> set[int]:
        return {camera for camera, _ in self.members}


def fuse(views: Sequence[DartsReading | Failure]) -> FusedReading | Failure:
    """Put together what several cameras say of one throw.

    Tips are grouped on the board by their covariances and averaged by the inverse of them. A tip that contradicts
    two that agree is left out; two that disagree ask for a look. A camera that failed is left out.

    Parameters
    ----------
    views
        What each camera's picture alone says, or why it says nothing.

    Returns
    -------
    FusedReading or Failure
        The first failure, if no camera can say anything.
    """
    live = [place for place, view in enumerate(views) if isinstance(view, DartsReading)]
    if not live:
        none = Failure("NO_VIEWS", "There is no picture to read: give at least one view.")
        return next((view for view in views if isinstance(view, Failure)), none)
    tips = [(place, dart) for place in live for dart in _reading(views, place).darts]
    groups = _settled(_grouped(tips), len(live))
    rings = _reading(views, live[0]).board.rings
    kept = [group for group in groups if len(group.members) > 1 or len(live) == 1 or _believed(group)]
    darts = [_fused(group, len(views), rings) for group in kept]
    review = [item for place, group in enumerate(kept) for item in _doubts(group, darts[place], place, len(live))]
    dropped = [group for group in groups if group not in kept]
    review += [Review(code="MAYBE_ANOTHER_DART", px=group.members[0][1].tip_px) for group in dropped]
    whole = _whole([_reading(views, place) for place in live], kept)
    chance = float(np.prod([dart.confidence for dart in darts])) * 0.6 ** len([*whole, *dropped])
    return FusedReading(darts=tuple(darts), confidence=chance, review=(*review, *whole), views=tuple(views))


def _reading(views: Sequence[DartsReading | Failure], place: int) -> DartsReading:
    view = views[place]
    assert isinstance(view, DartsReading)
    return view


def _believed(group: _Group) -> bool:
    return bool(group.rivals) or group.members[0][1].dart.confidence > LIMITS.believed


def _grouped(tips: Sequence[tuple[int, ReadDart]]) -> list[_Group]:
    """Join tips of different cameras that are one dart, the nearest first."""
    groups = [_Group(members=(tip,)) for tip in tips]
    while True:
        joins = [
            (_apart(a, b), i, k)
            for (i, a), (k, b) in combinations(enumerate(groups), 2)
            if not a.cameras() & b.cameras()
        ]
        near = min(joins, default=None)
        if near is None or near[0] > LIMITS.apart:
            return groups
        _, i, k = near
        joined = _Group(members=(*groups[i].members, *groups[k].members))
        groups = [joined, *(group for place, group in enumerate(groups) if place not in (i, k))]


def _apart(a: _Group, b: _Group) -> float:
    """Give how far two groups' tips are apart, in standard deviations; nothing within a hole's reach."""
    (first, first_cov), (second, second_cov) = (_mean(group.members) for group in (a, b))
    way = first - second
    if np.hypot(*way) < LIMITS.near_mm:
        return float(np.hypot(*way)) / LIMITS.near_mm
    return max(1.0, float(np.sqrt(way @ np.linalg.solve(first_cov + second_cov, way))))


def _mean(members: Sequence[tuple[int, ReadDart]]) -> tuple[Array, Array]:
    """Average tips by the inverse of their covariances; the covariance grows as far as they contradict it."""
    places = np.array([dart.xy_mm for _, dart in members])
    weights = np.array([np.linalg.inv(np.array(dart.cov_mm)) for _, dart in members])
    cov = np.linalg.inv(weights.sum(axis=0))
    mean = cov @ np.einsum("nij,nj->i", weights, places)
    if len(members) > 1:
        off = places - mean
        cov = cov * max(1.0, float(np.einsum("ni,nij,nj->", off, weights, off)) / (2 * len(members) - 2))
    return mean, cov


def _settled(groups: Sequence[_Group], cameras: int) -> list[_Group]:
    """Let groups that several cameras agree on take in what the others have elsewhere; single tips are rivals."""
    agreed = [_without_odd(group) for group in groups if len(group.members) >= LIMITS.enough]
    lone = [group for group in groups if len(group.members) < LIMITS.enough]
    if agreed:
        return list(_outvote(agreed, lone))
    if cameras < LIMITS.enough or not lone:
        return lone
    return list(_rivals(lone))


def _without_odd(group: _Group) -> _Group:
    """Leave out the tip that contradicts what two or more others say."""
    if len(group.members) <= LIMITS.enough:
        return group
    for member in group.members:
        others = tuple(other for other in group.members if other is not member)
        mean, cov = _mean(others)
        way = np.array(member[1].xy_mm) - mean
        spread = cov + np.array(member[1].cov_mm)
        if np.sqrt(way @ np.linalg.solve(spread, way)) > LIMITS.odd:
            return _Group(members=others, outvoted=(member[0],))
    return group


def _outvote(agreed: Sequence[_Group], lone: Sequence[_Group]) -> Iterator[_Group]:
    """Take single tips of cameras that have none in an agreed group for the same dart, misread: outvoted."""
    left = list(lone)
    for group in agreed:
        silent = [one for one in left if not one.cameras() & (group.cameras() | set(group.outvoted))]
        heard: set[int] = set()
        for one in silent:
            if not one.cameras() & heard:
                heard |= one.cameras()
                left.remove(one)
        yield replace(group, outvoted=(*group.outvoted, *sorted(heard)))
    yield from left


def _rivals(lone: Sequence[_Group]) -> Iterator[_Group]:
    """Pair off single tips of different cameras as one dart of which nobody knows who is right."""
    left = sorted(lone, key=lambda group: -group.members[0][1].confidence)
    while left:
        best, *left = left
        taken = set(best.cameras())
        rivals: list[ReadDart] = []
        for one in list(left):
            if not one.cameras() & taken:
                taken |= one.cameras()
                rivals.append(one.members[0][1])
                left.remove(one)
        yield replace(best, rivals=tuple(rivals))


def _fused(group: _Group, cameras: int, rings: Rings = REGULATION) -> FusedDart:
    if len(group.members) == 1:
        return _single(group, cameras)
    mean, cov = _mean(group.members)
    cov = cov + np.eye(2) * LIMITS.common_mm**2
    chances = segment_probabilities(mean, cov, rings)
    segment = next(iter(chances))
    believed = 1.0 - float(np.prod([1 - dart.dart.confidence for _, dart in group.members]))
    return FusedDart(
        segment=segment,
        xy_mm=(float(mean[0]), float(mean[1])),
        cov_mm=((float(cov[0, 0]), float(cov[0, 1])), (float(cov[1, 0]), float(cov[1, 1]))),
        confidence=chances[segment] * believed,
        probabilities=chances,
        tips_px=_tips(group, cameras),
    )


def _single(group: _Group, cameras: int) -> FusedDart:
    """Give what one camera says, its chances shared with those that say otherwise."""
    dart = group.members[0][1]
    voices = [dart, *group.rivals]
    weights = np.array([voice.confidence + 1e-3 for voice in voices])
    mixed: dict[str, float] = {}
    for voice, weight in zip(voices, weights / weights.sum(), strict=True):
        for name, chance in voice.probabilities.items():
            mixed[name] = mixed.get(name, 0.0) + float(weight) * chance
    return FusedDart(
        segment=dart.segment,
        xy_mm=dart.xy_mm,
        cov_mm=dart.cov_mm,
        confidence=mixed[dart.segment] * dart.dart.confidence,
        probabilities=dict(sorted(mixed.items(), key=lambda item: -item[1])),
        tips_px=_tips(group, cameras),
    )


def _tips(group: _Group, cameras: int) -> tuple[tuple[float, float] | None, ...]:
    seen = {camera: dart.tip_px for camera, dart in group.members}
    return tuple(seen.get(camera) for camera in range(cameras))


def _doubts(group: _Group, fused: FusedDart, place: int, cameras: int) -> list[Review]:
    codes: list[str] = []
    sure = [dart for _, dart in group.members if not dart.dart.doubts]
    if len(sure) < min(LIMITS.enough, cameras):
        codes += [code for _, dart in group.members for code in dart.dart.doubts]
    if len(group.members) == 1 and cameras > 1:
        codes.append("VIEWS_DISAGREE" if group.rivals else "SEEN_BY_ONE")
    elif len(group.members) <= len(group.outvoted):
        codes.append("VIEWS_DISAGREE")
    if fused.probabilities[fused.segment] < READING_LIMITS.sure_segment:
        near = wire_distance_mm(np.array(fused.xy_mm)) < 2.0
        codes.append("ON_A_WIRE" if near else "TIP_UNSURE")
    if fused.confidence < fused.probabilities[fused.segment] * READING_LIMITS.sure_dart:
        codes.append("MAYBE_NO_DART")
    px = next(tip for tip in fused.tips_px if tip is not None)
    return [Review(code=code, dart=place, px=px) for code in dict.fromkeys(codes)]


def _whole(live: Sequence[DartsReading], groups: Sequence[_Group]) -> list[Review]:
    """Give what is about whole pictures: where most cameras say it, or too few say otherwise."""
    said = [{item.code for item in view.review if item.dart is None} for view in live]
    codes = dict.fromkeys(code for codes in said for code in sorted(codes))
    agreed = bool(groups) and all(len(group.members) >= LIMITS.enough for group in groups)
    kept = []
    for code in codes:
        silent = sum(code not in codes for codes in said)
        if not (agreed and silent >= LIMITS.enough):
            kept.append(Review(code=code))
    return kept
