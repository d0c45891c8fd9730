"""Train the reader of the board's numbers: `python -m vision.train.numbers`, about five minutes on one core.

All data is drawn here: numbers in stroke fonts, printed fonts and bent wire, of many proportions, with the rim
of a wire ring, brand names and scratches behind them, lit and blurred at random. The network is two layers on
histograms of gradient directions and is trained in NumPy, so that nothing but the product's own libraries is
needed.
"""

import argparse
import json
import sys
import time
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.darts.board import SECTORS
from vision.darts.find.numbers import FEATURES, PATCH, PATCH_MM, describe

Floats = NDArray[np.float32]
Canvas = NDArray[np.uint8]

FINE = 4
"""Pixels of the drawing to a pixel of the patch."""

SIDE = PATCH * FINE
PX_PER_MM = SIDE / PATCH_MM
NONE = len(SECTORS)
HIDDEN = (192, 96)

_STROKE_FONTS = (
    cv2.FONT_HERSHEY_SIMPLEX,
    cv2.FONT_HERSHEY_PLAIN,
    cv2.FONT_HERSHEY_DUPLEX,
    cv2.FONT_HERSHEY_COMPLEX,
    cv2.FONT_HERSHEY_TRIPLEX,
)
_PRINT_FONTS = ("sans", "italic")
_LETTERS = "ABCDEFGHIKLMNOPRSTUVWXZ"
_TURNED = {6: 9, 9: 6, 8: 8, 11: 11, 1: 1}
"""What a number reads as when it stands on its head; all others are no number then."""


def main() -> None:
    """Draw, train, measure, write `board-numbers.npz` and its card."""
    parser = argparse.ArgumentParser(description=main.__doc__)
    parser.add_argument("--out", type=Path, default=Path("models"))
    parser.add_argument("--patches", type=int, default=160_000)
    parser.add_argument("--rounds", type=int, default=20)
    asked = parser.parse_args()
    cv2.setNumThreads(1)
    rng = np.random.default_rng(20)
    features, labels = _data(rng, asked.patches)
    held, held_labels = _data(np.random.default_rng(1701), 4_000)
    layers = _train(features, labels, asked.rounds, rng)
    right = _forward(held, layers)[-1].argmax(axis=1) == held_labels
    figures = {
        "held_back_accuracy": round(float(right.mean()), 4),
        "held_back_accuracy_on_numbers": round(float(right[held_labels != NONE].mean()), 4),
    }
    _say(str(figures))
    _write(asked.out, layers, {**figures, "patches": asked.patches, "rounds": asked.rounds})


def _say(text: str) -> None:
    print(f"{time.strftime('%H:%M:%S')} {text}", file=sys.stderr, flush=True)  # noqa: T201


def _write(folder: Path, layers: list[Floats], figures: dict[str, float]) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    named = {f"layer{place:02d}": layer.astype(np.float16) for place, layer in enumerate(layers)}
    np.savez_compressed(folder / "board-numbers.npz", **named)  # type: ignore[arg-type]
    card = {
        "name": "board-numbers",
        "reads": "a patch of the number ring of a dartboard, upright: which number, or none",
        "trained_on": "numbers drawn by vision.train.numbers; no photograph",
        "figures": figures,
        "made_by": "python -m vision.train.numbers",
    }
    (folder / "board-numbers.json").write_text(json.dumps(card, indent=1) + "\n", encoding="utf-8")


# ---------------------------------------------------------------- drawing


def _data(rng: np.random.Generator, count: int) -> tuple[Floats, NDArray[np.intp]]:
    features = np.empty((count, FEATURES), dtype=np.float32)
    labels = np.empty(count, dtype=np.intp)
    for first in range(0, count, 1000):
        drawn = [draw_patch(rng) for _ in range(min(1000, count - first))]
        features[first : first + len(drawn)] = describe(np.stack([patch for patch, _ in drawn]))
        labels[first : first + len(drawn)] = [label for _, label in drawn]
    return features, labels


def draw_patch(rng: np.random.Generator) -> tuple[Canvas, int]:
    """Draw a patch (PATCH, PATCH) and give the place of its number in the order of the board, or NONE."""
    number = int(rng.choice(SECTORS))
    ink = np.zeros((SIDE, SIDE), dtype=np.uint8)
    turn, label = float(rng.normal(0, 6)), SECTORS.index(number)
    kind = rng.random()
    if kind < 0.10:
        turn, label = turn + 180, SECTORS.index(_TURNED[number]) if number in _TURNED else NONE
    elif kind < 0.22:
        turn, label = float(rng.uniform(40, 320)), NONE
    if kind < 0.92:
        ink = _placed(_number(number, rng), turn, rng)
    else:
        label = NONE
    return _seen(ink, rng), label


