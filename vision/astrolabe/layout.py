"""What stands on a table whose corners are known: its three combs by their regular teeth, its Play Line.

The table is seen flat. A tooth is a narrow bar away from the player: averaged along it, brightness and colour
change across it and nowhere beside it, whatever it is made of. So many bars at one distance, three times, one
behind the other, are the combs; what runs all across the table before them, and is narrow, is the Play Line.
"""

from dataclasses import dataclass
from typing import Any, Final

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.astrolabe.camera import camera_of
from vision.astrolabe.view import PX_PER_CM, seen_by
from vision.geometry import PlaneMap
from vision.setup import AstrolabeTable, SlotRow

Array = NDArray[np.float64]
Picture = NDArray[np.uint8]
Map = NDArray[np.float32]


@dataclass(frozen=True, slots=True, kw_only=True)
class LayoutTuning:
    """What combs and Play Lines look like.

    Attributes
    ----------
    top_cm
        Height at which teeth are looked at: combs stand one to two centimetres high, and their middle counts.
    wide_cm
        Edges of a tooth are this far from its middle, more or less: from the side its flank is seen as well.
    tooth_cm
        Part of a tooth's length that is averaged along; they are 2.8 and longer.
    pitch_cm, slots
        Lowest and highest; a slot is wider than a ball, five of them are usual.
    apart_cm
        Combs lie at least this far behind one another.
    dark
        Levels added before the logarithm.
    flank
        The edges of a tooth and its flank lie within this share of a pitch from their middle.
    centred_cm, seen_share
        Combs that are seen so near to the middle of the table were built in its middle, and what is seen counts so
        much beside that: flanks and shadows of teeth mislead by half a centimetre, builders by less.
    weakest, usual
        What the weakest tooth counts beside the mean of all; what speaks for as many slots as combs usually have.
    noise, clear
        Changes across a tooth: so many times the table's own count from there, so many more count in full.
    faint
        A change of so much of the brightness counts in full on the smoothest table.
    sure_comb, sure_line
        Evidence, of 1, from which a comb, and a Play Line, are found. Measured on 10 rendered tables of another
        renderer and 12 of our own: combs 0.94 and more, but 0.48 white on white; lines 0.98 and more.
    line_cm
        Half the width within which a line begins and ends again.
    free_cm
        The Play Line is this far from the near wall, from combs and from the sides at least.
    """

    top_cm: float = 0.9
    wide_cm: float = 0.5
    tooth_cm: float = 2.6
    pitch_cm: tuple[float, float] = (3.0, 7.0)
    slots: tuple[int, int] = (3, 8)
    apart_cm: float = 8.0
    dark: float = 12.0
    flank: float = 0.28
    centred_cm: float = 1.5
    seen_share: float = 0.3
    weakest: float = 0.25
    usual: float = 0.1
    noise: float = 2.0
    clear: float = 4.0
    faint: float = 0.04
    sure_comb: float = 0.4
    sure_line: float = 0.5
    line_cm: float = 0.7
    free_cm: float = 8.0


TUNING: Final = LayoutTuning()
COMBS: Final = 3
USUAL_SLOTS: Final = 5
"""AS-01, AS-02."""

USUAL_PITCH_CM: Final = (3.9, 5.2)
"""A slot of 4.5 cm, in a rectangle that is not quite the table yet."""

