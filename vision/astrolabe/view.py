"""The table seen flat, and single places of it seen as a ball there would fill them.

Two ways to look: `flat` is the whole table from straight above, at the height of the balls' centres, for looking
everywhere at once; `patch` cuts one place so that the outline of a ball there is a circle of known size, whatever
the slant and the distance.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from typing import Final

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.astrolabe.camera import TableCamera
from vision.setup import AstrolabeTable, SlotRow

Array = NDArray[np.float64]
Picture = NDArray[np.uint8]
Mask = NDArray[np.bool_]

PX_PER_CM: Final = 6
"""Of the flat picture: a ball of 2.5 cm is 15 pixels wide there, about what a webcam shows of it."""

REACH: Final = 1.6
"""A patch reaches this many ball radii from its middle: the ball, the gap around it and no neighbour."""

SIDE: Final = 33
_AXIS: Final = np.linspace(-REACH, REACH, SIDE)
FROM_MIDDLE: Final = np.hypot(*np.meshgrid(_AXIS, _AXIS))
"""(33, 33) distance from the middle of a patch, in ball radii."""

INSIDE: Final = FROM_MIDDLE < 0.82
AROUND: Final = (FROM_MIDDLE > 1.1) & (FROM_MIDDLE < 1.5)
"""The ball without its rim, where pixels mix; the gap around it."""

GRID_CM: Final = 3.0
"""The shape of a ball in the picture changes by less than a hundredth over this."""

COMB_DEPTH_CM: Final = (2.5, 3.5)
"""A comb is taken to reach this far toward the player and away from him, from the centres of its slots."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class TableView:
    """A table, its camera and the maps between the two.

    Attributes
    ----------
    table
        Sizes and places.
    camera
        Where it is seen from.
    map_px
        (h, w, 2) float32, the pixel that each pixel of the flat picture shows.
    shapes
        (rows, columns, 2, 3), what a ball looks like every `GRID_CM`: (2, 2) from ball radii to px and its middle
        beside the projection of the ball's own, px.
    gutters, board
        (h, w) bool, parts of the flat picture: in a gutter; on the board and clear of gutters and combs.
    """

    table: AstrolabeTable
    camera: TableCamera
    map_px: NDArray[np.float32]
    shapes: Array
    gutters: Mask
    board: Mask

    @property
    def radius_cm(self) -> float:
        """Radius of a ball."""
        return self.table.ball_cm / 2

    def flat(self, picture: Picture) -> Picture:
        """See the table from straight above: (H, W, 3) BGR to (h, w, 3), x to the right, y downward."""
        return seen_by(picture, self.map_px)

    def patch(self, picture: Picture, xy_cm: tuple[float, float]) -> Picture:
        """Cut the place of a ball at (x, y) cm out of a picture: (33, 33, 3), its outline a circle."""
        return np.asarray(self.patches(picture, np.array([xy_cm], dtype=np.float64))[0][0])

    def patches(
        self, picture: Picture, xy_cm: Array, reach: float = REACH, side: int = SIDE
    ) -> tuple[Picture, Array, Array]:
        """Cut places of balls, (N, 2) cm, out of a picture.

        Parameters
        ----------
        picture
            (H, W, 3) BGR.
        xy_cm
            (N, 2) where balls would lie.
        reach, side
            How far a patch goes from its middle, in ball radii; how many pixels it has each way.

        Returns
        -------
        tuple
            (N, side, side, 3), a ball's outline a circle in each; (N, 2, 2) from ball radii to px; (N, 2) middles.
        """
        heights = np.full((len(xy_cm), 1), self.radius_cm)
        last = np.array(self.shapes.shape[:2]) - 1
        places = np.clip(np.round(xy_cm[:, ::-1] / GRID_CM), 0, last).astype(np.intp)
        shapes = self.shapes[places[:, 0], places[:, 1]]
        across, middles = shapes[..., :2], self.camera.to_px(np.hstack([xy_cm, heights])) + shapes[..., 2]
        steps, starts = across.transpose(0, 2, 1).astype(np.float32), middles[:, None].astype(np.float32)
        cut = seen_by(picture, (_grid(reach, side) @ steps + starts).reshape(-1, side, 2))
        return cut.reshape(-1, side, side, 3), across, middles

    def slots(self) -> Iterable[tuple[int, int, tuple[float, float]]]:
        """Give row, place in it, and centre (x, y) cm of every slot, row by row."""
        for row, line in enumerate(self.table.positions):
            for place in range(line.slots):
                yield row, place, (line.x0_cm + place * line.pitch_cm, line.y_cm)


