"""Before and after: aligned, compared, and each changed streak read as a dart."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Protocol

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.darts.tips.align import IDENTITY, board_movement, move
from vision.darts.tips.axis import LIMITS as AXIS_LIMITS
from vision.darts.tips.axis import Axis, AxisLimits, fit_axis
from vision.darts.tips.change import LIMITS as CHANGE_LIMITS
from vision.darts.tips.change import Change, compare, one_lamps_shadow, weigh
from vision.darts.tips.dart import Dart
from vision.darts.tips.hidden import is_hidden
from vision.darts.tips.likeness import LIMITS as LIKENESS_LIMITS
from vision.darts.tips.likeness import LikenessLimits, Streak, dart_likeness
from vision.darts.tips.point import Point, find_point
from vision.darts.tips.pose import Plane, Pose

Picture = NDArray[np.uint8]
Array = NDArray[np.float64]
Mask = NDArray[np.uint8]

ORIGIN = np.zeros((1, 2))

HIDDEN_MM = 15.0
"""A point behind something may lie this much further on, one standard deviation: half of a flight and barrel."""


class Board(Protocol):
    """What is asked of a board: its plane."""

    @property
    def plane(self) -> Plane:
        """Board to picture."""
        ...


@dataclass(frozen=True, slots=True)
class PairLimits:
    """What in a map of change is a dart.

    Attributes
    ----------
    sure
        Change, in noise units, that begins a streak.
    weak
        Change that continues one.
    reach_mm
        How far in front of the board, and beside the double ring, darts are looked for.
    rim_mm
        Radius of the whole board with its number ring.
    around_mm
        So much is looked at around whatever changed at a glance: a point goes on where its barrel seems to end.
    least_mm2
        A streak with less sure change than this is not looked at.
    second_mm2
        Nor at what is left beside a dart, with less than this.
    link_mm
        Pieces of one streak closer than this are joined.
    bridge_mm
        So are pieces up to this much apart along the board's normal: a black shaft before a black wall,
        a dart that passes behind another.
    core_mm2
        A piece has at least this much sure change; less is noise.
    ring_mm
        Change in so narrow a ring around the bull is the board's own ring; a flight alone is wider.
    body_mm, flight_mm, body_share
        Change belongs to a dart within so much of its axis: the first over this share of its length from the tip,
        the second further out; what shadow a dart throws on the bed right beside it is in it.
    shadow_share
        A second dart of which more than this is what a shadow leaves is the first one's shadow.
    darts
        More new darts than this at once are not read.
    plausible
        Streaks that are darts with less chance than this are not mentioned.
    """

    sure: float = 6.0
    weak: float = 3.0
    reach_mm: float = 170.0
    rim_mm: float = 225.0
    around_mm: float = 32.0
    least_mm2: float = 12.0
    second_mm2: float = 33.0
    link_mm: float = 9.0
    bridge_mm: float = 60.0
    core_mm2: float = 5.0
    ring_mm: float = 6.0
    body_mm: float = 10.0
    flight_mm: float = 30.0
    body_share: float = 0.4
    shadow_share: float = 0.7
    darts: int = 3
    plausible: float = 0.35


LIMITS = PairLimits()


@dataclass(frozen=True, slots=True, kw_only=True)
class View:
    """What is known of how darts must look, and what an answer under it is worth.

    Attributes
    ----------
    axis, likeness
        Limits of a dart's line and shape.
    belief
        The most confidence that a dart so read can have.
    doubts
        Codes that each such dart carries.
    """

    axis: AxisLimits = AXIS_LIMITS
    likeness: LikenessLimits = LIKENESS_LIMITS
    belief: float = 1.0
    doubts: tuple[str, ...] = ()


POSED = View()
"""The camera stands where the board's homography says."""

STRAIGHTENED = View(
    # No direction is better than another, so the wide end is the flight and that is all. Resampling has smoothed
    # the noise away that change is measured in, so more of it is asked for.
    axis=replace(AXIS_LIMITS, tilt=25.0, seen=3 * AXIS_LIMITS.seen, strong=3 * AXIS_LIMITS.strong),
    # What stands out of the board is stretched by the straightening as the camera saw it, up to twice.
    # Its widths mean little, then, and a person is asked whatever they are.
    likeness=replace(LIKENESS_LIMITS, tilt=3.0, point_mm=2 * LIKENESS_LIMITS.point_mm, doubtful=1.0),
    belief=0.6,
    doubts=("LEAN_ODD",),
)
"""The picture was straightened before it came here, as some cameras do: the board is right, but which way
darts stand out of it is anyone's guess. Tried where nothing fits the camera's place; never believed unasked."""


