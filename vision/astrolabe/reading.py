"""What `tallycam read` says about a table of Astrolabe: slots, balls elsewhere, the shot, what to look at."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from vision.astrolabe.balls import Balls, find_balls
from vision.astrolabe.camera import camera_from_setup
from vision.astrolabe.changed import Changed, compare_flat, covered
from vision.astrolabe.looks import Looker
from vision.astrolabe.moves import Difference, Shot, Spot, difference, place_of, shot_between, spots_of
from vision.astrolabe.seeking import ball_near
from vision.astrolabe.teaching import Colours, teach_colours
from vision.astrolabe.telling import LooseBall
from vision.astrolabe.view import TableView, open_view
from vision.failure import Failure
from vision.pictures import load_picture
from vision.setup import Setup

Picture = NDArray[np.uint8]

_HAND: Final = Failure(
    "HAND_IN_VIEW", "Something large is over the table: take the picture when nobody reaches over it."
)

_MOVED: Final = Failure(
    "CAMERA_MOVED", "The camera or the table was moved between the two pictures: calibrate the camera anew."
)


@dataclass(frozen=True, slots=True)
class ReadingLimits:
    """When an answer may be accepted without a look.

    Attributes
    ----------
    sure
        A whole answer with less chance than this of being right asks.
    seen_change
        A ball that came or went changed at least this share of its place.
    explained_cm
        Changes this near to a ball that came or went are its own: the ball, its shadow, what mirrors it.
    stirred
        Changes within so many radii of a ball that stayed in its place: it turned, or moved a little.
    no_before
        Chance that a picture alone is not misleading (a hand, a thing that is no ball).
    same
        Of two pictures in which nothing changed there, what shows within so many radii of a ball is that ball.
    known, unmoved
        A ball read with this chance before the shot, of whose place no more than this changed since, teaches what
        its colour looks like now.
    doubt
        Chance left to an answer for each thing to look at.
    side
        Near colours are told where so many balls taught each side, and every ball is one side's with this chance.
    """

    sure: float = 0.9
    seen_change: float = 0.25
    explained_cm: float = 4.0
    stirred: float = 1.4
    no_before: float = 0.7
    same: float = 1.2
    known: float = 0.99
    unmoved: float = 0.05
    doubt: float = 0.6
    side: tuple[int, float] = (2, 0.997)


LIMITS: Final = ReadingLimits()


@dataclass(frozen=True, slots=True, kw_only=True)
class Review:
    """Something a person should look at: a code, and the slot `(position, slot)` or the place, if it has one."""

    code: str
    slot: tuple[int, int] | None = None
    xy_cm: tuple[float, float] | None = None

    def to_json(self) -> dict[str, Any]:
        """Give the code and where."""
        slot = {} if self.slot is None else {"slot": list(self.slot)}
        return {"code": self.code, **slot, **({} if self.xy_cm is None else {"xy_cm": _rounded(self.xy_cm)})}


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class AstrolabeReading:
    """What a picture shows.

    Attributes
    ----------
    balls
        Every slot, and every ball elsewhere.
    view
        The table as it was seen.
    action
        The shot since the picture before, as JSON of the scoresheet; None without one, or where nobody can tell.
    confidence
        Chance that everything here is right.
    review
        What a person should look at; empty: nothing.
    """

    balls: Balls
    view: TableView
    action: dict[str, Any] | None
    confidence: float
    review: tuple[Review, ...]

    def to_json(self) -> dict[str, Any]:
        """Give the answer as `tallycam read` prints it; `returned` are balls that lie before the Play Line."""
        rows: list[list[Any]] = [[] for _ in self.view.table.positions]
        for slot in self.balls.slots:
            rows[slot.row].append(slot.holds)
        places = [(place_of(ball, self.view), ball) for ball in self.balls.loose]
        returned = [_ball_json(ball) for place, ball in places if place == "hand"]
        return {
            "slots": rows,
            "grouped": [_ball_json(ball) for place, ball in places if place == "grouped"],
            "gutter": [_ball_json(ball) for place, ball in places if place == "gutter"],
            **({"returned": returned} if returned else {}),
            "action": self.action,
            "confidence": round(self.confidence, 4),
            "review": [item.to_json() for item in self.review],
        }


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Table:
    """A table that is ready to be read: how it is seen and what its balls look like."""

    view: TableView
    colours: Colours


def read_astrolabe(setup: Setup, image: Picture, before: Picture | None = None) -> AstrolabeReading | Failure:
    """Say what lies on a table, and what the shot did.

    Parameters
    ----------
    setup
        For astrolabe, with `positions` and `colours`.
    image
        (H, W, 3) BGR.
    before
        The same scene before the shot.

    Returns
    -------
    AstrolabeReading or Failure
        `NO_POSITIONS`, `NO_COLOURS`, `BAD_COLOURS`, `OTHER_SIZE`, `HAND_IN_VIEW`, `CAMERA_MOVED`, and what
        `Setup.plane` and `load_picture` may say.
    """
    if before is not None and before.shape != image.shape:
        return Failure(
            "OTHER_SIZE", "The pictures before and after differ in size: one camera, one setting for both."
        )
    table = open_table(setup, image if before is None else before)
    if isinstance(table, Failure):
        return table
    if before is None:
        return reading_of(image, table)
    return reading_between(find_balls(before, table.view, table.colours), image, table)


def open_table(setup: Setup, first: Picture) -> Table | Failure:
    """Prepare to read a table; colours are taught by `first` unless the SETUP names a picture for that."""
    table = setup.astrolabe
    if table is None or not table.positions:
        return Failure("NO_POSITIONS", 'The SETUP has no "positions": where the slots are.')
    camera = camera_from_setup(setup, (first.shape[1], first.shape[0]))
    if isinstance(camera, Failure):
        return camera
    view = open_view(table, camera)
    shown, shown_by = first, view
    if table.colours_image is not None:
        loaded = load_picture(table.colours_image)
        if isinstance(loaded, Failure):
            return loaded
        other = camera_from_setup(setup, (loaded.shape[1], loaded.shape[0]))
        if isinstance(other, Failure):
            return other
        shown, shown_by = loaded, open_view(table, other)
    factor = shown.shape[1] / setup.image_size[0]
    taps = {side: [(x * factor, y * factor) for x, y in points] for side, points in table.colours_px.items()}
    colours = teach_colours(shown, shown_by, taps)
    if isinstance(colours, Failure):
        return colours
    return Table(view=view, colours=_seen_to_be_balls(shown, shown_by, colours))


def _seen_to_be_balls(picture: Picture, view: TableView, colours: Colours) -> Colours:
    """Take back the doubt about taps on what has the table's colour, where the network sees a ball."""
    if not colours.missed:
        return colours
    looker = Looker(picture, view.flat(picture), view, colours)
    places = view.camera.at_height(view.radius_cm).to_board(colours.missed)
    balls = ball_near(looker, places)
    return replace(colours, missed=tuple(tap for tap, ball in zip(colours.missed, balls, strict=True) if not ball))


