"""Labels from play: kept only where the settings say so, read off the match, exported as readers want them."""

import json
import zipfile
from collections import Counter
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest
from starlette.testclient import TestClient
from support.seen import SAMPLES, Watched
from support.service import UMPIRE, amend, strike

from engine import parse_sheet
from service.api import create_app
from service.cli.main import main
from service.config import LabelsConfig, Settings
from service.labels.labels import Wanted, counts, labels_of
from service.labels.played import played_of
from service.matches import Matches
from service.retention import Retention
from service.reviews import Reviews
from service.store import Store, open_store
from vision.assets import asset
from vision.export.played import labelled_play
from vision.failure import Failure

REVIEWED = LabelsConfig(keep="reviewed", days=30)
SETTINGS = '[labels]\nkeep = "{keep}"\ndays = 30\n'
MODEL = "0123456789abcdef"


def truth_of(game: str, still: str) -> dict[str, Any]:
    """Give the truth of a bundled still."""
    value: dict[str, Any] = json.loads((asset(f"{SAMPLES}/{game}/stills/{still}") / "truth.json").read_text())
    return value


class Darts(Watched):
    """A match of darts, each seen in a bundled still, with what was true known."""

    def throws(self, number: int, segment: str, *codes: str, still: str = "000601", dart: int = 0) -> int:
        """See a dart of a still, said to be in `segment`; gives the id of the sighting."""
        known = truth_of("cricket", still)["darts"][dart]
        data = {
            "segment": segment,
            "xy_mm": known["xy_mm"],
            "tip_px": known["tip_px"],
            "confidence": 0.4 if codes else 0.99,
            "review": [{"code": code} for code in codes],
        }
        self._number += 1
        from vision.events import Event  # noqa: PLC0415

        event = Event(kind="throw", t_ms=1000 * number, frame=30 * number, end_frame=30 * number + 9, data=data)
        taken = self.boards.sightings.take(
            self.match_id, self._number, event, self.still(still), watching_id=self.watching.id, model=MODEL
        )
        assert taken is not None
        return taken.sighting_id


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with open_store(tmp_path / "data") as found:
        yield found


@pytest.fixture
def darts(store: Store) -> Iterator[Darts]:
    """Three darts of one visit: right and confirmed, wrong and corrected, never looked at."""
    one = Darts(Matches(store), "cricket", ("Ann", "Ben"), on_doubt="mark")
    setup = truth_of("cricket", "000601")["setup"]
    one.boards.table.add_setup(one.board_id, setup, "player", "2026-11-30T12:00:00.000Z")
    one.boards.table.end(one.watching.id, "ended", "2026-11-30T12:00:00.000Z")
    board = one.boards.table.get(one.board_id)
    one.watching = one.boards.table.begin(
        board, one.match_id, 2, lying=None, zero_ms=0, at="2026-11-30T12:00:00.000Z"
    )
    one.throws(1, "S13", "ON_A_WIRE", dart=0)
    one.throws(2, "DB", "ON_A_WIRE", dart=1)
    one.throws(3, "S8", dart=2)
    reviews = Reviews(one.matches, one.boards.sightings)
    reviews.decide(1, "accept", UMPIRE)
    reviews.decide(2, "correct", UMPIRE, [{"kind": "throw", "segment": "SB"}])
    yield one
    one.end()


def test_nothing_is_a_label_unless_the_settings_say_so(darts: Darts) -> None:
    assert labels_of(darts.matches, LabelsConfig()) == []
    assert LabelsConfig().keep == "nothing"


def test_what_people_looked_at_is_a_label_with_all_that_is_known_of_it(darts: Darts) -> None:
    first, second = labels_of(darts.matches, REVIEWED)
    assert (first.labels, first.error, first.decision, first.by) == (("S13",), False, "accept", UMPIRE)
    assert (second.labels, second.error, second.decision) == (("SB",), True, "correct")
    assert (second.said["segment"], second.truth["segment"]) == ("DB", "SB")
    assert (second.model, second.board, second.setup_version) == (MODEL, darts.board_id, 2)
    assert second.codes == ("ON_A_WIRE",)
    assert set(second.pictures) == {"before_whole", "after_whole"}
    assert first.split == second.split


