"""Webcams through OpenCV: MJPG asked for before the size; what adjusts itself is measured, then locked.

The camera's own JPEG bytes are taken where the driver gives them; decoding them is left to whoever looks.
"""

import os
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final, Protocol

import cv2
import numpy as np

from vision.failure import Failure
from vision.sources.grab import Grab, now_ns

SIZES: Final = ((1280, 720), (640, 480))
"""Sizes asked for, best first."""

RATE: Final = 30
SETTLE_S: Final = 2.0
"""Exposure and white balance find themselves within this; then they are locked as they are."""

os.environ.setdefault("OPENCV_VIDEOIO_MSMF_ENABLE_HW_TRANSFORMS", "0")  # opening takes minutes with them


@dataclass(frozen=True, slots=True, kw_only=True)
class Control:
    """Something that a camera adjusts by itself: the switch, its two positions, and the value that is kept."""

    word: str
    switch: int
    by_itself: float
    fixed: float
    value: int


CONTROLS: Final = (
    Control(
        word="exposure",
        switch=cv2.CAP_PROP_AUTO_EXPOSURE,
        by_itself=3.0,
        fixed=1.0,
        value=cv2.CAP_PROP_EXPOSURE,
    ),
    Control(
        word="white balance",
        switch=cv2.CAP_PROP_AUTO_WB,
        by_itself=1.0,
        fixed=0.0,
        value=cv2.CAP_PROP_WB_TEMPERATURE,
    ),
    Control(word="focus", switch=cv2.CAP_PROP_AUTOFOCUS, by_itself=1.0, fixed=0.0, value=cv2.CAP_PROP_FOCUS),
)


class Capture(Protocol):
    """What is used of `cv2.VideoCapture`."""

    def isOpened(self) -> bool: ...  # noqa: D102, N802 - OpenCV's names
    def read(self) -> tuple[bool, Any]: ...  # noqa: D102
    def get(self, prop: int) -> float: ...  # noqa: D102
    def set(self, prop: int, value: float) -> bool: ...  # noqa: D102
    def release(self) -> None: ...  # noqa: D102


class Maker(Protocol):
    """Opens a capture."""

    def __call__(self, device: str | int, backend: int, params: Sequence[int], /) -> Capture: ...  # noqa: D102


class WebcamFeed:
    """One opened webcam; see `vision.sources.grab.Feed`.

    Attributes
    ----------
    refused
        What the driver would not lock, once it was tried.
    """

    def __init__(self, capture: Capture, name: str, locked: dict[int, float]) -> None:
        self.refused: tuple[str, ...] = ()
        self._capture, self._name, self._locked = capture, name, locked
        self._opened = time.monotonic()
        self._tried = False

    def read(self) -> Grab | Failure:
        """Wait for the next picture."""
        good, data = self._capture.read()
        at_ns = now_ns()
        if not good or data is None:
            return Failure(
                "CAMERA_LOST",
                f"{self._name}: gives no picture; it was unplugged, or the USB bus is full (use another port, or a"
                " smaller size).",
            )
        if not self._tried and (self._locked or time.monotonic() - self._opened >= SETTLE_S):
            self._tried = True
            self.refused = lock(self._capture, self._locked)
        array = np.asarray(data, np.uint8)
        colours = 3
        if array.ndim == colours and array.shape[2] == colours:
            return Grab(at_ns=at_ns, bgr=array)
        return Grab(at_ns=at_ns, jpeg=array.tobytes())

    def close(self) -> None:
        """Let go of the camera."""
        self._capture.release()


def lock(capture: Capture, locked: dict[int, float]) -> tuple[str, ...]:
    """Lock what a camera adjusts by itself where it stands, or as it was locked before; give what was refused.

    `locked` holds the values by property and is filled in: after a camera came back it gets the same ones.
    """
    refused = []
    for control in CONTROLS:
        value = locked.get(control.value, capture.get(control.value))
        capture.set(control.switch, control.fixed)
        capture.set(control.value, value)
        if capture.get(control.switch) == control.fixed:
            locked[control.value] = value
        else:
            capture.set(control.switch, control.by_itself)
            refused.append(control.word)
    return tuple(refused)


def open_webcam(device: str | int, locked: dict[int, float], make: Maker | None = None) -> WebcamFeed | Failure:
    """Open a webcam: its own JPEGs where it has them, at the largest size that it grants.

    Parameters
    ----------
    device
        Path of its device, or its number.
    locked
        Values locked before, by property; filled in.
    make
        Opens a capture; None: OpenCV does.
    """
    make = make or _capture
    for backend in _backends():
        for width, height in SIZES:
            capture = make(device, backend, _params(width, height))
            if capture.isOpened():
                return WebcamFeed(capture, f"camera {device}", locked)
            capture.release()
    return Failure("NO_CAMERA", f"camera {device}: cannot be opened; is it plugged in, and used by nobody else?")


def _capture(device: str | int, backend: int, params: Sequence[int]) -> Capture:
    return cv2.VideoCapture(device, backend, params)


def _params(width: int, height: int) -> tuple[int, ...]:
    """Give what is asked for, in the order in which drivers want it: the format before the size."""
    return (
        cv2.CAP_PROP_FOURCC,
        cv2.VideoWriter.fourcc(*"MJPG"),
        cv2.CAP_PROP_FRAME_WIDTH,
        width,
        cv2.CAP_PROP_FRAME_HEIGHT,
        height,
        cv2.CAP_PROP_FPS,
        RATE,
        cv2.CAP_PROP_CONVERT_RGB,
        0,
    )


def _backends() -> tuple[int, ...]:
    if sys.platform == "win32":
        return cv2.CAP_DSHOW, cv2.CAP_MSMF
    return (cv2.CAP_AVFOUNDATION,) if sys.platform == "darwin" else (cv2.CAP_V4L2,)
