"""What a shot of Finn Billiards came to, as names to count."""

from collections.abc import Mapping

from vision.synth.finn.clips import script
from vision.synth.finn.physics import Run
from vision.synth.finn.recipe import moment
from vision.synth.finn.states import states

MOST = 3  # fallen pins counted one by one up to here
MOST_CUSHIONS = 4
NAMES = (
    *(f"fallen {n}" for n in range(MOST)),
    f"fallen {MOST}+",
    "leaning",
    "off_board",
    "line",
    *(f"cushions {n}" for n in range(MOST_CUSHIONS)),
    f"cushions {MOST_CUSHIONS}+",
)


def still(seed: int) -> list[frozenset[str]]:
    """Give what the one shot of a still came to."""
    now = moment(seed)
    return [happened(now.run, states(now.run, now.scene.look.sizes))]


def clip(seed: int) -> list[frozenset[str]]:
    """Give what each shot of a clip came to."""
    return [happened(play.run, play.states) for play in script(seed).plays]


def happened(run: Run, found: Mapping[int, str]) -> frozenset[str]:
    """Name it."""
    fallen, cushions = list(found.values()).count("fallen"), len(run.cushions_s)
    names = {"leaning", "off_board", "line"} & set(found.values())
    names.add(f"fallen {fallen}" if fallen < MOST else f"fallen {MOST}+")
    names.add(f"cushions {cushions}" if cushions < MOST_CUSHIONS else f"cushions {MOST_CUSHIONS}+")
    return frozenset(names)
