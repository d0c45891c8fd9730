"""A process that looks at single pictures for the service: decodes, calibrates, cuts clips; one request at a time.

What it is given may be damaged or made to do harm: it has limits on memory and time, and if it dies the service
says so and starts another.

    python -m service.boards.eyes    (messages as `service.boards.framing` has them, on standard input and output)
"""

import os
import resource
import select
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from service.boards.framing import Ended, receive, send

IDLE_S: Final = 60.0
"""Without a request for so long it ends: nobody is setting up a board."""
MEMORY: Final = 4 << 30
"""Bytes of address space: ten times what a picture of 8K takes."""
PIXELS: Final = 64_000_000
QUALITY: Final = 90

Answer = tuple[Mapping[str, Any], Mapping[str, bytes]]


def main() -> None:
    """Answer requests until there are none for a while or the service is gone."""
    out = os.dup(1)
    os.dup2(2, 1)  # whatever a library prints is no message
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    while select.select([0], [], [], IDLE_S)[0]:
        try:
            asked = receive(0)
            head, parts = answer(asked.head, asked.parts)
            send(out, head, parts)
        except Ended:
            return


def answer(head: Mapping[str, Any], parts: Mapping[str, bytes]) -> Answer:
    """Answer one request; what cannot be done is `{"failure": {"code", "message"}}`."""
    try:
        return _ANSWERS[head["ask"]](head, parts)
    except MemoryError:
        return _failed("TOO_LARGE", "It takes more memory than is allowed here.")


def _failed(code: str, message: str) -> Answer:
    return {"failure": {"code": code, "message": message}}, {}


def _picture(_head: Mapping[str, Any], parts: Mapping[str, bytes]) -> Answer:
    """Decode a picture, whatever it is, and encode it anew: nothing but pixels is kept."""
    bgr = _decoded(parts["picture"])
    if bgr is None:
        return _failed("NOT_A_PICTURE", "This is no picture that can be read (JPEG, PNG, BMP, WebP or TIFF).")
    height, width = bgr.shape[:2]
    if min(height, width) < 64 or height * width > PIXELS:
        return _failed("BAD_SIZE", f"The picture has {width}x{height} px; from 64 px a side to 64 million in all.")
    return {"size": [width, height]}, {"picture": _encoded(bgr)}


def _frame(head: Mapping[str, Any], _parts: Mapping[str, bytes]) -> Answer:
    """Give the frame of a recording at a time, or the last one before it."""
    from vision.failure import Failure  # noqa: PLC0415 - numpy and OpenCV, a third of a second
    from vision.frames import open_frames  # noqa: PLC0415

    frames = open_frames(Path(head["source"]))
    if isinstance(frames, Failure):
        return _failed(frames.code, frames.message)
    found = None
    for frame in frames:
        if isinstance(frame, Failure) or (found is not None and frame.t_ms > head["t_ms"]):
            break
        found = frame
    if found is None:
        return _failed("NO_FRAMES", "There is no picture in it.")
    return {"size": list(found.size), "t_ms": found.t_ms}, {"picture": _encoded(found.bgr())}


def _calibrate(head: Mapping[str, Any], parts: Mapping[str, bytes]) -> Answer:
    """Find the board in a picture, or take points or a SETUP as given; draw what it comes to."""
    from service.boards.calibrating import calibrated  # noqa: PLC0415
    from vision.failure import Failure  # noqa: PLC0415

    bgr = _decoded(parts["picture"])
    if bgr is None:
        return _failed("NOT_A_PICTURE", "This is no picture that can be read.")
    found = calibrated(bgr, head)
    if isinstance(found, Failure):
        return _failed(found.code, found.message)
    return {"setup": found.setup, "to_check": list(found.to_check)}, {"overlay": _encoded(found.drawn)}


def _check_setup(head: Mapping[str, Any], _parts: Mapping[str, bytes]) -> Answer:
    """Say whether a SETUP is one, and give it in its canonical form."""
    from vision.failure import Failure  # noqa: PLC0415
    from vision.setup import format_setup, parse_setup  # noqa: PLC0415

    setup = parse_setup(head["setup"])
    if isinstance(setup, Failure):
        return _failed(setup.code, setup.message)
    return {"setup": format_setup(setup), "game": setup.game}, {}


def _cameras(_head: Mapping[str, Any], _parts: Mapping[str, bytes]) -> Answer:
    """List the cameras of this machine."""
    from vision.sources import cameras  # noqa: PLC0415

    return {"cameras": [camera.to_json() for camera in cameras()]}, {}


def _clip(head: Mapping[str, Any], _parts: Mapping[str, bytes]) -> Answer:
    """Cut a clip out of a recording: its own packets."""
    from vision.clips import Stretch, cut_clips  # noqa: PLC0415
    from vision.failure import Failure  # noqa: PLC0415

    with tempfile.TemporaryDirectory(prefix="tallycam-clip-") as folder:
        stretch = Stretch(name="clip", from_ms=head["from_ms"], to_ms=head["to_ms"])
        clips = cut_clips(Path(head["source"]), [stretch], Path(folder))
        if isinstance(clips, Failure):
            return _failed(clips.code, clips.message)
        path = clips.get("clip")
        if path is None:
            return _failed("NO_CLIPS", "The recording has no pictures at that time.")
        return {"suffix": path.suffix}, {"clip": path.read_bytes()}


