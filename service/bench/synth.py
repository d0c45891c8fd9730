"""`tallycam bench synth`: physics of a shot, stills a second of the fast engine, seconds a still of the slow one.

A still of a shot is two pictures, before and after, with their truth: both figures are given, of scenes whose
camera has 1280 x 720. Starting processes is told apart, for a set of thousands does it once.

Wall clock and processor time both: on a machine that does other things as well, processor time over the number of
cores is what a quiet one would take.
"""

import json
import os
import resource
import tempfile
import time
from collections.abc import Callable, Iterator
from itertools import count as count_from
from itertools import islice
from pathlib import Path
from typing import Annotated, Any, Final

import typer

from service.cli.errors import CommandError

GAMES: Final = ("finn", "cricket", "astrolabe")
SEED: Final = 0
SIZE: Final = (1280, 720)
PICTURES: Final = 2  # of a still: before and after


def command(
    count: Annotated[int, typer.Option(min=1, help="stills of each game")] = 24,
    workers: Annotated[int, typer.Option(min=0, help="processes; 0 for one a core")] = 0,
    blender: Annotated[
        str, typer.Option(envvar="TALLYCAM_BLENDER", help="a python that has bpy: measure a photo, too")
    ] = "",
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Measure how quickly scenes are made."""
    try:
        found = measure(count, workers or os.cpu_count() or 1, blender)
    except RuntimeError as error:
        raise CommandError(str(error)) from error
    except ModuleNotFoundError as error:
        raise CommandError(f"it needs {error.name}: pip install 'tallycam[synth]'") from error
    if as_json:
        print(json.dumps(found))
        return
    for name, one in found["physics"].items():
        print(f"{name}: physics of a shot {one['wall_s']:.2f} s ({one['cpu_s']:.2f} s of one core)")
    for name, one in found["fast"].items():
        print(
            f"{name}: {one['per_s']:.1f} fast 720p pictures a second with {found['workers']} processes, "
            f"{one['per_s'] / PICTURES:.1f} stills of two ({one['cpu_s']:.2f} s of one core a picture); "
            f"{one['start_s']:.1f} s to start"
        )
    if found["photo"] is not None:
        print(
            f"photo: {found['photo']['wall_s']:.0f} s a 720p still ({found['photo']['cpu_s']:.0f} s of one core)"
        )


def measure(count: int, workers: int, blender: str = "") -> dict[str, Any]:
    """Give what the command prints.

    Raises
    ------
    RuntimeError
        With one sentence, where nothing can draw.
    """
    return {
        "workers": workers,
        "physics": {"finn": _timed(_finn_shot, 4), "astrolabe": _timed(_astrolabe_shot, 4)},
        "fast": {game: _stills(game, count, workers) for game in GAMES},
        "photo": _timed(lambda: _photo(blender), 1) if blender else None,
    }


def _timed(done: Callable[[], object], times: int) -> dict[str, float]:
    """Give wall clock and processor seconds of one of `times` calls; a first one that warms up is not counted."""
    if times > 1:
        done()
    wall, cpu = time.perf_counter(), _cpu_s()
    for _ in range(times):
        done()
    return {
        "wall_s": round((time.perf_counter() - wall) / times, 3),
        "cpu_s": round((_cpu_s() - cpu) / times, 3),
    }


def _cpu_s() -> float:
    spent = (resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return sum(one.ru_utime + one.ru_stime for one in spent)


def _finn_shot() -> None:
    import numpy as np  # noqa: PLC0415

    from vision.synth.finn.look import Sizes  # noqa: PLC0415 - loads mujoco
    from vision.synth.finn.physics import simulate  # noqa: PLC0415
    from vision.synth.finn.recipe import shot, start_places  # noqa: PLC0415

    rng = np.random.default_rng(SEED)
    places = start_places(rng, 0.0)
    simulate(Sizes(), places, shot(rng, places, 24.5))


def _astrolabe_shot() -> None:
    import numpy as np  # noqa: PLC0415

    from vision.synth.astrolabe.look import Table  # noqa: PLC0415 - loads mujoco
    from vision.synth.astrolabe.physics import simulate  # noqa: PLC0415
    from vision.synth.astrolabe.recipe import lying, shot  # noqa: PLC0415

    rng = np.random.default_rng(SEED)
    table = Table()
    simulate(table, lying(rng, table), shot(rng, table, 0))


def _stills(game: str, count: int, workers: int) -> dict[str, float]:
    """Draw as many scenes as there are processes, then with `count` more: those tell the pace of a large set."""
    from vision.synth.order import Order  # noqa: PLC0415
    from vision.synth.work import draw_apart  # noqa: PLC0415 - loads OpenCV

    with tempfile.TemporaryDirectory() as folder:
        order = Order(game=game, kind="stills", quality="fast", seed=SEED, count=count, folder=Path(folder))
        seeds = list(islice(_in_size(game), workers + count))
        first = _timed(lambda: draw_apart(order, seeds[:workers], workers), 1)
        whole = _timed(lambda: draw_apart(order, seeds, workers), 1)
    wall, cpu = (max(whole[name] - first[name], 1e-3) for name in ("wall_s", "cpu_s"))
    pictures = PICTURES * count
    return {
        "per_s": round(pictures / wall, 2),
        "cpu_s": round(cpu / pictures, 3),
        "start_s": round(first["wall_s"], 2),
    }


def _in_size(game: str) -> Iterator[int]:
    """Give the seeds whose cameras have the size that is measured."""
    from vision.synth.work import camera_of  # noqa: PLC0415 - loads OpenCV

    return (seed for seed in count_from(SEED) if camera_of(game, seed).size == SIZE)


def _photo(blender: str) -> None:
    """Draw a table at 720p."""
    import numpy as np  # noqa: PLC0415

    from vision.synth.finn.parts import build  # noqa: PLC0415 - loads mujoco
    from vision.synth.finn.recipe import finn_scene, start_places  # noqa: PLC0415
    from vision.synth.finn.states import standing  # noqa: PLC0415
    from vision.synth.photo import open_photo  # noqa: PLC0415
    from vision.synth.work import opened  # noqa: PLC0415

    seeds = range(SEED, SEED + 100)
    looks = (finn_scene(np.random.default_rng((seed, 1)), seed) for seed in seeds)
    look = next(one for one in looks if one.camera.size == (1280, 720))
    layout = standing(start_places(np.random.default_rng(SEED), 0.0))
    opened(open_photo(blender)).draw(build(look, layout))
