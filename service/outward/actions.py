"""Lights and other things that are switched by what happens: an HTTP request for each change that fits.

A request that fails is told in the outlet's state and passed over: a light that comes a minute late is worse
than none.
"""

import json
from collections.abc import Callable, Collection
from typing import Any

from service.changes import Message
from service.outward.posting import post
from service.outward.telling import words_of


def action(when: Collection[str], request: Callable[[], None]) -> Callable[[Message], None]:
    """Give what sends a request for each change that one of the words fits."""
    turns: dict[str, int | None] = {}

    def give(message: Message) -> None:
        change: dict[str, Any] = json.loads(message.data)
        found = words_of(change, turns.get(message.match_id))
        if "result" in change:
            turns[message.match_id] = change["result"]["turn"]
        if not found.isdisjoint(when):
            request()

    return give


def request(url: str, method: str, body: object) -> Callable[[], None]:
    """Give what sends one request, with a JSON body where there is one."""

    def send() -> None:
        data = b"" if body is None else json.dumps(body).encode()
        post(url, data, {"Content-Type": "application/json", "User-Agent": "tallycam"}, method)

    return send
