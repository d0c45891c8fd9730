"""What varies between one dartboard scene and the next, as values; `vision.synth.cricket.recipe` draws them."""

from dataclasses import dataclass

from vision.darts.board import REGULATION, Rings
from vision.synth.scene import Camera, Colour, Lamp, Sensor


@dataclass(frozen=True, slots=True, kw_only=True)
class BoardLook:
    """A dartboard.

    Attributes
    ----------
    dark, light : colours of the single fields, sRGB 0…1
    dark_ring, light_ring : colours of doubles and trebles in dark and light sectors (red and green as a rule)
    inner_bull, outer_bull : colours
    number_ring : colour of the band that carries the numbers
    number : colour of the numbers
    number_style : `wire` (bent wire), `printed`, `bold`
    number_mm : height of the numbers
    wire_mm : width of the wires; 0.4 for a blade, 1.6 for round wire, 2.5 for the ridges of a soft-tip board
    wire : colour of the wires
    steel : wires reflect like metal (else painted or plastic)
    soft_tip : holes in a hexagonal grid
    wear : 0 new … 1 well used: dark holes, torn fibre, faded middle
    radius_mm : of the whole board
    thick_mm : of the board
    turn_deg : of the number ring and wires against the fields (0 but for boards hung askew)
    words : what is printed in the number band
    surround_mm : outer radius of a surround, 0 for none
    surround : its colour
    """

    dark: Colour
    light: Colour
    dark_ring: Colour
    light_ring: Colour
    inner_bull: Colour
    outer_bull: Colour
    number_ring: Colour
    number: Colour
    number_style: str
    number_mm: float
    wire_mm: float
    wire: Colour
    steel: bool
    soft_tip: bool
    wear: float
    radius_mm: float
    thick_mm: float
    words: tuple[str, ...]
    surround_mm: float
    surround: Colour
    seed: int
    rings: Rings = REGULATION


@dataclass(frozen=True, slots=True, kw_only=True)
class DartLook:
    """One dart's body, lengths in mm."""

    tip_mm: float
    barrel_mm: float
    barrel_r_mm: float
    shaft_mm: float
    shaft_r_mm: float
    flight_mm: float
    flight_w_mm: float
    flight_shape: str
    tip: Colour
    barrel: Colour
    barrel_metal: float
    shaft: Colour
    flight: Colour
    flight_mark: Colour
    pattern: int
    soft_tip: bool
    seed: int

    @property
    def length_mm(self) -> float:
        """From the point of the tip to the flight's end."""
        return self.tip_mm + self.barrel_mm + self.shaft_mm + self.flight_mm


@dataclass(frozen=True, slots=True, kw_only=True)
class Dart:
    """A dart in the board (or on its way).

    Attributes
    ----------
    tip_mm : where its axis meets the face of the board, world x, y
    lean : tangents of the axis against the board's normal in x and y; (0, 0.2) holds the flight above the tip
    deep_mm : how far the point stands in the board; negative: that far before it
    spin_rad : of the flights about the axis
    """

    look: DartLook
    tip_mm: tuple[float, float]
    lean: tuple[float, float]
    deep_mm: float
    spin_rad: float


@dataclass(frozen=True, slots=True, kw_only=True)
class RoomLook:
    """What is around the board.

    Attributes
    ----------
    wall, floor : colours
    wall_kind : `plaster`, `wood`, `cloth`
    cabinet : opened doors beside the board
    frame : a lamp ring on struts around the board
    box : the board hangs in a light box
    clutter : how many things stand or hang about
    """

    wall: Colour
    wall_kind: str
    floor: Colour
    cabinet: bool
    frame: bool
    clutter: int
    seed: int


@dataclass(frozen=True, slots=True, kw_only=True)
class CricketScene:
    """All of a dartboard scene: a pure value, from which both engines draw."""

    board: BoardLook
    darts: tuple[Dart, ...]
    room: RoomLook
    camera: Camera
    lamps: tuple[Lamp, ...]
    sky: Colour
    ground: Colour
    sensor: Sensor
    family: str
    seed: int