_ROWS: Final = 3
_COLUMNS: Final = 2
"""Every third row and second column of the flat picture is enough to look for combs in."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Layout:
    """What was found on a table.

    Attributes
    ----------
    combs
        From the player on; empty where fewer than three are clear.
    comb
        Evidence for the weakest of them, 0 to 1, found or not.
    play_line_y_cm
        None where none is clear.
    line
        Evidence for it.
    ends_cm
        Where the line begins and ends, x.
    middle_cm
        Where the middle of the combs is seen, x.
    spine
        How much more the combs look closed toward the player than away from him, -1 to 1.
    """

    combs: tuple[SlotRow, ...]
    comb: float
    play_line_y_cm: float | None
    line: float
    ends_cm: tuple[float, float]
    middle_cm: float
    spine: float


def find_layout(bgr: Picture, plane: PlaneMap, table: AstrolabeTable, *, usual: bool = False) -> Layout:
    """Look for combs and Play Line on a table.

    Parameters
    ----------
    bgr
        (H, W, 3).
    plane
        The table's, as it lies in the picture, to a centimetre or so.
    table
        Its size, and that of its balls.
    usual
        Look for combs of the usual pitch and number of slots alone: ten times as fast.
    """
    camera = camera_of(plane, (bgr.shape[1], bgr.shape[0]))
    raised = _logs(_flat(bgr, camera.at_height(TUNING.top_cm), table))
    combs, weakest, middle, spine = _combs(raised, table, usual)
    first = combs[0].y_cm if weakest >= TUNING.sure_comb else table.table_cm[1] / 2
    y_cm, line, ends = _play_line(_logs(_flat(bgr, camera.plane, table)), first)
    return Layout(
        combs=combs if weakest >= TUNING.sure_comb else (),
        comb=weakest,
        play_line_y_cm=y_cm if line >= TUNING.sure_line else None,
        line=line,
        ends_cm=ends,
        middle_cm=middle,
        spine=spine,
    )


def line_seen(bgr: Picture, plane: PlaneMap, table: AstrolabeTable) -> tuple[float, float]:
    """Give how clear a Play Line is in the near half of a table, 0 to 1, and where it is, y cm."""
    y_cm, line, _ = _play_line(_logs(_flat(bgr, plane, table)), table.table_cm[1] / 2)
    return line, y_cm


def _flat(bgr: Picture, plane: PlaneMap, table: AstrolabeTable) -> Picture:
    width, height = (round(side * PX_PER_CM) for side in table.table_cm)
    if plane.lens is None:
        to_cm = np.array([[1.0, 0, 0.5], [0, 1.0, 0.5], [0, 0, PX_PER_CM]])
        how = cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP
        seen = cv2.warpPerspective(
            bgr, plane.homography @ to_cm, (width, height), flags=how, borderMode=cv2.BORDER_REPLICATE
        )
        return np.asarray(seen, np.uint8)
    across, along = np.meshgrid((np.arange(width) + 0.5) / PX_PER_CM, (np.arange(height) + 0.5) / PX_PER_CM)
    pixels = plane.to_px(np.column_stack([across.ravel(), along.ravel()]))
    return seen_by(bgr, pixels.reshape(height, width, 2).astype(np.float32))


def _logs(flat: Picture) -> Map:
    smooth = cv2.GaussianBlur(flat, (3, 3), 0).astype(np.float32)
    return np.asarray(np.log(smooth + np.float32(TUNING.dark)), np.float32)


# ---------------------------------------------------------------- combs


def _combs(logs: Map, table: AstrolabeTable, usual: bool) -> tuple[tuple[SlotRow, ...], float, float, float]:
    """Give the best three combs, how clear the weakest is, their middle, how much they close toward the player."""
    change = np.zeros_like(logs)
    change[:, 1:-1] = logs[:, 2:] - logs[:, :-2]
    strength = _along_teeth(change)
    bars = _bars(strength)
    wide = np.asarray(cv2.dilate(bars, np.ones((1, 5), np.uint8)), np.float32)
    thin = np.asarray(cv2.blur(bars, (5, 1)), np.float32)
    left, pitch, slots, rows = _regular(wide[::_ROWS, ::_COLUMNS], thin[::_ROWS, ::_COLUMNS], usual)
    if not rows:
        return (), 0.0, table.table_cm[0] / 2, 0.0
    soft = np.asarray(
        cv2.GaussianBlur(np.sqrt(strength), (0, 0), TUNING.wide_cm * PX_PER_CM, sigmaY=0.01), np.float32
    )
    coarse = (left + pitch * np.arange(slots + 1)) * _COLUMNS
    profile = np.mean([soft[_clearest(soft, row * _ROWS, coarse)] for row in rows], axis=0)
    common = _placed(profile, left * _COLUMNS, pitch * _COLUMNS, slots, (6.0, 1.0))
    begins, lefts, steps, chances, closed = [], [], [], [], []
    for about in rows:
        row = _clearest(soft, about * _ROWS, common[0] + common[1] * np.arange(slots + 1))
        x, step = _placed(soft[row], *common, slots, (2.5, 0.5))
        x = _centred(bars[row], x, step, slots)
        places = np.clip(np.round(x + step * np.arange(slots + 1)).astype(np.intp), 0, bars.shape[1] - 1)
        begin, end = _lengthwise(change, row, places)
        chances.append(float(np.mean(wide[row, places])))
        closed.append(_closed(logs, (begin, end), places))
        begins.append((begin + 0.5) / PX_PER_CM)
        lefts.append((x + 0.5) / PX_PER_CM)
        steps.append(step / PX_PER_CM)
    pitch_cm = float(np.median(steps))
    middles = [x + step * slots / 2 for x, step in zip(lefts, steps, strict=True)]
    x0_cm = _middle(float(np.median(middles)), table) - pitch_cm * (slots - 1) / 2
    found = [
        SlotRow(
            y_cm=round(begin + table.ball_cm / 2, 2),
            x0_cm=round(x0_cm, 2),
            pitch_cm=round(pitch_cm, 3),
            slots=slots,
        )
        for begin in begins
    ]
    return tuple(found), min(chances), float(np.median(middles)), float(np.mean(closed))


def _middle(seen_cm: float, table: AstrolabeTable) -> float:
    """Weigh where combs have their middle with that of the table: a comb farther off was built so."""
    middle = table.table_cm[0] / 2
    if abs(seen_cm - middle) > TUNING.centred_cm:
        return seen_cm
    return (TUNING.seen_share * seen_cm) + (1 - TUNING.seen_share) * middle


def _along_teeth(change: Map) -> Map:
    """Give how much brightness or colour change across each place, all along a tooth from there."""
    length = round(TUNING.tooth_cm * PX_PER_CM)
    mean = cv2.filter2D(change, -1, np.full((length, 1), 1 / length), anchor=(0, 0))
    return np.asarray(np.abs(mean).max(axis=2), np.float32)


def _bars(strength: Map) -> Map:
    """Give for every place, 0 to 1, whether a bar's edge is there."""
    usual = float(np.median(strength))
    clear = max(TUNING.clear * usual, TUNING.faint)
    return np.asarray(np.clip((strength - TUNING.noise * usual) / clear, 0, 1), np.float32)


