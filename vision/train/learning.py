"""What learning has in common, whatever the network: its pace, its checkpoints, the ONNX file with its card."""

import hashlib
import json
import math
import sys
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn


def say(text: str) -> None:
    """Tell the person at the terminal how it goes."""
    print(f"{time.strftime('%H:%M:%S')} {text}", file=sys.stderr, flush=True)  # noqa: T201


def pace(optimiser: torch.optim.Optimizer, fastest: float, step: int, share: float) -> None:
    """Set the learning rate of a step: a hundred to warm up, one cosine cycle over the `share` of the time."""
    rate = fastest * min(1.0, (step + 1) / 100) * (0.01 + 0.99 * 0.5 * (1 + math.cos(math.pi * min(share, 1.0))))
    for group in optimiser.param_groups:
        group["lr"] = rate


def resumed(checkpoint: Path, net: nn.Module, optimiser: torch.optim.Optimizer) -> dict[str, Any]:
    """Go on from a checkpoint; gives what it keeps, `spent_s` and `step` at least: nought where there is none."""
    if not checkpoint.exists():
        return {"spent_s": 0.0, "step": 0}
    state: dict[str, Any] = torch.load(checkpoint, weights_only=True)
    net.load_state_dict(state["net"])
    optimiser.load_state_dict(state["optimiser"])
    say(f"going on from {checkpoint.name} at step {state['step']}")
    return state


def keep(
    checkpoint: Path, net: nn.Module, optimiser: torch.optim.Optimizer, spent_s: float, step: int, **more: object
) -> None:
    """Write a checkpoint, whole or not at all."""
    part = checkpoint.with_suffix(".part")
    state = {"net": net.state_dict(), "optimiser": optimiser.state_dict(), "spent_s": spent_s, "step": step}
    torch.save(state | more, part)
    part.rename(checkpoint)


def write_onnx(net: nn.Module, path: Path, seen: Tensor, free: Mapping[int, str]) -> None:
    """Write a network that takes `seen` and gives `said`; sides in `free` may be of any length in both."""
    path.parent.mkdir(parents=True, exist_ok=True)
    torch.onnx.export(
        net, (seen,), str(path), input_names=["seen"], output_names=["said"],
        dynamic_axes={"seen": dict(free), "said": dict(free)}, opset_version=17, dynamo=False,
    )  # fmt: skip


def write_card(path: Path, facts: Mapping[str, object]) -> None:
    """Write the card of an ONNX file: its name and hash, and `facts` about it."""
    known = {"name": path.stem, "file": path.name, "sha256": hashlib.sha256(path.read_bytes()).hexdigest()}
    path.with_suffix(".json").write_text(json.dumps(known | dict(facts), indent=1) + "\n", encoding="utf-8")
