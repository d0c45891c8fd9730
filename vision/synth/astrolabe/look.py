"""What an Astrolabe scene is made of, as values. Board frame in cm: x across, y away from the player, z up."""

from dataclasses import dataclass

from vision.synth.scene import Camera, Colour, Lamp, Sensor

TABLE_CM = (60.0, 120.0)
PLAY_LINE_CM = 20.0
GUTTER_CM = 3.6
ROWS_CM = (55.0, 80.0, 105.0)
PITCH_CM = 4.5
FIRST_CM = 21.0
SLOTS = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class Table:
    """Sizes in cm: the combs' rows, slots a row, pitch, first slot; ball; heights of walls and teeth; tilt.

    A slot is open toward the far end: balls roll up past it and come to rest in it on the way back.
    """

    rows_cm: tuple[float, ...] = ROWS_CM
    slots: int = SLOTS
    pitch_cm: float = PITCH_CM
    first_cm: float = FIRST_CM
    ball_cm: float = 2.5
    tooth_cm: float = 3.4
    comb_high_cm: float = 1.6
    thick_cm: float = 0.5
    wall_cm: float = 3.0
    wall_high_cm: float = 4.0
    gutter_deep_cm: float = 1.2
    tilt_deg: float = 6.0

    def slot_cm(self, row: int, slot: int) -> tuple[float, float]:
        """Where a ball rests in slot `slot` (0 first from the left) of row `row` (0 nearest)."""
        return self.first_cm + slot * self.pitch_cm, self.rows_cm[row]


@dataclass(frozen=True, slots=True, kw_only=True)
class BallLook:
    """A side's balls: colour, kind (`glass`, `swirl`, `opaque`), second colour of a swirl."""

    colour: Colour
    second: Colour
    kind: str


@dataclass(frozen=True, slots=True, kw_only=True)
class AstrolabeLook:
    """Materials and marks."""

    table: Table
    cloth: Colour
    cloth_kind: str
    frame: Colour
    comb: Colour
    comb_metal: bool
    line: Colour
    gutter: Colour
    floor: Colour
    floor_kind: str
    balls: tuple[BallLook, BallLook]
    clutter: int
    seed: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Marble:
    """A ball: whose it is, its centre (cm), its quaternion (w, x, y, z)."""

    side: int
    at_cm: tuple[float, float, float]
    turn: tuple[float, float, float, float] = (1.0, 0.0, 0.0, 0.0)


@dataclass(frozen=True, slots=True, kw_only=True)
class AstrolabeScene:
    """All of a scene but the balls."""

    look: AstrolabeLook
    camera: Camera
    lamps: tuple[Lamp, ...]
    sky: Colour
    ground: Colour
    sensor: Sensor
    view: str
    seed: int
