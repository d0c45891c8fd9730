"""The envelope in which every change goes out: a CloudEvent 1.0."""

import json
from typing import Any

from service.changes import Message


def cloud_event(message: Message) -> str:
    """Give the message in its envelope: a CloudEvent 1.0 as one line of JSON.

    `id` with `source` is unique for a change. What is not kept (a snapshot, a status) is named by its time.
    """
    kept = message.event == "change"
    envelope: dict[str, Any] = {
        "specversion": "1.0",
        "id": str(message.number) if kept else f"{message.event}-{message.at}",
        "source": "/api/v1/matches",
        "type": f"tallycam.{message.kind}",
        "time": message.at,
        "datacontenttype": "application/json",
    }
    if message.match_id:
        envelope["subject"] = message.match_id
    if message.number is not None:
        envelope["sequence"] = str(message.number)
    return f'{json.dumps(envelope)[:-1]}, "data": {message.data}}}'