def _regular(wide: Map, thin: Map, usual: bool) -> tuple[int, float, int, tuple[int, ...]]:
    """Find the distance, number and place of bars that come three times: left, pitch, slots, rows."""
    best = -1.0
    told: tuple[int, float, int, tuple[int, ...]] = (0, 0.0, 0, ())
    scale = PX_PER_CM / _COLUMNS
    low, high = (round(side * scale) for side in (USUAL_PITCH_CM if usual else TUNING.pitch_cm))
    fewest, most = (USUAL_SLOTS, USUAL_SLOTS) if usual else TUNING.slots
    for steps in range(2 * low, 2 * high + 1):
        pitch = steps / 2
        for slots in range(fewest, most + 1):
            score = _comb_scores(wide, thin, pitch, slots)
            if score is None:
                continue
            total, rows = _three(score)
            place = int(np.argmax(total))
            if total[place] <= best - 0.5:
                continue
            left, at = place + round(pitch), tuple(sorted(int(row[place]) for row in rows))
            # A shadow beside a comb is no tooth of it: of all places of teeth the weakest counts as well.
            teeth = [float(np.mean([wide[row, left + round(k * pitch)] for row in at])) for k in range(slots + 1)]
            value = float(total[place]) + TUNING.weakest * (min(teeth) - 1.0)
            value += TUNING.usual * (slots == USUAL_SLOTS)
            if value > best:
                best, told = value, (left, pitch, slots, at)
    return told


