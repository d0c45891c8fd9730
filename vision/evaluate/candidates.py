"""The examples on which candidates for a network are held against the one in use, from seeds kept for this."""

import json
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

from vision.astrolabe.learned import shown
from vision.darts.board import segment_at
from vision.darts.canvas import Picture
from vision.darts.find import BoardFit
from vision.darts.learned import Nets, nets_of
from vision.darts.reading import read_pair, reading_of
from vision.darts.tips.single import darts_in
from vision.evaluate.finn import Shot, Verdict, judge_all, load_shots
from vision.evaluate.promotion import Judged
from vision.failure import Failure
from vision.finn.numbers import COUNT, TURNS
from vision.models import in_use, instead, opened
from vision.train.pin_crops import as_seen, crop

if TYPE_CHECKING:
    from vision.synth.cricket.pairs import Shot as Throw
    from vision.synth.cricket.singles import Single

Judge: TypeAlias = Callable[[Path, Path], list[Judged]]
Answers: TypeAlias = tuple[NDArray[np.intp], NDArray[np.float64]]
"""What a network says of places, (N,), 0 for nothing, and the chances that it is right."""

HELD_BACK: Final = 90_001
"""Seed of what is drawn for judging; training draws from others."""

CROPS: Final = 4_000
SHOTS: Final = 120
"""Shots that finders of pins are judged on: two readings of a second each."""
BOARDS: Final = 18
"""Boards that tip finders are judged on, a dozen pictures of each."""
PAIR_BOARDS: Final = 8
"""Boards of which they also read pictures with the one from before, about ten of each."""
TABLES: Final = 8
"""Tables that tellers of balls are judged on, several hundred places of each."""
DARK: Final = 60.0
"""Mean level of a place below which it is dark."""
SURE: Final = 0.97
"""Chance from which a number or a ball would be taken without a look."""


def judge_pin_numbers(now: Path, candidate: Path) -> list[Judged]:
    """Hold two readers of pin numbers against each other on drawn heads; slices: each number, none, dim, faint."""
    rng = np.random.default_rng(HELD_BACK)
    made = [crop(rng) for _ in range(CROPS)]
    pictures = np.stack([picture for picture, _, _ in made])
    seen = as_seen(pictures)
    answers = [_numbers(path, seen) for path in (now, candidate)]
    levels, spread = pictures.mean(axis=(1, 2)), pictures.std(axis=(1, 2))
    dim, faint = levels < np.percentile(levels, 15), spread < np.percentile(spread, 15)
    judged = []
    for i, (_, number, _) in enumerate(made):
        slices = [f"number {number}" if number else "no number"]
        slices += ["dim"] * bool(dim[i]) + ["faint"] * bool(faint[i])
        judged.append(_told(slices, answers, i, number))
    return judged


def _told(slices: Sequence[str], answers: Sequence[Answers], place: int, true: int) -> Judged:
    """Hold both answers, the one in use first, to what is true of a place."""
    now, new = ((bool(said[place] == true), bool(chance[place] > SURE)) for said, chance in answers)
    return Judged(slices=tuple(slices), right=(now[0], new[0]), accepted=(now[1], new[1]))


def judge_finn_pins(now: Path, candidate: Path) -> list[Judged]:
    """Hold two finders of pins against each other on drawn shots that neither has learnt from, read whole.

    A shot is right where every state is, by name (by count, where nobody can tell names); slices: each state that
    pins came to, the views, the start layout. The shots are drawn once and kept in the user's cache.

    Raises
    ------
    RuntimeError
        Where nothing can draw.
    """
    shots = _held_back_shots(SHOTS)
    answers = []
    for path in (now, candidate):
        with instead("finn-pins", path):
            answers.append(judge_all(shots))
    return [judged_shot(first, second) for first, second in zip(*answers, strict=True)]


def judged_shot(first: Verdict, second: Verdict) -> Judged:
    """Give a shot as two readers answered it, with its slices."""
    truth = first.shot.truth
    slices = sorted({state for state in first.shot.states.values() if state != "upright"})
    slices += [f"view {truth['view']}"] if "view" in truth else []
    slices += ["start layout"] if truth.get("start_layout") else []
    return Judged(
        slices=tuple(slices),
        right=(first.right, second.right),
        accepted=(first.accepted, second.accepted),
    )


def judge_dart_find(now: Path, candidate: Path) -> list[Judged]:
    """Hold two networks that say where tips may be against each other, with the patch network in use."""
    tip = in_use("dart-tip").path
    return _judge_tips(_nets(now, tip), _nets(candidate, tip))


def judge_dart_tip(now: Path, candidate: Path) -> list[Judged]:
    """Hold two patch networks, each with what its card says of it, against each other."""
    find = in_use("dart-find").path
    return _judge_tips(_nets(find, now), _nets(find, candidate))


def _nets(find: Path, tip: Path) -> Nets:
    return nets_of(opened(find), opened(tip), json.loads(tip.with_suffix(".json").read_text(encoding="utf-8")))


