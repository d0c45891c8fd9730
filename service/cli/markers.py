"""`tallycam markers`: a sheet of markers to print, for the corners of a table."""

import json
from pathlib import Path
from typing import Annotated, Literal

import typer

from service.cli.errors import CommandError


def command(
    *,
    game: Annotated[Literal["finn", "astrolabe"], typer.Option(help="whose table: finn or astrolabe")] = "finn",
    paper: Annotated[Literal["A4", "Letter"], typer.Option(help="A4 or Letter")] = "A4",
    output: Annotated[
        Path, typer.Option("--output", "-o", metavar="FILE", help="where to write the sheet: .pdf or .svg")
    ] = Path("markers.pdf"),
    as_json: Annotated[bool, typer.Option("--json", help="print what was written as JSON")] = False,
) -> None:
    """Write a sheet with the four markers of a table, in exact millimetres.

    Print it at 100 %, cut the tiles out and lay each flush into its corner; `tallycam calibrate` then finds the
    table without help.
    """
    from vision.markers import PLACES, TUNING, as_pdf, as_svg, corners_cm, sheet  # noqa: PLC0415 - loads OpenCV

    page = sheet(game, paper)
    writers = {".pdf": lambda: as_pdf(page), ".svg": lambda: as_svg(page).encode()}
    write = writers.get(output.suffix.lower())
    if write is None:
        raise CommandError(f"{output}: a sheet is written as .pdf or .svg")
    try:
        output.write_bytes(write())
    except OSError as error:
        raise CommandError(f"{output}: cannot be written ({error.strerror or error})") from None
    corners = [
        {"id": number, "corner": place, "corners_cm": corners_cm(game, number).tolist()}
        for number, place in enumerate(PLACES[game])
    ]
    if as_json:
        print(json.dumps({"file": str(output), "paper": paper, "marker_mm": TUNING.marker_mm, "markers": corners}))
        return
    print(
        f"{output}: four markers of {TUNING.marker_mm:g} mm on {paper}. Print at 100 %, check the line of 100 mm."
    )
    for one in corners:
        print(f"  {one['id']}: {one['corner']} corner, arrow to the far end")
