"""Candidates for the networks that find darts, held against those in use on drawn pictures."""

import json
import shutil
from pathlib import Path

import pytest

from vision.assets import asset
from vision.evaluate import candidates
from vision.evaluate.candidates import JUDGES
from vision.evaluate.promotion import Judged, verdict
from vision.models import in_use, read_model

pytest.importorskip("mujoco")


def judged(name: str, candidate: Path, monkeypatch: pytest.MonkeyPatch) -> list[Judged]:
    """The dozen pictures of one board, and its pairs, as the network in use and a candidate read them."""
    monkeypatch.setattr(candidates, "BOARDS", 1)
    monkeypatch.setattr(candidates, "PAIR_BOARDS", 1)
    return JUDGES[name](in_use(name).path, candidate)


@pytest.mark.long
def test_a_patch_network_that_believes_nothing_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for end in ("onnx", "json"):
        shutil.copy(asset("models") / f"dart-tip.{end}", tmp_path)
    card = json.loads((tmp_path / "dart-tip.json").read_text())
    for said in (card, card["pair"]):
        said["belief"] = [-20.0, 0.0, 0.0, 0.0, 0.0, 0.0]
    (tmp_path / "dart-tip.json").write_text(json.dumps(card))
    examples = judged("dart-tip", read_model(tmp_path, "dart-tip").path, monkeypatch)
    alone = [one for one in examples if "alone" in one.slices]
    assert len(alone) == 12
    assert len(examples) > 12, "pairs too, which comparing reads in part"
    assert not verdict(examples).promoted
    found = verdict(alone)
    darts = {row.slice: row for row in found.rows if row.slice.startswith("darts ")}
    assert all(row.errors[1] == (0 if name == "darts 0" else row.count) for name, row in darts.items())
    assert sum(one.right[0] for one in alone) > len(alone) / 3, "the one in use reads some of them"


@pytest.mark.long
def test_the_network_in_use_is_no_better_than_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    found = verdict(judged("dart-find", in_use("dart-find").path, monkeypatch))
    assert not found.promoted
    assert all(row.errors[0] == row.errors[1] for row in found.rows)
