"""What a throw at the dartboard came to, as names to count."""

from vision.darts.board import SECTORS, segment_at
from vision.synth.cricket.clips import script
from vision.synth.cricket.recipe import scene

NAMES = (*(f"{ring}{n}" for ring in "SDT" for n in sorted(SECTORS)), "SB", "DB", "MISS", "bounce_out")


def still(seed: int) -> list[frozenset[str]]:
    """Give where each dart of a still stands."""
    look = scene(seed)
    return [frozenset({segment_at(dart.tip_mm, look.board.rings)}) for dart in look.darts]


def clip(seed: int) -> list[frozenset[str]]:
    """Give where each dart of a clip landed; a bounce-out counts as MISS."""
    made = script(seed)
    rings = made.scene.board.rings
    return [
        frozenset({"MISS", "bounce_out"} if one.falls_s is not None else {segment_at(one.dart.tip_mm, rings)})
        for one in made.throws
    ]
