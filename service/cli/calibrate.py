"""`tallycam calibrate`: find the board in a picture or video, or take the points that a person gives."""

import json
from collections.abc import Iterator
from contextlib import suppress
from itertools import islice
from math import isfinite
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from service.cli.errors import CommandError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from vision.darts.find import BoardFit
    from vision.setup import Setup

    Picture = NDArray[np.uint8]

PICTURES = {".jpg", ".jpeg", ".png", ".webp", ".bmp", ".tif", ".tiff"}
TRIES = 8
"""Pictures of a video that are looked at, a second apart: hands and bodies leave the view within that."""


def command(
    *,
    source: Annotated[Path, typer.Argument(metavar="IMAGE_OR_VIDEO", help="A picture or video of the board.")],
    game: Annotated[str, typer.Option(help="finn, cricket or astrolabe.")],
    output: Annotated[Path, typer.Option("--output", "-o", metavar="SETUP", help="Where to write the SETUP.")],
    points: Annotated[
        str | None,
        typer.Option(
            metavar="X,Y;X,Y;…",
            help="Pixels of known points instead of a search; by default the table's corners as the player"
            " stands (finn: near right, far right, far left, near left; astrolabe: near left, near right, far"
            " right, far left), or where the outer wire of the doubles crosses the middles of 20, 6, 3 and 11.",
        ),
    ] = None,
    known: Annotated[
        str | None, typer.Option(metavar="X,Y;X,Y;…", help="The same points on the board: cm, or mm for cricket.")
    ] = None,
    twenty: Annotated[
        str | None, typer.Option(metavar="X,Y", help="A pixel in the sector of 20, where its number is not read.")
    ] = None,
    overlay: Annotated[
        Path | None, typer.Option(metavar="PNG", help="Draw the board over the picture, to look at.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print what was found as JSON.")] = False,
) -> None:
    """Find the board in a picture or video and write the SETUP for its camera.

    A dartboard is found without help, from any side. The tables of finn and astrolabe are found by the markers
    that `tallycam markers` prints, or placed by hand with --points; that of astrolabe by its Play Line and combs,
    too. Its combs are found wherever its corners are known.
    """
    if game not in ("finn", "cricket", "astrolabe"):
        raise CommandError(f"--game is finn, cricket or astrolabe, not {game!r}")
    if points is not None:
        picture = _first(source)
        setup, fit = _by_points(game, picture, points, known), None
    elif game == "cricket":
        picture, fit = _found(source)
        fit = fit if twenty is None else _turned(fit, twenty)
        setup = _setup_of(fit, picture)
    else:
        picture, setup = _by_markers(game, source)
        fit = None
    _write(output, setup)
    if overlay is not None:
        _draw(overlay, picture, setup, fit)
    _show(setup, output, as_json=as_json)


def _pictures(source: Path) -> "Iterator[Picture]":
    """Give the picture of a file, or pictures of a video, a second apart."""
    from vision.failure import Failure  # noqa: PLC0415 - a subcommand loads what it needs
    from vision.frames import open_frames  # noqa: PLC0415
    from vision.pictures import load_picture  # noqa: PLC0415

    if source.suffix.lower() in PICTURES:
        picture = load_picture(source)
        if isinstance(picture, Failure):
            raise CommandError(picture.message)
        yield picture
        return
    frames = open_frames(source)
    if isinstance(frames, Failure):
        raise CommandError(frames.message)
    due_ms = 0
    for frame in frames:
        if isinstance(frame, Failure):
            raise CommandError(frame.message)
        if frame.t_ms >= due_ms:
            due_ms = frame.t_ms + 1000
            yield frame.bgr()


def _first(source: Path) -> "Picture":
    for picture in _pictures(source):
        return picture
    raise CommandError(f"{source}: there is no picture in it")


def _found(source: Path) -> "tuple[Picture, BoardFit]":
    from vision.darts.find import find_board  # noqa: PLC0415
    from vision.failure import Failure  # noqa: PLC0415

    said = f"{source}: there is no picture in it"
    for picture in islice(_pictures(source), TRIES):
        fit = find_board(picture)
        if not isinstance(fit, Failure):
            return picture, fit
        said = fit.message
    raise CommandError(f"{source}: {said} Show the whole board, or give four points with --points.")


