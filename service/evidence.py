"""What of an event's pictures is kept for people: the surroundings of a tip, and the whole picture."""

import cv2
import numpy as np

from vision.events import Event
from vision.frames import Frame, Picture

CLOSE_PX = 220
"""Side of the square around a tip that people are shown: the wires around it are in view."""

SHOWN_PX = 440
QUALITY = 82

WHOLE = frozenset({"throw", "shot", "shot_revised", "takeout", "dart_fell"})
"""Events that are shown whole in any case; the others only if a person should look at them."""


def is_shown(event: Event) -> bool:
    """Say whether pictures and a clip of an event are kept."""
    return event.kind in WHOLE or event.shown is not None or bool(event.data.get("review"))


def evidence(event: Event) -> dict[str, bytes]:
    """Give JPEGs by name: `before` and `after` close up where there is a tip, `before_whole`, `after_whole`."""
    found: dict[str, bytes] = {}
    tip = event.data.get("tip_px")
    for word, frame in (("before", event.before), ("after", event.after)):
        if frame is None or not is_shown(event):
            continue
        if tip is not None:
            found[word] = close_up(frame, tip)
        found[f"{word}_whole"] = jpeg(frame.bgr())
    if event.shown is not None:
        found["after_whole"] = jpeg(event.shown.bgr())
    return found


def close_up(frame: Frame, tip_px: tuple[float, float]) -> bytes:
    """Give a JPEG of the square around a tip, the tip in its middle; beyond the picture's edge it is grey."""
    half = CLOSE_PX / 2
    x, y = tip_px
    turn = SHOWN_PX / CLOSE_PX
    move = ((turn, 0.0, -turn * (x - half)), (0.0, turn, -turn * (y - half)))
    grey = (96.0, 96.0, 96.0)
    shown = (SHOWN_PX, SHOWN_PX)
    square = cv2.warpAffine(frame.bgr(), np.array(move), shown, flags=cv2.INTER_LINEAR, borderValue=grey)
    return jpeg(square.astype(np.uint8, copy=False))


def jpeg(bgr: Picture) -> bytes:
    """Encode a picture, (H, W, 3)."""
    good, data = cv2.imencode(".jpg", bgr, [cv2.IMWRITE_JPEG_QUALITY, QUALITY])
    if not good:
        raise ValueError("a picture could not be encoded")
    return data.tobytes()
