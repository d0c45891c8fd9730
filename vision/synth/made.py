"""What a scene gives: pictures or a clip with their truth, whatever the game."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from vision.synth.scene import Bytes, Scene


class Painter(Protocol):
    """Whatever draws a scene: BGR (H, W, 3) as it reaches the sensor."""

    def draw(self, scene: Scene) -> Bytes:
        """Draw."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Stills:
    """Pictures by name (`before`, `after`), the quality of their JPEG, and the truth about them."""

    pictures: Mapping[str, Bytes]
    jpeg: int
    truth: dict[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Film:
    """A clip: BGR frames, drawn as they are asked for, and the truth about them."""

    frames: Iterator[Bytes]
    fps: int
    size: tuple[int, int]
    truth: dict[str, Any]
    crf: int = 25
