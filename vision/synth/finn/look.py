"""What a Finn Billiards scene is made of, as values."""

from dataclasses import dataclass

from vision.synth.scene import Camera, Colour, Lamp, Sensor

BOARD_CM = (117.0, 49.0)
START_CM: dict[int, tuple[float, float]] = {
    number: (x, 24.5 + 5.5 * ((len(row) - 1) / 2 - place))
    for x, row in ((95.0, (7, 9, 8)), (90.0, (5, 11, 12, 6)), (85.0, (3, 10, 4)), (80.0, (1, 2)))
    for place, number in enumerate(row)
}
"""Where the pins stand at the start (FB-02)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Sizes:
    """Sizes in cm.

    Attributes
    ----------
    pin_cm, pin_high_cm : diameter and height (of the higher side) of a pin
    bevel : slope of its cut top (0 flat … 0.9)
    disc_cm, disc_high_cm : the disc
    rail_cm, rail_high_cm : width of the rails and their height over the board
    legs_cm : height of the board over the floor or table
    """

    pin_cm: float = 3.0
    pin_high_cm: float = 7.5
    bevel: float = 0.5
    disc_cm: float = 4.0
    disc_high_cm: float = 2.0
    rail_cm: float = 2.0
    rail_high_cm: float = 2.5
    legs_cm: float = 3.0

    @property
    def pin_low_cm(self) -> float:
        """Height of a pin's lower side."""
        return self.pin_high_cm - self.bevel * self.pin_cm


@dataclass(frozen=True, slots=True, kw_only=True)
class FinnLook:
    """Materials and marks.

    Attributes
    ----------
    board, rail, line, floor, pin, cap, number, disc : colours, sRGB 0…1
    board_kind, floor_kind : `wood`, `cloth`, `plain`
    number_style : how numbers are drawn (`printed`, `bold`, `thin`)
    number_share : height of a number against the pin's diameter
    body_number : the number stands on the pin's side too
    markers : printed squares at the corners
    """

    sizes: Sizes
    board: Colour
    board_kind: str
    rail: Colour
    line: Colour
    line_cm: float
    floor: Colour
    floor_kind: str
    pin: Colour
    cap: Colour
    number: Colour
    number_style: str
    number_share: float
    body_number: bool
    disc: Colour
    clutter: int
    markers: bool
    seed: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Piece:
    """Where a pin or the disc is: origin of its frame (cm; of a pin the base), quaternion (w, x, y, z)."""

    at_cm: tuple[float, float, float]
    turn: tuple[float, float, float, float]


@dataclass(frozen=True, slots=True, kw_only=True)
class Layout:
    """Where everything is at a moment; the disc may be out of sight."""

    pins: tuple[tuple[int, Piece], ...]
    disc: Piece | None


@dataclass(frozen=True, slots=True, kw_only=True)
class FinnScene:
    """All of a scene but the pieces."""

    look: FinnLook
    camera: Camera
    lamps: tuple[Lamp, ...]
    sky: Colour
    ground: Colour
    sensor: Sensor
    bow_y_cm: float
    view: str
    seed: int
