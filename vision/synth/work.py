"""Sets of scenes on disk: one scene a seed, resumable, over processes or machines, with a manifest.

A scene is a pure function of (game, kind, quality, seed): a lost worker costs its scene alone, and a set that was
interrupted goes on where it stopped. The manifest has a line a scene with all that it takes to make it again and
the SHA-256 of each file.
"""

import hashlib
import json
import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from functools import partial
from importlib import import_module
from importlib.metadata import version
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, TypeVar

from vision.failure import Failure
from vision.pool import Lost, spread
from vision.synth.fast import FastEngine, open_fast
from vision.synth.files import write_json, write_picture
from vision.synth.made import Film, Painter, Stills
from vision.synth.order import Order
from vision.synth.photo import PhotoEngine, open_photo
from vision.synth.scene import Camera
from vision.synth.video import write_clip

GAMES = ("finn", "cricket", "astrolabe")
KINDS = ("stills", "clips")
QUALITIES = ("fast", "photo")
MANIFEST = "manifest.jsonl"
Engine = TypeVar("Engine", FastEngine, PhotoEngine)
Made = TypeVar("Made")
_PACKAGES = ("tallycam", "numpy", "opencv-python", "moderngl", "av")


def make(
    order: Order,
    workers: int | None = None,
    done: Callable[[], None] = lambda: None,
    scheduler: str | None = None,
) -> list[dict[str, Any]]:
    """Make what is missing of a set; `done` is called after each scene. Gives the ordered scenes' rows.

    The folder may hold other scenes of the same recipe, as the cache's folders do; its manifest has them all.
    Scenes of two recipes would overwrite each other: they have the same names.

    Scenes are drawn by processes of this machine, or by the workers of a dask scheduler where one is named.

    Raises
    ------
    RuntimeError
        With one sentence, where nothing can draw, a worker was lost, or the folder holds a set of another recipe.
    """
    other = next((kept for row in _listed(order.folder) if (kept := _recipe(row)) != _wanted(order)), None)
    if other is not None:
        raise RuntimeError(
            f"{order.folder} holds another set, of {' '.join(map(str, other))}: nothing of it was touched; "
            f"name another folder for {' '.join(_wanted(order))}"
        )
    with _nothing_left(order.folder):
        return _made(order, workers, done, scheduler)


@contextmanager
def _nothing_left(folder: Path) -> Iterator[None]:
    """Make a folder, and take it away again, with an empty manifest, if nothing came into it before an error."""
    new = [path for path in (folder, *folder.parents) if not path.exists()]
    folder.mkdir(parents=True, exist_ok=True)
    try:
        yield
    except BaseException:
        manifest = folder / MANIFEST
        with suppress(OSError):  # it is not empty after all
            if manifest.exists() and not manifest.stat().st_size:
                manifest.unlink()
            for path in new:
                path.rmdir()
        raise


def _made(
    order: Order, workers: int | None, done: Callable[[], None], scheduler: str | None
) -> list[dict[str, Any]]:
    rows = {row["seed"]: row for row in _kept(order)}
    for _ in rows.keys() & set(order.seeds):
        done()
    missing = [seed for seed in order.seeds if seed not in rows]
    rows_made = _over_machines(order, missing, scheduler) if scheduler else _here(order, missing, workers or 0)
    with (order.folder / MANIFEST).open("a", encoding="utf-8") as manifest:
        for row in rows_made:
            rows[row["seed"]] = row
            manifest.write(json.dumps(row) + "\n")
            manifest.flush()
            done()
    ordered = [rows[seed] for seed in sorted(rows)]
    part = order.folder / (MANIFEST + ".part")
    part.write_text("".join(json.dumps(row) + "\n" for row in ordered), encoding="utf-8")
    part.replace(order.folder / MANIFEST)
    return [rows[seed] for seed in order.seeds]


def _here(order: Order, seeds: Sequence[int], workers: int) -> Iterator[dict[str, Any]]:
    alone = order.quality == "photo"  # Blender draws one picture with all the cores there are
    # A process draws with one thread: two processes are faster than one that shares its picture out.
    if not alone and min(workers or os.cpu_count() or 1, len(seeds)) > 1:
        os.environ.setdefault("LP_NUM_THREADS", "1")
    for place, row in spread(partial(one, order), seeds, workers=1 if alone else workers):
        yield _whole(row, seeds[place])


