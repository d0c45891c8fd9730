import pytest

from vision.events import Event, event_from_line, event_line

THROW = Event(
    kind="throw", t_ms=4200, frame=21, end_frame=22, data={"segment": "T20", "xy_mm": [1.5, 103.0], "review": []}
)


def test_a_line_has_its_keys_in_order() -> None:
    assert event_line(THROW) == (
        '{"event": "throw", "t_ms": 4200, "frame": 21, "end_frame": 22,'
        ' "segment": "T20", "xy_mm": [1.5, 103.0], "review": []}'
    )


@pytest.mark.parametrize("event", [THROW, Event(kind="hand", t_ms=0, frame=0, end_frame=0)])
def test_a_line_reads_back(event: Event) -> None:
    assert event_from_line(event_line(event)) == event


@pytest.mark.parametrize("line", ["", "[]", "{}", '{"event": "throw", "t_ms": 1, "frame": 2}', "3"])
def test_other_lines_are_refused(line: str) -> None:
    with pytest.raises(ValueError, match=r"."):
        event_from_line(line)


def test_a_number_that_is_none_is_not_written() -> None:
    with pytest.raises(ValueError, match="JSON"):
        event_line(Event(kind="throw", t_ms=1, frame=1, end_frame=1, data={"confidence": float("nan")}))