def test_only_what_was_wrong_is_kept_where_the_settings_want_no_more(darts: Darts) -> None:
    assert [one.id for one in labels_of(darts.matches, LabelsConfig(keep="corrected"))] == [2]


@pytest.mark.parametrize(
    ("wanted", "ids"),
    [
        (Wanted(label="SB"), [2]),
        (Wanted(label="DB"), []),
        (Wanted(error=False), [1]),
        (Wanted(below=0.5), [1, 2]),
        (Wanted(above=0.5), []),
        (Wanted(game="finn"), []),
        (Wanted(after=1), [2]),
    ],
)
def test_labels_are_filtered(darts: Darts, wanted: Wanted, ids: list[int]) -> None:
    assert [one.id for one in labels_of(darts.matches, REVIEWED, wanted)] == ids


def test_a_wrong_label_is_put_right_by_correcting_the_entry(darts: Darts) -> None:
    entry = labels_of(darts.matches, REVIEWED)[1].entries[0]
    put = {"kind": "throw", "side": 0, "t_ms": 2000, "segment": "S17"}
    seq = len(darts.matches.sheet(darts.match_id).entries)
    darts.matches.append(darts.match_id, seq, [(amend(entry, put), None)])
    assert labels_of(darts.matches, REVIEWED)[1].labels == ("S17",)
    darts.matches.append(darts.match_id, seq + 1, [(strike(seq + 1), None)])
    assert labels_of(darts.matches, REVIEWED)[1].labels == ("SB",)
    darts.matches.append(darts.match_id, seq + 2, [(strike(entry), None)])
    assert labels_of(darts.matches, REVIEWED)[1].labels == ("none",)


def test_labels_end_with_their_days(darts: Darts) -> None:
    later = datetime.now(UTC) + timedelta(days=31)
    assert labels_of(darts.matches, REVIEWED, now=later) == []


def test_what_waited_for_a_person_keeps_the_hash_of_what_read_it(store: Store) -> None:
    one = Darts(Matches(store), "cricket", ("Ann", "Ben"), on_doubt="wait")
    number = one.throws(1, "T20", "ON_A_WIRE")
    Reviews(one.matches, one.boards.sightings).decide(number, "accept", UMPIRE)
    (label,) = labels_of(one.matches, REVIEWED)
    assert label.model == MODEL
    assert one.matches.store.seen(one.match_id)[label.entries[0]].model == MODEL
    one.end()


def test_pictures_of_labels_stay_while_they_are_labels(darts: Darts) -> None:
    config = Settings().now.config
    kept = config.model_copy(update={"labels": REVIEWED, "media": config.media.model_copy(update={"days": 1.0})})
    labelled = {name for one in labels_of(darts.matches, REVIEWED) for name in one.pictures.values()}
    later_s = (datetime.now(UTC) + timedelta(days=20)).timestamp()
    assert not labelled & set(Retention(darts.matches, kept).look(later_s))
    assert labelled <= set(Retention(darts.matches, kept).look(later_s + 11 * 86400))


def test_the_api_lists_and_filters(darts: Darts, tmp_path: Path) -> None:
    path = tmp_path / "settings.toml"
    path.write_text(SETTINGS.format(keep="reviewed"))
    app = create_app(darts.matches, settings=Settings(path), boards=darts.boards)
    with TestClient(app, base_url="http://localhost") as client:
        told = client.get("/api/v1/labels?limit=1").json()
        assert (told["keep"], len(told["labels"]), told["more"]) == ("reviewed", 1, True)
        assert told["counts"]["by_label"] == {"S13": 1, "SB": 1}
        rest = client.get(f"/api/v1/labels?after={told['labels'][0]['id']}").json()
        assert ([one["id"] for one in rest["labels"]], rest["more"]) == ([2], False)
        assert [one["id"] for one in client.get("/api/v1/labels?error=true").json()["labels"]] == [2]
        assert client.get("/api/v1/labels?match=none").status_code == 404
    with TestClient(create_app(darts.matches, boards=darts.boards), base_url="http://localhost") as client:
        told = client.get("/api/v1/labels").json()
        assert (told["keep"], told["labels"]) == ("nothing", [])


