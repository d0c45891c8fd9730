"""Texts without secrets and without people: who plays, whose machine it is, where it stands in the network."""

import getpass
import json
import re
import socket
from collections.abc import Collection, Iterable
from ipaddress import IPv6Address
from pathlib import Path
from typing import Any, Final, TypeAlias

from service.logs import without_secrets

JSON: TypeAlias = Any

_ADDRESSES: Final = (
    (re.compile(r"\b(?!127\.|0\.0\.0\.0)(?:\d{1,3}\.){3}\d{1,3}\b"), "ADDRESS"),
    (re.compile(r"\b(?:[0-9a-fA-F]{2}:){5}[0-9a-fA-F]{2}\b"), "ADDRESS"),
    (re.compile(r"[\w.+-]+@[\w-]+(?:\.[\w-]+)+"), "ADDRESS"),
    (re.compile(r"\b[\w-]+\.(?:local|lan|home|internal|fritz\.box)\b"), "ADDRESS"),
    (re.compile(r"(?<=://)(?!127\.|localhost\b|…)[^\s/:@'\"]+"), "ADDRESS"),
    (re.compile(r"(?:(?<=MQTT |club )|(?<= at ))(?!127\.|localhost\b)[\w.-]+(?=:\d)"), "ADDRESS"),
)
_MAYBE_IPV6: Final = re.compile(r"(?<![\w:])[0-9a-fA-F:]{3,39}(?![\w:])")
SHORT: Final = 2
"""A single letter is no name that tells anything, and is found in every text."""


class Cleaner:
    """Takes out what is known to be a name or a secret here, and what looks like one.

    Parameters
    ----------
    names
        Of people, boards, devices: each becomes NAME.
    secrets
        As they are: each becomes `…`.
    folders
        Paths that tell whose they are, with what stands in their place.
    """

    def __init__(
        self, names: Iterable[str] = (), secrets: Iterable[str] = (), folders: Collection[tuple[Path, str]] = ()
    ) -> None:
        self._secrets = sorted({one for one in secrets if one}, key=len, reverse=True)
        self._folders = [(str(path), instead) for path, instead in (*folders, (Path.home(), "~"))]
        machine = {socket.gethostname(), _user()} - {"localhost", "root", ""}
        known = sorted({name.strip() for name in (*names, *machine) if len(name.strip()) >= SHORT}, key=len)
        self._names = (
            re.compile("|".join(rf"(?<!\w){re.escape(name)}(?!\w)" for name in reversed(known)), re.IGNORECASE)
            if known
            else None
        )

    def text(self, text: str) -> str:
        """Give a text without them."""
        for secret in self._secrets:
            text = text.replace(secret, "…")
        for path, instead in self._folders:
            if len(path) > 1:
                text = text.replace(path, instead)
        text = without_secrets(text)
        text = _MAYBE_IPV6.sub(_without_ipv6, text)
        for pattern, instead in _ADDRESSES:
            text = pattern.sub(instead, text)
        return text if self._names is None else self._names.sub("NAME", text)

    def json(self, value: JSON) -> JSON:
        """Give JSON whose texts are without them, names of members too."""
        match value:
            case str():
                return self.text(value)
            case dict():
                return {self.text(name): self.json(one) for name, one in value.items()}
            case list() | tuple():
                return [self.json(one) for one in value]
            case _:
                return value

    def lines(self, text: str) -> str:
        """Give lines of JSON objects without them; what is no such line is left out."""
        kept = []
        for line in text.splitlines():
            try:
                kept.append(json.dumps(self.json(json.loads(line)), ensure_ascii=False) + "\n")
            except ValueError:
                continue
        return "".join(kept)


def _without_ipv6(found: re.Match[str]) -> str:
    """Give what stands in the place of an address; a time of day is none."""
    try:
        return found[0] if IPv6Address(found[0]).is_loopback else "ADDRESS"
    except ValueError:
        return found[0]


def _user() -> str:
    try:
        return getpass.getuser()
    except (OSError, KeyError):  # a container's user has no name
        return ""