@dataclass(frozen=True, slots=True)
class Comparison:
    """All that two pictures show.

    Attributes
    ----------
    darts
        New darts, the surest first.
    changed_share
        Share of the board's area that changed.
    unexplained_share
        Share of it that changed and belongs to no dart.
    movement
        (2, 3) how the board moved, px of `before` to px of `after`.
    largest_mm2
        The largest connected piece of change that belongs to no dart, beside the board too.
    followed
        Whether enough of the board shows to say how it moved: a wall, a fog, or another board has no like corners.
    maybe_px
        Where something may be a dart and was not taken for one.
    more
        Chance of darts besides these, None where the networks were not asked.
    """

    darts: tuple[Dart, ...]
    changed_share: float
    unexplained_share: float
    movement: Array
    largest_mm2: float = 0.0
    followed: bool = True
    maybe_px: tuple[tuple[float, float], ...] = ()
    more: float | None = None


def new_darts(before: Picture, after: Picture, board: Board, known: Sequence[Dart] = ()) -> tuple[Dart, ...]:
    """Find the darts that `after` shows and `before` does not.

    Parameters
    ----------
    before, after
        (H, W, 3) BGR of the same size and camera.
    board
        The board as it lies in `before`.
    known
        Darts already in the board in `before`.
    """
    return compare_pair(before, after, board, known).darts


