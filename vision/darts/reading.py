"""What `tallycam read` says about a dartboard: each dart's segment, how sure, and what a person should look at."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from vision.darts.board import Rings, segment_at, segment_probabilities, wire_distance_mm
from vision.darts.find import BoardFit, board_from_setup
from vision.darts.learned import Nets
from vision.darts.tips import Comparison, Dart, compare_pair
from vision.darts.tips.second import hidden_told, second_look
from vision.darts.tips.single import darts_in
from vision.failure import Failure
from vision.setup import Setup

Picture = NDArray[np.uint8]
Array = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class ReadingLimits:
    """When an answer may be accepted without a look, and when there is no answer.

    Attributes
    ----------
    sure_segment
        A dart whose segment has less chance than this asks.
    sure_dart
        So does a streak that is a dart with less chance than this.
    board_floor_mm
        The board is never known better than this: wires are 1.5 mm thick and lie beside the line they stand for.
    hand_share, alien_share
        More of the board than this changed, the second where no dart explains it: a hand or a body is before it,
        or these are not the same scene. Three darts change 3 to 6 %; their shadows 1.3 %.
    strange_share
        More than this changed and no dart explains it: asks.
    nothing_mm2
        Where no dart was read at all, one piece of change as large as this asks: what shows of a dart behind
        another is larger, and in nine of ten pairs without a dart noise comes in smaller pieces.
    turned
        Less chance than this that 20 is where the fit says: asks.
    other_end
        Chance that a dart ends elsewhere, where the picture allows it.
    more
        More than this chance of darts besides those seen: asks. What changed and no dart explains needs no other
        word where the networks were asked about it.
    alternatives
        Segments with less chance than this are not named.
    """

    sure_segment: float = 0.93
    sure_dart: float = 0.86
    board_floor_mm: float = 0.6
    hand_share: float = 0.25
    alien_share: float = 0.04
    strange_share: float = 0.0015
    nothing_mm2: float = 12.0
    turned: float = 0.9
    other_end: float = 0.5
    more: float = 0.05
    alternatives: float = 0.005


LIMITS = ReadingLimits()


@dataclass(frozen=True, slots=True, kw_only=True)
class Review:
    """Something a person should look at.

    Attributes
    ----------
    code
        `ON_A_WIRE`, `TIP_UNSURE`, `MAYBE_NO_DART`, `BOARD_TURNED`, `NO_BEFORE`, …
    dart
        Place of the dart in the answer, or None where it is about the whole picture.
    px
        Where in the picture.
    """

    code: str
    dart: int | None = None
    px: tuple[float, float] | None = None

    def to_json(self) -> dict[str, Any]:
        """Give the code and where."""
        where = {} if self.px is None else {"px": [round(v, 1) for v in self.px]}
        return {"code": self.code, **({} if self.dart is None else {"dart": self.dart}), **where}


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadDart:
    """One dart on the board.

    Attributes
    ----------
    segment
        The likeliest at the end that was found.
    xy_mm, cov_mm
        The tip on the board and its (2, 2) covariance.
    tip_px
        The tip in the picture.
    confidence
        Chance that this is a dart and in this segment.
    probabilities
        Segment to chance, likeliest first, if it is a dart.
    dart
        As it was seen.
    """

    segment: str
    xy_mm: tuple[float, float]
    cov_mm: tuple[tuple[float, float], tuple[float, float]]
    tip_px: tuple[float, float]
    confidence: float
    probabilities: dict[str, float]
    dart: Dart

    def to_json(self) -> dict[str, Any]:
        """Give the dart as `tallycam read` prints it."""
        others = [name for name, chance in self.probabilities.items() if chance >= LIMITS.alternatives]
        return {
            "segment": self.segment,
            "xy_mm": [round(v, 2) for v in self.xy_mm],
            "tip_px": [round(v, 2) for v in self.tip_px],
            "confidence": round(self.confidence, 4),
            "alternatives": [name for name in others if name != self.segment],
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class DartsReading:
    """What a picture shows.

    Attributes
    ----------
    darts
        The new darts where there was a picture before, else all.
    confidence
        Chance that everything here is right.
    review
        What a person should look at; empty: nothing.
    board
        The board it was read on.
    """

    darts: tuple[ReadDart, ...]
    confidence: float
    review: tuple[Review, ...]
    board: BoardFit

    def to_json(self) -> dict[str, Any]:
        """Give the answer as `tallycam read` prints it."""
        return {
            "darts": [dart.to_json() for dart in self.darts],
            "actions": [{"kind": "throw", "side": 0, "t_ms": 0, "segment": dart.segment} for dart in self.darts],
            "confidence": round(self.confidence, 4),
            "review": [item.to_json() for item in self.review],
        }


def read_darts(
    setup: Setup, image: Picture, before: Picture | None = None, known: Sequence[Dart] = ()
) -> DartsReading | Failure:
    """Say which darts a picture shows.

    Parameters
    ----------
    setup
        For cricket; without `board_px` the board is found in the picture (`before` if given).
    image
        (H, W, 3) BGR.
    before
        The same scene before the throw: then only new darts are read.
    known
        Darts in `before`.

    Returns
    -------
    DartsReading or Failure
        `NO_BOARD` and what else finding a board may say; `HAND_IN_VIEW`; `OTHER_SIZE`.
    """
    if before is not None and before.shape != image.shape:
        return Failure(
            "OTHER_SIZE", "The pictures before and after differ in size: one camera, one setting for both."
        )
    board = board_from_setup(setup, image if before is None else before)
    if isinstance(board, Failure):
        return board
    if before is None:
        return reading_of(darts_in(image, board), board, single=True)
    return read_pair(before, image, board, known)


def read_pair(
    before: Picture, after: Picture, board: BoardFit, known: Sequence[Dart] = (), asked: Nets | None = None
) -> DartsReading | Failure:
    """Say which darts came between two pictures, each (H, W, 3) BGR, of a board as it lies in the first.

    What comparing them would ask about, the learned finder looks at as well: it takes some tenths of a second.
    `asked` are the networks, where not those in use.
    """
    seen = compare_pair(before, after, board, known)
    reading = reading_of(seen, board)
    if isinstance(reading, Failure) or not reading.review:
        return reading
    seen = second_look(seen, (before, after), board, known, asked)
    reading = reading_of(seen, board)
    if isinstance(reading, Failure) or reading.review:
        return reading
    return reading_of(hidden_told(seen, before, board, asked), board)


def reading_of(seen: Comparison, board: BoardFit, *, single: bool = False) -> DartsReading | Failure:
    """Put what was seen on the board.

    Parameters
    ----------
    seen
        Darts in pixels and how much else changed.
    board
        The board.
    single
        There was no picture before: nothing vouches for darts that were not seen.

    Returns
    -------
    DartsReading or Failure
        `HAND_IN_VIEW` if too much of the board changed.
    """
    if not single and _something_large(seen):
        return Failure(
            "HAND_IN_VIEW", "Something large is before the board: take the picture when nobody is near it."
        )
    darts = tuple(read_dart(dart, board) for dart in seen.darts)
    review = [item for place, dart in enumerate(darts) for item in _doubts(dart, place)]
    whole = _whole(seen, board, single)
    chance = float(np.prod([dart.confidence for dart in darts])) * whole[0]
    return DartsReading(darts=darts, confidence=chance, review=(*review, *whole[1]), board=board)


def read_dart(dart: Dart, board: BoardFit) -> ReadDart:
    """Put one dart on the board: its tip, its covariance with that of the board, and the segments' chances."""
    xy = board.plane.to_board(np.array([dart.plane_px]))[0]
    cov = board.plane.cov_to_board(np.array(dart.plane_px), dart.cov_px) + _board_cov(board)
    there = segment_probabilities(xy, cov, board.rings)
    segment = next(iter(there))
    chances = _with_other_ends(there, dart, board)
    return ReadDart(
        segment=segment,
        xy_mm=(float(xy[0]), float(xy[1])),
        cov_mm=((float(cov[0, 0]), float(cov[0, 1])), (float(cov[1, 0]), float(cov[1, 1]))),
        tip_px=dart.tip_px,
        confidence=chances[segment] * dart.confidence,
        probabilities=chances,
        dart=dart,
    )