def _comb_scores(wide: Map, thin: Map, pitch: float, slots: int) -> Map | None:
    """Give how much a comb stands at each place; columns begin where the place left of its first tooth is."""
    across = wide.shape[1] - round((slots + 2) * pitch)
    if across < 1:
        return None

    def column(of: Map, step: float) -> Map:
        start = round((step + 1) * pitch)
        return of[:, start : start + across]

    teeth = sum(column(wide, k) for k in range(slots + 1)) / (slots + 1)
    gaps = sum(column(thin, k + 0.5) for k in range(slots)) / slots
    beside = (column(wide, -1) + column(wide, slots + 1)) / 2
    return np.asarray(teeth - 0.5 * gaps - beside, np.float32)


def _three(score: Map) -> tuple[Map, list[NDArray[np.intp]]]:
    """Give for each column the mean of its three best rows that lie apart, and these rows."""
    left, total, rows = score.copy(), np.zeros(score.shape[1], np.float32), []
    apart = round(TUNING.apart_cm * PX_PER_CM / _ROWS)
    number = np.arange(len(score))[:, None]
    for _ in range(COMBS):
        row = np.argmax(left, axis=0)
        total += left[row, np.arange(score.shape[1])] / COMBS
        left[np.abs(number - row[None]) < apart] = -1.0
        rows.append(row)
    return total, rows


def _placed(
    strength: Map, left: float, pitch: float, slots: int, reach: tuple[float, float]
) -> tuple[float, float]:
    """Place the teeth of a comb to parts of a pixel, at most `reach` off: the first one, and how far apart."""
    places = np.arange(len(strength))
    steps = pitch + np.arange(-reach[1], reach[1] + 0.01, 0.1)
    starts = np.arange(-reach[0], reach[0] + 0.01, 0.25)
    teeth = np.arange(slots + 1)
    # The middle stays where it is while the step is tried.
    grid = left + starts[:, None, None] + (pitch - steps[:, None]) * slots / 2 + steps[:, None] * teeth
    values = np.interp(grid, places, strength).mean(axis=2)
    start, step = np.unravel_index(int(np.argmax(values)), values.shape)
    return float(grid[start, step, 0]), float(steps[step])


def _centred(bars: Map, left: float, pitch: float, slots: int) -> float:
    """Move the first tooth to where the edges of most teeth have their middle: their flanks are seen as well."""
    places = np.arange(len(bars))
    half = TUNING.flank * pitch
    for _ in range(4):
        offsets = places - (left + pitch * np.arange(slots + 1))[:, None]
        weights = np.where(np.abs(offsets) <= half, bars, 0.0)
        total = weights.sum(axis=1)
        if not np.any(total > 0):
            break
        left += float(np.median((weights * offsets).sum(axis=1)[total > 0] / total[total > 0]))
    return left


def _clearest(strength: Map, row: int, places: NDArray[np.floating[Any]]) -> int:
    """Give the row near `row` from which on the teeth at these places are seen best."""
    reach = round(TUNING.tooth_cm * PX_PER_CM)
    low, high = max(0, row - reach), min(len(strength) - reach, row + reach)
    across = np.clip(np.round(places).astype(np.intp), 0, strength.shape[1] - 1)
    return low + int(np.argmax(strength[low:high, across].mean(axis=1)))


