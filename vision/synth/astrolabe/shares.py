"""What a shot of Astrolabe came to, as names to count: the clauses of the rules about the state of balls."""

from collections.abc import Iterator, Sequence

from vision.synth.astrolabe.clips import Clip, script
from vision.synth.astrolabe.physics import place_of
from vision.synth.astrolabe.recipe import moment

NAMES = (
    "score",
    "AS-30 gutter",
    "AS-31 over the line",
    "AS-32 returned",
    "AS-33 grouped",
    "AS-34 grouped ball came back",
    "AS-35 table moved",
    "AS-36 opponent's ball into a slot",
    "own ball into a slot",
    "AS-37 moving ball touched",
)
FOULS = {
    "play_line": "AS-31 over the line",
    "touched_moving_ball": "AS-37 moving ball touched",
    "interference": "AS-35 table moved",
}
Place = str | tuple[int, int]


def still(seed: int) -> list[frozenset[str]]:
    """Give what the one shot of a still came to."""
    now = moment(seed)
    table, after = now.scene.look.table, now.run.balls(now.run.seconds)
    starts = [place_of(ball, table) for ball in now.before]
    ends = [place_of(ball, table) for ball in after]
    sides = [ball.side for ball in after]
    names = set(happened(starts, ends, sides))
    if now.shaken:
        names.add("AS-35 table moved")
    return [frozenset(names)]


def clip(seed: int) -> list[frozenset[str]]:
    """Give what each shot of a clip came to."""
    return list(_shots(script(seed)))


def _shots(made: Clip) -> Iterator[frozenset[str]]:
    table = made.scene.look.table
    where = {k: place_of(ball, table) for k, ball in enumerate(made.first)}
    for play in made.plays:
        starts = [where[k] for k in play.ids[:-1]]
        names = happened(starts, play.places, play.run.sides)
        yield frozenset(names | ({FOULS[play.foul]} if play.foul else set()))
        where.update(zip(play.ids, play.places, strict=True))


def happened(starts: Sequence[Place], ends: Sequence[Place], sides: Sequence[int]) -> frozenset[str]:
    """Name what a shot did: its own ball (the last of `ends`), and those that lay at `starts`."""
    own = {"gutter": "AS-30 gutter", "hand": "AS-32 returned", "grouped": "AS-33 grouped"}
    last = ends[-1]
    names = {own[last] if isinstance(last, str) else "score"}
    for start, end, side in zip(starts, ends, sides, strict=False):
        if start == "grouped" and end == "hand":
            names.add("AS-34 grouped ball came back")
        if start != end and not isinstance(end, str):
            names.add("own ball into a slot" if side == sides[-1] else "AS-36 opponent's ball into a slot")
    return frozenset(names)
