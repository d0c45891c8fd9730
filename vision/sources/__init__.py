"""Where pictures come from: cameras, addresses on the network, files, folders.

    source = open_source("http://192.0.2.7:8080/video")
    if isinstance(source, Failure): …
    with closing(source):
        for frame in source: …

`source.live` says whether it is a camera, which goes on for ever, or a recording that can be looked at again.
"""

from vision.sources.identity import Camera, cameras
from vision.sources.opening import LiveSource, RecordedSource, Source, open_source

__all__ = ["Camera", "LiveSource", "RecordedSource", "Source", "cameras", "open_source"]
