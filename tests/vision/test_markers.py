"""Sheets of markers in exact millimetres, and tables found by them."""

import re

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray

from vision.calibration import setup_by_markers
from vision.failure import Failure
from vision.markers import (
    DICTIONARY,
    PAPERS_MM,
    TABLES_CM,
    TUNING,
    MarkedTable,
    Paper,
    Table,
    as_pdf,
    as_svg,
    corners_cm,
    sheet,
    table_by_markers,
)
from vision.setup import Setup, format_setup, parse_setup

Picture = NDArray[np.uint8]
VIEW = {
    "finn": np.array([[151, 588], [1128, 560], [1016, 258], [263, 238]], np.float32),
    "astrolabe": np.array([[230, 690], [1060, 660], [860, 90], [420, 100]], np.float32),
}
"""Where the corners of a table are seen."""


def _homography(table: Table) -> NDArray[np.float64]:
    long, wide = TABLES_CM[table]
    corners = np.array([[0, 0], [long, 0], [long, wide], [0, wide]], np.float32)
    return np.asarray(cv2.getPerspectiveTransform(corners, VIEW[table]), np.float64)


def _photograph(table: Table, tiles: dict[int, int]) -> Picture:
    """Draw a table with tiles (place to the marker that lies there), seen from aside."""
    picture = np.full((720, 1280, 3), 120, np.uint8)
    cv2.fillConvexPoly(picture, np.round(VIEW[table]).astype(np.int32), (70, 110, 60))
    dictionary = cv2.aruco.getPredefinedDictionary(DICTIONARY)
    for place, number in tiles.items():
        art = np.pad(cv2.aruco.generateImageMarker(dictionary, number, 200), 20, constant_values=255)
        middle = corners_cm(table, place).mean(axis=0)
        outline = middle + (corners_cm(table, place) - middle) * TUNING.tile_mm / TUNING.marker_mm
        seen = cv2.perspectiveTransform(outline[None], _homography(table))[0].astype(np.float32)
        side = len(art)
        # Outlines run along the outer edges of pixels, half a pixel beyond their centres.
        own = cv2.getPerspectiveTransform(
            np.array([[0, 0], [side, 0], [side, side], [0, side]], np.float32) - 0.5, seen
        )
        shown = cv2.warpPerspective(art, own, (1280, 720), flags=cv2.INTER_AREA)
        where = cv2.warpPerspective(np.full_like(art, 255), own, (1280, 720)) > 127
        picture[where] = shown[where][:, None]
    noisy = cv2.GaussianBlur(picture, (0, 0), 0.8) + np.random.default_rng(1).normal(0, 3, picture.shape)
    return np.asarray(np.clip(noisy, 0, 255), np.uint8)


ALL = {0: 0, 1: 1, 2: 2, 3: 3}


@pytest.mark.parametrize("table", ["finn", "astrolabe"])
@pytest.mark.parametrize("missing", [None, 0, 2])
def test_a_table_is_found_by_its_markers_and_by_three_of_them(table: Table, missing: int | None) -> None:
    tiles = {place: number for place, number in ALL.items() if place != missing}
    setup = setup_by_markers(table, _photograph(table, tiles))
    assert isinstance(setup, Setup), setup
    assert len(setup.notes["to_check"]) == (missing is not None)
    plane = parse_setup(format_setup(setup)).plane()  # type: ignore[union-attr]
    long, wide = TABLES_CM[table]
    seen = plane.to_px(np.array([[0, 0], [long, 0], [long, wide], [0, wide]]))  # type: ignore[union-attr]
    far = np.linalg.norm(seen - VIEW[table], axis=1)
    assert far.max() < (1.5 if missing is None else 5.0)


def test_two_markers_are_too_few_and_the_missing_corners_are_named() -> None:
    found = table_by_markers(_photograph("finn", {0: 0, 2: 2}), "finn")
    assert isinstance(found, Failure)
    assert found.code == "NO_MARKERS"
    assert "far right" in found.message
    assert "near left" in found.message


def test_markers_in_each_others_corners_are_refused() -> None:
    found = table_by_markers(_photograph("finn", {0: 0, 1: 2, 2: 1, 3: 3}), "finn")
    assert isinstance(found, Failure)
    assert found.code == "MARKERS_MISPLACED"


def test_a_marker_that_is_seen_twice_does_not_count() -> None:
    found = table_by_markers(_photograph("finn", {0: 0, 1: 0, 2: 2, 3: 3}), "finn")
    assert isinstance(found, Failure)


@pytest.mark.parametrize("paper", ["A4", "Letter"])
@pytest.mark.parametrize("table", ["finn", "astrolabe"])
def test_a_sheet_shows_four_markers_of_exact_size_that_are_found(table: Table, paper: Paper) -> None:
    page = sheet(table, paper)
    assert page.size == PAPERS_MM[paper]
    scale = 6
    drawn = np.full((round(page.size[1] * scale), round(page.size[0] * scale), 3), 255, np.uint8)
    for x, y, w, h in page.boxes:
        first, second = (
            (round(x * scale), round(y * scale)),
            (round((x + w) * scale) - 1, round((y + h) * scale) - 1),
        )
        cv2.rectangle(drawn, first, second, (0, 0, 0), -1)
    detector = cv2.aruco.ArucoDetector(cv2.aruco.getPredefinedDictionary(DICTIONARY))
    corners, ids, _ = detector.detectMarkers(drawn)
    assert sorted(int(number) for number in np.ravel(ids)) == [0, 1, 2, 3]
    for one in corners:
        sides = np.linalg.norm(one[0] - np.roll(one[0], 1, axis=0), axis=1)
        assert sides / scale == pytest.approx([TUNING.marker_mm] * 4, abs=0.3)
    edges = [point for line in page.lines for point in (line[:2], line[2:])]
    assert all(5 <= x <= page.size[0] - 5 and 5 <= y <= page.size[1] - 5 for x, y in edges)


def test_the_svg_is_in_millimetres_and_as_large_as_the_sheet() -> None:
    page = sheet("finn", "A4")
    text = as_svg(page)
    assert 'width="210mm" height="297mm" viewBox="0 0 210 297"' in text
    rows = [float(w) for w in re.findall(r'<rect x="[\d.]+" y="[\d.]+" width="([\d.]+)"', text)]
    assert max(rows) == pytest.approx(TUNING.marker_mm, abs=1e-3)


def test_the_pdf_holds_the_page_in_points_and_its_table_of_objects_is_right() -> None:
    data = as_pdf(sheet("astrolabe", "Letter"))
    assert data.startswith(b"%PDF-1.4")
    assert b"/MediaBox [0 0 612.0000 792.0000]" in data
    assert b"/PrintScaling /None" in data
    start = int(data.rsplit(b"startxref\n", 1)[1].split()[0])
    assert data[start:].startswith(b"xref")
    places = [int(place) for place in re.findall(rb"(\d{10}) 00000 n", data)]
    for number, place in enumerate(places, start=1):
        assert data[place:].startswith(b"%d 0 obj" % number)
    widths = [float(w) * 25.4 / 72 for w in re.findall(rb"[\d.]+ [\d.]+ ([\d.]+) [\d.]+ re f", data)]
    assert max(widths) == pytest.approx(TUNING.marker_mm, abs=1e-3)


def test_residuals_of_markers_laid_right_are_less_than_a_pixel() -> None:
    found = table_by_markers(_photograph("astrolabe", ALL), "astrolabe")
    assert isinstance(found, MarkedTable)
    assert found.residual_px < 1.0
