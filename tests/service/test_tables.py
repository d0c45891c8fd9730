"""What a board decides of a match on it reaches the match, whoever begins it, and nothing else is let in."""

import copy
from collections.abc import Iterator
from typing import Any

import pytest
from support.boards_service import Served, sample_clip, sample_setup, served

from service.access import Role, needed
from service.tables import decided, differing

ZONE = [[50, 0], [80, 0], [80, 49], [50, 49]]


@pytest.fixture(scope="module")
def at(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    with served(tmp_path_factory.mktemp("data")) as found:
        yield found


@pytest.fixture(scope="module")
def boards(at: Served) -> dict[str, str]:
    """A board of each table game that is not as usual; by game, its id."""
    combs = copy.deepcopy(sample_setup("astrolabe"))
    combs["positions"][0]["slots"] = 6
    zoned = sample_setup("finn") | {"zones_cm": {"defense": ZONE}}
    return {
        game: at.board(game, sample_clip(game), setup=setup)
        for game, setup in (("astrolabe", combs), ("finn", zoned))
    }


def new(game: str, **more: object) -> dict[str, Any]:
    return {"game": game, "sides": ["Ann", "Ben"], **more}


def test_a_match_on_a_board_has_its_slots_and_its_zone(at: Served, boards: dict[str, str]) -> None:
    for game, wanted in (("astrolabe", {"slots": [6, 5, 5]}), ("finn", {"defense_zone_cm": ZONE})):
        match = at.ask("POST", "/matches", new(game, board=boards[game]), 201)
        assert match["config"] == wanted
        told = at.ask("GET", f"/boards/{boards[game]}")["decides"]
        assert told == wanted, "whoever sees boards sees what a match on one has"
        own = {"target": 50}
        match = at.ask("POST", "/matches", new(game, board=boards[game], config=own), 201)
        assert match["config"] == {**own, **wanted}


def test_beginning_a_match_on_a_board_takes_no_more_than_beginning_a_match() -> None:
    assert needed("POST", "/api/v1/matches") == Role.SCORER
    assert needed("POST", "/api/v1/boards/one/watching") == Role.SCORER


def test_what_says_otherwise_than_the_board_is_refused(at: Served, boards: dict[str, str]) -> None:
    other = new("astrolabe", board=boards["astrolabe"], config={"slots": [5, 5, 5]})
    said = at.ask("POST", "/matches", other, 422)
    assert said["detail"] == "the slots of the match and of the board differ: 5, 5, 5, and 6, 5, 5"
    assert at.ask("POST", "/matches", new("finn", board=boards["astrolabe"]), 422)["code"] == "MALFORMED"
    assert at.ask("POST", "/matches", new("finn", board="nosuch"), 404)["code"] == "NO_SUCH_BOARD"


def test_a_board_watches_no_match_that_is_played_on_another_table(at: Served, boards: dict[str, str]) -> None:
    for game in ("astrolabe", "finn"):
        match_id = at.ask("POST", "/matches", new(game), 201)["id"]
        refused = at.ask("POST", f"/boards/{boards[game]}/watching", {"match": match_id}, 409)
        assert refused["code"] == "OTHER_TABLE"
        assert "differ" in refused["detail"]


@pytest.mark.parametrize(
    ("game", "setup", "wanted"),
    [
        ("finn", None, {}),  # not set up yet
        ("finn", {}, {}),  # the zone is left to the game
        ("finn", {"zones_cm": {"defense": ZONE}}, {"defense_zone_cm": ZONE}),
        ("astrolabe", {"positions": []}, {}),  # no comb was placed
        ("astrolabe", {"positions": [{"slots": 4}, {"slots": 5}, {"slots": 6}]}, {"slots": [4, 5, 6]}),
        ("cricket", {"zones_cm": {}}, {}),  # a dartboard decides nothing
    ],
)
def test_what_a_setup_decides(game: str, setup: dict[str, Any] | None, wanted: dict[str, Any]) -> None:
    assert decided(game, setup) == wanted


def test_a_board_as_usual_and_a_match_as_usual_are_one() -> None:
    usual = {"zones_cm": {"defense": [[55.0, 0.0], [80.0, 0.0], [80.0, 49.0], [55.0, 49.0]]}}
    assert differing("finn", {}, usual) is None
    assert differing("finn", {"target": 50}, usual) is None


def test_a_zone_that_is_none_is_said() -> None:
    crossed = {"zones_cm": {"defense": [[0, 0], [10, 10], [10, 0], [0, 10]]}}
    assert "simple polygon" in str(differing("finn", {}, crossed))
