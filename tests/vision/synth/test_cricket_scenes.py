"""Dartboard scenes are pure functions of their seed, and their truth is where the pixels are."""

from collections import Counter
from dataclasses import replace

import numpy as np
import pytest

from vision.darts.board import segment_at
from vision.setup import Setup, parse_setup
from vision.synth.cricket import clips, recipe, sample
from vision.synth.cricket.look import CricketScene
from vision.synth.cricket.parts import build
from vision.synth.cricket.stills import still
from vision.synth.cricket.truth import setup_of
from vision.synth.fast import FastEngine, open_fast
from vision.synth.scene import Camera

SMALL = (320, 240)


@pytest.fixture(scope="module")
def engine() -> FastEngine:
    found = open_fast()
    if not isinstance(found, FastEngine):
        pytest.skip(found.message)
    return found


def small(seed: int, darts: int = 2) -> CricketScene:
    look = recipe.scene(seed, darts=darts, family="front")
    shrink = SMALL[0] / look.camera.size[0]
    camera = Camera(
        size=SMALL,
        f_px=look.camera.f_px * shrink,
        cx_px=(SMALL[0] - 1) / 2,
        cy_px=(SMALL[1] - 1) / 2,
        k1=look.camera.k1,
        pose=look.camera.pose,
    )
    return replace(look, camera=camera)


def test_a_seed_gives_one_scene() -> None:
    first, again, other = recipe.scene(7), recipe.scene(7), recipe.scene(8)
    assert first.darts == again.darts
    assert first.board == again.board
    assert np.array_equal(first.camera.pose, again.camera.pose)
    assert first.darts != other.darts


def test_every_segment_is_hit() -> None:
    rng = np.random.default_rng(1)
    board = recipe.board_look(3, "front")
    hits = Counter(segment_at(recipe.tip(rng, board), board.rings) for _ in range(6000))
    numbered = {f"{kind}{n}" for kind in "SDT" for n in range(1, 21)}
    assert numbered | {"SB", "DB", "MISS"} <= set(hits)


def test_the_setup_is_one_that_the_product_reads() -> None:
    look = recipe.scene(11)
    setup = parse_setup(setup_of(look))
    assert isinstance(setup, Setup)
    plane = setup.plane()
    points = np.array([[0.0, 0.0], [100.0, 20.0], [-60.0, -120.0]])
    seen = look.camera.to_px(np.hstack([points, np.zeros((3, 1))]))
    assert plane
    assert np.abs(plane.to_px(points) - seen).max() < 0.3


def test_a_picture_is_the_same_drawn_whole_or_in_part(engine: FastEngine) -> None:
    look = small(5)
    engine.draw(build(replace(look, darts=())))
    part = engine.draw(build(look))
    engine.draw(build(small(6)))
    whole = engine.draw(build(look))
    assert np.abs(part.astype(int) - whole).max() <= 2
    assert (part != whole).mean() < 0.001


def test_darts_are_drawn_where_truth_says(engine: FastEngine) -> None:
    for seed in range(4):
        look = small(seed, darts=1)
        empty, full = (engine.draw(build(replace(look, darts=d))).astype(int) for d in ((), look.darts))
        changed = np.abs(full - empty).max(2) > 6
        mask = engine.names(build(look), alone="dart0") > 0
        assert mask.sum() > 20
        assert changed[mask].mean() > 0.6


def test_a_part_has_the_very_pixels_of_its_object(engine: FastEngine) -> None:
    for seed in range(6):
        scene = build(small(seed, darts=1))
        whole = engine.names(scene, alone="dart0") > 0
        part = engine.part(scene, "dart0")
        (x, y), (tall, wide) = part.corner, part.mask.shape
        found = np.zeros_like(whole)
        found[y : y + tall, x : x + wide] = part.mask
        assert np.array_equal(found, whole)
        assert part.pixels == whole.sum() > 20
        assert part.mask.size < 0.6 * whole.size


def test_a_still_names_its_darts(engine: FastEngine) -> None:
    made = still(3, engine)
    assert set(made.pictures) == {"before", "after"}
    assert made.pictures["after"].shape[1::-1] == tuple(made.truth["size"])
    for dart in made.truth["darts"]:
        assert dart["segment"] == segment_at(dart["xy_mm"], recipe.scene(3).board.rings) or dart["wire_mm"] < 0.05
        assert 0 <= dart["visible"] <= 1


def test_the_bundled_recording_keeps_its_promises() -> None:
    clip = sample.sample_clip()
    assert len(clip.throws) == 15
    assert sum(bool(hands.pulls) for hands in clip.hands) == 5
    assert [bool(hands.pulls) for hands in clip.hands].count(False) == 1
    assert 40 <= clip.seconds <= 65


def test_a_dart_flies_in_settles_and_leaves_with_the_hand() -> None:
    clip = sample.sample_clip()
    throw, takeout = clip.throws[0], clip.hands[0]
    assert clips.darts_at(clip, throw.t_s - 0.1) == ()
    assert clips.darts_at(clip, throw.t_s - 0.02)[0].deep_mm < -200
    assert clips.darts_at(clip, throw.t_s + 0.5) == (throw.dart,)
    assert clips.darts_at(clip, takeout.span_s[1])[0].deep_mm < -20


def test_scripts_of_clips_are_pure_and_hands_come_after_throws() -> None:
    first, again = clips.script(4), clips.script(4)
    assert first.throws == again.throws
    assert first.hands == again.hands
    assert all(hands.span_s[0] > first.throws[0].t_s for hands in first.hands)
