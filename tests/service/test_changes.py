"""Listeners: who is told what, and what becomes of one that does not keep up."""

import asyncio
from collections.abc import Awaitable, Callable

from service.changes import ROOM, Hub, Message


def message(number: int, match_id: str = "m1") -> Message:
    """Give a change."""
    return Message(event="change", match_id=match_id, number=number, kind="entry.recorded", at="now", data="{}")


def in_loop(act: Callable[[], Awaitable[None]]) -> None:
    """Run in an event loop."""

    async def run() -> None:
        await act()

    asyncio.run(run())


def test_each_hears_what_it_asked_for_in_order() -> None:
    async def act() -> None:
        hub = Hub()
        one, every = hub.join("m1"), hub.join(None)
        for number, match_id in enumerate(("m1", "m2", "m1")):
            hub.publish(message(number, match_id))
        await asyncio.to_thread(hub.publish, message(3))
        hub.close()
        assert [told.number async for told in every.messages(9) if told] == []
        assert hub.count == 2
        hub.leave(one)
        assert hub.count == 1

    in_loop(act)


def test_what_was_published_comes_before_the_end() -> None:
    async def act() -> None:
        hub = Hub()
        one, every = hub.join("m1"), hub.join(None)
        for number, match_id in enumerate(("m1", "m2", "m1")):
            hub.publish(message(number, match_id))
        await asyncio.sleep(0)
        first = [await anext(one.messages(9)) for _ in range(2)]
        rest = [await anext(every.messages(9)) for _ in range(3)]
        assert [told.number for told in first if told] == [0, 2]
        assert [told.number for told in rest if told] == [0, 1, 2]

    in_loop(act)


def test_one_that_does_not_keep_up_is_let_go_and_the_others_go_on() -> None:
    async def act() -> None:
        hub = Hub()
        stuck, live = hub.join("m1"), hub.join("m1")
        heard = 0
        for number in range(ROOM + 10):
            hub.publish(message(number))
            told = await anext(live.messages(9))
            heard += told is not None
        assert heard == ROOM + 10
        assert stuck.dropped
        assert [told async for told in stuck.messages(9)] == []
        assert not live.dropped

    in_loop(act)


def test_silence_is_filled_with_beats() -> None:
    async def act() -> None:
        listener = Hub().join("m1")
        assert await anext(listener.messages(0.01)) is None

    in_loop(act)


def test_one_that_comes_after_the_end_is_let_go_at_once() -> None:
    async def act() -> None:
        hub = Hub()
        hub.close()
        late = hub.join("m1")
        assert [told async for told in late.messages(9)] == []

    in_loop(act)


def test_a_listener_of_a_loop_that_has_ended_is_passed_over() -> None:
    hub = Hub()

    async def act() -> None:
        hub.join("m1")

    in_loop(act)
    hub.publish(message(1))
