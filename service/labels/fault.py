"""A match for whoever is to look into what was read wrong: what it takes to see the fault again, without people.

Sides and umpires are numbers, dates and reasons in words are left out. Pictures and clips are what the camera saw:
nobody can take people out of those, so whoever passes them on has to look.
"""

import json
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final, TypeAlias

from engine import Scoresheet, format_sheet
from service.boards.boards import stretch_ms
from service.matches import Matches
from service.media import Media
from service.store import BoardTables, SightingRow, SightingTable
from service.zips import write_new
from vision.clips import Stretch, cut_clips
from vision.failure import Failure

JSON: TypeAlias = Any

READ_ME: Final = """A match as tallycam kept it, for whoever looks into what was read wrong.

match.jsonl     the scoresheet with its corrections; sides and umpires are numbers
events.jsonl    what the camera said, a line each; `id` leads to its pictures, `model` to the networks that read it
setups.jsonl    how the board lay in the picture, each version that was used
pictures/       before and after each event
clips/          what of the film was kept, or could be cut from the recording

Names, dates and reasons were taken out. Pictures and clips show what the camera saw: look before you pass them on.
"""
NOT_SAID: Final = "not told"


def write_fault(matches: Matches, match_id: str, target: Path) -> list[str]:
    """Write a zip file that does not exist yet; gives the names of its parts.

    Raises
    ------
    NoSuchMatch, FileExistsError, OSError
    """
    sheet, media = matches.sheet(match_id), Media(matches.store.media)
    rows = SightingTable(matches.store).of(match_id=match_id)
    parts: dict[str, bytes] = {
        "README.txt": READ_ME.encode(),
        "match.jsonl": nameless(sheet).encode(),
        "events.jsonl": "".join(_line(row) for row in rows).encode(),
        "setups.jsonl": _setups(matches, match_id).encode(),
    }
    for row in rows:
        for word, name in row.pictures.items():
            path = media.find(name)
            if path is not None:
                folder = "clips" if word == "clip" else "pictures"
                parts[f"{folder}/{row.id:06d}-{word}{path.suffix}"] = path.read_bytes()
    parts |= _cut(matches, rows)
    write_new(target, "tallycam-fault", parts)
    return list(parts)


def nameless(sheet: Scoresheet) -> str:
    """Give a scoresheet without people: sides and umpires numbered, no dates, no reasons in words, no evidence."""
    lines = [json.loads(line) for line in format_sheet(sheet).splitlines()]
    umpires: dict[str, int] = {}
    for line in lines:
        if "sides" in line:
            line["sides"] = [f"Side {number}" for number, _ in enumerate(line["sides"], 1)]
        if str(line.get("by", "")).startswith("umpire:"):
            line["by"] = f"umpire:{umpires.setdefault(line['by'], len(umpires) + 1)}"
        if "reason" in line:
            line["reason"] = NOT_SAID
        for name in ("at", "date", "created_at", "evidence"):
            line.pop(name, None)
    return "".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines)


def _line(row: SightingRow) -> str:
    head: dict[str, JSON] = {
        "id": row.id,
        "model": row.model,
        "entries": list(row.entries),
        "state": row.state,
        "decision": row.decision,
    }
    return (
        json.dumps({**head, **row.event, "codes": [dict(code) for code in row.codes]}, ensure_ascii=False) + "\n"
    )


def _setups(matches: Matches, match_id: str) -> str:
    tables = BoardTables(matches.store)
    versions = {(one.board_id, one.setup_version) for one in tables.watchings(match_id=match_id)}
    found = [tables.setup(board, version) for board, version in sorted(versions)]
    boards = {board: number for number, board in enumerate(sorted({board for board, _ in versions}), 1)}
    told: list[Mapping[str, JSON]] = [
        {"board": boards[row.board_id], "version": row.version, "setup": dict(row.setup)} for row in found if row
    ]
    return "".join(json.dumps(one, ensure_ascii=False) + "\n" for one in told)


def _cut(matches: Matches, rows: tuple[SightingRow, ...]) -> dict[str, bytes]:
    """Cut the clips of a recording that is still there, of events of which none was kept."""
    boards, parts = BoardTables(matches.store), dict[str, bytes]()
    for watching_id in sorted({row.watching_id for row in rows if row.watching_id is not None}):
        watching = boards.watching(watching_id)
        if watching is None or not Path(watching.source).is_file():
            continue
        wanted = [row for row in rows if row.watching_id == watching_id and _is_worth_a_clip(row)]
        stretches = [_stretch(row) for row in wanted]
        with tempfile.TemporaryDirectory(prefix="tallycam-fault-") as folder:
            clips = cut_clips(Path(watching.source), stretches, Path(folder)) if stretches else {}
            if not isinstance(clips, Failure):
                parts |= {f"clips/{path.name}": path.read_bytes() for path in clips.values()}
    return parts


def _is_worth_a_clip(row: SightingRow) -> bool:
    """Say whether people had to do with it, or should: the rest of a match is no fault."""
    return "clip" not in row.pictures and bool(row.codes or row.decision)


def _stretch(row: SightingRow) -> Stretch:
    from_ms, to_ms = stretch_ms(row.event)
    return Stretch(name=f"{row.id:06d}", from_ms=from_ms, to_ms=to_ms)
