"""Throws rather than pictures: several cameras put together, and videos with their events."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from typing import Any

from vision.darts.fusion import FusedReading, fuse
from vision.evaluate.darts import Verdict
from vision.events import Event
from vision.failure import Failure
from vision.frames import open_frames
from vision.json_text import read_json
from vision.replay import replay
from vision.setup import Setup

NEAR_FRAMES = 8
"""An event this many frames from its label is that one: labels of videos are set by eye."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Throws:
    """What became of the throws of a group or a video.

    Attributes
    ----------
    name
        The group, with the video's name where it is one.
    how
        `cameras` put together, or `video`.
    throws, found, extra
        Labelled; of those seen; seen and not labelled.
    right
        Those found whose segment is right, either of two where the label allows both.
    takeouts, takeouts_found
        Of a video; None elsewhere.
    accepted, wrong_accepted
        Throws that nobody would be asked about, and those of them that are wrong or not labelled.
    """

    name: str
    how: str
    throws: int
    found: int
    extra: int
    right: int
    accepted: int
    wrong_accepted: int
    takeouts: int | None = None
    takeouts_found: int | None = None

    def __str__(self) -> str:
        """Give a line for people."""
        pulled = "" if self.takeouts is None else f", {self.takeouts_found} of {self.takeouts} takeouts"
        return (
            f"{self.name} ({self.how}): {self.found} of {self.throws} throws, {self.extra} extra,"
            f" {self.right} segments right{pulled}, {self.accepted} accepted, {self.wrong_accepted} of them wrong"
        )


def put_together(verdicts: Iterable[Verdict]) -> Iterator[Throws]:
    """Fuse the readings of each throw that several cameras saw, group by group."""
    for group, own in groupby(verdicts, key=lambda verdict: verdict.case.group):
        by_throw: dict[str, list[Verdict]] = {}
        for verdict in own:
            if verdict.case.throw is not None:
                by_throw.setdefault(verdict.case.throw, []).append(verdict)
        several = [seen for seen in by_throw.values() if len(seen) > 1]
        if several:
            yield _cameras(group, several)


def _cameras(group: str, throws: Sequence[Sequence[Verdict]]) -> Throws:
    answers = [(seen[0].case.segments, fuse([verdict.read for verdict in seen])) for seen in throws]
    named = [(sorted(true or ()), answer) for true, answer in answers]
    right = [isinstance(a, FusedReading) and sorted(d.segment for d in a.darts) == true for true, a in named]
    taken = [isinstance(a, FusedReading) and not a.review for _, a in named]
    return Throws(
        name=group,
        how="cameras",
        throws=len(throws),
        found=sum(isinstance(a, FusedReading) and bool(a.darts) for _, a in named),
        extra=0,
        right=sum(right),
        accepted=sum(taken),
        wrong_accepted=sum(a and not r for a, r in zip(taken, right, strict=True)),
    )


def video_groups(data: Path) -> set[str]:
    """Name the groups that have labelled videos."""
    return {group for group, _ in _labelled(data)}


def _labelled(data: Path) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Give every labelled video with its group; the labels are some, for `load_cases` read them."""
    labels = read_json(data / "labels.json")
    assert isinstance(labels, dict)
    for group, entries in labels.items():
        for entry in entries:
            if {"video", "throws", "segments"} <= set(entry):
                yield group, entry


def videos(data: Path, groups: Sequence[str]) -> Iterator[Throws | Failure]:
    """Replay each labelled video of some groups (all of them if none is named) and hold its events to its labels.

    A label: `{"video", "throws": [frame, …], "segments": […], "takeouts": [[first, last], …], "on_a_wire":
    {"2": ["S16", "S8"]}}`, the last for throws of which either segment is right.
    """
    for group, entry in _labelled(data):
        if not groups or group in groups:
            yield _video(data / group / entry["video"], f"{group}/{entry['video']}", entry)


def _video(path: Path, name: str, label: Mapping[str, Any]) -> Throws | Failure:
    source = open_frames(path)
    if isinstance(source, Failure):
        return source
    seen = list(replay(source, Setup(game="cricket", image_size=source.size)))
    events = [event for event in seen if isinstance(event, Event)]
    return judge_events(name, label, events)


def judge_events(name: str, label: Mapping[str, Any], events: Sequence[Event]) -> Throws:
    """Hold the events of a video to its labels; throws are paired in order, each with the nearest left."""
    either = label.get("on_a_wire", {})
    true = [(frame, either.get(str(k), [label["segments"][k]])) for k, frame in enumerate(label["throws"])]
    right = accepted = wrong = found = extra = 0
    for event in (event for event in events if event.kind == "throw"):
        near = min(true, key=lambda t: abs(t[0] - event.frame), default=None)
        same = near is not None and abs(near[0] - event.frame) <= NEAR_FRAMES
        hit = near is not None and same and event.data["segment"] in near[1]
        if near is not None and same:
            true.remove(near)
        found, extra, right = found + same, extra + (not same), right + hit
        taken = not event.data["review"]
        accepted, wrong = accepted + taken, wrong + (taken and not hit)
    takeouts = label.get("takeouts", [])
    pulled = [event for event in events if event.kind == "takeout"]
    ended = sum(
        any(first - NEAR_FRAMES <= event.end_frame and event.frame <= last + NEAR_FRAMES for event in pulled)
        for first, last in takeouts
    )
    return Throws(
        name=name,
        how="video",
        throws=len(label["throws"]),
        found=found,
        extra=extra,
        right=right,
        accepted=accepted,
        wrong_accepted=wrong,
        takeouts=len(takeouts),
        takeouts_found=ended,
    )
