"""MJPEG over HTTP, as phones and network cameras send it: `multipart/x-mixed-replace`, a JPEG in each part.

The JPEG bytes are handed on as they came, so that a recording holds the camera's own pictures.
"""

import base64
import socket
import ssl
from contextlib import suppress
from http.client import HTTPConnection, HTTPException, HTTPResponse, HTTPSConnection
from typing import Final
from urllib.parse import SplitResult, unquote, urlsplit

from vision.failure import Failure
from vision.sources.grab import Grab, is_whole, now_ns

CONNECT_S: Final = 5.0
READ_S: Final = 2.0
"""No byte for so long: the connection counts as lost."""

LARGEST_HEAD: Final = 8 * 1024
LARGEST_PART: Final = 16 * 1024 * 1024
"""Bytes: a JPEG of 8K of best quality is less."""

_BLOCK: Final = 64 * 1024
_OK: Final = 200


class MjpegFeed:
    """One connection to an MJPEG address; see `vision.sources.grab.Feed`."""

    refused: tuple[str, ...] = ()

    def __init__(self, sock: socket.socket, response: HTTPResponse, mark: bytes, name: str) -> None:
        self._socket, self._response, self._mark, self._name = sock, response, mark, name
        self._held = bytearray()

    def read(self) -> Grab | Failure:
        """Wait for the next JPEG."""
        try:
            jpeg = self._part()
            return Grab(at_ns=now_ns(), jpeg=jpeg)
        except TimeoutError:
            return Failure("CAMERA_STALLED", f"{self._name}: nothing came for {READ_S:g} s.")
        except (OSError, HTTPException, ValueError, AttributeError) as error:
            return Failure("CAMERA_LOST", f"{self._name}: the connection ended ({error or 'closed'}).")

    def close(self) -> None:
        """Close the connection, also while it is being read."""
        with suppress(OSError):
            self._socket.shutdown(socket.SHUT_RDWR)  # wakes whoever reads
        with suppress(OSError, ValueError):
            self._response.close()
        self._socket.close()

    def _part(self) -> bytes:
        """Give the body of the next part.

        Its length, where it is stated, is only believed if a whole JPEG is that long: a part that was cut short
        must not swallow the next one. A body that is whole is not kept waiting for the mark behind it.
        """
        self._skip_to(self._mark)
        length = _stated_length(self._up_to(b"\r\n\r\n", LARGEST_HEAD))
        if length is not None and length <= LARGEST_PART:
            self._fill(length)
            body = bytes(self._held[:length])
            if is_whole(body):
                del self._held[:length]
                return body
        place = self._find(self._mark, LARGEST_PART)
        body = bytes(self._held[:place]).rstrip(b"\r\n")
        del self._held[:place]
        return body

    def _skip_to(self, mark: bytes) -> None:
        place = self._find(mark, LARGEST_PART)
        del self._held[: place + len(mark)]

    def _up_to(self, end: bytes, most: int) -> bytes:
        place = self._find(end, most)
        found = bytes(self._held[:place])
        del self._held[: place + len(end)]
        return found

    def _find(self, what: bytes, most: int) -> int:
        begin = 0
        while (place := self._held.find(what, begin)) < 0:
            if len(self._held) > most:
                raise ValueError("it is no MJPEG stream")
            begin = max(0, len(self._held) - len(what))
            self._more()
        return place

    def _fill(self, size: int) -> None:
        while len(self._held) < size:
            self._more()

    def _more(self) -> None:
        data = self._response.read1(_BLOCK)
        if not data:
            raise ValueError("closed by the camera")
        self._held += data


def open_mjpeg(url: str) -> MjpegFeed | Failure:
    """Connect to an MJPEG address.

    Returns
    -------
    MjpegFeed or Failure
        `NO_CAMERA` if nobody answers there, `NOT_MJPEG` if what answers is something else.
    """
    parts = urlsplit(url)
    name = shown(parts)
    try:
        connection = _connection(parts)
        connection.connect()
        sock = connection.sock
        connection.request("GET", _target(parts), headers=_headers(parts))
        response = connection.getresponse()
    except (OSError, HTTPException, ValueError) as error:
        reason = getattr(error, "strerror", None) or error or type(error).__name__
        return Failure(
            "NO_CAMERA", f"{name}: no answer ({reason}); is the camera on, in this network, at this port?"
        )
    kind = response.headers.get_content_type()
    mark = response.headers.get_param("boundary")
    if response.status == _OK and kind == "multipart/x-mixed-replace" and isinstance(mark, str) and mark:
        sock.settimeout(READ_S)
        return MjpegFeed(sock, response, b"--" + mark.removeprefix("--").encode("latin-1"), name)
    sock.close()
    connection.close()
    if response.status == _OK:
        return Failure("NOT_MJPEG", f"{name}: answers with {kind}, not with an MJPEG stream; another path may.")
    return Failure("NO_CAMERA", f"{name}: answers {response.status} {response.reason}.")


def shown(parts: SplitResult) -> str:
    """Give an address without the password in it."""
    return parts._replace(netloc=parts.netloc.rpartition("@")[2]).geturl()


def _connection(parts: SplitResult) -> HTTPConnection:
    host = parts.hostname
    if not host:
        raise ValueError("there is no host in it")
    if parts.scheme == "https":
        return HTTPSConnection(host, parts.port, timeout=CONNECT_S, context=ssl.create_default_context())
    return HTTPConnection(host, parts.port, timeout=CONNECT_S)


def _target(parts: SplitResult) -> str:
    return (parts.path or "/") + (f"?{parts.query}" if parts.query else "")


def _headers(parts: SplitResult) -> dict[str, str]:
    if parts.username is None:
        return {}
    secret = f"{unquote(parts.username)}:{unquote(parts.password or '')}".encode()
    return {"Authorization": "Basic " + base64.b64encode(secret).decode()}


def _stated_length(head: bytes) -> int | None:
    for line in head.split(b"\r\n"):
        name, _, value = line.partition(b":")
        if name.strip().lower() == b"content-length" and value.strip().isdigit():
            return int(value)
    return None