def _judge_tips(now: Nets, candidate: Nets) -> list[Judged]:
    """Hold two finders of tips against each other on drawn pictures that neither has learnt from, read whole.

    A picture is right where the segments of all its darts are, one with another from before it where those of the
    new ones are; slices: alone or a pair, how many darts, whether the camera is before the board or aside, whether
    a point is hidden.

    Raises
    ------
    RuntimeError
        Where nothing can draw.
    """
    try:
        from vision.synth.cricket.pairs import shots  # noqa: PLC0415 - who judges numbers needs no renderer
        from vision.synth.cricket.singles import singles  # noqa: PLC0415
    except ModuleNotFoundError as error:
        raise RuntimeError(f"judging needs {error.name}: pip install 'tallycam[synth]'") from error
    alone = (view for seed in range(HELD_BACK, HELD_BACK + BOARDS) for view in singles(seed))
    pairs = (shot for seed in range(HELD_BACK, HELD_BACK + PAIR_BOARDS) for shot in shots(seed))
    judged = [_judged_view(view, (None, view.picture), now, candidate) for view in alone]
    return judged + [
        _judged_view(shot, (shot.before, shot.after), now, candidate) for shot in pairs if shot.before is not None
    ]


def _judged_view(
    view: "Single | Throw", pictures: tuple[Picture | None, Picture], now: Nets, candidate: Nets
) -> Judged:
    wanted = Counter(segment_at(tip) for tip in np.reshape(view.tips_mm, (-1, 2)))
    first, second = (_told_darts(pictures, BoardFit(plane=view.plane), nets, wanted) for nets in (now, candidate))
    aside = float(np.hypot(*view.eye_mm[:2])) > float(view.eye_mm[2])
    slices = ["alone" if pictures[0] is None else "pair", f"darts {len(view.tips_mm)}"]
    slices += ["from aside" if aside else "from before"]
    slices += ["hidden point"] * bool(np.any(view.visible < 0.3))
    return Judged(slices=tuple(slices), right=(first[0], second[0]), accepted=(first[1], second[1]))


def _told_darts(
    pictures: tuple[Picture | None, Picture], board: BoardFit, nets: Nets, wanted: Counter[str]
) -> tuple[bool, bool]:
    """Say whether the darts read are those that are wanted, and whether nobody would be asked."""
    before, after = pictures
    if before is None:
        reading = reading_of(darts_in(after, board, nets), board, single=True)
    else:
        reading = read_pair(before, after, board, asked=nets)
    if isinstance(reading, Failure):
        return False, False
    return Counter(dart.segment for dart in reading.darts) == wanted, not reading.review


def _held_back_shots(count: int) -> list[Shot]:
    from vision.synth.order import Order  # noqa: PLC0415 - who judges numbers needs no renderer
    from vision.synth.sets import kept_in  # noqa: PLC0415

    folder = kept_in("finn", "stills", "fast")
    order = Order(game="finn", kind="stills", quality="fast", seed=HELD_BACK, count=count, folder=folder)
    try:
        from vision.synth.work import make  # noqa: PLC0415

        make(order)
    except ModuleNotFoundError as error:
        raise RuntimeError(f"judging needs {error.name}: pip install 'tallycam[synth]'") from error
    found = load_shots(folder)
    if isinstance(found, Failure):
        raise RuntimeError(found.message)
    wanted = {f"{seed:06d}" for seed in order.seeds}
    return [shot for shot in found if shot.name in wanted]


def _numbers(path: Path, seen: NDArray[np.float32]) -> Answers:
    chances = _chances(path, seen)
    numbers = chances[:, :-1].reshape(-1, COUNT, TURNS).sum(axis=2)
    none = chances[:, -1]
    said = np.where(numbers.max(axis=1) > none, numbers.argmax(axis=1) + 1, 0)
    return said, np.maximum(numbers.max(axis=1), none)


def _chances(path: Path, seen: NDArray[np.float32]) -> NDArray[np.float64]:
    """Give the chance, (N, answers), that a network gives each of its answers."""
    network = opened(path)
    parts = np.array_split(seen, -(-len(seen) // 256))
    logits = np.concatenate([np.asarray(network.run(None, {"seen": part})[0], np.float64) for part in parts])
    weights = np.exp(logits - logits.max(axis=1, keepdims=True))
    return np.asarray(weights / weights.sum(axis=1, keepdims=True))


def judge_table_balls(now: Path, candidate: Path) -> list[Judged]:
    """Hold two tellers of balls against each other on drawn tables of Astrolabe; slices: ball, none, dark."""
    from vision.synth.fast import need_fast  # noqa: PLC0415 - draws by OpenGL
    from vision.train.table_patches import places, together  # noqa: PLC0415

    engine = need_fast()
    found = (places(HELD_BACK + k, engine) for k in range(TABLES))
    drawn = together([one for one in found if one is not None])
    seen = shown(drawn.pixels, drawn.like)
    answers = [_balls(path, seen) for path in (now, candidate)]
    dark = drawn.pixels.mean(axis=(1, 2, 3)) < DARK
    return [
        _told(("ball" if held else "no ball", *(["dark"] * bool(dark[i]))), answers, i, held)
        for i, held in enumerate(drawn.holds)
    ]


def _balls(path: Path, seen: NDArray[np.float32]) -> Answers:
    chances = _chances(path, seen)
    return chances.argmax(axis=1), chances.max(axis=1)


JUDGES: Final[Mapping[str, Judge]] = {
    "dart-find": judge_dart_find,
    "dart-tip": judge_dart_tip,
    "finn-pins": judge_finn_pins,
    "pin-numbers": judge_pin_numbers,
    "table-balls": judge_table_balls,
}
"""What judges candidates, by the network's name."""
