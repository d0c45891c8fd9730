"""What is said about the pins of a picture: each one's state and place, and what a person should look at."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from vision.finn.resting import Rest
from vision.finn.state import Place


@dataclass(frozen=True, slots=True, kw_only=True)
class Review:
    """Something a person should look at.

    Attributes
    ----------
    code
        `WHICH_PIN`, `NUMBER_UNSURE`, `PIN_UNSURE`, `PIN_NOT_SEEN`, `LEANING_UNSURE`, `UNEXPLAINED_CHANGE`,
        `CAMERA_SHIFTED`, …
    pin
        Which, or None where it is about the whole picture.
    xy_cm
        Where on the board.
    """

    code: str
    pin: str | None = None
    xy_cm: Place | None = None

    def to_json(self) -> dict[str, Any]:
        """Give the code and where."""
        where = {} if self.xy_cm is None else {"xy_cm": [round(v, 1) for v in self.xy_cm]}
        return {"code": self.code, **({} if self.pin is None else {"pin": self.pin}), **where}


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadPin:
    """One pin.

    Attributes
    ----------
    state
        `upright`, `fallen`, `leaning`, `off_board`, `line` or `unknown`.
    xy_cm
        The point of the board under its middle; None where it is not seen.
    tilt_deg
        From upright; None where it is not seen.
    confidence
        Chance that the state is right.
    """

    state: str
    xy_cm: Place | None
    tilt_deg: float | None
    confidence: float

    def to_json(self) -> dict[str, Any]:
        """Give the pin as `tallycam read` prints it."""
        return {
            "state": self.state,
            "xy_cm": None if self.xy_cm is None else [round(v, 2) for v in self.xy_cm],
            "tilt_deg": None if self.tilt_deg is None else round(self.tilt_deg, 1),
            "confidence": round(self.confidence, 4),
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class PinsReading:
    """What a picture shows.

    Attributes
    ----------
    pins
        Name to pin.
    disc_cm
        Where the disc lies on the board, or None.
    confidence
        Chance that every state is right.
    review
        What a person should look at; empty: nothing.
    rests
        How each body rests that is not where a pin stood, whoever it is.
    """

    pins: Mapping[str, ReadPin]
    disc_cm: Place | None
    confidence: float
    review: tuple[Review, ...]
    rests: tuple[Rest, ...] = ()

    def action(self, *, t_ms: int = 0, cushions: int = 0) -> dict[str, Any]:
        """Give the shot as the scoresheet has it: every pin that does not stand."""
        states = {name: pin.state for name, pin in self.pins.items() if pin.state not in ("upright", "unknown")}
        return {"kind": "shot", "side": 0, "t_ms": t_ms, "pins": states, "cushions": cushions}

    def to_json(self) -> dict[str, Any]:
        """Give the answer as `tallycam read` prints it."""
        return {
            "pins": {name: pin.to_json() for name, pin in self.pins.items()},
            "disc": None if self.disc_cm is None else {"xy_cm": [round(v, 2) for v in self.disc_cm]},
            "action": self.action(),
            "confidence": round(self.confidence, 4),
            "review": [item.to_json() for item in self.review],
        }
