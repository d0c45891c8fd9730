"""The SETUP file: which game, which camera, where the board lies in its picture, and what the table is like.

`parse_setup` is strict: an unknown game, a list that does not match its partner, a number that is none or a word
nobody knows is a `Failure` with one sentence that names the key and says what would be right.
"""

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Literal, cast

from vision.darts.board import Rings
from vision.failure import Failure
from vision.geometry import Lens, PlaneMap, lens_from_json, lens_to_json, plane_from_points
from vision.json_text import read_json

Game = Literal["finn", "cricket", "astrolabe"]
Point = tuple[float, float]
Polygon = tuple[Point, ...]

GAMES: tuple[Game, ...] = ("finn", "cricket", "astrolabe")
_UNIT = {"finn": "board_cm", "astrolabe": "board_cm", "cricket": "board_mm"}
_COMMON = {"game", "image_size", "board_px", "lens"}
_KEYS = {
    "finn": _COMMON | {"board_cm", "pins", "disc", "zones_cm", "taught"},
    "astrolabe": _COMMON
    | {"board_cm", "table_cm", "play_line_y", "positions", "ball_cm", "gutters_cm", "colours", "colours_image"},
    "cricket": _COMMON | {"board_mm", "board_cm", "rings_mm"},
}
_NOTES = {"residual_px", "residual_mm", "orientation_confidence", "to_check"}
"""What `tallycam calibrate` adds for people; read back untouched."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """What no camera and no board goes beyond: mad numbers are told as such, not calculated with for minutes."""

    largest: float = 1e6
    """Of any coordinate (px, cm, mm); far beyond it homographies overflow."""
    least_size_cm: float = 0.1
    most_size_cm: float = 1000.0
    """Of pins, disc, balls, pitches and tables; a shuffleboard table has 670 cm."""
    most_side_px: int = 65_535
    """What JPEG can hold."""
    most_slots: int = 100
    """Of a row; there are five on a table of Astrolabe."""
    most_parts: int = 1000
    """Of any list: points, rows, gutters."""


LIMITS = Limits()


CONTRASTS = 3
"""The most that a board's contrast may be; `vision.finn.evidence` says what each means."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FinnTable:
    """Sizes of pins and disc and the zones of the board, in cm; defaults are the game's own.

    `contrast`: how little lying pins stand out from this board, 0 to `CONTRASTS`, as lessons have chosen it.
    """

    pin_diameter_cm: float = 3.0
    pin_height_cm: float = 7.5
    disc_diameter_cm: float = 4.0
    disc_height_cm: float = 2.0
    first_line_x_cm: float = 25.0
    contrast: int = 0
    zones_cm: Mapping[str, Polygon] = field(
        default_factory=lambda: {
            "launch": ((0, 0), (25, 0), (25, 49), (0, 49)),
            "defense": ((55, 0), (80, 0), (80, 49), (55, 49)),
            "start": ((80, 0), (105, 0), (105, 49), (80, 49)),
            "back": ((105, 0), (117, 0), (117, 49), (105, 49)),
        }
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class SlotRow:
    """A row of slots across the table: `slots` places, the centre of the first at x0, `pitch` cm apart."""

    y_cm: float
    x0_cm: float
    pitch_cm: float
    slots: int


@dataclass(frozen=True, slots=True, kw_only=True)
class AstrolabeTable:
    """The table of Astrolabe in cm, and pixels of balls of each side as a person tapped them."""

    table_cm: tuple[float, float] = (60.0, 120.0)
    play_line_y_cm: float = 20.0
    positions: tuple[SlotRow, ...] = ()
    ball_cm: float = 2.5
    gutters_cm: tuple[Polygon, ...] = ()
    colours_px: Mapping[int, Polygon] = field(default_factory=dict)
    colours_image: Path | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Setup:
    """One camera over one board.

    Attributes
    ----------
    game
        Whose board it is.
    image_size
        (width, height) in px of the pictures that `board_px` belongs to.
    board_px, board_xy
        The same points as seen (px) and as known (cm; mm for cricket); empty for a dartboard that is to be found.
    lens
        Known distortion, or None.
    rings
        Radii of a dartboard that is no regulation board, or None.
    finn, astrolabe
        The table, for these games.
    notes
        What a calibration said about itself (residuals, confidence, what to check).
    """

    game: Game
    image_size: tuple[int, int]
    board_px: Polygon = ()
    board_xy: Polygon = ()
    lens: Lens | None = None
    rings: Rings | None = None
    finn: FinnTable | None = None
    astrolabe: AstrolabeTable | None = None
    notes: Mapping[str, Any] = field(default_factory=dict)

    def plane(self, size: tuple[int, int] | None = None) -> PlaneMap | Failure:
        """Give the map from board to picture for pictures of `size` (width, height), if not `image_size` itself.

        Returns
        -------
        PlaneMap or Failure
            `NO_POINTS` where the SETUP holds none, `BAD_POINTS`, or `WRONG_SIZE` for a picture of another shape.
        """
        if not self.board_px:
            return Failure("NO_POINTS", "The SETUP has no board_px, so the board has to be found in the picture.")
        plane = plane_from_points(self.board_xy, self.board_px, self.lens)
        if isinstance(plane, Failure) or size is None or size == self.image_size:
            return plane
        factor = size[0] / self.image_size[0]
        if abs(size[1] - factor * self.image_size[1]) > 1:
            return Failure(
                "WRONG_SIZE",
                f"The picture is {size[0]}x{size[1]}, the SETUP is for {self.image_size[0]}x{self.image_size[1]}:"
                " calibrate this camera anew.",
            )
        return plane.scaled(factor)


def load_setup(path: Path | str) -> Setup | Failure:
    """Read a SETUP file; `NO_SETUP` if it cannot be read, `BAD_SETUP` if it is not one."""
    path = Path(path)
    try:
        value = read_json(path)
    except OSError as error:
        return Failure("NO_SETUP", f"{path}: cannot be read ({error.strerror or error}).")
    except ValueError as error:
        return Failure("BAD_SETUP", f"{path}: no JSON ({error}).")
    setup = parse_setup(value)
    if isinstance(setup, Failure):
        return Failure(setup.code, f"{path}: {setup.message}")
    if setup.astrolabe and setup.astrolabe.colours_image:
        image = path.parent / setup.astrolabe.colours_image
        return replace(setup, astrolabe=replace(setup.astrolabe, colours_image=image))
    return setup


def parse_setup(value: object) -> Setup | Failure:
    """Make a Setup of parsed JSON, or say in one sentence what is wrong with it (`BAD_SETUP`)."""
    try:
        return _setup(value)
    except _BadSetupError as error:
        return Failure("BAD_SETUP", str(error))


def format_setup(setup: Setup) -> dict[str, Any]:
    """Give the JSON of a Setup; `parse_setup(format_setup(x))` equals x."""
    value: dict[str, Any] = {"game": setup.game, "image_size": list(setup.image_size)}
    if setup.board_px:
        value["board_px"] = _listed(setup.board_px)
        value[_UNIT[setup.game]] = _listed(setup.board_xy)
    value["lens"] = lens_to_json(setup.lens)
    if setup.rings:
        value["rings_mm"] = list(setup.rings.radii())
    if setup.finn:
        value |= _finn_json(setup.finn)
    if setup.astrolabe:
        value |= _astrolabe_json(setup.astrolabe)
    return value | dict(setup.notes)


class _BadSetupError(Exception):
    """One sentence about the first fault of a SETUP."""


def _setup(value: object) -> Setup:
    whole = _object(value, "a SETUP")
    game = whole.get("game")
    if game not in GAMES:
        raise _BadSetupError(f'"game" is "finn", "cricket" or "astrolabe", not {game!r}')
    _known(whole, _KEYS[game] | _NOTES, f"a SETUP for {game}")
    size = _image_size(whole.get("image_size"))
    seen, known = _matching(whole, game)
    try:
        lens = lens_from_json(whole.get("lens"))
    except ValueError as error:
        raise _BadSetupError(str(error)) from error
    return Setup(
        game=cast(Game, game),
        image_size=size,
        board_px=seen,
        board_xy=known,
        lens=lens,
        rings=_rings(whole["rings_mm"]) if "rings_mm" in whole else None,
        finn=_finn(whole) if game == "finn" else None,
        astrolabe=_astrolabe(whole) if game == "astrolabe" else None,
        notes={name: whole[name] for name in sorted(_NOTES & set(whole))},
    )


def _matching(whole: Mapping[str, Any], game: str) -> tuple[Polygon, Polygon]:
    unit = _UNIT[game]
    if game == "cricket" and "board_mm" not in whole and whole.get("board_cm") is not None:
        raise _BadSetupError('a SETUP for cricket gives its points in "board_mm", not "board_cm"')
    seen = _polygon(whole.get("board_px") or [], "board_px")
    known = _polygon(whole.get(unit) or [], unit)
    if not seen and not known and game == "cricket":
        return (), ()
    if len(seen) != len(known):
        raise _BadSetupError(
            f'"board_px" has {len(seen)} points and "{unit}" {len(known)}: they are the same points'
        )
    if len(seen) < 4:
        raise _BadSetupError(f'"board_px" and "{unit}" need four matching points or more, there are {len(seen)}')
    plane = plane_from_points(known, seen)
    if isinstance(plane, Failure):
        raise _BadSetupError(f'"board_px" and "{unit}": {plane.message[0].lower()}{plane.message[1:].rstrip(".")}')
    return seen, known


def _image_size(value: object) -> tuple[int, int]:
    match value:
        case [int() as width, int() as height] if (
            bool not in (type(width), type(height))
            and min(width, height) > 0
            and max(width, height) <= LIMITS.most_side_px
        ):
            return width, height
    raise _BadSetupError(f'"image_size" is [width, height] in whole pixels, not {value!r}')


def _rings(value: object) -> Rings:
    radii = [_number(radius, "rings_mm") for radius in _array(value, "rings_mm")]
    try:
        return Rings.of(radii)
    except ValueError as error:
        raise _BadSetupError(f'"rings_mm": {error}') from error


def _finn(whole: Mapping[str, Any]) -> FinnTable:
    pins = _sizes(whole.get("pins", {}), {"diameter_cm": 3.0, "height_cm": 7.5}, "pins")
    disc = _sizes(whole.get("disc", {}), {"diameter_cm": 4.0, "height_cm": 2.0}, "disc")
    table = FinnTable(
        pin_diameter_cm=pins["diameter_cm"],
        pin_height_cm=pins["height_cm"],
        disc_diameter_cm=disc["diameter_cm"],
        disc_height_cm=disc["height_cm"],
    )
    zones = _object(whole.get("zones_cm") or {}, '"zones_cm"')
    _known(zones, {*table.zones_cm, "first_line_x"}, '"zones_cm"')
    given = {name: _area(zones[name], f"zones_cm.{name}") for name in table.zones_cm if name in zones}
    line = _number(zones.get("first_line_x", table.first_line_x_cm), "zones_cm.first_line_x")
    taught = _object(whole.get("taught") or {}, '"taught"')
    _known(taught, {"contrast"}, '"taught"')
    return replace(
        table,
        first_line_x_cm=line,
        contrast=_contrast(taught.get("contrast", 0)),
        zones_cm={**table.zones_cm, **given},
    )


def _contrast(value: object) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value <= CONTRASTS:
        raise _BadSetupError(f'"taught.contrast" is a whole number from 0 to {CONTRASTS}, not {value!r}')
    return value


def _finn_json(table: FinnTable) -> dict[str, Any]:
    zones: dict[str, Any] = {name: _listed(area) for name, area in table.zones_cm.items()}
    return {
        "pins": {"diameter_cm": table.pin_diameter_cm, "height_cm": table.pin_height_cm},
        "disc": {"diameter_cm": table.disc_diameter_cm, "height_cm": table.disc_height_cm},
        "zones_cm": {**zones, "first_line_x": table.first_line_x_cm},
        **({"taught": {"contrast": table.contrast}} if table.contrast else {}),
    }


def _astrolabe(whole: Mapping[str, Any]) -> AstrolabeTable:
    default = AstrolabeTable()
    across, along = _pair(whole.get("table_cm", list(default.table_cm)), "table_cm")
    rows = _array(whole.get("positions", []), "positions")
    gutters = _array(whole.get("gutters_cm", []), "gutters_cm")
    colours = _object(whole.get("colours") or {}, '"colours"')
    _known(colours, {"0", "1"}, '"colours"')
    image = whole.get("colours_image")
    if image is not None and not isinstance(image, str):
        raise _BadSetupError(f'"colours_image" is the name of a picture, not {image!r}')
    table = (_positive(across, "table_cm"), _positive(along, "table_cm"))
    return AstrolabeTable(
        table_cm=table,
        play_line_y_cm=_number(whole.get("play_line_y", default.play_line_y_cm), "play_line_y"),
        positions=tuple(_row(row, f"positions[{place}]", table) for place, row in enumerate(rows)),
        ball_cm=_positive(whole.get("ball_cm", default.ball_cm), "ball_cm"),
        gutters_cm=tuple(_area(area, f"gutters_cm[{place}]") for place, area in enumerate(gutters)),
        colours_px={int(side): _polygon(colours[side], f"colours.{side}") for side in sorted(colours)},
        colours_image=Path(image) if image else None,
    )


def _astrolabe_json(table: AstrolabeTable) -> dict[str, Any]:
    rows = [{"y": row.y_cm, "x0": row.x0_cm, "pitch": row.pitch_cm, "slots": row.slots} for row in table.positions]
    value = {
        "table_cm": list(table.table_cm),
        "play_line_y": table.play_line_y_cm,
        "positions": rows,
        "ball_cm": table.ball_cm,
        "gutters_cm": [_listed(area) for area in table.gutters_cm],
        "colours": {str(side): _listed(points) for side, points in table.colours_px.items()},
    }
    return value | ({"colours_image": str(table.colours_image)} if table.colours_image else {})


def _row(value: object, where: str, table: tuple[float, float]) -> SlotRow:
    row = _object(value, f'"{where}"')
    _known(row, {"y", "x0", "pitch", "slots"}, f'"{where}"')
    for name in ("y", "x0", "pitch", "slots"):
        if name not in row:
            raise _BadSetupError(f'"{where}" lacks "{name}"')
    slots = row["slots"]
    if isinstance(slots, bool) or not isinstance(slots, int) or not 1 <= slots <= LIMITS.most_slots:
        raise _BadSetupError(f'"{where}.slots" is a whole number from 1 to {LIMITS.most_slots}, not {slots!r}')
    found = SlotRow(
        y_cm=_number(row["y"], f"{where}.y"),
        x0_cm=_number(row["x0"], f"{where}.x0"),
        pitch_cm=_positive(row["pitch"], f"{where}.pitch"),
        slots=slots,
    )
    last_cm = found.x0_cm + found.pitch_cm * (slots - 1)
    if not (found.x0_cm >= 0 and last_cm <= table[0] and 0 <= found.y_cm <= table[1]):
        raise _BadSetupError(f'"{where}" lies beside the table, which is {table[0]:g} x {table[1]:g} cm')
    return found


def _sizes(value: object, defaults: Mapping[str, float], where: str) -> dict[str, float]:
    sizes = _object(value, f'"{where}"')
    _known(sizes, defaults, f'"{where}"')
    return {name: _positive(sizes.get(name, size), f"{where}.{name}") for name, size in defaults.items()}


def _area(value: object, where: str) -> Polygon:
    area = _polygon(value, where)
    if len(area) < 3:
        raise _BadSetupError(f'"{where}" is an area of three corners or more, there are {len(area)}')
    return area


def _polygon(value: object, where: str) -> Polygon:
    return tuple(_pair(point, f"{where}[{place}]") for place, point in enumerate(_array(value, where)))


def _pair(value: object, where: str) -> Point:
    match value:
        case [x, y]:
            return _number(x, where), _number(y, where)
    raise _BadSetupError(f'"{where}" is a pair [x, y], not {value!r}')


def _positive(value: object, where: str) -> float:
    number = _number(value, where)
    if number <= 0:
        raise _BadSetupError(f'"{where}" is a size and positive, not {value!r}')
    if not LIMITS.least_size_cm <= number <= LIMITS.most_size_cm:
        raise _BadSetupError(
            f'"{where}" is a size of {LIMITS.least_size_cm:g} to {LIMITS.most_size_cm:g} cm, not {value!r}'
        )
    return number


def _number(value: object, where: str) -> float:
    if (
        isinstance(value, bool)
        or not isinstance(value, int | float)
        or (isinstance(value, float) and math.isnan(value))
    ):
        raise _BadSetupError(f'"{where}" holds numbers, not {value!r}')
    if not -LIMITS.largest <= value <= LIMITS.largest:
        raise _BadSetupError(f'"{where}" holds numbers up to {LIMITS.largest:,.0f}, and one of it is larger')
    return float(value)


def _array(value: object, where: str) -> list[Any]:
    if not isinstance(value, list):
        raise _BadSetupError(f'"{where}" is a list, not {value!r}')
    if len(value) > LIMITS.most_parts:
        raise _BadSetupError(f'"{where}" lists {len(value)}; {LIMITS.most_parts} are enough for any board')
    return value


def _object(value: object, where: str) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise _BadSetupError(f"{where} is a JSON object, not {value!r}")
    return value


def _known(value: Mapping[str, Any], names: Iterable[str], where: str) -> None:
    unknown = sorted(set(value) - set(names))
    if unknown:
        raise _BadSetupError(f"{where} knows no {unknown[0]!r}; it has {', '.join(sorted(names))}")


def _listed(points: Iterable[Point]) -> list[list[float]]:
    return [list(point) for point in points]