# Pictures with what is in them


def test_all_darts_of_the_visit_are_in_the_picture(darts: Darts) -> None:
    made = [labelled_play(played) for _, played in played_of(darts.matches, labels_of(darts.matches, REVIEWED))]
    assert [[thing.detail for thing in one.things] for one in made if one] == [["S13"], ["S13", "SB"]]
    known, corrected = made[1].things if made[1] else ()
    assert (known.points[0].seen, corrected.points[0].seen) == (2, 0)  # a corrected tip lies elsewhere, nearby
    tip = truth_of("cricket", "000601")["darts"][0]["tip_px"]
    assert known.points[0].xy_px == pytest.approx(tip)
    assert known.box_px[0] < tip[0] < known.box_px[2]


def test_a_dart_that_people_put_elsewhere_has_no_place(darts: Darts) -> None:
    entry = labels_of(darts.matches, REVIEWED)[1].entries[0]
    put = {"kind": "throw", "side": 0, "t_ms": 2000, "segment": "T3"}
    darts.matches.append(
        darts.match_id, len(darts.matches.sheet(darts.match_id).entries), [(amend(entry, put), None)]
    )
    made = [labelled_play(played) for _, played in played_of(darts.matches, labels_of(darts.matches, REVIEWED))]
    assert isinstance(made[1], Failure)
    assert made[1].code == "NO_PLACE"


def test_a_dart_that_no_camera_saw_leaves_out_those_after_it(darts: Darts) -> None:
    put = {"kind": "throw", "side": 0, "t_ms": 1500, "segment": "S2"}
    first = labels_of(darts.matches, REVIEWED)[0].entries[0]
    added = {"entry": "insert", "after": first, "action": put, "by": UMPIRE, "reason": "missed by the camera"}
    darts.matches.append(darts.match_id, len(darts.matches.sheet(darts.match_id).entries), [(added, None)])
    made = [labelled_play(played) for _, played in played_of(darts.matches, labels_of(darts.matches, REVIEWED))]
    assert [one.code if isinstance(one, Failure) else "" for one in made] == ["", "DART_NOT_SEEN"]


def shot_of(matches: Matches, game: str, still: str, said: dict[str, Any], seen: dict[str, Any]) -> Watched:
    """Give a match of one shot, seen in a bundled still and accepted by a person."""
    one = Watched(matches, game, ("Ann", "Ben"), on_doubt="mark")
    one.boards.table.end(one.watching.id, "ended", "2026-11-30T12:00:00.000Z")
    row = one.boards.table.add_setup(
        one.board_id, truth_of(game, still)["setup"], "player", "2026-11-30T12:00:00.000Z"
    )
    board = one.boards.table.get(one.board_id)
    one.watching = one.boards.table.begin(
        board, one.match_id, row.version, lying=None, zero_ms=0, at="2026-11-30T12:00:00.000Z"
    )
    number = one.take(
        "shot",
        1000,
        {"action": said, **seen, "confidence": 0.5, "review": [{"code": "PIN_UNSURE"}]},
        one.still(still),
    )
    Reviews(one.matches, one.boards.sightings).decide(number, "accept", UMPIRE)
    return one


def boxes_meet(one: tuple[float, ...], other: tuple[float, ...]) -> float:
    """Give how much of both boxes together both have."""
    low, high = np.maximum(one[:2], other[:2]), np.minimum(one[2:], other[2:])
    both = float(np.prod(np.maximum(high - low, 0)))
    areas = [float(np.prod(np.subtract(box[2:], box[:2]))) for box in (one, other)]
    return both / (sum(areas) - both)