def compare_pair(
    before: Picture,
    after: Picture,
    board: Board,
    known: Sequence[Dart] = (),
) -> Comparison:
    """Compare two pictures and read each changed streak; see `new_darts`."""
    limits = LIMITS
    height, width = after.shape[:2]
    pose = Pose(board.plane, (width, height))
    area = _board_area(board.plane, (height, width), limits.rim_mm)
    window = _window(pose, area, limits)
    movement, followed = _movement(before, after, area)
    old, young = move(before, movement)[window], after[window]
    mm_px = pose.mm_px(board.plane.to_px(ORIGIN)[0])
    light = weigh(old, young, 2 * limits.rim_mm * mm_px, CHANGE_LIMITS)
    part = _busy_part(light.busy, young.shape[:2], limits.around_mm * mm_px)
    scene = Scene(
        before=before,
        change=compare(old, young, light, part, CHANGE_LIMITS),
        pose=pose,
        corner=np.array([window[1].start + part[1].start, window[0].start + part[0].start], np.float64),
        movement=movement,
        size=(height, width),
    )
    streaks = list(_streaks(scene, limits))
    darts: list[Dart] = []
    for view in (POSED, STRAIGHTENED):
        found = [dart for streak in streaks for dart in _read_streak(*streak, scene, limits=limits, view=view)]
        new = (dart for dart in found if not _seen_before(dart, known, pose))
        darts = sorted(new, key=lambda dart: -dart.confidence)[: limits.darts]
        if darts:
            break
    darts = _without_shadows(darts, scene, limits)
    changed, unexplained, largest = _changed(
        scene, area[window][part] > 0, int(cv2.countNonZero(area)), darts, limits
    )
    return Comparison(
        darts=tuple(darts),
        changed_share=changed,
        unexplained_share=unexplained,
        movement=movement,
        largest_mm2=largest,
        followed=followed,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Scene:
    """A map of change with its place in the picture.

    Attributes
    ----------
    change
        The window's change.
    pose
        The camera in front of the board.
    corner
        (2,) px of the picture where the window begins.
    movement
        (2, 3) how the board moved since `before`.
    size
        Height and width of the picture.
    before
        (H, W, 3) the picture that the board was found in.
    """

    before: Picture
    change: Change
    pose: Pose
    corner: Array
    movement: Array
    size: tuple[int, int]


def _luma(picture: Picture) -> Picture:
    return np.asarray(cv2.cvtColor(picture, cv2.COLOR_BGR2GRAY), np.uint8)


def _board_area(plane: Plane, shape: tuple[int, int], radius_mm: float) -> Mask:
    turn = np.linspace(0, 2 * np.pi, 72, endpoint=False)
    rim = plane.to_px(radius_mm * np.column_stack([np.cos(turn), np.sin(turn)]))
    area = np.zeros(shape, np.uint8)
    cv2.fillPoly(area, [np.round(np.clip(rim, -20000, 20000)).astype(np.int32)], (255,))
    return area


def _window(pose: Pose, area: Mask, limits: PairLimits) -> tuple[slice, slice]:
    """Cut out the board and the space in front of it where darts may stand."""
    height, width = area.shape
    turn = np.linspace(0, 2 * np.pi, 24, endpoint=False)
    rim = limits.rim_mm * np.column_stack([np.cos(turn), np.sin(turn)])
    foot = pose.plane.to_px(rim)
    top = pose.to_px(np.column_stack([rim, np.full(len(rim), limits.reach_mm)]))
    ends = np.vstack([foot, top])
    low = np.clip(np.floor(ends.min(axis=0)), 0, [width - 1, height - 1]).astype(int)
    high = np.clip(np.ceil(ends.max(axis=0)) + 1, low + 1, [width, height]).astype(int)
    return slice(int(low[1]), int(high[1])), slice(int(low[0]), int(high[0]))


def _movement(before: Picture, after: Picture, area: Mask) -> tuple[Array, bool]:
    """Find how the board moved, looking at no more of the pictures than the board, and whether it can be told."""
    x, y, width, height = cv2.boundingRect(area)
    part = (slice(y, y + height), slice(x, x + width))
    found = board_movement(_luma(before[part]), _luma(after[part]), area[part])
    if found is None or np.array_equal(found, IDENTITY):
        return IDENTITY, found is not None
    corner = np.array([x, y], np.float64)
    return np.column_stack([found[:, :2], found[:, 2] + corner - found[:, :2] @ corner]), True


def _busy_part(busy: Mask, shape: tuple[int, int], around_px: float) -> tuple[slice, slice]:
    """Bound what may have changed, and what is around it; specks of a single small pixel are noise."""
    height, width = shape
    count, _, boxes, _ = cv2.connectedComponentsWithStats(busy)
    boxes = boxes[1:count][boxes[1:count, cv2.CC_STAT_AREA] > 1]
    if not len(boxes):
        return slice(0, min(8, height)), slice(0, min(8, width))
    fx, fy = width / busy.shape[1], height / busy.shape[0]
    low = np.array([boxes[:, 0].min() * fx, boxes[:, 1].min() * fy]) - around_px
    high = np.array([(boxes[:, 0] + boxes[:, 2]).max() * fx, (boxes[:, 1] + boxes[:, 3]).max() * fy]) + around_px
    x0, y0 = (int(v) for v in np.clip(np.floor(low), 0, [width - 1, height - 1]))
    x1, y1 = (int(v) for v in np.clip(np.ceil(high), [x0 + 1, y0 + 1], [width, height]))
    return slice(y0, y1), slice(x0, x1)


def _streaks(scene: Scene, limits: PairLimits) -> Iterator[tuple[Array, Array, NDArray[np.intp]]]:
    """Join changed pixels to streaks: weak change counts where it hangs together with sure change.

    Yields pixels (N, 2), their change (N,), and (N,) the piece each belongs to.
    """
    sure_map, exact = scene.change.sure, scene.change.exact
    sure = sure_map > limits.sure
    around = cv2.dilate(sure.astype(np.uint8), np.ones((3, 3), np.uint8)) > 0
    weak = (sure_map > limits.weak) | ((exact > limits.sure) & around)
    middle = scene.pose.plane.to_px(ORIGIN)[0]
    mm_px = scene.pose.mm_px(middle)
    weak = _with_core(weak, sure, max(4, round(limits.core_mm2 * mm_px**2)))
    pieces = cv2.dilate(weak.astype(np.uint8), _disc(limits.link_mm * mm_px))
    joined = cv2.dilate(pieces, _bar(scene.pose.lean_px(middle, limits.bridge_mm)))
    _, piece = cv2.connectedComponents(pieces)
    count, label = cv2.connectedComponents(joined)
    ys, xs = np.nonzero(weak)
    owner = label[ys, xs]
    mass = np.bincount(owner[sure[ys, xs]], minlength=count)
    for k in np.argsort(-mass):
        if k == 0 or mass[k] < limits.least_mm2 * mm_px**2:
            continue
        y, x = ys[owner == k], xs[owner == k]
        points = np.column_stack([x, y]).astype(np.float64) + scene.corner
        strength = np.where(sure[y, x], np.minimum(exact[y, x], 12.0), 1.0)
        yield points, strength.astype(np.float64), piece[y, x].astype(np.intp)


def _disc(diameter_px: float) -> Mask:
    size = max(3, 2 * round(diameter_px / 2) + 1)
    return np.asarray(cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (size, size)), np.uint8)


