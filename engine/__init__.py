"""The rules of three games and the scoresheet: pure functions over frozen values, standard library only.

ValueError
├── ScoresheetError    a file or an entry that makes no scoresheet: `line`, `message`
├── FormError          a JSON value that is no action or config
└── NotationError      a typed line that is no notation
"""

from engine.digest import digest
from engine.entries import Amend, Entry, Insert, Record, Scoresheet, Strike
from engine.explanation import Explained, Total, explain, running_totals
from engine.forms import FormError, NotationError
from engine.game import Game, Outcome, Reason
from engine.games import GAMES
from engine.journal import (
    action_from_json,
    action_to_json,
    amend,
    append,
    insert,
    new_sheet,
    record,
    strike,
)
from engine.playback import Conflict, Preview, Replay, Step, preview, replay, result
from engine.results import result_of
from engine.sheet_text import (
    ScoresheetError,
    format_entry,
    format_header,
    format_sheet,
    parse_entry,
    parse_sheet,
)
from engine.timeline import effective

__all__ = [
    "GAMES",
    "Amend",
    "Conflict",
    "Entry",
    "Explained",
    "FormError",
    "Game",
    "Insert",
    "NotationError",
    "Outcome",
    "Preview",
    "Reason",
    "Record",
    "Replay",
    "Scoresheet",
    "ScoresheetError",
    "Step",
    "Strike",
    "Total",
    "action_from_json",
    "action_to_json",
    "amend",
    "append",
    "digest",
    "effective",
    "explain",
    "format_entry",
    "format_header",
    "format_sheet",
    "insert",
    "new_sheet",
    "parse_entry",
    "parse_sheet",
    "preview",
    "record",
    "replay",
    "result",
    "result_of",
    "running_totals",
    "strike",
]
