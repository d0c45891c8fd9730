"""Two programs of one name at a broker: each is told so in one sentence, and no longer once the other is gone."""

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from support.service import opened
from support.venue import needs_broker

from service.bench.servers import Mosquitto, until
from service.changes import Message
from service.config import MqttConfig
from service.outward import rivals as rivals_module
from service.outward.mqtt import Broker
from service.outward.outlet import Refusal
from service.outward.rivals import TIMES, Rivals
from service.venue.intake import Intake
from service.venue.link import Address, Link


@pytest.fixture
def broker(tmp_path: Path) -> Iterator[Mosquitto]:
    made = Mosquitto(tmp_path)
    yield made
    made.end()


def test_a_connection_that_is_ended_again_and_again_is_told_until_it_stands(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    rivals = Rivals("tallycam-x", "end the other")
    for _ in range(TIMES):
        assert rivals.problem is None
        rivals.let_in()
        rivals.ended()
    assert str(rivals.problem).endswith("another program uses the name 'tallycam-x'; end the other")
    monkeypatch.setattr(rivals_module, "WITHIN_S", 0.0)
    assert rivals.problem is None


def test_a_broker_that_is_away_is_no_rival() -> None:
    rivals = Rivals("tallycam-x", "end the other")
    rivals.let_in()
    for _ in range(10):  # it lets nobody in
        rivals.ended()
    assert rivals.problem is None


@needs_broker
@pytest.mark.long
def test_two_clubs_at_one_broker_are_both_told(broker: Mosquitto, monkeypatch: pytest.MonkeyPatch) -> None:
    address = Address(host="127.0.0.1", port=broker.port)
    first, second = Link(Intake({}), address), Link(Intake({}), address)
    with closing(first):
        first.start()
        until(lambda: first.problem is None)
        with closing(second):
            second.start()
            until(lambda: "another program uses the name 'tallycam-venue'" in str(first.problem))
            until(lambda: "another program uses the name 'tallycam-venue'" in str(second.problem))
            assert str(first.problem).count(". ") == 0
        monkeypatch.setattr(rivals_module, "WITHIN_S", 1.0)
        until(lambda: first.problem is None)


@needs_broker
@pytest.mark.long
def test_two_boards_of_one_name_at_a_broker_are_told_with_the_next_change(
    broker: Mosquitto, tmp_path: Path
) -> None:
    config = MqttConfig(host="127.0.0.1", port=broker.port)
    message = Message(
        event="change", match_id="m", number=1, kind="match.created", at="2026-11-30T12:00:00.000Z", data="{}"
    )
    with opened(tmp_path / "a") as one, opened(tmp_path / "b") as other:
        first, second = Broker(one, config), Broker(other, config)
        with closing(first), closing(second):
            first.start()
            second.start()
            until(lambda: first._rivals.problem is not None)
            with pytest.raises(Refusal, match="another program uses the name 'tallycam-board'; give each board"):
                first.give(message)