def _bar(along_px: Array) -> Mask:
    """Draw a bar along a vector, its middle in the middle: pieces of a dart that follow each other are bridged."""
    half = max(1, int(np.ceil(np.abs(along_px).max() / 2)))
    bar = np.zeros((2 * half + 1, 2 * half + 1), np.uint8)
    x, y = (int(v) for v in np.round(along_px / 2))
    cv2.line(bar, (half - x, half - y), (half + x, half + y), (1,), 1)
    return bar


def _with_core(weak: NDArray[np.bool_], sure: NDArray[np.bool_], least: int) -> NDArray[np.bool_]:
    """Keep the connected pieces of weak change that have at least `least` pixels of sure change."""
    count, piece = cv2.connectedComponents(weak.astype(np.uint8))
    core = np.bincount(piece[sure & weak], minlength=count) >= least
    core[0] = False
    return np.asarray(core[piece])


def _read_streak(
    points: Array, weight: Array, piece: NDArray[np.intp], scene: Scene, *, limits: PairLimits, view: View
) -> list[Dart]:
    """Read a streak as one dart, what is left over as the next; if that fails, its pieces one by one."""
    darts = _peel(points, weight, scene, limits, view)
    names = np.unique(piece)
    if darts or len(names) == 1:
        return darts
    apart = [(points[piece == name], weight[piece == name]) for name in names]
    return [dart for part in apart for dart in _peel(*part, scene, limits, view)]


def _peel(points: Array, weight: Array, scene: Scene, limits: PairLimits, view: View) -> list[Dart]:
    darts = []
    for _ in range(limits.darts):
        near = _foot(points, scene.pose, limits)
        mm_px = scene.pose.mm_px(near)
        axis = fit_axis(points, weight, scene.pose.lean_px(near, 150.0), mm_px, view.axis)
        if axis is None:
            break
        point = find_point(scene.change, axis.shifted(-scene.corner), mm_px, view.axis)
        dart = _dart(axis, point, scene, limits, view)
        if dart is not None and not _is_ring(points, scene, limits):
            darts.append(dart)
        left = np.abs(axis.across(points)) > view.axis.aside_mm * mm_px
        # Sure change alone tells whether another dart can be in what is left: dust of weak change always is, and
        # with less than this `likeness` would not believe in one.
        if np.count_nonzero(weight[left] > 1.0) < limits.second_mm2 * mm_px**2:
            break
        points, weight = points[left], weight[left]
    return darts


def _foot(points: Array, pose: Pose, limits: PairLimits) -> Array:
    """Guess where a streak stands in the board: its tenth against the way darts lean, moved onto the board.

    Its middle may appear far behind the board, near the horizon of the board's plane, where a millimetre is no
    measure.
    """
    middle = pose.plane.to_px(ORIGIN)[0]
    along = (points - middle) @ pose.lean_px(middle, 150.0)
    foot = points[along <= np.quantile(along, 0.1)].mean(axis=0)
    xy = pose.plane.to_board(foot.reshape(1, 2))
    far = float(np.hypot(*xy[0]))
    return foot if far <= limits.rim_mm else np.asarray(pose.plane.to_px(xy * limits.rim_mm / far)[0], np.float64)


def _is_ring(points: Array, scene: Scene, limits: PairLimits) -> bool:
    """Say whether changed pixels lie along a circle around the bull: a ring beside its place."""
    radius = np.hypot(*scene.pose.plane.to_board(points).T)
    low, high = np.percentile(radius, (10, 90))
    return bool(high - low < limits.ring_mm)


def _without_shadows(darts: Sequence[Dart], scene: Scene, limits: PairLimits) -> list[Dart]:
    """Leave out of darts, the surest first, what is no more than the shadow or a flight's rim of those before."""
    kept = list(darts[:1])
    if len(darts) > 1:
        ys, xs = np.nonzero(scene.change.sure > limits.sure)
        points = np.column_stack([xs, ys]).astype(np.float64) + scene.corner
        shade = one_lamps_shadow(scene.change, (ys, xs))
        for dart in darts[1:]:
            own = _explained(points, [dart], scene, limits) & ~_explained(points, kept, scene, limits)
            least = limits.second_mm2 * scene.pose.mm_px(np.array(dart.tip_px)) ** 2
            if np.count_nonzero(own & ~shade) > max(least, (1 - limits.shadow_share) * np.count_nonzero(own)):
                kept.append(dart)
    return kept


