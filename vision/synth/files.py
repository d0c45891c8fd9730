"""Small files, written whole or not at all, the same bytes for the same values."""

import json
from pathlib import Path
from typing import Any

import cv2

from vision.synth.scene import Bytes


def write_json(path: Path, value: Any) -> None:  # noqa: ANN401 - any JSON value
    """Write JSON, a line for each value that has no lists or objects in it."""
    part = path.with_suffix(path.suffix + ".part")
    part.write_text(_text(value, "") + "\n", encoding="utf-8")
    part.replace(path)


def write_picture(path: Path, picture: Bytes, jpeg: int) -> None:
    """Write a JPEG."""
    _, data = cv2.imencode(".jpg", picture, [cv2.IMWRITE_JPEG_QUALITY, jpeg])
    part = path.with_suffix(path.suffix + ".part")
    part.write_bytes(data.tobytes())
    part.replace(path)


def _text(value: Any, pad: str) -> str:  # noqa: ANN401 - any JSON value
    if _flat(value) or not value:
        return json.dumps(value, ensure_ascii=False)
    inner = pad + " "
    if isinstance(value, dict):
        rows = [f"{inner}{json.dumps(k, ensure_ascii=False)}: {_text(v, inner)}" for k, v in value.items()]
        return "{\n" + ",\n".join(rows) + f"\n{pad}}}"
    return "[\n" + ",\n".join(inner + _text(v, inner) for v in value) + f"\n{pad}]"


def _flat(value: Any) -> bool:  # noqa: ANN401 - any JSON value
    if isinstance(value, dict):
        return False
    if isinstance(value, list):
        return (
            all(not isinstance(v, dict) and (not isinstance(v, list) or _flat(v)) for v in value)
            and len(json.dumps(value)) < 110
        )
    return True
