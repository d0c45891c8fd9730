"""What was seen, as values and as the lines of `events.jsonl`."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:  # an event without its pictures needs no video library
    from vision.frames import Frame


@dataclass(frozen=True, slots=True, kw_only=True)
class Event:
    """One thing seen.

    Attributes
    ----------
    kind
        `throw`, `shot`, `takeout`, `hand`, `bounce_out`, `dart_fell`, `board_changed`, `board_moved`,
        `light_changed`, `camera_stalled`, `flicker`, …
    t_ms
        Time of `frame`, in ms from the first frame.
    frame
        Index of the frame where it began to show.
    end_frame
        Index of the frame where the picture had come to rest again.
    data
        JSON values in the order in which they are written: `segment`, `xy_mm`, `confidence`, `review`, …
    before, after
        The pictures that show it: at rest before, at rest after; not part of the event's line.
    shown
        Of what happened to the camera: a picture of it, which shows no board to go on from.
    """

    kind: str
    t_ms: int
    frame: int
    end_frame: int
    data: Mapping[str, Any] = field(default_factory=dict)
    before: "Frame | None" = field(default=None, compare=False, repr=False)
    after: "Frame | None" = field(default=None, compare=False, repr=False)
    shown: "Frame | None" = field(default=None, compare=False, repr=False)


def event_line(event: Event) -> str:
    """Give the line of `events.jsonl`, without its line feed."""
    head = {"event": event.kind, "t_ms": event.t_ms, "frame": event.frame, "end_frame": event.end_frame}
    return json.dumps(head | dict(event.data), ensure_ascii=False, allow_nan=False)


def event_from_line(line: str) -> Event:
    """Read a line that `event_line` wrote; raises `ValueError` for one it did not."""
    value = json.loads(line)
    try:
        kind, t_ms, frame, end = (value.pop(name) for name in ("event", "t_ms", "frame", "end_frame"))
    except (AttributeError, KeyError, TypeError) as error:
        raise ValueError("an event has event, t_ms, frame and end_frame") from error
    return Event(kind=kind, t_ms=t_ms, frame=frame, end_frame=end, data=value)