@pytest.mark.parametrize("still", ["000601", "000603"])
def test_pins_lie_in_the_picture_where_they_are(store: Store, still: str) -> None:
    truth = truth_of("finn", still)
    after = truth["after"]
    pins = {
        name: {"state": pin["state"], "xy_cm": None if pin["state"] == "off_board" else pin["xy_cm"]}
        for name, pin in after.items()
    }
    states = {name: pin["state"] for name, pin in after.items() if pin["state"] != "upright"}
    said = {"kind": "shot", "side": 0, "t_ms": 1000, "pins": states, "cushions": 0}
    one = shot_of(Matches(store), "finn", still, said, {"pins": pins, "disc": None})
    ((_, played),) = played_of(one.matches, labels_of(one.matches, REVIEWED))
    made = labelled_play(played)
    one.end()
    assert not isinstance(made, Failure)
    assert Counter(thing.detail for thing in made.things) == Counter(
        pin["state"] for pin in after.values() if pin["state"] != "off_board"
    )
    for thing in made.things:
        mine = [
            (boxes_meet(thing.box_px, tuple(truth["boxes_after"][f"pin{name}"]["box_px"])), pin)
            for name, pin in after.items()
            if pin["state"] == thing.detail and f"pin{name}" in truth["boxes_after"]
        ]
        share, pin = max(mine, key=lambda each: each[0])
        assert share > (0.6 if thing.detail == "upright" else 0.25)
        if thing.detail == "upright":
            assert np.allclose(thing.points[0].xy_px, pin["base_px"], atol=6)
            assert np.allclose(thing.points[1].xy_px, pin["top_px"], atol=6)


def test_balls_lie_in_their_slots(store: Store) -> None:
    matches = Matches(store)
    said = {"kind": "shot", "side": 0, "t_ms": 1000, "moves": [{"ball": 0, "from": "hand", "to": [1, 2]}]}
    one = shot_of(matches, "astrolabe", "000602", said, {})
    ((_, played),) = played_of(matches, labels_of(matches, REVIEWED))
    made = labelled_play(played)
    one.end()
    assert not isinstance(made, Failure)
    (ball,) = made.things
    truth = truth_of("astrolabe", "000602")
    table = truth["setup"]["positions"][0]
    corners = cv2.getPerspectiveTransform(
        np.array(truth["corners_cm"], np.float32), np.array(truth["corners_px"], np.float32)
    )
    flat = cv2.perspectiveTransform(np.array([[[table["x0"] + table["pitch"], table["y"]]]], np.float32), corners)
    assert (ball.name, ball.detail) == ("ball_A", "A")
    assert np.allclose(ball.points[0].xy_px, flat[0, 0], atol=12)  # the corners' plane, the ball's centre above it


# The command line, and the formats' own readers


def program(argv: list[str], capsys: pytest.CaptureFixture[str]) -> tuple[int, str, str]:
    """Run the program; give its exit status, output and errors."""
    with pytest.raises(SystemExit) as stop:
        main(argv)
    said = capsys.readouterr()
    return int(stop.value.code or 0), said.out, said.err


@pytest.fixture
def settings(tmp_path: Path) -> Path:
    path = tmp_path / "settings.toml"
    path.write_text(SETTINGS.format(keep="reviewed"))
    return path


