"""Labelled pictures as YOLO takes them: text files for `detect` and `pose`, a folder a class for `classify`.

Numbers are shares of the picture's width and height. A pixel's centre is whole in our truth and half in YOLO's.
"""

import shutil
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import Final, Literal

import cv2

from vision.export.labels import CLASSES, POINTS, Labelled, Thing
from vision.export.splits import TRAIN, VAL, split_of

Task = Literal["detect", "pose", "classify"]
TASKS: Final[tuple[Task, ...]] = ("detect", "pose", "classify")
CROP_SHARE: Final = 0.25  # of a thing's longer side, added on all sides of its box


def write_yolo(labelled: Iterable[Labelled], folder: Path, task: Task, val_share: float) -> Counter[str]:
    """Write pictures with their labels, and count what was written by class.

    Raises
    ------
    ValueError
        Where a picture cannot be read, or pictures of several games come together.
    """
    found: Counter[str] = Counter()
    form = ""
    for place in (TRAIN, VAL) if task != "classify" else ():  # readers want both, empty ones too
        for made in ("images", "labels"):
            (folder / made / place).mkdir(parents=True, exist_ok=True)
    for one in labelled:
        if form and one.form != form:
            raise ValueError(f"{one.picture} is of {one.form}, those before it of {form}: export a game at a time")
        form = one.form
        place = split_of(one.group, val_share)
        found += _crops(one, folder / place) if task == "classify" else _text(one, folder, place, task)
    if form and task != "classify":
        (folder / "data.yaml").write_text(_data(form, task), encoding="utf-8")
    return found


def _text(one: Labelled, folder: Path, place: str, task: Task) -> Counter[str]:
    pictures, labels = folder / "images" / place, folder / "labels" / place
    shutil.copyfile(one.picture, pictures / f"{one.name}{one.picture.suffix}")
    lines = [line(thing, one, task) for thing in one.things]
    (labels / f"{one.name}.txt").write_text("".join(text + "\n" for text in lines), encoding="utf-8")
    return Counter(thing.name for thing in one.things)


def line(thing: Thing, one: Labelled, task: Task) -> str:
    """Give the line of a thing: class, middle and size of its box within the picture, for `pose` its points."""
    wide, tall = one.size
    x0, x1 = (min(max(x, 0.0), wide) / wide for x in thing.box_px[::2])
    y0, y1 = (min(max(y, 0.0), tall) / tall for y in thing.box_px[1::2])
    numbers = [(x0 + x1) / 2, (y0 + y1) / 2, x1 - x0, y1 - y0]
    words = [str(CLASSES[one.form].index(thing.name)), *(f"{v:.6f}" for v in numbers)]
    for point in thing.points if task == "pose" else ():
        x, y = ((v + 0.5) / size if point.seen else 0.0 for v, size in zip(point.xy_px, one.size, strict=True))
        words += [f"{x:.6f}", f"{y:.6f}", str(point.seen)]
    return " ".join(words)


def _data(form: str, task: Task) -> str:
    """Describe the set; without a `path` its folders are looked for beside this file, wherever a reader is run."""
    names = "".join(f"  {k}: {name}\n" for k, name in enumerate(CLASSES[form]))
    points = f"kpt_shape: [{len(POINTS[form])}, 3]\n" if task == "pose" else ""
    return f"train: images/{TRAIN}\nval: images/{VAL}\nnames:\n{names}{points}"


def _crops(one: Labelled, folder: Path) -> Counter[str]:
    picture = cv2.imread(str(one.picture))
    if picture is None:
        raise ValueError(f"{one.picture}: no picture")
    for k, thing in enumerate(one.things):
        x0, y0, x1, y1 = thing.box_px
        pad = CROP_SHARE * max(x1 - x0, y1 - y0)
        left, top = (max(0, int(v - pad)) for v in (x0, y0))
        part = picture[top : int(y1 + pad) + 1, left : int(x1 + pad) + 1]
        (folder / thing.detail).mkdir(parents=True, exist_ok=True)
        cv2.imwrite(str(folder / thing.detail / f"{one.name}_{k}.jpg"), part)
    return Counter(thing.detail for thing in one.things)