def _film(_head: Mapping[str, Any], parts: Mapping[str, bytes]) -> Answer:
    """Make of a camera's own pictures a film that a browser plays."""
    from service.boards.filming import film  # noqa: PLC0415
    from vision.failure import Failure  # noqa: PLC0415

    made = film(parts["clip"])
    if isinstance(made, Failure):
        return _failed(made.code, made.message)
    return {"suffix": made.suffix}, {"clip": made.data}


def _frames(head: Mapping[str, Any], _parts: Mapping[str, bytes]) -> Answer:
    """Give the pictures of a clip, so that a person can step through it, whatever its format."""
    from service.boards.stepping import stepped  # noqa: PLC0415
    from vision.failure import Failure  # noqa: PLC0415

    found = stepped(Path(head["source"]), head["length_ms"], QUALITY)
    if isinstance(found, Failure):
        return _failed(found.code, found.message)
    pictures, event_ms = found
    return {"event_ms": event_ms}, {str(t_ms): picture for t_ms, picture in pictures.items()}


def _checks(head: Mapping[str, Any], parts: Mapping[str, bytes]) -> Answer:
    """Say whether a picture of a board is good enough to play by; of a recording also its rate."""
    from service.boards.health import checks, frame_rate  # noqa: PLC0415
    from vision.failure import Failure  # noqa: PLC0415
    from vision.setup import parse_setup  # noqa: PLC0415
    from vision.videos import open_video  # noqa: PLC0415

    bgr = _decoded(parts["picture"])
    if bgr is None:
        return _failed("NOT_A_PICTURE", "This is no picture that can be read.")
    setup = None if head["setup"] is None else parse_setup(head["setup"])
    if isinstance(setup, Failure):
        return _failed(setup.code, setup.message)
    found = [*checks(bgr, head["game"], setup)]
    fps = head["fps"]
    if fps is None and head["recording"] is not None:
        opened = open_video(Path(head["recording"]))
        if not isinstance(opened, Failure):
            container, stream = opened
            with container:
                fps = float(stream.average_rate or 0) or None
    if fps is not None:
        found.append(frame_rate(fps))
    return {"checks": [one.to_json() for one in found]}, {}


def _regression(head: Mapping[str, Any], _parts: Mapping[str, bytes]) -> Answer:
    """Keep a recording with its corrected scoresheet."""
    from service.boards.regression import write_regression  # noqa: PLC0415

    failure = write_regression(Path(head["folder"]), head["match"], Path(head["source"]), head["recorded"])
    return ({}, {}) if failure is None else _failed(failure.code, failure.message)


def _teach(head: Mapping[str, Any], _parts: Mapping[str, bytes]) -> Answer:
    """Choose what of a SETUP reads a board's own lessons better; files are named whole."""
    from vision.failure import Failure  # noqa: PLC0415
    from vision.setup import parse_setup  # noqa: PLC0415
    from vision.teach.lessons import parse_lessons  # noqa: PLC0415
    from vision.teach.teaching import teach  # noqa: PLC0415

    setup = parse_setup(head["setup"])
    if isinstance(setup, Failure):
        return _failed(setup.code, setup.message)
    lessons = parse_lessons(head["lessons"], setup.game, Path())
    if isinstance(lessons, Failure):
        return _failed(lessons.code, lessons.message)
    taught = teach(setup, lessons)
    return _failed(taught.code, taught.message) if isinstance(taught, Failure) else (taught.to_json(), {})


_ANSWERS: Final = {
    "picture": _picture,
    "frame": _frame,
    "calibrate": _calibrate,
    "setup": _check_setup,
    "cameras": _cameras,
    "clip": _clip,
    "frames": _frames,
    "regression": _regression,
    "checks": _checks,
    "film": _film,
    "teach": _teach,
}


def _decoded(data: bytes) -> Any:  # noqa: ANN401 - OpenCV's array
    os.environ.setdefault("OPENCV_IO_MAX_IMAGE_PIXELS", str(PIXELS))
    import cv2  # noqa: PLC0415
    import numpy as np  # noqa: PLC0415

    try:
        return cv2.imdecode(np.frombuffer(data, np.uint8), cv2.IMREAD_COLOR) if data else None
    except cv2.error:
        return None


def _encoded(bgr: Any) -> bytes:  # noqa: ANN401
    import cv2  # noqa: PLC0415

    good, data = cv2.imencode(".jpg", bgr, [cv2.IMWRITE_JPEG_QUALITY, QUALITY])
    if not good:
        raise ValueError("a picture could not be encoded")
    return data.tobytes()


if __name__ == "__main__":
    main()
    sys.exit(0)
