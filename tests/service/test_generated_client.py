"""A client written from the descriptions alone plays a match of each game, corrected in the middle and undone."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, TypeAlias

import pytest
from support.generated_client import written
from support.program import tallycam
from support.service import UMPIRE, ask, free_port, running

from engine import GAMES, parse_sheet, replay

JSON: TypeAlias = Any
Client: TypeAlias = Any
"""The generated one: its methods are known when it has been written."""

STEPS = 24
CONFIGS: dict[str, dict[str, JSON]] = {"cricket": {}, "finn": {"ride_the_rails": True}, "astrolabe": {"balls": 4}}


@pytest.fixture(scope="module")
def client(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Client]:
    """Give a client of a running service, written from what that says of itself."""
    folder, port = tmp_path_factory.mktemp("client"), free_port()
    with running("--data", str(folder / "data"), port=port) as (_, base):
        documents = [ask(base, "GET", f"/{name}.json") for name in ("openapi", "asyncapi")]
        yield written(documents[0], documents[1], folder).Client("127.0.0.1", port)


class Match:
    """A match over the generated client, held to `tallycam score` and to what its followers hear at each step."""

    def __init__(self, client: Client, capsys: pytest.CaptureFixture[str], file: Path, game: str) -> None:
        self.client, self.capsys, self.file = client, capsys, file
        body = {"game": game, "sides": ["Ann", "Ben"], "config": CONFIGS[game]}
        self.view = client.create_match(body=body)
        self.heard = client.follow_match(match_id=self.id)
        first = next(self.heard)
        assert first["type"] == "tallycam.match.snapshot"
        assert first["data"]["match"]["seq"] == 0

    @property
    def id(self) -> str:
        """Its id."""
        return str(self.view["id"])

    def write(self, entry: JSON) -> None:
        """Write an entry."""
        self._is(
            self.client.append_entry(
                match_id=self.id, body={"expected_seq": self.view["seq"], "entry": entry}, idempotency_key=self.key
            )
        )

    def undo(self) -> None:
        """Undo the newest correction."""
        self._is(self.client.undo(match_id=self.id, body={"expected_seq": self.view["seq"], "by": UMPIRE}))

    @property
    def key(self) -> str:
        """A key of the next request's own."""
        return f"{self.id}-{self.view['seq']}"

    def _is(self, view: JSON) -> None:
        """Hold what is answered, told and scored to one another."""
        told = next(
            event for event in self.heard if event["type"] not in ("tallycam.beat", "tallycam.watch.status")
        )
        assert told["data"]["result"] == view["result"]
        assert int(told["sequence"]) == view["change"]
        self.file.write_text(self.client.get_scoresheet(match_id=self.id), encoding="utf-8")
        assert json.loads(tallycam(self.capsys, "score", str(self.file)).out) == view["result"]
        self.view = view


@pytest.mark.parametrize("game", sorted(GAMES))
@pytest.mark.long
def test_a_match_is_played_corrected_and_undone_and_every_step_is_the_rules(
    client: Client, game: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    match, rules = Match(client, capsys, tmp_path / "match.jsonl", game), GAMES[game]
    for step in range(STEPS):
        if step == STEPS // 2:
            corrects_and_undoes(match)
        sheet = parse_sheet(client.get_scoresheet(match_id=match.id))
        choices = list(rules.legal(replay(sheet).state, step))
        if not choices:
            break
        action = rules.format_action(choices[step * 7 % len(choices)])
        match.write({"entry": "record", "action": action, "by": "player"})
    assert match.view["seq"] >= STEPS
    assert client.get_match(match_id=match.id) == match.view
    again = client.follow_match(match_id=match.id, after=match.view["change"] - 1)
    assert next(again)["data"]["change"] == match.view["change"]


def corrects_and_undoes(match: Match) -> None:
    """Amend an earlier action to its likeliest alternative, as it was looked ahead at, and take that back."""
    before = match.view["result"]
    for step in match.view["history"]:
        offers = match.client.get_alternatives(match_id=match.id, entry_id=step["id"])["alternatives"]
        usable = [one for one in offers if one["preview"]["result"]["conflict"] is None]
        if usable:
            break
    else:
        raise AssertionError("there is nothing to correct")
    entry = {"entry": "amend", "target": step["id"], "action": usable[0]["action"], "by": UMPIRE, "reason": "seen"}
    ahead = match.client.preview_entries(match_id=match.id, body={"entries": [entry]})["previews"][0]
    match.write(entry)
    assert match.view["result"] == ahead["result"] == usable[0]["preview"]["result"]
    match.undo()
    assert match.view["result"] == before


def test_a_refusal_is_a_problem_with_a_code(client: Client) -> None:
    match = client.create_match(body={"game": "cricket", "sides": ["Ann", "Ben"]})
    action = {"kind": "throw", "side": 1, "t_ms": 0, "segment": "T20"}
    body = {"expected_seq": 0, "entry": {"entry": "record", "action": action, "by": "player"}}
    with pytest.raises(Exception, match="WRONG_SIDE"):
        client.append_entry(match_id=match["id"], body=body)
    with pytest.raises(Exception, match="NO_SUCH_MATCH"):
        client.get_match(match_id="none")
