"""Pictures redrawn in board coordinates."""

import numpy as np
import pytest
from numpy.typing import NDArray

from vision.darts.canvas import Canvas, redraw
from vision.geometry import Lens, PlaneMap

FRONT = np.array([[1.5, 0.1, 400.0], [0.05, -1.4, 300.0], [0.0001, 0.0002, 1.0]])
BARREL = Lens(f_px=700, cx_px=400, cy_px=300, k1=-0.15)


def dotted(plane: PlaneMap, spots_mm: NDArray[np.float64]) -> NDArray[np.uint8]:
    """A grey picture with a soft dot where the camera sees each board point."""
    ys, xs = np.mgrid[:600, :800]
    picture = np.full((600, 800), 40.0)
    for x, y in plane.to_px(spots_mm):
        picture += 200 * np.exp(-((xs - x) ** 2 + (ys - y) ** 2) / (2 * 3.0**2))
    return np.asarray(np.clip(picture, 0, 255), np.uint8)


@pytest.mark.parametrize("lens", [None, BARREL], ids=["pinhole", "barrel"])
@pytest.mark.parametrize("mm_per_px", [0.5, 1.6], ids=["enlarged", "shrunk"])
def test_a_dot_on_the_board_stands_where_the_canvas_says(lens: Lens | None, mm_per_px: float) -> None:
    plane = PlaneMap(homography=FRONT, lens=lens)
    spot = np.array([[42.0, -31.0]])
    canvas = Canvas(centre_mm=(40.0, -30.0), mm_per_px=mm_per_px, size=64)
    shown = redraw(dotted(plane, spot), plane, canvas).astype(float) - 40
    shown[shown < 20] = 0
    ys, xs = np.mgrid[:64, :64]
    centre = np.array([(xs * shown).sum(), (ys * shown).sum()]) / shown.sum()
    assert np.linalg.norm(canvas.to_mm(centre) - spot) < 0.25


def test_a_lens_is_followed_all_over_the_board() -> None:
    plane = PlaneMap(homography=FRONT, lens=BARREL)
    xs, ys = np.meshgrid(np.arange(800), np.arange(600))
    # Pictures whose levels tell where they are, a quarter of a pixel apart.
    canvas = Canvas(centre_mm=(0.0, 0.0), mm_per_px=0.75, size=301)
    wanted = plane.to_px(
        canvas.to_mm(np.stack(np.meshgrid(np.arange(301), np.arange(301)), axis=2).reshape(-1, 2))
    )
    for axis, ramp in enumerate((xs, ys)):
        shown = redraw((4 * (ramp % 64)).astype(np.uint8), plane, canvas).astype(float).ravel() / 4
        inside = ((wanted > 1) & (wanted < (798, 598))).all(axis=1)
        inside &= (wanted[:, axis] % 64 > 1) & (wanted[:, axis] % 64 < 62)
        assert inside.mean() > 0.5
        assert np.abs(shown - wanted[:, axis] % 64)[inside].max() < 0.2


def test_canvas_maps_are_inverse_and_upright() -> None:
    canvas = Canvas(centre_mm=(10.0, 20.0), mm_per_px=0.5, size=96)
    points = np.array([[10.0, 20.0], [12.0, 25.0]])
    assert np.allclose(canvas.to_mm(canvas.to_px(points)), points)
    assert canvas.to_px(points)[1, 1] < canvas.to_px(points)[0, 1]
    corners = canvas.matrix() @ np.array([0.0, 0.0, 1.0])
    assert np.allclose(corners[:2], canvas.to_mm([[0.0, 0.0]])[0])


def test_colour_pictures_keep_their_channels() -> None:
    plane = PlaneMap(homography=FRONT)
    picture = np.full((600, 800, 3), (10, 120, 230), np.uint8)
    shown = redraw(picture, plane, Canvas(centre_mm=(0.0, 0.0), mm_per_px=1.0, size=50))
    assert shown.shape == (50, 50, 3)
    assert shown[25, 25].tolist() == [10, 120, 230]
