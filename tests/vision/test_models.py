"""Networks in use: held to their cards, promoted when they have earned it, taken back."""

import hashlib
import json
from pathlib import Path

import pytest

from vision.evaluate.promotion import Judged, text_of, verdict
from vision.models import FOLDER, Model, ModelRefused, go_back, in_use, names, promote, read_model, shipped


def examples(*groups: tuple[int, str, bool, bool], accepted: tuple[bool, bool] = (False, False)) -> list[Judged]:
    """Give examples: so many of a slice, whether the one in use was right, whether the candidate was."""
    return [
        Judged(slices=(name,), right=(now, new), accepted=accepted)
        for count, name, now, new in groups
        for _ in range(count)
    ]


def test_a_candidate_of_shuffled_labels_is_refused() -> None:
    found = verdict(
        examples((80, "upright", True, False), (10, "fallen", True, True), (10, "fallen", False, True))
    )
    assert not found.promoted
    assert found.reason == "it is worse on upright"


def test_a_better_one_is_promoted() -> None:
    found = verdict(
        examples((80, "upright", True, True), (12, "leaning", False, True), (2, "leaning", True, False))
    )
    assert found.promoted
    assert "promoted: 2 errors against 12" in text_of(found)


def test_one_that_is_better_on_average_but_worse_on_a_slice_is_refused() -> None:
    found = verdict(
        examples((60, "upright", False, True), (9, "leaning", True, False), (40, "leaning", True, True))
    )
    assert not found.promoted
    assert found.reason == "it is worse on leaning"
    assert found.rows[0].better


def test_one_that_accepts_more_wrong_answers_is_refused_however_good() -> None:
    silent = examples((1, "upright", True, False), accepted=(True, True))
    found = verdict([*examples((60, "upright", False, True)), *silent])
    assert found.reason.startswith("it accepts 1 wrong answers without a look, the one in use 0")


def test_a_difference_within_noise_earns_nothing() -> None:
    found = verdict(
        examples((90, "upright", True, True), (4, "upright", False, True), (2, "upright", True, False))
    )
    assert found.reason == "it is not better beyond noise: 2 errors against 4"
    assert not found.rows[0].worse


def made(folder: Path, weights: bytes = b"other weights") -> Path:
    """Give a folder with a candidate for the reader of pin numbers."""
    real = shipped("pin-numbers")
    folder.mkdir(parents=True)
    (folder / "pin-numbers.onnx").write_bytes(weights)
    card = {**real.card, "sha256": hashlib.sha256(weights).hexdigest()}
    (folder / "pin-numbers.json").write_text(json.dumps(card), encoding="utf-8")
    return folder


def test_every_shipped_network_is_that_of_its_card() -> None:
    found = [shipped(name) for name in names()]
    assert "pin-numbers" in [model.name for model in found]
    assert all(isinstance(model, Model) and model.path.stat().st_size < 12_000_000 for model in found)


def test_weights_of_another_hash_or_place_are_refused(tmp_path: Path) -> None:
    folder = made(tmp_path / "new")
    (folder / "pin-numbers.onnx").write_bytes(b"changed since")
    with pytest.raises(ModelRefused, match="their hash is another"):
        read_model(folder, "pin-numbers")
    card = json.loads((folder / "pin-numbers.json").read_text(encoding="utf-8"))
    (folder / "pin-numbers.json").write_text(json.dumps({**card, "file": "../x.onnx"}), encoding="utf-8")
    with pytest.raises(ModelRefused, match="outside its folder"):
        read_model(folder, "pin-numbers")
    (folder / "pin-numbers.json").write_text("[]", encoding="utf-8")
    with pytest.raises(ModelRefused, match="is no card"):
        read_model(folder, "pin-numbers")


def test_a_promoted_network_is_used_until_it_is_taken_back(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    candidate = read_model(made(tmp_path / "new"), "pin-numbers")
    monkeypatch.delenv(FOLDER, raising=False)
    with pytest.raises(ModelRefused, match="there is no store"):
        promote(candidate)
    monkeypatch.setenv(FOLDER, str(tmp_path / "store"))
    assert in_use("pin-numbers").shipped
    with pytest.raises(ModelRefused, match="nothing was promoted"):
        go_back("pin-numbers")
    promote(candidate)
    second = read_model(made(tmp_path / "newer", b"newer weights"), "pin-numbers")
    promote(second)
    assert in_use("pin-numbers").sha256 == second.sha256
    assert not in_use("pin-numbers").shipped
    assert go_back("pin-numbers").sha256 == candidate.sha256
    assert go_back("pin-numbers").shipped
    (tmp_path / "store" / "active.json").write_text("{", encoding="utf-8")
    with pytest.raises(ModelRefused, match="cannot be read"):
        in_use("pin-numbers")
