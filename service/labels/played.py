"""Labels as pictures with all that is in them: what else lay there is read off the log."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final, TypeAlias

from engine import Scoresheet, action_to_json, effective, replay
from engine.timeline import placed
from service.labels.labels import Label, truth_of
from service.matches import Matches
from service.media import Media
from service.store import BoardTables, SightingRow, SightingTable
from vision.export.played import Played, Told
from vision.failure import Failure
from vision.setup import Setup, parse_setup

JSON: TypeAlias = Any

MOVING: Final = ("board_moved", "board_hidden", "board_changed", "dart_fell")
"""Events after which darts are no longer where they were seen, until hands have pulled them all."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Match:
    """A match with all that was seen of it."""

    sheet: Scoresheet
    rows: Sequence[SightingRow]


def played_of(matches: Matches, found: Sequence[Label]) -> Iterator[tuple[Label, Played]]:
    """Give the picture after each labelled event with what is in it; those whose picture is gone are left out."""
    media, boards = Media(matches.store.media), BoardTables(matches.store)
    held: tuple[str, _Match] | None = None
    for label in found:
        path = media.find(label.pictures.get("after_whole", ""))
        if path is None:
            continue
        if held is None or held[0] != label.match:
            held = label.match, _opened(matches, label.match)
        yield label, _played(label, path, held[1], _setup(label, boards))


def _opened(matches: Matches, match_id: str) -> _Match:
    return _Match(sheet=matches.sheet(match_id), rows=SightingTable(matches.store).of(match_id=match_id))


def _setup(label: Label, boards: BoardTables) -> Setup | None:
    if label.board is None:
        return None
    row = boards.setup(label.board, label.setup_version)
    setup = None if row is None else parse_setup(row.setup)
    return None if isinstance(setup, Failure) else setup


def _played(label: Label, path: Path, match: _Match, setup: Setup | None) -> Played:
    row = next(one for one in match.rows if one.id == label.id)
    mine = Told(event=row.event, truth=label.truth)
    whole = Played(name=f"{label.match}-{label.id}", group=label.match, picture=path, setup=setup, told=(mine,))
    match label.game:
        case "cricket":
            lying, missing = _visit(row, match)
            return replace(whole, told=(*lying, mine), missing=missing)
        case "finn":
            return whole
        case _:
            slots, elsewhere, missing = _table(label, match.sheet)
            return replace(whole, slots=slots, elsewhere=elsewhere, missing=missing)


def _visit(row: SightingRow, match: _Match) -> tuple[tuple[Told, ...], str | None]:
    """Give the darts that stuck in the board when a dart came, and why they are not all known, if so."""
    before = [one for one in match.rows if one.watching_id == row.watching_id and one.id < row.id]
    pulled = max((one.id for one in before if one.event["event"] == "takeout"), default=0)
    visit = [one for one in before if one.id > pulled]
    takeout = next((one for one in before if one.id == pulled), None)
    if takeout is not None and any(code["code"] == "DARTS_LEFT" for code in takeout.codes):
        return (), "DARTS_LEFT"
    if any(one.event["event"] in MOVING for one in visit):
        return (), "DARTS_MOVED"
    darts = [one for one in visit if one.event["event"] == "throw"]
    if _thrown(row, match) != sum(_sticks(truth_of(one, match.sheet)) for one in darts):
        return (), "DART_NOT_SEEN"
    return tuple(Told(event=one.event, truth=truth_of(one, match.sheet)) for one in darts), None


def _thrown(row: SightingRow, match: _Match) -> int:
    """Count the darts of the turn that stuck before an event: people may have added what no camera saw."""
    earlier = max((one.last_entry or 0 for one in match.rows if one.id < row.id), default=0)
    counting = dict(effective(match.sheet.entries))
    count = 0
    for entry in placed(match.sheet.entries):
        if entry.id == row.first_entry or (row.first_entry is None and entry.id > earlier):
            break
        action = counting.get(entry.id)
        if action is not None and action.kind == "end_turn":
            count = 0
        elif action is not None:
            count += _sticks(action_to_json(match.sheet.game, action))
    return count


def _sticks(truth: Mapping[str, JSON] | None) -> bool:
    return truth is not None and truth["kind"] == "throw" and truth["segment"] != "MISS"


def _table(label: Label, sheet: Scoresheet) -> tuple[tuple[tuple[int | None, ...], ...], int, str | None]:
    """Give the slots and the number of balls elsewhere on the table after a shot; a code where nobody knows."""
    played = replay(sheet)
    step = next((one for one in played.steps if one.id in label.entries and one.action.kind == "shot"), None)
    if step is None:
        return (), 0, "NOT_COUNTED"
    board = step.state.board
    return board.slots, sum(board.grouped) + sum(board.gutter), None
