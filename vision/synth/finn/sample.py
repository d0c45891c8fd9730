"""The bundled recording of Finn Billiards: three turns of two people, with hands that set the pins up again."""

from pathlib import Path
from typing import Any

from engine import action_from_json, new_sheet, record, result
from vision.synth.fast import FastEngine
from vision.synth.files import write_json
from vision.synth.finn.clips import film
from vision.synth.video import write_clip

SEED, TURNS = 56, 3
SIDES = ("Ada", "Ben")


def write_sample(folder: Path, engine: FastEngine) -> None:
    """Write the recording, its SETUP, its true events and what the rules make of them."""
    folder.mkdir(parents=True, exist_ok=True)
    made = film(SEED, engine, TURNS)
    truth = {"sides": list(SIDES), **made.truth}
    truth["result"] = scored(truth)
    write_json(folder / "setup.json", truth["setup"])
    write_json(folder / "truth.json", truth)
    write_clip(folder / "clip.mp4", made.frames, made.fps, made.size, crf=26)


def scored(truth: dict[str, Any]) -> dict[str, Any]:
    """Put the true shots through the rules, the sides in turn."""
    sheet = new_sheet("finn", truth["sides"])
    for number, shot in enumerate(truth["shots"]):
        action = {
            "kind": "shot",
            "side": number % len(truth["sides"]),
            "t_ms": round(shot["frame"] * 1000 / truth["fps"]),
            "pins": shot["pins"],
            "cushions": shot["cushions"],
        }
        sheet = record(sheet, action_from_json("finn", action))
    return result(sheet)
