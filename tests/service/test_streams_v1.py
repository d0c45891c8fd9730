"""Streams stay readable within v1: what `streams_v1.json` promises is still there, whatever was added since.

The file is written once and never again; what came later joins it only when v2 begins.
"""

import copy
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, TypeAlias

import pytest

from service.api import asyncapi

JSON: TypeAlias = Any

PROMISED = json.loads(Path(__file__).with_name("streams_v1.json").read_text(encoding="utf-8"))


def told_now() -> JSON:
    """Give what the service tells, as the file has it."""
    described = asyncapi.describe()
    channels = {
        name: {"address": one["address"], "messages": list(one["messages"])}
        for name, one in described["channels"].items()
    }
    return {"channels": channels, "schemas": described["components"]["schemas"]}


def broken(promised: JSON, now: JSON, where: str = "") -> Iterator[str]:
    """Give each place where a reader of what was promised would stumble over what is told now."""
    if isinstance(promised, dict) and isinstance(now, dict):
        for key, value in promised.items():
            if key not in now:
                yield f"{where}/{key} is gone"
            else:
                yield from broken(value, now[key], f"{where}/{key}")
    elif isinstance(promised, list) and isinstance(now, list):
        # Of what is required, of kinds and of messages more may come; of what a member may be, not.
        more = where.rpartition("/")[2] in ("required", "messages")
        lacking = [one for one in promised if one not in now] if more else []
        if lacking:
            yield f"{where} lacks {lacking}"
        if not more and json.dumps(sorted(map(str, promised))) != json.dumps(sorted(map(str, map(_bare, now)))):
            yield f"{where} is other than it was"
    elif promised != now:
        yield f"{where} is {now!r}, not {promised!r}"


def _bare(value: JSON) -> JSON:
    """Give a schema without its words."""
    if isinstance(value, dict):
        return {key: _bare(one) for key, one in value.items() if key not in ("title", "description", "default")}
    return value


def test_what_was_promised_is_still_told() -> None:
    assert list(broken(PROMISED, told_now())) == []


def _gone(now: JSON) -> None:
    del now["schemas"]["Change"]["properties"]["scores_before"]


def _optional(now: JSON) -> None:
    now["schemas"]["Change"]["required"].remove("result")


def _otherwise(now: JSON) -> None:
    now["schemas"]["Change"]["properties"]["change"] = {"type": "string"}


def _wider(now: JSON) -> None:
    now["schemas"]["Result"]["properties"]["turn"]["anyOf"].append({"type": "string"})


def _moved(now: JSON) -> None:
    now["channels"]["all"]["address"] = "/api/v1/stream"


def _silent(now: JSON) -> None:
    now["channels"]["match"]["messages"].remove("entry.struck")


@pytest.mark.parametrize("change", [_gone, _optional, _otherwise, _wider, _moved, _silent])
def test_what_a_reader_would_stumble_over_is_found(change: Callable[[JSON], None]) -> None:
    now = copy.deepcopy(told_now())
    change(now)
    assert len(list(broken(PROMISED, now))) == 1


def test_more_may_be_told() -> None:
    now = copy.deepcopy(told_now())
    now["schemas"]["Change"]["properties"]["weather"] = {"type": "string"}
    now["schemas"]["Change"]["required"].append("weather")
    now["schemas"]["Weather"] = {"type": "object"}
    now["channels"]["all"]["messages"].append("weather.changed")
    assert list(broken(PROMISED, now)) == []
