"""Fingerprints: equal states have the same, in any process; others have others."""

import json
import os
import subprocess
import sys
from dataclasses import asdict
from itertools import islice
from pathlib import Path

from support.matches import SETTINGS, Setting, random_play

from engine import digest
from engine.finn import Config

STEPS = 40
CODE = """
import json, sys
from support.matches import Setting
from test_digest import of_setting
print(json.dumps([of_setting(Setting(**one)) for one in json.loads(sys.argv[1])]))
"""


def of_setting(setting: Setting) -> list[str]:
    played = random_play(setting.game, 7, config=setting.config, sides=setting.sides)
    return [digest(after) for _, _, after in islice(played, STEPS)]


def test_the_same_in_any_process_whatever_the_hash_seed(root: Path) -> None:
    here = [of_setting(setting) for setting in SETTINGS]
    for hash_seed in ("1", "271828"):
        done = subprocess.run(
            [sys.executable, "-c", CODE, json.dumps([asdict(setting) for setting in SETTINGS])],
            env={
                **os.environ,
                "PYTHONHASHSEED": hash_seed,
                "PYTHONPATH": os.pathsep.join([str(root / "tests"), str(Path(__file__).parent)]),
            },
            cwd=root,
            capture_output=True,
            text=True,
            check=True,
        )
        assert json.loads(done.stdout) == here


def test_states_that_differ_have_other_fingerprints() -> None:
    for setting in SETTINGS:
        played = random_play(setting.game, 7, config=setting.config, sides=setting.sides)
        states = {after for _, _, after in islice(played, STEPS)}
        assert len({digest(state) for state in states}) == len(states)


def test_one_way_to_write_equal_values() -> None:
    assert digest(Config(disc_cm=4)) == digest(Config(disc_cm=4.0))
    assert digest({"a": 1, "b": frozenset({3, 1, 2})}) == digest({"b": {1, 2, 3}, "a": 1})
    assert digest((1, [2, 2.5])) == digest([1, (2.0, 2.5)])
    assert digest({"a": 1}) != digest({"a": 2})
