"""`tallycam bench replay`: what watching a video costs, against decoding it to colour with OpenCV alone.

Both are measured in this one run, in turns, as processor time of the whole process with one thread each; starting
the process is not in it. The ratio is what counts, for machines differ.
"""

import json
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from statistics import median
from typing import Annotated, Any, Final

import av
import cv2
import numpy as np
import typer

from service.cli.errors import CommandError
from vision.assets import asset
from vision.events import Event
from vision.failure import Failure
from vision.frames import open_frames
from vision.replay import replay
from vision.setup import Setup, load_setup

ROUNDS: Final = 3
SAMPLE: Final = "datasets/samples/cricket"
SIZE: Final = (1280, 720)
CLIP_S: Final = 16
EVERY_S: Final = 5
RATE: Final = 30
BITS: Final = 5_000_000
NOISE: Final = 6.0


def command(
    video: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="A video; without it the bundled one and a noisy one made for this."),
    ] = None,
    setup: Annotated[Path | None, typer.Option(metavar="SETUP", help="Its camera and board.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Measure the processor time of a whole replay against decoding the same file to BGR with OpenCV alone."""
    with tempfile.TemporaryDirectory() as folder:
        made = [] if video or setup else [("noisy, 5 Mbit/s", *film(Path(folder) / "made.mp4", CLIP_S, EVERY_S))]
        clips = [_given(video, setup)] if video or setup else [*_bundled(), *made]
        found = [{"clip": name, **measure(path, camera)} for name, path, camera in clips]
    if as_json:
        print(json.dumps(found))
        return
    for one in found:
        print(f"{one['clip']}: {one['frames']} frames, {one['events']} events")
        print(f"  OpenCV decoding to BGR   {one['decode_ms']:.2f} ms a frame")
        print(f"  whole replay             {one['replay_ms']:.2f} ms a frame")
        print(f"  ratio                    {one['ratio']:.2f}")


def measure(video: Path, setup: Setup, rounds: int = ROUNDS) -> dict[str, Any]:
    """Give frames, events, CPU milliseconds a frame of both, and the median of the ratios of the rounds."""
    cv2.setNumThreads(1)
    events = 0

    def watch() -> None:
        nonlocal events
        frames = open_frames(video)
        if isinstance(frames, Failure):
            raise CommandError(frames.message)
        events = 0
        for event in replay(frames, setup):
            if isinstance(event, Event):
                events += 1
            elif event.code != "DAMAGED_VIDEO":
                raise CommandError(event.message)

    counted = _decode(video)
    times = [(_cpu_ms(lambda: _decode(video)), _cpu_ms(watch)) for _ in range(rounds)]
    return {
        "frames": counted,
        "events": events,
        "decode_ms": round(median(first for first, _ in times) / counted, 3),
        "replay_ms": round(median(second for _, second in times) / counted, 3),
        "ratio": round(median(second / first for first, second in times), 3),
    }


def _cpu_ms(work: Callable[[], object]) -> float:
    began = time.process_time()
    work()
    return (time.process_time() - began) * 1000


def _decode(video: Path) -> int:
    capture = cv2.VideoCapture(str(video), cv2.CAP_FFMPEG, [cv2.CAP_PROP_N_THREADS, 1])
    frames = 0
    while capture.read()[0]:
        frames += 1
    capture.release()
    if not frames:
        raise CommandError(f"{video}: OpenCV decodes no frame of it")
    return frames


def _given(video: Path | None, setup: Path | None) -> tuple[str, Path, Setup]:
    if video is None:
        raise CommandError("--setup belongs to a --video")
    if setup is None:
        return video.name, video, Setup(game="cricket", image_size=SIZE)
    camera = load_setup(setup)
    if isinstance(camera, Failure):
        raise CommandError(camera.message)
    return video.name, video, camera


def _bundled() -> list[tuple[str, Path, Setup]]:
    """Give the recording that comes with the program: little noise, a throw every four seconds."""
    try:
        folder = asset(SAMPLE)
    except FileNotFoundError:
        return []
    _, path, camera = _given(folder / "clip.mp4", folder / "setup.json")
    return [("bundled, little noise", path, camera)]


def film(path: Path, seconds: int, every_s: int | None, noise: float = NOISE) -> tuple[Path, Setup]:
    """Make a noisy 720p clip of a board on which something new stands every few seconds, or nothing at all.

    Parameters
    ----------
    path
        Where to write it.
    seconds
        How long it is.
    every_s
        How often something comes; None: never.
    noise
        Standard deviation, levels, of each pixel.
    """
    chance = np.random.default_rng(1)
    picture = np.full((SIZE[1], SIZE[0]), 130, np.uint8)
    for radius, level in ((300, 30), (226, 190), (216, 60), (142, 190), (132, 60), (21, 120), (9, 40)):
        cv2.circle(picture, (640, 360), radius, level, -1, cv2.LINE_AA)
    grain = [chance.normal(0, noise, picture.shape).astype(np.int16) for _ in range(6)]
    with av.open(str(path), "w") as container:
        stream = container.add_stream("libx264", rate=RATE, options={"preset": "veryfast"})
        stream.width, stream.height = SIZE
        stream.pix_fmt, stream.bit_rate = "yuv420p", BITS
        stream.codec_context.thread_count = 1
        for index in range(seconds * RATE):
            if index and every_s and index % (every_s * RATE) == 0:
                at = 500 + index % 290
                cv2.line(picture, (at, 330), (at + 40, 220), 20, 7, cv2.LINE_AA)
            noisy = np.clip(picture + grain[index % 6], 0, 255).astype(np.uint8)
            frame = av.VideoFrame.from_ndarray(noisy, format="gray").reformat(format="yuv420p")
            for packet in stream.encode(frame):
                container.mux(packet)
        for packet in stream.encode():
            container.mux(packet)
    seen = ((640.0, 134.0), (866.0, 360.0), (640.0, 586.0), (414.0, 360.0))
    known = ((0.0, 170.0), (170.0, 0.0), (0.0, -170.0), (-170.0, 0.0))
    return path, Setup(game="cricket", image_size=SIZE, board_px=seen, board_xy=known)
