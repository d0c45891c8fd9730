"""Key points lie on what they belong to, and one that does not is found out."""

from dataclasses import replace

import pytest

pytest.importorskip("mujoco")

from vision.synth import pixels
from vision.synth.cricket import points
from vision.synth.fast import FastEngine, open_fast
from vision.synth.pixels import Aimed
from vision.synth.scene import Scene


@pytest.fixture(scope="module")
def engine() -> FastEngine:
    found = open_fast()
    if not isinstance(found, FastEngine):
        pytest.skip(found.message)
    return found


@pytest.mark.parametrize("game", ["cricket", "finn", "astrolabe"])
def test_key_points_lie_on_their_objects(game: str, engine: FastEngine) -> None:
    found = pixels.checked(game, range(40, 42), engine)
    assert found["points"] > 0
    assert found["wrong"] == {}


def test_a_point_beside_its_object_is_named(engine: FastEngine, monkeypatch: pytest.MonkeyPatch) -> None:
    aimed = points.aimed

    def beside(seed: int, engine: FastEngine) -> tuple[Scene, list[Aimed]]:
        scene, found = aimed(seed, engine)
        x, y = found[0].xy_px
        return scene, [replace(found[0], xy_px=(x + 60 if x < 300 else x - 60, y + 1)), *found[1:]]

    monkeypatch.setattr(points, "aimed", beside)
    found = pixels.checked("cricket", [41], engine)
    assert found["percent_of_scenes"] == 0
    assert "dart0 tip_px" in found["wrong"]["41"][0]
