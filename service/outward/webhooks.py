"""Signed webhooks: each change as a CloudEvent, tried again until it is taken, once by its id.

Headers and signature are those of Standard Webhooks (standardwebhooks.com): `webhook-id`, `webhook-timestamp`,
`webhook-signature: v1,BASE64` over `id.timestamp.body` with HMAC-SHA256.
"""

import base64
import hashlib
import hmac
import time
from collections.abc import Callable

from service.changes import Message
from service.envelope import cloud_event
from service.outward.posting import post


def signature(secret: str, message_id: str, timestamp: int, body: bytes) -> str:
    """Give the value of `webhook-signature`."""
    content = f"{message_id}.{timestamp}.".encode() + body
    return "v1," + base64.b64encode(hmac.digest(secret.encode(), content, hashlib.sha256)).decode()


def webhook(url: str, secret: str | None, clock: Callable[[], float] = time.time) -> Callable[[Message], None]:
    """Give what passes a change on to a webhook."""

    def give(message: Message) -> None:
        body = cloud_event(message).encode()
        message_id, timestamp = f"change-{message.number}", int(clock())
        headers = {
            "Content-Type": "application/cloudevents+json",
            "User-Agent": "tallycam",
            "webhook-id": message_id,
            "webhook-timestamp": str(timestamp),
        }
        if secret is not None:
            headers["webhook-signature"] = signature(secret, message_id, timestamp, body)
        post(url, body, headers)

    return give
