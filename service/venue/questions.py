"""What people ask the club: the wall, matches, players, results. Each a query, the numbers made by `tally`."""

import csv
import io
import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final, TypeAlias

from sqlalchemy import Column, Engine, Row, Select, func, select, text

from engine import ScoresheetError, parse_sheet, result
from service.exports import cell
from service.statistics import statistics
from service.venue import schema
from service.venue.tally import read_sheet

JSON: TypeAlias = Any

MOST: Final = 500
"""Matches in one answer."""


def playing(engine: Engine) -> dict[str, dict[str, JSON]]:
    """Give the match of each board that changed last."""
    table, board = schema.standing.c, schema.board.c
    newest = select(func.max(table.change_id)).where(table.board_id == board.id).correlate(schema.board)
    query = _whole().join(
        schema.board, (table.board_id == board.id) & (table.change_id == newest.scalar_subquery())
    )
    with engine.connect() as db:
        return {row.board_id: _short(row) for row in db.execute(query)}


def matches(
    engine: Engine,
    board: str | None = None,
    player: str | None = None,
    limit: int = 100,
    before: str | None = None,
) -> list[dict[str, JSON]]:
    """Give matches, the newest change first; of a board, with a player, older than a time, where asked for."""
    table = schema.standing.c
    query = _whole().order_by(table.at.desc(), table.board_id, table.match_id)
    if board is not None:
        query = query.where(table.board_id == board)
    if before is not None:
        query = query.where(table.at < before)
    if player is not None:
        query = query.where(text(_PLAYS)).params(player=_same(player))
    with engine.connect() as db:
        return [_short(row) for row in db.execute(query.limit(min(limit, MOST)))]


_PLAYS: Final = (
    "EXISTS (SELECT 1 FROM json_array_elements_text(total.sides::json) AS one(name)"
    " WHERE lower(btrim(one.name)) = :player)"
)


def match(engine: Engine, board: str, match_id: str) -> dict[str, JSON] | None:
    """Give a match with its statistics, from its entries as they are kept now; None where there is none."""
    found = read_sheet(engine, board, match_id)
    if found is None:
        return None
    written, created_at = found
    about = {"board": board, "id": match_id, "created_at": created_at}
    try:
        sheet = parse_sheet(written)
    except ScoresheetError as fault:
        return {**about, "problem": str(fault)}
    told = {"game": sheet.game, "sides": list(sheet.sides), "seq": len(sheet.entries)}
    return {**about, **told, "result": result(sheet), "statistics": statistics(sheet)}


def players(engine: Engine) -> list[dict[str, JSON]]:
    """Give what each player did by game, over all matches that are over or rest, the most matches first.

    A player is a name, whatever the case of its letters.
    """
    with engine.connect() as db:
        rows = db.execute(text(_PLAYERS)).all()
        counts: dict[tuple[str, str], dict[str, int]] = {}
        for row in db.execute(text(_COUNTS)):
            counts.setdefault((row.game, row.player), {})[row.key] = int(row.total)
    return [
        {
            "name": row.name,
            "game": row.game,
            "matches": row.matches,
            "won": row.won,
            "points": int(row.points),
            "turns": int(row.turns),
            "points_per_turn": round(row.points / row.turns, 2) if row.turns else 0.0,
            "best_turn": row.best_turn,
            "counts": counts.get((row.game, row.player), {}),
        }
        for row in rows
    ]


_SIDES: Final = """
    FROM total, jsonb_array_elements(statistics::jsonb -> 'sides') WITH ORDINALITY AS one(side, place)
"""
_PLAYERS: Final = f"""
    SELECT game, lower(btrim(side ->> 'name')) AS player, min(btrim(side ->> 'name')) AS name, count(*) AS matches,
        count(*) FILTER (WHERE result::jsonb -> 'winner' = to_jsonb(place - 1)) AS won,
        sum((side ->> 'points')::bigint) AS points, sum((side ->> 'turns')::bigint) AS turns,
        max((side ->> 'best_turn')::bigint) AS best_turn
    {_SIDES} GROUP BY game, player ORDER BY matches DESC, player, game
"""
_COUNTS: Final = f"""
    SELECT game, lower(btrim(side ->> 'name')) AS player, counted.key, sum(counted.value::bigint) AS total
    {_SIDES}, jsonb_each_text(side -> 'counts') AS counted GROUP BY game, player, counted.key ORDER BY counted.key
"""


def results(engine: Engine) -> Iterator[dict[str, JSON]]:
    """Give every match, the oldest first, without holding all at once."""
    table = schema.standing.c
    query: Select[Any] = (
        _whole(schema.match.c.created_at)
        .join(schema.match, (schema.match.c.board_id == table.board_id) & (schema.match.c.id == table.match_id))
        .order_by(schema.match.c.created_at, table.board_id, table.match_id)
    )
    with engine.connect().execution_options(stream_results=True) as db:
        for row in db.execute(query):
            yield {"created_at": row.created_at, **_short(row)}


def results_csv(rows: Iterator[Mapping[str, JSON]]) -> Iterator[str]:
    """Give results as a table: a line a side."""
    yield _line(
        ("board", "match", "created_at", "last_at", "game", "side", "name", "score", "over", "won", "entries")
    )
    for row in rows:
        found = row["result"] or {}
        scores: Sequence[object] = found.get("scores") or [""] * len(row["sides"])
        for side, (name, score) in enumerate(zip(row["sides"], scores, strict=True)):
            won = int(found.get("winner") is not None and found.get("winner") == side)
            yield _line(
                (
                    row["board"],
                    row["id"],
                    row["created_at"],
                    row["at"],
                    row["game"],
                    side,
                    cell(name),
                    score,
                    int(bool(found.get("over"))),
                    won,
                    row["seq"],
                )
            )


def totals(engine: Engine) -> dict[str, int]:
    """Give how much is kept: boards, the sum of their newest changes, bytes of the database."""
    with engine.connect() as db:
        boards = db.scalar(select(func.count()).select_from(schema.board)) or 0
        size = db.scalar(text("SELECT pg_database_size(current_database())")) or 0
        changes = db.scalar(select(func.coalesce(func.sum(schema.board.c.have), 0))) or 0
    return {"boards": int(boards), "changes": int(changes), "bytes": int(size)}


def _whole(*more: Column[Any]) -> Select[Any]:
    """Ask for matches: how far each is and what it comes to, as far as that is known yet."""
    standing, total = schema.standing.c, schema.total.c
    of = (total.board_id == standing.board_id) & (total.match_id == standing.match_id)
    known = (total.result_seq, total.game, total.sides, total.result)
    return select(schema.standing, *known, *more).outerjoin(schema.total, of)


def _short(row: Row[Any]) -> dict[str, JSON]:
    found = None if row.result is None else json.loads(row.result)
    return {
        "board": row.board_id,
        "id": row.match_id,
        "at": row.at,
        "seq": row.seq,
        "told_seq": -1 if row.result_seq is None else row.result_seq,
        "game": row.game,
        "sides": json.loads(row.sides) if row.sides else [],
        "result": found and {key: found[key] for key in ("turn", "scores", "over", "winner", "conflict")},
    }


def _same(name: str) -> str:
    return name.strip().lower()


def _line(cells: Sequence[object]) -> str:
    out = io.StringIO()
    csv.writer(out, lineterminator="\r\n").writerow(cells)
    return out.getvalue()
