"""RTSP cameras: their pictures lean on each other, so every one is decoded, and the newest is looked at."""

from collections.abc import Iterator
from typing import Final
from urllib.parse import urlsplit

import av
from av.container import InputContainer
from av.error import FFmpegError
from av.video.frame import VideoFrame

from vision.failure import Failure
from vision.sources.grab import Grab, now_ns
from vision.sources.mjpeg import shown
from vision.videos import CODECS

CONNECT_S: Final = 8.0
READ_S: Final = 2.0

_OPTIONS: Final = {
    "rtsp_transport": "tcp",  # lost packets would be damaged pictures
    "protocol_whitelist": "rtsp,rtp,tcp,udp",
    "codec_whitelist": ",".join(CODECS),
    "fflags": "nobuffer",
    "flags": "low_delay",
}


class StreamFeed:
    """One connection to an RTSP address; see `vision.sources.grab.Feed`."""

    refused: tuple[str, ...] = ()

    def __init__(self, container: InputContainer, name: str) -> None:
        self._container, self._name = container, name
        stream = container.streams.video[0]
        stream.thread_type = "NONE"
        stream.codec_context.thread_count = 1
        self._frames: Iterator[VideoFrame] = container.decode(stream)

    def read(self) -> Grab | Failure:
        """Wait for the next picture that is whole."""
        try:
            for video in self._frames:
                if not video.is_corrupt:
                    return Grab(at_ns=now_ns(), video=video)
        except (FFmpegError, OSError, ValueError) as error:
            reason = getattr(error, "strerror", None) or type(error).__name__
            return Failure("CAMERA_LOST", f"{self._name}: the stream broke off ({reason}).")
        return Failure("CAMERA_LOST", f"{self._name}: the stream ended.")

    def close(self) -> None:
        """Close the connection; a read that goes on ends by its own time-out."""
        self._container.close()


def open_stream(url: str, options: dict[str, str] | None = None) -> StreamFeed | Failure:
    """Connect to an RTSP address: a `StreamFeed`, or a Failure `NO_CAMERA`."""
    name = shown(urlsplit(url))
    try:
        container = av.open(url, options={**_OPTIONS, **(options or {})}, timeout=(CONNECT_S, READ_S))
    except (FFmpegError, OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or type(error).__name__  # its text holds the whole address
        return Failure("NO_CAMERA", f"{name}: no stream ({reason}); is the camera on, is the path right?")
    if not container.streams.video:
        container.close()
        return Failure("NO_CAMERA", f"{name}: there is no video in this stream.")
    return StreamFeed(container, name)