def _number(number: int, rng: np.random.Generator) -> Canvas:
    """Draw a number in the middle of a canvas of twice the side, of its final size."""
    canvas = np.zeros((2 * SIDE, 2 * SIDE), dtype=np.uint8)
    height = rng.uniform(14, 28) * PX_PER_MM
    kind = rng.random()
    if kind < 0.4:
        _bent_wire(canvas, str(number), height, rng)
    elif kind < 0.7:
        _stroke_font(canvas, str(number), height, rng)
    else:
        _print_font(canvas, str(number), height, rng)
    return canvas


def _stroke_font(canvas: Canvas, text: str, height: float, rng: np.random.Generator) -> None:
    font = int(rng.choice(_STROKE_FONTS))
    thick = max(1, round(rng.uniform(0.8, 5.0) * PX_PER_MM))
    (_, unit), _ = cv2.getTextSize(text, font, 1.0, 1)
    scale = height / unit
    (width, tall), _ = cv2.getTextSize(text, font, scale, thick)
    corner = ((canvas.shape[1] - width) // 2, (canvas.shape[0] + tall) // 2)
    cv2.putText(canvas, text, corner, font, scale, 255, thick, cv2.LINE_AA)


def _print_font(canvas: Canvas, text: str, height: float, rng: np.random.Generator) -> None:
    face = cv2.FontFace(str(rng.choice(_PRINT_FONTS)))
    size, weight = round(height * 1.38), int(rng.integers(200, 900))
    end, _ = cv2.putText(np.zeros_like(canvas), text, (0, canvas.shape[0] // 2), (255,), face, size, weight)
    corner = ((canvas.shape[1] - int(end[0])) // 2, (canvas.shape[0] + round(height)) // 2)
    cv2.putText(canvas, text, corner, (255,), face, size, weight)


WIRE: dict[str, tuple[tuple[tuple[float, float], ...], ...]] = {
    "0": (tuple((0.5 + 0.5 * np.sin(a), 0.5 - 0.5 * np.cos(a)) for a in np.linspace(0, 2 * np.pi, 25)),),
    "1": (((0.5, 0.0), (0.5, 1.0)),),
    "2": (
        ((0.05, 0.25), (0.15, 0.08), (0.45, 0.0), (0.8, 0.08), (0.95, 0.28), (0.8, 0.5), (0.0, 1.0), (1.0, 1.0)),
    ),
    "3": (
        ((0.05, 0.1), (0.4, 0.0), (0.8, 0.08), (0.92, 0.25), (0.75, 0.43), (0.4, 0.48)),
        ((0.4, 0.48), (0.8, 0.55), (1.0, 0.74), (0.85, 0.93), (0.45, 1.0), (0.02, 0.9)),
    ),
    "4": (((0.7, 1.0), (0.7, 0.0), (0.0, 0.68), (1.0, 0.68)),),
    "5": (
        ((0.92, 0.0), (0.15, 0.0), (0.1, 0.45), (0.5, 0.38), (0.9, 0.5), (1.0, 0.7), (0.85, 0.92), (0.45, 1.0)),
        ((0.45, 1.0), (0.03, 0.92)),
    ),
    "6": (
        (
            (0.85, 0.02),
            (0.4, 0.15),
            (0.1, 0.5),
            (0.05, 0.75),
            (0.25, 0.97),
            (0.6, 1.0),
            (0.92, 0.85),
            (0.92, 0.62),
        ),
        ((0.92, 0.62), (0.65, 0.47), (0.3, 0.5), (0.06, 0.7)),
    ),
    "7": (((0.0, 0.0), (1.0, 0.0), (0.6, 0.45), (0.4, 1.0)),),
    "8": (
        tuple((0.5 + 0.4 * np.sin(a), 0.24 - 0.24 * np.cos(a)) for a in np.linspace(0, 2 * np.pi, 17)),
        tuple((0.5 + 0.5 * np.sin(a), 0.74 - 0.26 * np.cos(a)) for a in np.linspace(0, 2 * np.pi, 17)),
    ),
    "9": (
        (
            (0.15, 0.98),
            (0.6, 0.85),
            (0.9, 0.5),
            (0.95, 0.25),
            (0.75, 0.03),
            (0.4, 0.0),
            (0.08, 0.15),
            (0.08, 0.38),
        ),
        ((0.08, 0.38), (0.35, 0.53), (0.7, 0.5), (0.94, 0.3)),
    ),
}
"""Digits as one bends them of wire, in a unit box, y down."""


def _bent_wire(canvas: Canvas, text: str, height: float, rng: np.random.Generator) -> None:
    wide = height * rng.uniform(0.4, 0.75)
    gap = height * rng.uniform(0.12, 0.35)
    thick = max(1, round(rng.uniform(0.8, 2.6) * PX_PER_MM))
    widths = [wide * (0.25 if digit == "1" else 1.0) for digit in text]
    left = (canvas.shape[1] - sum(widths) - gap * (len(text) - 1)) / 2
    top = (canvas.shape[0] - height) / 2
    for digit, width in zip(text, widths, strict=True):
        for stroke in WIRE[digit]:
            points = np.array(stroke) + rng.normal(0, 0.025, (len(stroke), 2))
            points = points * (width, height) + (left, top)
            cv2.polylines(canvas, [np.round(points * 8).astype(np.int32)], False, 255, thick, cv2.LINE_AA, 3)
        left += width + gap


def _placed(drawn: Canvas, turn: float, rng: np.random.Generator) -> Canvas:
    """Turn, shear, stretch and shift a drawing into the patch."""
    turned = np.radians(turn)
    shape = np.array([[rng.uniform(0.7, 1.15), rng.normal(0, 0.08)], [0.0, 1.0]])
    turning = np.array([[np.cos(turned), -np.sin(turned)], [np.sin(turned), np.cos(turned)]])
    linear = turning @ shape
    middle = np.array([SIDE / 2, SIDE / 2]) + rng.normal(0, (2.0, 2.5)) * PX_PER_MM
    offset = middle - linear @ np.array([SIDE, SIDE])
    matrix = np.concatenate([linear, offset[:, None]], axis=1)
    return np.asarray(cv2.warpAffine(drawn, matrix, (SIDE, SIDE), flags=cv2.INTER_AREA), dtype=np.uint8)


def _seen(ink: Canvas, rng: np.random.Generator) -> Canvas:
    """Put the ink on a board: rim, brand names, light, blur, noise."""
    behind: Floats = np.zeros((SIDE, SIDE), dtype=np.float32)
    if rng.random() < 0.35:
        behind = _brand(rng).astype(np.float32) * np.float32(rng.uniform(0.3, 1.1) / 255)
    mask = ink.astype(np.float32) / 255
    if rng.random() < 0.6:
        mask = np.maximum(mask, _rim(rng))
    dark, light = rng.uniform(5, 60), rng.uniform(0.15, 1.0) * 190
    picture = np.asarray(dark + light * np.maximum(mask, behind * (mask < 0.3)), dtype=np.float32)
    picture += _stain(rng) * np.float32(light * rng.uniform(0, 0.35))
    if rng.random() < 0.3:
        _scratch(picture, light, rng)
    blur_x, blur_y = np.abs(rng.normal(0, 1.1, 2)) * PX_PER_MM * 0.7 + 0.8
    blurred = cv2.GaussianBlur(picture, (0, 0), float(blur_x), sigmaY=float(blur_y))
    small = cv2.resize(blurred, (PATCH, PATCH), interpolation=cv2.INTER_AREA)
    small = small * rng.uniform(0.6, 1.2) + rng.normal(0, rng.uniform(0.5, 5), small.shape)
    if rng.random() < 0.05:
        small = 255 - small
    return np.asarray(np.clip(small, 0, 255), dtype=np.uint8)


def _rim(rng: np.random.Generator) -> Floats:
    """Draw the wire that the numbers hang on, above or below them, and now and then a clip."""
    rim = np.zeros((SIDE, SIDE), dtype=np.uint8)
    radius = 210 * PX_PER_MM
    edge = rng.uniform(0.02, 0.22) * SIDE
    middle = (SIDE / 2, edge + radius) if rng.random() < 0.5 else (SIDE / 2, SIDE - edge - radius)
    thick = max(1, round(rng.uniform(0.8, 2.6) * PX_PER_MM))
    where = (round(middle[0]), round(middle[1]))
    cv2.circle(rim, where, round(radius), 255, thick, cv2.LINE_AA)
    return np.asarray(rim.astype(np.float32) / 255 * rng.uniform(0.4, 1.2), dtype=np.float32)


def _brand(rng: np.random.Generator) -> Canvas:
    drawn = np.zeros((2 * SIDE, 2 * SIDE), dtype=np.uint8)
    text = "".join(rng.choice(list(_LETTERS), 5))
    height = rng.uniform(6, 22) * PX_PER_MM
    if rng.random() < 0.5:
        _stroke_font(drawn, text, height, rng)
    else:
        _print_font(drawn, text, height, rng)
    turn = rng.choice([0.0, 180.0]) + rng.normal(0, 5)
    return np.roll(_placed(drawn, float(turn), rng), int(rng.uniform(-0.35, 0.35) * SIDE), axis=0)


def _stain(rng: np.random.Generator) -> Floats:
    coarse = rng.normal(0, 1, (6, 6)).astype(np.float32)
    return np.asarray(cv2.resize(coarse, (SIDE, SIDE), interpolation=cv2.INTER_CUBIC), dtype=np.float32)


def _scratch(picture: Floats, light: float, rng: np.random.Generator) -> None:
    ends = rng.uniform(-0.2, 1.2, (2, 2)) * SIDE
    first, second = [(round(x), round(y)) for x, y in ends]
    cv2.line(picture, first, second, float(light * rng.uniform(0.2, 1.2)), round(rng.uniform(1, 14)), cv2.LINE_AA)


# ---------------------------------------------------------------- learning


def _train(features: Floats, labels: NDArray[np.intp], rounds: int, rng: np.random.Generator) -> list[Floats]:
    """Fit the network with Adam and cross entropy; the step falls to nothing by a cosine."""
    layers = _new_layers(rng)
    slow = [np.zeros_like(layer) for layer in layers]
    fast = [np.zeros_like(layer) for layer in layers]
    batches = rounds * (len(labels) // 256)
    for step, chosen in enumerate(_batches(len(labels), rounds, rng)):
        rate = 2e-3 * 0.5 * (1 + np.cos(np.pi * step / batches))
        gradients = _gradients(features[chosen], labels[chosen], layers, rng)
        for place, plain in enumerate(gradients):
            gradient = plain + 1e-5 * layers[place]
            slow[place] += 0.1 * (gradient - slow[place])
            fast[place] += 0.001 * (gradient**2 - fast[place])
            lift = slow[place] / (1 - 0.9 ** (step + 1))
            layers[place] -= rate * lift / (np.sqrt(fast[place] / (1 - 0.999 ** (step + 1))) + 1e-8)
        if (step + 1) % (len(labels) // 256) == 0:
            right = _forward(features[:4000], layers)[-1].argmax(axis=1) == labels[:4000]
            _say(f"round {(step + 1) // (len(labels) // 256)}: {right.mean():.3f} right on seen patches")
    return layers


def _batches(count: int, rounds: int, rng: np.random.Generator) -> Iterator[NDArray[np.intp]]:
    for _ in range(rounds):
        order = rng.permutation(count)
        for first in range(0, count - 255, 256):
            yield order[first : first + 256]


def _new_layers(rng: np.random.Generator) -> list[Floats]:
    sizes = (FEATURES, *HIDDEN, NONE + 1)
    layers: list[Floats] = []
    for given, made in pairwise(sizes):
        layers.append(rng.normal(0, np.sqrt(2 / given), (given, made)).astype(np.float32))
        layers.append(np.zeros(made, dtype=np.float32))
    return layers


def _forward(features: Floats, layers: list[Floats]) -> list[Floats]:
    answers = [features]
    for place in range(0, len(layers), 2):
        answer = answers[-1] @ layers[place] + layers[place + 1]
        answers.append(np.maximum(answer, 0) if place < len(layers) - 2 else answer)
    return answers


def _gradients(
    features: Floats, labels: NDArray[np.intp], layers: list[Floats], rng: np.random.Generator
) -> list[Floats]:
    kept = features * (rng.random(features.shape, dtype=np.float32) > 0.1) / np.float32(0.9)
    answers = _forward(kept, layers)
    chances = np.exp(answers[-1] - answers[-1].max(axis=1, keepdims=True))
    error = chances / chances.sum(axis=1, keepdims=True)
    error[np.arange(len(labels)), labels] -= 1
    error /= len(labels)
    gradients: list[Floats] = []
    for place in range(len(layers) - 2, -1, -2):
        given = answers[place // 2]
        gradients[:0] = [given.T @ error, error.sum(axis=0)]
        if place:
            error = (error @ layers[place].T) * (given > 0)
    return gradients


if __name__ == "__main__":
    main()