def _changed(
    scene: Scene, inside: NDArray[np.bool_], whole: int, darts: Sequence[Dart], limits: PairLimits
) -> tuple[float, float, float]:
    """Give the share of the board that changed, that which no dart explains, and the largest piece of it, mm².

    The piece may lie beside the board as well, in front of which darts stand.
    """
    sure = scene.change.sure > limits.sure
    ys, xs = np.nonzero(_with_core(sure, sure, 4))
    points = np.column_stack([xs, ys]).astype(np.float64) + scene.corner
    alien = ~(_explained(points, darts, scene, limits) | one_lamps_shadow(scene.change, (ys, xs)))
    share = int(np.count_nonzero(inside[ys, xs])) / max(1, whole)
    strange = int(np.count_nonzero(alien & inside[ys, xs])) / max(1, whole)
    mm_px = scene.pose.mm_px(scene.pose.plane.to_px(ORIGIN)[0])
    return share, strange, _largest(sure, darts, scene, limits) / mm_px**2


def _largest(sure: NDArray[np.bool_], darts: Sequence[Dart], scene: Scene, limits: PairLimits) -> int:
    """Count the pixels of the largest piece of sure change that no dart explains, small holes and cracks in it."""
    closed = cv2.morphologyEx(sure.astype(np.uint8), cv2.MORPH_CLOSE, np.ones((3, 3), np.uint8))
    ys, xs = np.nonzero(closed)
    alien = ~_explained(np.column_stack([xs, ys]).astype(np.float64) + scene.corner, darts, scene, limits)
    _, piece = cv2.connectedComponents(closed)
    return int(np.bincount(piece[ys[alien], xs[alien]], minlength=1).max())


def _explained(points: Array, darts: Sequence[Dart], scene: Scene, limits: PairLimits) -> NDArray[np.bool_]:
    """Mark the (N, 2) px that are a dart's: near its axis toward the board, about its flight at the other end."""
    own = np.zeros(len(points), bool)
    for dart in darts:
        u = np.array(dart.axis_px)
        station = (points - dart.tip_px) @ u
        offset = np.abs((points - dart.tip_px) @ np.array([-u[1], u[0]]))
        mm_px = scene.pose.mm_px(np.array(dart.tip_px))
        reach = limits.flight_mm * mm_px
        body = station < limits.body_share * dart.length_px
        wide = np.where(body, limits.body_mm * mm_px + 2.0, reach)
        own |= (offset < wide) & (station > -limits.body_mm * mm_px) & (station < dart.length_px + reach)
    return own


def _seen_before(dart: Dart, known: Sequence[Dart], pose: Pose) -> bool:
    """Say whether this is a known dart that moved a little: the same hole."""
    near = 6.0 * pose.mm_px(np.array(dart.plane_px))
    return any(np.hypot(*np.subtract(dart.plane_px, other.tip_px)) < near for other in known)


def _dart(axis: Axis, point: Point, scene: Scene, limits: PairLimits, view: View) -> Dart | None:
    tip = point.xy_px + scene.corner
    back = np.linalg.inv(scene.movement[:, :2]) @ (tip - scene.movement[:, 2])
    u = axis.along_px
    v = np.array([-u[1], u[0]])
    cov = point.along_sd_px**2 * np.outer(u, u) + point.across_sd_px**2 * np.outer(v, v)
    far = axis.origin_px + axis.span_px[1] * u
    length = float((far - tip) @ u)
    likeness = dart_likeness(
        Streak(
            tip_px=back,
            along_px=u,
            length_px=length,
            support=axis.support,
            covered=axis.covered,
            tip_width_px=axis.tip_width_px,
            across_sd_px=axis.across_sd_px,
            body_width_px=axis.body_width_px,
            flight_width_px=axis.flight_width_px,
            wings_at=axis.wings_at,
        ),
        scene.pose,
        (scene.size[1], scene.size[0]),
        view.likeness,
    )
    confidence = view.belief * float(likeness / (1 + np.exp(-axis.tip_odds)))
    if confidence <= limits.plausible:
        return None
    doubts = view.doubts
    if is_hidden(scene.before, scene.pose.plane, back, np.linalg.inv(scene.movement[:, :2]) @ u):
        doubts = (*doubts, "TIP_HIDDEN")
        cov = cov + (HIDDEN_MM * scene.pose.mm_px(back)) ** 2 * np.outer(u, u)
    return Dart(
        tip_px=(float(tip[0]), float(tip[1])),
        plane_px=(float(back[0]), float(back[1])),
        cov_px=cov,
        axis_px=(float(u[0]), float(u[1])),
        confidence=confidence,
        doubts=doubts,
        length_px=length,
        others_px=point.others_px,
    )