def _lengthwise(change: Map, row: int, places: NDArray[np.intp]) -> tuple[float, float]:
    """Give the rows where teeth begin and end, `row` being one from which on they are seen."""
    length = round(TUNING.tooth_cm * PX_PER_CM)
    columns = np.unique(np.clip(places[:, None] + np.arange(-3, 4), 0, change.shape[1] - 1))
    looks = change[row : row + length, columns].mean(axis=0)
    low, high = max(0, row - length), min(len(change), row + 3 * length)
    like = cv2.blur((change[low:high, columns] * looks).sum(axis=(1, 2))[:, None], (1, 3))[:, 0]
    middle = row - low + length // 2
    level = 0.5 * float(np.median(like[row - low : row - low + length]))
    below = np.flatnonzero(like[:middle] < level)
    above = np.flatnonzero(like[middle:] < level)
    begin = int(below[-1]) + 1 if len(below) else 0
    end = middle + int(above[0]) if len(above) else len(like)
    part = (level - like[begin - 1]) / max(float(like[begin] - like[begin - 1]), 1e-9) if begin else 1.0
    return float(low + begin - 1 + np.clip(part, 0, 1)), float(low + end)


def _closed(logs: Map, rows: tuple[float, float], places: NDArray[np.intp]) -> float:
    """Give how much more edges run along a comb where teeth begin than where they end: -1 to 1."""
    reach = round(1.2 * PX_PER_CM)
    gaps = np.concatenate([places[:-1] + 4, places[1:] - 4]).clip(0, logs.shape[1] - 1)
    edges = np.zeros(2)
    for side, row in enumerate(rows):
        low, high = max(1, round(row) - reach), min(len(logs) - 1, round(row) + reach)
        strips = logs[low + 1 : high + 1, gaps] - logs[low - 1 : high - 1, gaps]
        edges[side] = np.abs(np.median(strips, axis=1)).max() if strips.size else 0.0
    return float((edges[0] - edges[1]) / max(edges.sum(), 1e-6))


# ---------------------------------------------------------------- the Play Line


def _play_line(logs: Map, first_comb_cm: float) -> tuple[float, float, tuple[float, float]]:
    """Give where something narrow runs across the table before the combs, how clear it is, where it ends."""
    side = round(TUNING.free_cm * PX_PER_CM)
    reach = round(TUNING.line_cm * PX_PER_CM)
    last = round((first_comb_cm - TUNING.free_cm) * PX_PER_CM)
    if last <= side // 2:
        return 0.0, 0.0, (0.0, 0.0)
    smooth = cv2.blur(logs[: last + 3 * reach], (9, 1))
    ridge = np.zeros_like(smooth)
    ridge[reach:-reach] = smooth[reach:-reach] - (smooth[2 * reach :] + smooth[: -2 * reach]) / 2
    inner = ridge[:, side:-side]
    middle = np.median(inner, axis=1)
    channel = int(np.argmax(np.abs(middle[side // 2 : last]).max(axis=0)))
    strength = np.abs(middle[side // 2 : last, channel])
    row = int(np.argmax(strength)) + side // 2
    level = float(middle[row, channel])
    usual = float(np.median(np.abs(inner[::2, ::2, channel])))
    # A line that is a little askew in the flat picture is the same line a row on.
    near = ridge[row - 2 : row + 3, :, channel] * np.sign(level)
    shown = near.max(axis=0) > max(0.5 * abs(level), TUNING.noise * usual)
    clear = min(1.0, abs(level) / max(TUNING.clear * usual, TUNING.faint))
    chance = clear * float(np.mean(shown[side:-side]))
    nearby = np.abs(middle[row - 2 : row + 3, channel])
    exact = row + float((nearby * np.arange(-2, 3)).sum() / max(float(nearby.sum()), 1e-9))
    return (exact + 0.5) / PX_PER_CM, chance, _ends(shown)


def _ends(shown: NDArray[np.bool_]) -> tuple[float, float]:
    """Give where a line that is shown in the middle breaks off on both sides, cm."""
    solid = cv2.morphologyEx(shown[None].astype(np.uint8), cv2.MORPH_CLOSE, np.ones((1, 13), np.uint8))[0]
    middle = len(solid) // 2
    gaps = np.flatnonzero(solid == 0)
    left = gaps[gaps < middle].max(initial=-1) + 1
    right = gaps[gaps > middle].min(initial=len(solid))
    return float(left) / PX_PER_CM, float(right) / PX_PER_CM
