"""From trained networks to files: ONNX, cards with figures on boards held back, answers to hold them to."""

import hashlib
import json
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from vision.darts.learned import PATCH_SIZE, Limits, patch_at, peaks, tip_of, whole_board
from vision.train.tip_batches import views
from vision.train.tip_data import SCENES_PER_SHARD, Sample, load_shard
from vision.train.tips import as_tensor

FOUND_MM = 6.0  # a peak this near a tip has found it: the patch sees twice as far
HELD_TO = 50  # patches, and their answers, that the file is held to by a test
ALIKE = 1e-3


def export(
    find: torch.nn.Module, tip: torch.nn.Module, held: list[Path], out: Path, facts: dict[str, Any]
) -> None:
    """Write `dart-find.onnx`, `dart-tip.onnx`, a card beside each, and `dart-check.npz`.

    Parameters
    ----------
    find, tip
        Trained, in evaluation mode.
    held
        Shards that neither was trained on.
    out
        Folder.
    facts
        What else belongs on the cards.
    """
    samples = [sample for path in held for sample in load_shard(path)]
    wholes, patches, figures = _figures(find, tip, samples)
    out.mkdir(parents=True, exist_ok=True)
    check: dict[str, NDArray[Any]] = {}
    both = (("dart-find", find, wholes[:4]), ("dart-tip", tip, patches))
    for name, net, probe in both:
        path = out / f"{name}.onnx"
        axes = {"seen": {0: "n"}, "said": {0: "n"}}
        torch.onnx.export(
            net, (as_tensor(probe[:1]),), str(path), input_names=["seen"], output_names=["said"],
            dynamic_axes=axes, opset_version=17, dynamo=False,
        )  # fmt: skip
        with torch.no_grad():
            said = net(as_tensor(probe)).numpy()
        check[f"{name}.seen"], check[f"{name}.said"] = probe, said
        if name == "dart-find":
            check[f"{name}.said"] = said[:, :, ::4, ::4]
        card = {
            "name": name,
            "reads": _READS[name],
            "trained_on": "synthetic pictures drawn by vision.synth and vision.train.painted; no photograph",
            "made_by": "python -m vision.train.tips",
            **facts,
            "held_back": {"scenes": len(held) * SCENES_PER_SHARD, **figures[name]},
            "sha256": hashlib.sha256(path.read_bytes()).hexdigest(),
        }
        path.with_suffix(".json").write_text(json.dumps(card, indent=1) + "\n")
    np.savez_compressed(out / "dart-check.npz", allow_pickle=False, **check)


_READS = {
    "dart-find": "a dartboard seen flat, 224 x 224, with and without darts: where they enter it and are seen",
    "dart-tip": "48 mm of a dartboard seen flat, 64 x 64: where a dart enters it, and how sure that is",
}


def _figures(
    find: torch.nn.Module, tip: torch.nn.Module, samples: list[Sample]
) -> tuple[NDArray[np.uint8], NDArray[np.uint8], dict[str, dict[str, Any]]]:
    rng = np.random.default_rng(19)
    wholes, patches = [], []
    count, errors, squares, presence = np.zeros(3, int), [], [], []
    for sample in samples:
        shown = views(sample, rng, vary=False)
        wholes.append(shown.whole)
        with torch.no_grad():
            heat = find(as_tensor(shown.whole[None])).sigmoid()[0, 0].numpy().astype(np.float64)
            looked = tip(as_tensor(np.stack(shown.patches))).numpy()
        places = np.reshape([at for at, _ in peaks(heat, whole_board(sample.eye_mm), Limits(peak=0.3))], (-1, 2))
        gaps = np.linalg.norm(places[:, None] - np.reshape(sample.tips_mm, (1, -1, 2)), axis=2)
        count += (gaps.shape[1], gaps.shape[0], int((gaps < FOUND_MM).any(0).sum()))
        for patch, place, said in zip(shown.patches, shown.places, looked, strict=True):
            patches.append(patch)
            presence.append((said[5] > 0) == bool(place[2]))
            if place[2]:
                found = tip_of(said, _PLAIN)
                miss = found.xy_mm - _PLAIN.to_mm([(PATCH_SIZE - 1) / 2 + place[:2] * PATCH_SIZE / 2])[0]
                errors.append(float(np.hypot(*miss)))
                squares.append(float(miss @ np.linalg.inv(found.cov_mm) @ miss))
    figures = {
        "dart-find": {
            "tips": int(count[0]),
            "recall": count[2] / count[0],
            "precision": count[2] / max(count[1], 1),
        },
        "dart-tip": {
            "patches": len(patches),
            "presence_right": float(np.mean(presence)),
            "error_mm_median": float(np.median(errors)),
            "error_mm_90": float(np.percentile(errors, 90)),
            "inside_90_percent_ellipse": float(np.mean(np.array(squares) < 4.605)),
        },
    }
    return (
        np.stack(wholes),
        np.stack(patches[:HELD_TO]),
        {name: {key: round(value, 4) for key, value in part.items()} for name, part in figures.items()},
    )


_PLAIN = patch_at(np.array([0.0, -1e6, 1.0]), np.zeros(2))