def reading_of(image: Picture, table: Table) -> AstrolabeReading | Failure:
    """Judge one picture by itself; `HAND_IN_VIEW` if something large lies over the table."""
    now = find_balls(image, table.view, table.colours)
    if covered(now.flat, table.view):
        return _HAND
    review = [*_table_doubts(table.colours), *_doubts(now), Review(code="NO_BEFORE")]
    chance = _chance(now) * LIMITS.no_before
    return AstrolabeReading(balls=now, view=table.view, action=None, confidence=chance, review=tuple(review))


def reading_between(then: Balls, image: Picture, table: Table) -> AstrolabeReading | Failure:
    """Judge the picture after a shot together with what was before it: what it shows, what differs, the shot.

    Parameters
    ----------
    then
        What the picture before showed.
    image
        (H, W, 3) BGR, the picture after.
    table
        How both are seen.

    Returns
    -------
    AstrolabeReading or Failure
        `HAND_IN_VIEW` if something large came or went, or lies over the table; `CAMERA_MOVED`.
    """
    flat = table.view.flat(image)
    changed = compare_flat(flat, then.flat)
    if changed.hand and changed.moved:
        return _MOVED
    if changed.hand or covered(flat, table.view):
        return _HAND
    colours = colours_now(then, image, flat, changed, table)
    now = find_balls(image, table.view, colours, flat)
    then, now = _agreed(then, now, changed, table.view), _agreed(now, then, changed, table.view)
    was, now_is = spots_of(then, table.view), spots_of(now, table.view)
    moved = difference(was, now_is)
    review = [*_table_doubts(replace(colours, near=colours.near and not _sides_sure(now, colours))), *_doubts(now)]
    review += _contradictions(
        moved, [spot for spot in was if spot not in moved.gone], changed, table.view.radius_cm
    )
    unsure = any(slot.holds == "?" for slot in (*then.slots, *now.slots))
    shot = None if unsure else shot_between(was, now_is)
    lifted = not moved.come and all(spot.place == "hand" for spot in moved.gone)
    if _doubts_where_changed(then, changed, table.view) or (shot is None and not lifted):
        review.append(Review(code="SHOT_UNSURE"))
    review += [Review(code=code) for code in (shot.codes if shot else ())]
    chance = _chance(now) * (_chance(then) if shot else 1.0)
    if not review and chance < LIMITS.sure:
        review.append(Review(code="UNSURE"))
    chance *= LIMITS.doubt ** len(review)
    return AstrolabeReading(
        balls=now, view=table.view, action=_action(shot), confidence=chance, review=tuple(review)
    )


