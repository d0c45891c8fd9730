"""The bundled recording of Astrolabe: six shots of two people on a table where some balls already lie."""

from pathlib import Path
from typing import Any

from engine import action_from_json, new_sheet, record, result
from vision.synth.astrolabe.clips import film
from vision.synth.fast import FastEngine
from vision.synth.files import write_json
from vision.synth.video import write_clip

SEED, SHOTS = 23, 6
SIDES = ("Ada", "Ben")


def write_sample(folder: Path, engine: FastEngine) -> None:
    """Write the recording, its SETUP, its true events and what the rules make of them."""
    folder.mkdir(parents=True, exist_ok=True)
    made = film(SEED, engine, SHOTS, fouls={})
    truth = {"sides": list(SIDES), **made.truth}
    truth["result"] = scored(truth)
    write_json(folder / "setup.json", truth["setup"])
    write_json(folder / "truth.json", truth)
    write_clip(folder / "clip.mp4", made.frames, made.fps, made.size, crf=26)


def scored(truth: dict[str, Any]) -> dict[str, Any]:
    """Put the true shots through the rules, from an empty sheet: balls that lay there before count for nobody."""
    sheet = new_sheet("astrolabe", truth["sides"])
    times = [round(shot["frame"] * 1000 / truth["fps"]) for shot in truth["shots"]]
    sheet = record(sheet, action_from_json("astrolabe", {"kind": "start_round", "t_ms": times[0]}))
    for t_ms, shot in zip(times, truth["shots"], strict=True):
        action = {"kind": "shot", "side": shot["side"], "t_ms": t_ms, "moves": shot["moves"]}
        sheet = record(sheet, action_from_json("astrolabe", action))
    return result(sheet)