def _with_other_ends(chances: dict[str, float], dart: Dart, board: BoardFit) -> dict[str, float]:
    """Share the chances with the segments in which the dart may end as well; the same segment loses nothing."""
    inward, outward = dart.others_px
    if not (inward or outward):
        return chances
    mixed = {name: (1 - LIMITS.other_end) * chance for name, chance in chances.items()}
    way = np.linspace(-outward, inward, 9)
    places = np.array(dart.plane_px) + way[:, None] * np.array(dart.axis_px)
    for xy in board.plane.to_board(places):
        name = segment_at(xy, board.rings)
        mixed[name] = mixed.get(name, 0.0) + LIMITS.other_end / len(way)
    return dict(sorted(mixed.items(), key=lambda item: -item[1]))


def _board_cov(board: BoardFit) -> Array:
    return np.eye(2) * max(LIMITS.board_floor_mm, board.residual_mm) ** 2


def _doubts(dart: ReadDart, place: int) -> list[Review]:
    codes = list(dart.dart.doubts)
    if dart.probabilities[dart.segment] < LIMITS.sure_segment:
        near = wire_distance_mm(np.array(dart.xy_mm)) < 2.0
        codes.append("ON_A_WIRE" if near else "TIP_UNSURE")
    if dart.dart.confidence < LIMITS.sure_dart:
        codes.append("MAYBE_NO_DART")
    return [Review(code=code, dart=place, px=dart.tip_px) for code in dict.fromkeys(codes)]


def _something_large(seen: Comparison) -> bool:
    return seen.changed_share > LIMITS.hand_share or seen.unexplained_share > LIMITS.alien_share


def _something_strange(seen: Comparison) -> bool:
    nothing = not seen.darts and seen.largest_mm2 > LIMITS.nothing_mm2
    return nothing or seen.unexplained_share > LIMITS.strange_share


def _whole(seen: Comparison, board: BoardFit, single: bool) -> tuple[float, list[Review]]:
    """Give the chance that nothing is wrong with the picture as a whole, and what to look at."""
    chance, review = board.orientation_confidence, []
    if board.orientation_confidence < LIMITS.turned:
        review.append(Review(code="BOARD_TURNED"))
    if not single and seen.more is None and _something_strange(seen):
        review.append(Review(code="UNEXPLAINED_CHANGE"))
        chance *= 0.6
    if not single and not seen.followed:
        review.append(Review(code="BOARD_NOT_SEEN"))
        chance *= 0.6
    review += [Review(code="MAYBE_ANOTHER_DART", px=at) for at in seen.maybe_px]
    if seen.more is not None:
        chance *= 1 - seen.more
        if seen.more > LIMITS.more and not seen.maybe_px:
            review.append(Review(code="MAYBE_ANOTHER_DART"))
    if single:
        review.append(Review(code="NO_BEFORE"))
        chance *= 0.6
    return chance, review


def with_rings(board: BoardFit, rings: Rings) -> BoardFit:
    """Give the same fit for a board with other radii."""
    return replace(board, rings=rings)
