"""Labelled examples from play: what was seen, what the model said, what a person made of it.

No label is stored: each is read off the log whenever it is asked for, so that it can never differ from the score.
A wrong label is put right by correcting the entry (or deciding the review), like any other mistake, and by nothing
else. Nothing is a label unless the settings say so (`labels.keep`), and nothing for longer than `labels.days`.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any, Final, TypeAlias

from engine import FormError, Scoresheet, ScoresheetError, Strike, action_from_json, action_to_json, effective
from engine.timeline import standing
from service.config import LabelsConfig
from service.matches import Matches
from service.store import BoardTables, SightingRow, SightingTable, WatchingRow
from vision.export.splits import TRAIN, VAL, split_of

JSON: TypeAlias = Any

KINDS: Final = ("throw", "shot")
"""Events that are examples: what happened on the board, not who came near it."""
VAL_SHARE: Final = 0.2
"""Share of matches whose examples are held back, by the match's id: all of a match's, or none."""
NOTHING: Final = "none"
"""The label of what a person said was nothing."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Label:
    """A labelled example.

    Attributes
    ----------
    id
        Of the sighting, which is that of its review.
    match, game, board, setup_version
        Where it was seen; the last two None for what another program proposed.
    kind
        `throw` or `shot`.
    t_ms, at
        When: of the recording, and of the day.
    entries
        Of the match that stand for it: to put the label right, correct these.
    pictures
        Names by word: `before_whole`, `after_whole`, close up `before`, `after`; those that are still there.
    said, truth
        The action as the model said it, and as it counts now; the truth None: it was nothing.
    labels
        The truth in words to filter by: a dart's segment; of pins the states they came to; of balls where to.
    error
        Whether the two differ.
    confidence
        The model's.
    codes
        Why a person was asked, none where nobody was.
    decision, by
        What the person did (`accept`, `correct`, `strike`), and who.
    model
        Hash of the networks that read it, if that is known.
    split
        `train` or `val`, the same for a whole match.
    """

    id: int
    match: str
    game: str
    board: str | None
    setup_version: int | None
    kind: str
    t_ms: int
    at: str
    entries: tuple[int, ...]
    pictures: Mapping[str, str]
    said: JSON
    truth: JSON
    labels: tuple[str, ...]
    error: bool
    confidence: float | None
    codes: tuple[str, ...]
    decision: str
    by: str
    model: str | None
    split: str

    def to_json(self) -> dict[str, JSON]:
        """Give it as the API and the command line do."""
        values = {name: getattr(self, name) for name in self.__slots__}
        lists = {name: list(values[name]) for name in ("entries", "labels", "codes")}
        return {**values, **lists, "pictures": dict(self.pictures)}


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """Which labels: of a match, a game, one label, right or wrong, of such confidence, after an id; None: any."""

    match: str | None = None
    game: str | None = None
    label: str | None = None
    error: bool | None = None
    above: float | None = None
    below: float | None = None
    after: int = 0

    def takes(self, one: Label) -> bool:
        """Say whether a label is wanted."""
        sure = one.confidence
        return (
            one.id > self.after
            and self.game in (None, one.game)
            and (self.label is None or self.label in one.labels)
            and self.error in (None, one.error)
            and (self.above is None or (sure is not None and sure >= self.above))
            and (self.below is None or (sure is not None and sure < self.below))
        )


def labels_of(
    matches: Matches, keep: LabelsConfig, wanted: Wanted | None = None, now: datetime | None = None
) -> list[Label]:
    """Give the labels that may be kept and are wanted, in the order in which they were seen.

    Parameters
    ----------
    matches
        Of the store.
    keep
        What may be kept, and for how long.
    wanted
        Which; None: all.
    now
        The time; None: the clock's.

    Raises
    ------
    NoSuchMatch
        If one match is wanted that is none.
    """
    wanted = wanted or Wanted()
    if keep.keep == "nothing":
        return []
    if wanted.match is not None:
        matches.sheet(wanted.match)  # or it says that there is none
    oldest = (now or datetime.now(UTC)) - timedelta(days=keep.days)
    found: list[Label] = []
    for match_id in matches.store.ids() if wanted.match is None else (wanted.match,):
        found += (one for one in _of_match(matches, match_id, keep, oldest) if wanted.takes(one))
    return sorted(found, key=lambda one: one.id)


def _of_match(matches: Matches, match_id: str, keep: LabelsConfig, oldest: datetime) -> Iterator[Label]:
    rows = SightingTable(matches.store).of(match_id=match_id)
    if not any(may_be_kept(row, keep, oldest) for row in rows):
        return
    try:
        sheet = matches.sheet(match_id)
    except ScoresheetError:  # a damaged log says nothing for sure
        return
    boards = {one.id: one for one in BoardTables(matches.store).watchings(match_id=match_id)}
    words = words_of(matches, match_id, sheet)
    for row in rows:
        if may_be_kept(row, keep, oldest) and (word := word_on(row, words)) is not None:
            label = _label(row, word, sheet, boards.get(row.watching_id or 0))
            if label is not None and (label.error or keep.keep == "reviewed"):
                yield label