def test_the_command_lists_beside_a_running_service(
    darts: Darts, settings: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    data = str(darts.matches.store.folder)
    status, out, _ = program(["labels", "--config", str(settings), "--data", data, "--json"], capsys)
    assert status == 0
    assert [json.loads(line)["labels"] for line in out.splitlines()] == [["S13"], ["SB"]]
    status, out, _ = program(["labels", "--config", str(settings), "--data", data, "--errors"], capsys)
    assert "said DB" in out
    assert out.splitlines()[-1].startswith("1 examples, 1 the model had wrong")
    status, _, err = program(["labels", "--data", data], capsys)
    assert status == 2
    assert "keep nothing" in err


def exported(
    darts: Darts, settings: Path, out: Path, capsys: pytest.CaptureFixture[str], *more: str
) -> dict[str, Any]:
    """Export a match and give the counts."""
    data = str(darts.matches.store.folder)
    argv = ["export", data, "-o", str(out), "--config", str(settings), "--json", *more]
    status, text, err = program(argv, capsys)
    assert status == 0, err
    value: dict[str, Any] = json.loads(text.splitlines()[-1])  # a reader of formats may have said something too
    return value


def test_an_exported_match_is_read_back_by_pycocotools(
    darts: Darts, settings: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    coco = pytest.importorskip("pycocotools.coco")
    told = exported(darts, settings, tmp_path / "out", capsys, "--format", "coco")
    assert told == {"tip": 3, "left_out": {}}
    images, boxes = 0, 0
    for split in ("train", "val"):
        read = coco.COCO(str(tmp_path / "out" / "annotations" / f"instances_{split}.json"))
        images, boxes = images + len(read.getImgIds()), boxes + len(read.getAnnIds())
        assert len(read.getImgIds()) in (0, 2)  # a match is of one split, whole
    assert (images, boxes) == (2, 3)
    rows = [json.loads(line) for line in (tmp_path / "out" / "examples.jsonl").read_text().splitlines()]
    assert [row["left_out"] for row in rows] == [None, None]
    assert all(len(row["picture_sha256"]) == 64 for row in rows)


@pytest.mark.parametrize("task", ["detect", "pose"])
def test_an_exported_match_passes_the_dataset_check_of_ultralytics(
    darts: Darts, settings: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], task: str
) -> None:
    data = pytest.importorskip("ultralytics.data.utils")
    exported(darts, settings, tmp_path / "out", capsys, "--format", "yolo", "--task", task)
    checked = data.check_det_dataset(str(tmp_path / "out" / "data.yaml"))
    assert checked["names"] == {0: "tip"}
    lines = [
        text for path in (tmp_path / "out" / "labels").glob("*/*.txt") for text in path.read_text().split("\n")
    ]
    assert len([line for line in lines if line]) == 3


def test_crops_of_an_exported_match_lie_in_the_folder_of_what_was_true(
    darts: Darts, settings: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    exported(darts, settings, tmp_path / "out", capsys, "--format", "yolo", "--task", "classify", "--val", "0")
    crops = Counter(path.parent.name for path in (tmp_path / "out" / "train").glob("*/*.jpg"))
    assert crops == {"S13": 2, "SB": 1}


def test_what_only_a_data_folder_has_is_refused_of_another(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    status, _, err = program(["export", str(tmp_path), "-o", str(tmp_path / "x"), "--game", "finn"], capsys)
    assert status == 2
    assert "no data folder" in err


def test_a_fault_is_told_without_people(darts: Darts, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    target = tmp_path / "fault.zip"
    argv = ["export", str(darts.matches.store.folder), "-o", str(target), "--format", "fault"]
    assert program(argv, capsys)[0] == 2  # of which match?
    status, _, err = program([*argv, "--match", darts.match_id], capsys)
    assert status == 0, err
    with zipfile.ZipFile(target) as bundle:
        texts = {name: bundle.read(name) for name in bundle.namelist()}
    whole = b"".join(data for name, data in texts.items() if name.endswith((".jsonl", ".txt")))
    assert not [word for word in (b"Ann", b"Ben", b"Cho", b"seen otherwise") if word in whole]
    sheet = parse_sheet(texts["tallycam-fault/match.jsonl"])
    assert list(sheet.sides) == ["Side 1", "Side 2"]
    assert len(sheet.entries) == len(darts.matches.sheet(darts.match_id).entries)
    assert sum(name.startswith("tallycam-fault/pictures/") for name in texts) == 6
    assert any(name.startswith("tallycam-fault/clips/") for name in texts)
    assert program([*argv, "--match", darts.match_id], capsys)[0] == 2  # never over a file


def test_counts_say_what_there_is(darts: Darts) -> None:
    told = counts(labels_of(darts.matches, REVIEWED))
    assert (told["examples"], told["errors"]) == (2, 1)
    assert sum(told["matches"].values()) == 1
