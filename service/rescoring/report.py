"""The report of a run: as JSON, as lines to read, as a page with clips of what changed."""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from html import escape
from pathlib import Path
from typing import Any

from service.rescoring.changes import Change, Compared
from service.rescoring.found import Recording
from service.rescoring.run import Done
from vision.clips import Stretch, cut_clips
from vision.failure import Failure
from vision.recording import folder_written_whole


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """All recordings of a run, in order, and what read them."""

    compared: tuple[Compared, ...]
    pipeline: str
    networks: Mapping[str, str]
    taken: int

    @property
    def changed(self) -> bool:
        """Whether anything is not as it was accepted, or cannot be read."""
        return any(one.status not in {"same", "new"} for one in self.compared)

    def totals(self) -> dict[str, int]:
        """Count."""
        changes = [change for one in self.compared for change in one.changes]
        both = [one for one in self.compared if one.asked_then is not None and one.asked_now is not None]
        status = ("same", "changed", "broken", "unusable", "new")
        return {
            "recordings": len(self.compared),
            **{name: sum(one.status == name for one in self.compared) for name in status},
            "actions": sum(one.actions for one in self.compared),
            "changes": len(changes),
            "changes_nobody_is_asked_about": sum(not change.asks for change in changes),
            "changes_of_what_a_person_said": sum(_by_person(change) for change in changes),
            "asked_then": sum(one.asked_then or 0 for one in both),
            "asked_now": sum(one.asked_now or 0 for one in both),
            "taken_from_before": self.taken,
        }

    def to_json(self) -> dict[str, Any]:
        """Give it for programs."""
        return {
            "pipeline": self.pipeline,
            "networks": dict(self.networks),
            "totals": self.totals(),
            "recordings": [one.to_json() for one in self.compared],
        }


def report_of(compared: Sequence[Compared], done: Done) -> Report:
    """Put a report together."""
    return Report(
        compared=tuple(compared),
        pipeline=done.marks.pipeline,
        networks=dict(done.marks.networks),
        taken=done.taken,
    )


def lines_of(report: Report, recordings: Mapping[str, Recording]) -> Iterator[str]:
    """Give the report as lines: what asks nobody first."""
    for one in report.compared:
        if one.message is not None:
            yield f"{one.name}: {one.message}"
    changes = [(one.name, change) for one in report.compared for change in one.changes]
    for name, change in sorted(changes, key=lambda pair: pair[1].asks):
        where = recordings[name].folder / change.clip if change.clip else recordings[name].source.path
        yield f"{name} at {change.at_ms / 1000:.1f} s: {_said(change)}; {where}"
    totals = report.totals()
    yield (
        "{recordings} recording{many}, {actions} actions: {changes} are not as they were accepted, "
        "{changes_nobody_is_asked_about} of them nobody would be asked about, "
        "{changes_of_what_a_person_said} a person had said"
    ).format(**totals, many="" if totals["recordings"] == 1 else "s")
    yield "asked about: {asked_then} then, {asked_now} now".format(**totals)
    for name in ("broken", "unusable", "new"):
        if totals[name]:
            yield f"{totals[name]} {_WORDS[name]}"


def write_report(report: Report, recordings: Mapping[str, Recording], folder: Path) -> None:
    """Write `report.json`, `index.html` and clips of what changed into a folder, whole or not at all.

    Raises
    ------
    OSError
        If it cannot be written, or is there already and not empty.
    """
    with folder_written_whole(folder) as work:
        shown = [
            _with_clips(place, one, recordings.get(one.name), work) for place, one in enumerate(report.compared)
        ]
        whole = replace(report, compared=tuple(shown))
        text = json.dumps(whole.to_json(), ensure_ascii=False, indent=1) + "\n"
        (work / "report.json").write_text(text, encoding="utf-8")
        (work / "index.html").write_text("\n".join(_page(whole)) + "\n", encoding="utf-8")


_WORDS = {
    "broken": "cannot be read to their end",
    "unusable": "cannot be used",
    "new": "have no scoresheet to be held against",
}


def _with_clips(place: int, one: Compared, recording: Recording | None, folder: Path) -> Compared:
    """Cut a clip of each change; where that cannot be, the change has none."""
    if recording is None or not one.changes or not recording.source.path.is_file():
        return replace(one, changes=tuple(replace(change, clip=None) for change in one.changes))
    name = f"{place:05d}"
    wanted = [
        Stretch(name=f"{number:03d}", from_ms=change.from_ms, to_ms=change.to_ms)
        for number, change in enumerate(one.changes)
    ]
    (folder / "clips").mkdir(exist_ok=True)
    cut = cut_clips(recording.source.path, wanted, folder / "clips" / name)
    clips = {} if isinstance(cut, Failure) else cut
    return replace(
        one,
        changes=tuple(
            replace(
                change, clip=clips[stretch.name].relative_to(folder).as_posix() if stretch.name in clips else None
            )
            for change, stretch in zip(one.changes, wanted, strict=True)
        ),
    )


def _by_person(change: Change) -> bool:
    return change.by is not None and not change.by.startswith("camera")


def _said(change: Change) -> str:
    was = f"{change.was}, as {change.by} had said," if _by_person(change) else change.was
    match change.was, change.now:
        case "", now:
            said = f"{now} is new"
        case _, "":
            said = f"{was} is gone"
        case _, now:
            said = f"{was} is {now} now"
    return f"{said} ({'asks' if change.asks else 'NOBODY IS ASKED'})"


def _page(report: Report) -> Iterator[str]:
    totals = report.totals()
    yield '<!doctype html><html lang="en"><meta charset="utf-8"><title>tallycam: scored again</title>'
    yield f"<style>{_STYLE}</style><h1>Scored again</h1>"
    yield f"<p>Read by tallycam {escape(report.pipeline)}.</p><table>"
    for name, count in totals.items():
        yield f"<tr><th>{escape(name.replace('_', ' '))}</th><td>{count}</td></tr>"
    yield "</table>"
    for one in report.compared:
        if one.changes or one.message:
            yield from _section(one)
    yield "</html>"


def _section(one: Compared) -> Iterator[str]:
    yield f"<h2>{escape(one.name)}</h2>"
    if one.message:
        yield f"<p>{escape(one.message)}</p>"
    if one.scores_then != one.scores_now:
        then, now = (" : ".join(map(str, scores or ())) for scores in (one.scores_then, one.scores_now))
        yield f"<p>{escape(then)} then, {escape(now)} now</p>"
    for change in one.changes:
        mark = "" if change.asks else ' class="silent"'
        yield f"<p{mark}>{change.at_ms / 1000:.1f} s: {escape(_said(change))}</p>"
        if change.clip:
            link = escape(change.clip)
            yield f'<p><a href="{link}">{link}</a></p><video controls preload="metadata" src="{link}"></video>'


_STYLE = (
    "body{font:16px/1.5 system-ui;margin:2em auto;max-width:50em;padding:0 1em;color-scheme:light dark}"
    "th{text-align:left;padding-right:2em;font-weight:normal}td{text-align:right}"
    "video{max-width:100%}.silent{font-weight:bold}"
)