def may_be_kept(row: SightingRow, keep: LabelsConfig, oldest: datetime) -> bool:
    """Say whether the settings let what was seen teach: its kind and its age."""
    return keep.keep != "nothing" and row.event["event"] in KINDS and datetime.fromisoformat(row.at) >= oldest


@dataclass(frozen=True, slots=True)
class Word:
    """What a person made of it, and who."""

    decision: str
    by: str


def words_of(matches: Matches, match_id: str, sheet: Scoresheet) -> dict[int, Word]:
    """Give what people said of entries: confirmed, corrected, struck; the last word counts."""
    said = matches.store.decisions(match_id)
    words = {entry: Word("accept", one["by"]) for entry, one in said.items() if one["decision"] == "confirmed"}
    stands = standing(sheet.entries)
    for entry, amend in stands.amended.items():
        if amend.by != "camera":
            words[entry] = Word("correct", amend.by)
    for one in sheet.entries:
        if isinstance(one, Strike) and one.id not in stands.struck and one.by != "camera":
            words[one.target] = Word("strike", one.by)
    return words


def word_on(row: SightingRow, words: Mapping[int, Word]) -> Word | None:
    """Give a person's word on what was seen: on one of its entries, or on itself; None: nobody looked."""
    own = [words[entry] for entry in row.entries if entry in words]
    if own:
        return own[-1]
    return None if row.decision is None or row.by is None else Word(row.decision, row.by)


def _label(row: SightingRow, word: Word, sheet: Scoresheet, watching: WatchingRow | None) -> Label | None:
    """Give the label; None where what was true cannot be told from the log (a person added it elsewhere)."""
    if not row.entries and word.decision != "strike":
        return None
    said, truth = said_of(row, sheet), truth_of(row, sheet)
    return Label(
        id=row.id,
        match=row.match_id,
        game=sheet.game,
        board=None if watching is None else watching.board_id,
        setup_version=None if watching is None else watching.setup_version,
        kind=row.event["event"],
        t_ms=row.event["t_ms"],
        at=row.at,
        entries=tuple(row.entries),
        pictures={name: picture for name, picture in row.pictures.items() if name != "clip"},
        said=said,
        truth=truth,
        labels=_words(sheet.game, truth),
        error=truth is None or _core(sheet.game, said) != _core(sheet.game, truth),
        confidence=row.event.get("confidence"),
        codes=tuple(sorted({code["code"] for code in row.event.get("review", ())})),
        decision=word.decision,
        by=word.by,
        model=row.model,
        split=split_of(row.match_id, VAL_SHARE),
    )


def said_of(row: SightingRow, sheet: Scoresheet) -> JSON:
    """Give the action as the model said it last, in the scoresheet's own form."""
    event = row.event
    head = {"side": 0, "t_ms": event["t_ms"]}
    if event["event"] == "throw":
        return {"kind": "throw", **head, "segment": event["segment"]}
    action = row.action or event.get("action") or {}
    try:
        return action_to_json(sheet.game, action_from_json(sheet.game, {**head, **action}, len(sheet.sides)))
    except FormError:  # another program's
        return dict(action)


def truth_of(row: SightingRow, sheet: Scoresheet) -> JSON:
    """Give the action that counts for what was seen; None: none does."""
    counting = [action for entry, action in effective(sheet.entries) if entry in row.entries]
    told = [action_to_json(sheet.game, action) for action in counting]
    mine = [action for action in told if action["kind"] == row.event["event"]]
    return mine[-1] if mine else None


def _core(game: str, action: Mapping[str, JSON]) -> JSON:
    """Give what of an action is seen: whose turn it was and when do not make a reading wrong."""
    match game:
        case "cricket":
            return action.get("segment")
        case "finn":
            return dict(action.get("pins", {})), action.get("cushions", 0), action.get("foul")
        case _:
            moves = [str(sorted(move.items())) for move in action.get("moves", ())]
            return moves[:1], sorted(moves[1:]), action.get("foul")


def _words(game: str, truth: Mapping[str, JSON] | None) -> tuple[str, ...]:
    if truth is None:
        return (NOTHING,)
    match game:
        case "cricket":
            return (str(truth["segment"]),)
        case "finn":
            return tuple(sorted(set(truth.get("pins", {}).values()))) or ("upright",)
        case _:
            ends = (move["to"] for move in truth.get("moves", ()))
            return tuple(sorted({end if isinstance(end, str) else "slot" for end in ends}))


def counts(found: list[Label]) -> dict[str, JSON]:
    """Give how many there are by label, how many the model had wrong, and how many matches of each split."""
    by_label: dict[str, int] = {}
    for one in found:
        for word in one.labels:
            by_label[word] = by_label.get(word, 0) + 1
    matches = {part: len({one.match for one in found if one.split == part}) for part in (TRAIN, VAL)}
    return {
        "examples": len(found),
        "errors": sum(one.error for one in found),
        "by_label": dict(sorted(by_label.items())),
        "matches": matches,
    }
