"""Labelled pictures as COCO has them: one JSON file a split with images, boxes and key points."""

import json
import shutil
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from vision.export.labels import CLASSES, POINTS, Labelled, Thing
from vision.export.splits import TRAIN, VAL, split_of


def write_coco(labelled: Iterable[Labelled], folder: Path, val_share: float) -> Counter[str]:
    """Write `images/` and `annotations/instances_SPLIT.json`, and count what was written by class.

    Raises
    ------
    ValueError
        Where pictures of several games come together.
    """
    rows: dict[str, list[Labelled]] = {TRAIN: [], VAL: []}
    (folder / "images").mkdir(parents=True, exist_ok=True)
    (folder / "annotations").mkdir(exist_ok=True)
    for one in labelled:
        rows[split_of(one.group, val_share)].append(one)
        shutil.copyfile(one.picture, folder / "images" / _file(one))
    forms = sorted({one.form for part in rows.values() for one in part})
    if len(forms) > 1:
        raise ValueError(f"pictures of {' and '.join(forms)} together: export a game at a time")
    for place, part in rows.items():
        path = folder / "annotations" / f"instances_{place}.json"
        path.write_text(json.dumps(_told(part, forms)), encoding="utf-8")
    return Counter(thing.name for part in rows.values() for one in part for thing in one.things)


def _file(one: Labelled) -> str:
    return f"{one.name}{one.picture.suffix}"


def _told(part: Sequence[Labelled], forms: Sequence[str]) -> dict[str, Any]:
    images: list[dict[str, Any]] = []
    annotations: list[dict[str, Any]] = []
    for number, one in enumerate(part, start=1):
        images.append({"id": number, "file_name": _file(one), "width": one.size[0], "height": one.size[1]})
        for thing in one.things:
            annotations.append(annotation(thing, one, number, len(annotations) + 1))
    return {
        "images": images,
        "annotations": annotations,
        "categories": [category for form in forms for category in _categories(form)],
    }


def _categories(form: str) -> list[dict[str, Any]]:
    points = list(POINTS[form])
    bones = [[k, k + 1] for k in range(1, len(points))]
    return [
        {"id": k, "name": name, "supercategory": form, "keypoints": points, "skeleton": bones}
        for k, name in enumerate(CLASSES[form], start=1)
    ]


def annotation(thing: Thing, one: Labelled, image: int, number: int) -> dict[str, Any]:
    """Give a thing as an annotation; boxes are cut at the picture's edges, what is cut off of points is absent."""
    wide, tall = one.size
    x0, x1 = (min(max(x, 0.0), float(wide)) for x in thing.box_px[::2])
    y0, y1 = (min(max(y, 0.0), float(tall)) for y in thing.box_px[1::2])
    points: list[float] = []
    for point in thing.points:
        points += [*(round(v + 0.5, 2) for v in point.xy_px), point.seen] if point.seen else [0, 0, 0]
    return {
        "id": number,
        "image_id": image,
        "category_id": CLASSES[one.form].index(thing.name) + 1,
        "bbox": [x0, y0, x1 - x0, y1 - y0],
        "area": (x1 - x0) * (y1 - y0),
        "iscrowd": 0,
        "keypoints": points,
        "num_keypoints": sum(point.seen > 0 for point in thing.points),
    }