def draw_apart(order: Order, seeds: Sequence[int], workers: int) -> None:
    """Draw scenes of a set in new processes and keep no manifest: for measuring how long it takes."""
    os.environ.setdefault("LP_NUM_THREADS", "1")
    for place, row in spread(partial(one, order), seeds, workers=workers, apart=True):
        _whole(row, seeds[place])


def _over_machines(order: Order, seeds: Sequence[int], scheduler: str) -> Iterator[dict[str, Any]]:
    """Let workers draw into folders of their own and send the files: this disk alone keeps them."""
    for place, drawn in spread(partial(_drawn, order), seeds, scheduler=scheduler):
        row, files = _whole(drawn, seeds[place])
        for name, data in files.items():
            path = order.folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            part = path.with_suffix(path.suffix + ".part")
            part.write_bytes(data)
            part.replace(path)
        yield row


def _drawn(order: Order, seed: int) -> tuple[dict[str, Any], dict[str, bytes]]:
    with TemporaryDirectory() as folder:
        row = one(replace(order, folder=Path(folder)), seed)
        return row, {name: (Path(folder) / name).read_bytes() for name in row["files"]}


def _whole(made: Made | Lost, seed: int) -> Made:
    if isinstance(made, Lost):
        raise RuntimeError(f"scene {seed} could not be drawn: {made.tries} workers in turn were lost over it")
    return made


def one(order: Order, seed: int) -> dict[str, Any]:
    """Make one scene; gives its row of the manifest."""
    engine = opened(open_fast())
    painter = opened(open_photo(order.blender)) if order.quality == "photo" else engine
    stem = f"{seed:06d}"
    made = scene_of(order.game, order.kind, seed, engine, painter)
    files = (
        _write_stills(order.folder / stem, made)
        if isinstance(made, Stills)
        else _write_film(order.folder, stem, made)
    )
    return {
        "seed": seed,
        "game": order.game,
        "kind": order.kind,
        "quality": order.quality,
        "renderer": f"{painter.renderer} {painter.version}",
        "versions": {name: version(name) for name in _PACKAGES},
        "files": {str(path.relative_to(order.folder)): _digest(path) for path in files},
    }


def opened(engine: Engine | Failure) -> Engine:
    """Give the engine.

    Raises
    ------
    RuntimeError
        With one sentence, where there is none.
    """
    if isinstance(engine, Failure):
        raise RuntimeError(engine.message)
    return engine


def scene_of(game: str, kind: str, seed: int, engine: FastEngine, painter: Painter | None = None) -> Stills | Film:
    """Draw a scene of a game; only that game's recipe is loaded (the tables bring their physics with them)."""
    module = import_module(f"vision.synth.{game}.{kind}")
    made: Stills | Film = module.still(seed, engine, painter) if kind == "stills" else module.film(seed, engine)
    return made


def camera_of(game: str, seed: int) -> Camera:
    """Give the camera of a game's still, without drawing anything."""
    looked: Camera = import_module(f"vision.synth.{game}.points").camera(seed)
    return looked


def _write_stills(folder: Path, made: Stills) -> list[Path]:
    folder.mkdir(exist_ok=True)
    paths = []
    for name, picture in made.pictures.items():
        paths.append(folder / f"{name}.jpg")
        write_picture(paths[-1], picture, made.jpeg)
    paths.append(folder / "truth.json")
    write_json(paths[-1], made.truth)
    return paths


def _write_film(folder: Path, stem: str, made: Film) -> list[Path]:
    write_clip(folder / f"{stem}.mp4", made.frames, made.fps, made.size, made.crf)
    write_json(folder / f"{stem}.json", made.truth)
    return [folder / f"{stem}.mp4", folder / f"{stem}.json"]


def _kept(order: Order) -> Iterator[dict[str, Any]]:
    """Rows of an earlier run whose files are there and whole."""
    for row in _listed(order.folder):
        if all(_digest(order.folder / name) == known for name, known in row["files"].items()):
            yield row


def _listed(folder: Path) -> Iterator[dict[str, Any]]:
    """Rows of a folder's manifest."""
    path = folder / MANIFEST
    lines = path.read_text(encoding="utf-8").splitlines() if path.exists() else []
    for line in lines:
        try:
            yield json.loads(line)
        except json.JSONDecodeError:
            continue  # the line that was being written when the run was stopped


def _recipe(row: dict[str, Any]) -> tuple[Any, ...]:
    return row.get("game"), row.get("kind"), row.get("quality")


def _wanted(order: Order) -> tuple[str, ...]:
    return order.game, order.kind, order.quality


def _digest(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest() if path.is_file() else ""