def _by_markers(game: str, source: Path) -> "tuple[Picture, Setup]":
    from vision.calibration import setup_by_markers, setup_of_table, with_layout  # noqa: PLC0415
    from vision.failure import Failure  # noqa: PLC0415

    said = "there is no picture in it"
    for picture in islice(_pictures(source), TRIES):
        setup = setup_of_table(picture) if game == "astrolabe" else setup_by_markers(game, picture)  # type: ignore[arg-type]
        if not isinstance(setup, Failure):
            return picture, with_layout(setup, picture)
        said = setup.message
    raise CommandError(f'{source}: {said} Or give the corners as --points "X,Y;X,Y;X,Y;X,Y".')


def _turned(fit: "BoardFit", twenty: str) -> "BoardFit":
    from vision.calibration import turned_to  # noqa: PLC0415
    from vision.failure import Failure  # noqa: PLC0415

    places = _points(twenty, "--twenty")
    if len(places) != 1:
        raise CommandError(f"--twenty is one point X,Y, not {twenty!r}")
    turned = turned_to(fit, places[0])
    if isinstance(turned, Failure):
        raise CommandError(f"--twenty: {turned.message}")
    return turned


def _setup_of(fit: "BoardFit", picture: "Picture") -> "Setup":
    from vision.calibration import setup_of  # noqa: PLC0415

    return setup_of(fit, (picture.shape[1], picture.shape[0]))


def _by_points(game: str, picture: "Picture", points: str, known: str | None) -> "Setup":
    from vision.calibration import setup_by_points, with_layout  # noqa: PLC0415
    from vision.failure import Failure  # noqa: PLC0415

    board = None if known is None else _points(known, "--known")
    size = (picture.shape[1], picture.shape[0])
    setup = setup_by_points(game, size, _points(points, "--points"), board)  # type: ignore[arg-type]
    if isinstance(setup, Failure):
        raise CommandError(f"--points: {setup.message}")
    return with_layout(setup, picture)


def _points(text: str, option: str) -> list[tuple[float, float]]:
    try:
        pairs = [tuple(float(number) for number in pair.split(",")) for pair in text.split(";") if pair.strip()]
    except ValueError:
        pairs = [()]
    if any(len(pair) != 2 or not all(map(isfinite, pair)) for pair in pairs):
        raise CommandError(f'{option} is a list of points "X,Y;X,Y;…", not {text!r}')
    return [(pair[0], pair[1]) for pair in pairs]


def _write(path: Path, setup: "Setup") -> None:
    from vision.setup import format_setup  # noqa: PLC0415

    draft = path.with_name(path.name + ".part")
    try:
        draft.write_text(json.dumps(format_setup(setup), indent=1) + "\n", encoding="utf-8")
        draft.replace(path)
    except OSError as error:
        with suppress(OSError):
            draft.unlink(missing_ok=True)
        raise CommandError(f"{path}: cannot be written ({error.strerror or error})") from None


def _draw(path: Path, picture: "Picture", setup: "Setup", fit: "BoardFit | None") -> None:
    import cv2  # noqa: PLC0415

    from vision.calibration import draw_lines, draw_points  # noqa: PLC0415

    drawn = draw_points(picture, setup) if fit is None else draw_lines(picture, fit)
    done, data = cv2.imencode(".png", drawn)
    try:
        path.write_bytes(data.tobytes() if done else b"")
    except OSError as error:
        raise CommandError(f"{path}: cannot be written ({error.strerror or error})") from None


def _show(setup: "Setup", path: Path, *, as_json: bool) -> None:
    told: dict[str, Any] = {"setup": str(path), "game": setup.game, "image_size": list(setup.image_size)}
    told |= dict(setup.notes)
    if setup.rings:
        told["rings_mm"] = [round(radius, 2) for radius in setup.rings.radii()]
    if as_json:
        print(json.dumps(told))
        return
    print(f"{path}: the board of {setup.game} in pictures of {setup.image_size[0]}x{setup.image_size[1]}.")
    if "residual_mm" in setup.notes:
        sure = setup.notes["orientation_confidence"]
        print(f"Its lines fit to {setup.notes['residual_mm']:.2f} mm; the place of 20 is {sure:.0%} sure.")
    if setup.astrolabe is not None and setup.astrolabe.positions:
        rows = ", ".join(f"{row.slots} slots at {row.y_cm:g} cm" for row in setup.astrolabe.positions)
        print(f"Combs: {rows}. Play Line: {setup.astrolabe.play_line_y_cm:g} cm from the near wall.")
    for sentence in setup.notes.get("to_check", ()):
        print(f"Check: {sentence}")