def seen_by(picture: Picture, map_px: NDArray[np.float32]) -> Picture:
    """Give what a picture, (H, W, 3), shows at the pixels of a map, (h, w, 2): (h, w, 3)."""
    seen = cv2.remap(picture, map_px, None, cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)  # type: ignore[call-overload]
    return np.asarray(seen, np.uint8)


def open_view(table: AstrolabeTable, camera: TableCamera) -> TableView:
    """Prepare to look at a table."""
    width, height = (round(side * PX_PER_CM) for side in table.table_cm)
    across, along = np.meshgrid((np.arange(width) + 0.5) / PX_PER_CM, (np.arange(height) + 0.5) / PX_PER_CM)
    raised = camera.at_height(table.ball_cm / 2)
    pixels = raised.to_px(np.column_stack([across.ravel(), along.ravel()]))
    gutters = _drawn((height, width), table.gutters_cm)
    combs = _drawn((height, width), [_comb_cm(row) for row in table.positions])
    inner = cv2.erode(np.ones((height, width), np.uint8), np.ones((7, 7)), borderValue=0) > 0
    return TableView(
        table=table,
        camera=camera,
        map_px=pixels.reshape(height, width, 2).astype(np.float32),
        shapes=_shapes(table, camera),
        gutters=gutters,
        board=~gutters & ~combs & inner,
    )


@cache
def _grid(reach: float, side: int) -> NDArray[np.float32]:
    """Give the pixels of a patch in ball radii from its middle, (side * side, 2)."""
    axis = np.linspace(-reach, reach, side)
    return np.stack(np.meshgrid(axis, axis), axis=-1).reshape(-1, 2).astype(np.float32)


def _shapes(table: AstrolabeTable, camera: TableCamera) -> Array:
    radius = table.ball_cm / 2
    rows, columns = (int(np.ceil(side / GRID_CM)) + 1 for side in reversed(table.table_cm))
    shapes = np.zeros((rows, columns, 2, 3))
    for row in range(rows):
        for column in range(columns):
            centre = (column * GRID_CM, row * GRID_CM, radius)
            outline = camera.outline_px(centre, radius)
            middle = outline.mean(axis=0)
            values, vectors = np.linalg.eigh((outline - middle).T @ (outline - middle) * 2 / len(outline))
            shapes[row, column, :, :2] = (vectors * np.sqrt(np.maximum(values, 1e-9))) @ vectors.T
            shapes[row, column, :, 2] = middle - camera.to_px([centre])[0]
    return shapes


def in_polygon(xy_cm: tuple[float, float], polygon: Iterable[tuple[float, float]]) -> bool:
    """Say whether a point of the table lies in an area of it; its border belongs to it."""
    contour = np.array(list(polygon), np.float32)
    return bool(cv2.pointPolygonTest(contour, (float(xy_cm[0]), float(xy_cm[1])), measureDist=False) >= 0)


def _comb_cm(row: SlotRow) -> list[tuple[float, float]]:
    left, right = row.x0_cm - row.pitch_cm, row.x0_cm + row.slots * row.pitch_cm
    near, far = row.y_cm - COMB_DEPTH_CM[0], row.y_cm + COMB_DEPTH_CM[1]
    return [(left, near), (right, near), (right, far), (left, far)]


def _drawn(shape: tuple[int, int], polygons: Iterable[Iterable[tuple[float, float]]]) -> Mask:
    mask = np.zeros(shape, np.uint8)
    for polygon in polygons:
        corners = np.round(np.array(list(polygon)) * PX_PER_CM - 0.5).astype(np.int32)
        cv2.fillPoly(mask, [corners], (1,))
    return mask > 0
