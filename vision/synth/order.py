"""What a set of scenes is called by."""

from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True, kw_only=True)
class Order:
    """A set of scenes: `count` of them from `seed` on; `blender` is the Python that draws photographs."""

    game: str
    kind: str
    quality: str
    seed: int
    count: int
    folder: Path
    blender: str = ""

    @property
    def seeds(self) -> range:
        """The scenes' seeds."""
        return range(self.seed, self.seed + self.count)