def _agreed(balls: Balls, other: Balls, changed: Changed, view: TableView) -> Balls:
    """Take what is unsure in one picture from the other one, if nothing changed there meanwhile."""
    slots = tuple(
        replace(sure, row=slot.row, place=slot.place)
        if slot.holds == "?" and sure.holds != "?" and _unchanged(slot.look.xy_cm, changed, view)
        else slot
        for slot, sure in zip(balls.slots, other.slots, strict=True)
    )
    loose, maybe = list(balls.loose), list(balls.maybe)
    for sure in other.loose:
        if sure.code or not _unchanged(sure.seen_cm, changed, view):
            continue
        mine = [ball for ball in loose if _apart(ball.seen_cm, sure.seen_cm) < LIMITS.same * view.radius_cm]
        doubted = [xy for xy in maybe if _apart(xy, sure.seen_cm) < LIMITS.same * view.radius_cm]
        if all(ball.code for ball in mine) and (mine or doubted):
            loose = [*(ball for ball in loose if ball not in mine), sure]
            maybe = [xy for xy in maybe if xy not in doubted]
    loose.sort(key=lambda ball: (ball.xy_cm[1], ball.xy_cm[0]))
    return replace(balls, slots=slots, loose=tuple(loose), maybe=tuple(maybe))


def _apart(one: tuple[float, float], other: tuple[float, float]) -> float:
    return float(np.hypot(one[0] - other[0], one[1] - other[1]))


def _doubts_where_changed(balls: Balls, changed: Changed, view: TableView) -> bool:
    """Say whether a picture is unsure of a place that changed: elsewhere the other one says what lies there."""
    places = [slot.look.xy_cm for slot in balls.slots if slot.code]
    places += [*(ball.seen_cm for ball in balls.loose if ball.code), *balls.maybe]
    return balls.hidden or not all(_unchanged(xy, changed, view) for xy in places)


def _unchanged(xy_cm: tuple[float, float], changed: Changed, view: TableView) -> bool:
    return changed.share(xy_cm, view.radius_cm) <= LIMITS.unmoved


