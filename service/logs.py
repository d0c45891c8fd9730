"""The log of a service, kept beside its matches: a JSON object a line, without secrets, never more than a few MB.

Warnings and faults still go to standard error too, as sentences.
"""

import json
import logging
import re
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from logging.handlers import RotatingFileHandler
from pathlib import Path
from typing import Final

LOGS: Final = "logs"
FILE: Final = "tallycam.jsonl"
BYTES: Final = 1 << 20
FILES: Final = 3
"""The newest and two older ones: weeks of a service that is well, the last hours of one that is not."""

_SECRETS: Final = (
    (re.compile(r"(?<=://)[^\s/@'\"]+@"), "…@"),  # who asks, in an address
    (re.compile(r"(?<=\?)[^\s'\"#]+"), "…"),  # what an address asks for
    (re.compile(r"\btally_[\w-]+"), "…"),  # our own keys
    (re.compile(r"(?<![\w/.-])(?=[A-Za-z_+=-]*\d)[\w+=-]{24,}"), "…"),  # tokens of others
    (
        re.compile(r"(?i)((?:password|secret|token|authorization|bearer|cookie|api[_-]?key)\W{0,4})[^\s,;'\"}]+"),
        r"\1…",
    ),
)


def without_secrets(text: str) -> str:
    """Give a text without what opens anything: users and questions in addresses, keys, tokens, passwords."""
    for pattern, instead in _SECRETS:
        text = pattern.sub(instead, text)
    return text


class Lines(logging.Formatter):
    """A record as a JSON object: `at`, `level`, `from`, `said`, and `fault` where something was raised."""

    def format(self, record: logging.LogRecord) -> str:
        """Give the line."""
        at = datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
        told = {
            "at": at,
            "level": record.levelname.lower(),
            "from": record.name,
            "said": without_secrets(record.getMessage()),
        }
        if record.exc_info:
            told["fault"] = without_secrets(self.formatException(record.exc_info))
        return json.dumps(told, ensure_ascii=False)


class _Kept(RotatingFileHandler):
    """A log that cannot be written is no reason to say so at every line, least of all into itself."""

    def handleError(self, record: logging.LogRecord) -> None:  # noqa: N802 - the library's name
        """Let it go: standard error has it too."""


@contextmanager
def kept_log(folder: Path) -> Iterator[None]:
    """Keep what is logged in the meantime in a data folder; where nothing can be written, nothing is kept."""
    try:
        (folder / LOGS).mkdir(exist_ok=True)
        handler = _Kept(folder / LOGS / FILE, maxBytes=BYTES, backupCount=FILES - 1, encoding="utf-8")
    except OSError:
        yield
        return
    handler.setFormatter(Lines())
    handler.setLevel(logging.INFO)
    said = logging.StreamHandler()  # Python's last resort falls silent beside a handler of our own
    said.setLevel(logging.WARNING)
    root, ours = logging.getLogger(), logging.getLogger("tallycam")
    added: list[logging.Handler] = [handler] if root.handlers else [said, handler]
    level = ours.level
    ours.setLevel(logging.INFO)
    for one in added:
        root.addHandler(one)
    try:
        yield
    finally:
        ours.setLevel(level)
        for one in added:
            root.removeHandler(one)
        handler.close()


def newest_lines(folder: Path, most_bytes: int) -> str:
    """Give the end of the log, whole lines, oldest first; empty where there is none."""
    paths = sorted((folder / LOGS).glob(f"{FILE}*"), key=lambda path: path.stat().st_mtime)
    text = "".join(path.read_text(encoding="utf-8", errors="replace") for path in paths)
    return text if len(text) <= most_bytes else text[-most_bytes:].partition("\n")[2]
