"""Events to scoresheet: visits of three darts, darts nobody saw filled in as MISS, the turn ended by the takeout.

`scribe` takes one event at a time, so that a live match and a recording go the same way. Times never fall, and
nothing is proposed that the rules would refuse: a fourth dart, or a takeout without a dart thrown, stays an event.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

from engine import GAMES, Scoresheet, action_from_json, new_sheet, record
from engine import replay as play
from engine.cricket import EndTurn, Throw, Undo
from vision.events import Event

DARTS: Final = 3
MISS: Final = "MISS"

Action = Throw | Undo | EndTurn


@dataclass(frozen=True, slots=True, kw_only=True)
class Visit:
    """Where the match stands for the scribe.

    Attributes
    ----------
    side
        Whose turn it is.
    darts
        Segments of the turn so far.
    bounced
        Darts of the turn that bounced out: they are among those filled in when it ends.
    t_ms
        Time of the newest action.
    """

    side: int = 0
    darts: tuple[str, ...] = ()
    bounced: int = 0
    t_ms: int = 0


def scribe(visit: Visit, event: Event) -> tuple[Visit, tuple[Action, ...]]:
    """Turn one event of cricket into the actions that it stands for, in order; often none."""
    now = replace(visit, t_ms=max(visit.t_ms, event.t_ms))
    match event.kind:
        case "throw" if len(visit.darts) < DARTS:
            return _threw(now, (event.data["segment"],))
        case "bounce_out":
            return replace(visit, bounced=visit.bounced + 1), ()
        case "dart_fell" if event.data["dart"] is not None and event.data["dart"] < len(visit.darts):
            return _fell(now, event.data["dart"])
        case "takeout" if visit.darts or visit.bounced:
            return _ended(now)
        case _:
            return visit, ()


def _threw(now: Visit, segments: Sequence[str]) -> tuple[Visit, tuple[Action, ...]]:
    throws = tuple(Throw(side=now.side, t_ms=now.t_ms, segment=segment) for segment in segments)
    return replace(now, darts=(*now.darts, *segments)), throws


def _fell(now: Visit, dart: int) -> tuple[Visit, tuple[Action, ...]]:
    """Take back the darts down to the one that fell, then note it as a miss and the later ones again (FC-03)."""
    back = tuple(Undo(side=now.side, t_ms=now.t_ms) for _ in now.darts[dart:])
    after, again = _threw(replace(now, darts=now.darts[:dart]), (MISS, *now.darts[dart + 1 :]))
    return after, (*back, *again)


def _ended(now: Visit) -> tuple[Visit, tuple[Action, ...]]:
    filled, misses = _threw(now, (MISS,) * (DARTS - len(now.darts)))
    end = EndTurn(side=now.side, t_ms=now.t_ms)
    return Visit(side=1 - filled.side, t_ms=filled.t_ms), (*misses, end)


@dataclass(frozen=True, slots=True, kw_only=True)
class Proposal:
    """An action of a recording and the event that it comes from (its place among the events)."""

    action: Action
    event: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ShotProposal:
    """A shot as JSON of the scoresheet, the place of the event it comes from, and the frame that names it."""

    action: Mapping[str, Any]
    event: int
    frame: int

    def of(self, shot: "ShotProposal") -> "ShotProposal":
        """Give this revision in the place of the shot that it revises."""
        return replace(self, frame=shot.frame)


def proposals(events: Iterable[Event]) -> tuple[Proposal, ...]:
    """Give the actions of a whole recording, each as it stands in the end: what was taken back is not in it."""
    visit, kept = Visit(), list[Proposal]()
    for place, event in enumerate(events):
        visit, actions = scribe(visit, event)
        for action in actions:
            if isinstance(action, Undo):
                kept.pop()
            else:
                kept.append(Proposal(action=action, event=place))
    return tuple(kept)


def shots(game: str, events: Iterable[Event]) -> tuple[ShotProposal, ...]:
    """Give the shots of a recording of `finn` or `astrolabe`, each as it stands in its last revision.

    A match of astrolabe begins with its first shot: the camera does not see the clock start.
    """
    kept: list[ShotProposal] = []
    for place, event in enumerate(events):
        if event.kind not in ("shot", "shot_revised") or event.data.get("action") is None:
            continue
        proposal = ShotProposal(action=event.data["action"], event=place, frame=event.frame)
        if event.kind == "shot":
            kept.append(proposal)
        else:
            kept = [proposal.of(old) if old.frame == event.data["shot_frame"] else old for old in kept]
    if game == "astrolabe" and kept:
        begin = {"kind": "start_round", "t_ms": kept[0].action["t_ms"]}
        kept.insert(0, ShotProposal(action=begin, event=kept[0].event, frame=kept[0].frame))
    return tuple(kept)


def sheet_of(
    events: Sequence[Event],
    sides: Sequence[str],
    config: Mapping[str, Any] | None = None,
    evidence: Mapping[int, tuple[str | int, ...]] | None = None,
    *,
    game: str = "cricket",
) -> Scoresheet:
    """Write the scoresheet of a recording, from empty.

    Parameters
    ----------
    events
        All events, in order.
    sides
        Their names; the first begins.
    config
        The match's config, as in a scoresheet's header.
    evidence
        For the place of an event, what shows it: files.
    game
        Whose events these are. A sheet of cricket ends where the match does. The shots of the other games stand as
        they were seen, for what lay on the board at the start is not on the sheet.

    Raises
    ------
    engine.ScoresheetError
        For sides or config that the game refuses.
    """
    files = evidence or {}
    sheet = new_sheet(game, sides, config)
    if game != "cricket":
        for turn, shot in enumerate(shots(game, events)):
            seen = {**shot.action, "side": turn % len(sides)} if game == "finn" else shot.action
            action = action_from_json(game, seen, len(sides))
            sheet = record(sheet, action, evidence=files.get(shot.event))
        return sheet
    rules, state = GAMES["cricket"], play(sheet).state
    for proposal in proposals(events):
        if rules.check(state, proposal.action) is not None:
            break
        state = rules.apply(state, proposal.action)
        sheet = record(sheet, proposal.action, evidence=files.get(proposal.event))
    return sheet