def colours_now(then: Balls, image: Picture, flat: Picture, changed: Changed, table: Table) -> Colours:
    """Learn the colours again from balls that have not moved: a ball does not change sides with the light."""
    balls: list[list[Picture]] = [[], []]
    places = [(slot.holds, slot.look.xy_cm, slot.chance) for slot in then.slots]
    places += [(ball.ball, ball.seen_cm, ball.chance) for ball in then.loose]
    for holds, xy_cm, chance in places:
        if not isinstance(holds, int) or chance < LIMITS.known:
            continue
        if changed.share(xy_cm, table.view.radius_cm) <= LIMITS.unmoved:
            balls[holds].append(table.view.patch(image, xy_cm))
    return table.colours.learnt_again(flat, balls)


def _action(shot: Shot | None) -> dict[str, Any] | None:
    if shot is None:
        return None
    return {"kind": "shot", "side": shot.side, "t_ms": 0, "moves": [dict(move) for move in shot.moves]}


def _table_doubts(colours: Colours) -> list[Review]:
    """Say what is doubtful about the colours themselves."""
    codes = [("COLOURS_NEAR", colours.near), ("ONE_COLOUR", None in colours.sides), ("TAP_MISSED", colours.missed)]
    return [Review(code=code) for code, doubtful in codes if doubtful]


def _sides_sure(balls: Balls, colours: Colours) -> bool:
    """Say whether near colours are told all the same: in the light of this very picture, by more than one ball."""
    balls_taught, chance = LIMITS.side
    known = [slot.sided for slot in balls.slots if isinstance(slot.holds, int)]
    known += [ball.sided for ball in balls.loose]
    return colours.here and colours.fewest >= balls_taught and min(known, default=1.0) >= chance


def _doubts(balls: Balls) -> list[Review]:
    """Say what of one picture is unsure."""
    slots = [Review(code=slot.code, slot=(slot.row + 1, slot.place + 1)) for slot in balls.slots if slot.code]
    loose = [Review(code=ball.code, xy_cm=ball.xy_cm) for ball in balls.loose if ball.code]
    hidden = [Review(code="COLOUR_LIKE_BOARD")] if balls.hidden else []
    return [*slots, *loose, *hidden, *(Review(code="MAYBE_A_BALL", xy_cm=xy) for xy in balls.maybe)]


def _contradictions(moved: Difference, stayed: Sequence[Spot], changed: Changed, radius_cm: float) -> list[Review]:
    """Hold what was read against what changed: neither may be without the other, but balls turn where they lie."""
    review = [Review(code="CAMERA_MOVED")] if changed.moved else []
    radius = 0.8 * radius_cm
    places = [spot.seen_cm for spot in (*moved.gone, *moved.come)]
    unseen = [xy for xy in places if changed.share(xy, radius) < LIMITS.seen_change]
    strange = [
        spot.xy_cm
        for spot in changed.spots
        if not any(_near(xy, spot.box_cm) <= LIMITS.explained_cm for xy in places)
        and not any(_near(ball.seen_cm, spot.box_cm) <= LIMITS.stirred * radius_cm for ball in stayed)
    ]
    shown = [*places, *(ball.seen_cm for ball in stayed)]
    beyond = changed.beyond(shown, radius_cm)
    strange += [xy for xy in beyond if not any(_apart(xy, one) < radius_cm for one in strange)]
    review += [Review(code="NOTHING_CHANGED", xy_cm=xy) for xy in unseen]
    return [*review, *(Review(code="UNEXPLAINED_CHANGE", xy_cm=xy) for xy in strange)]


def _near(xy_cm: tuple[float, float], box_cm: tuple[float, float, float, float]) -> float:
    """Give how far a point is from the middle of a box."""
    middle = ((box_cm[0] + box_cm[2]) / 2, (box_cm[1] + box_cm[3]) / 2)
    return float(np.hypot(xy_cm[0] - middle[0], xy_cm[1] - middle[1]))


def _chance(balls: Balls) -> float:
    chances: Sequence[float] = [slot.chance for slot in balls.slots] + [ball.chance for ball in balls.loose]
    return float(np.prod(chances))


def _ball_json(ball: LooseBall) -> dict[str, Any]:
    return {"ball": ball.ball, "xy_cm": _rounded(ball.xy_cm)}


def _rounded(point: tuple[float, float]) -> list[float]:
    return [round(float(value), 2) for value in point]
