"""Keys of devices and programs: shown once, kept as hashes, taken back at any time.

The file is rewritten whole (written, synced, renamed) and looked at again when another process has changed it, so
`tallycam access` works beside a running service.
"""

import hashlib
import json
import os
import secrets
import threading
from collections.abc import Callable
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

from service.access.roles import GRANTED, Role

PREFIX: Final = "tally_"
"""How a key begins, so that people and scanners for secrets know one."""

USED_EVERY_S: Final = 3600
"""How exactly the time of a key's last use is kept: writing the file for each request would be dear."""


class KeysDamaged(Exception):  # noqa: N818 - it says what is the case
    """The file of the keys cannot be read; the text is one sentence."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Key:
    """A key as it is kept: without what opens.

    Attributes
    ----------
    id
        Names it in lists and when it is taken back.
    name
        Whose it is, as a person wrote it.
    role
        The word of its `Role`.
    hash
        SHA-256 of the secret in hex; the secret has 256 random bits, so a slow hash would add nothing.
    made_at, used_at
        RFC 3339; `used_at` to the hour, None before its first use.
    """

    id: str
    name: str
    role: str
    hash: str
    made_at: str
    used_at: str | None = None

    def shown(self) -> dict[str, str | None]:
        """Give what lists show of it: everything but the hash."""
        return {name: value for name, value in asdict(self).items() if name != "hash"}


def _now() -> datetime:
    return datetime.now(UTC)


class KeyRing:
    """The keys in a file; safe for several threads. Raises `KeysDamaged` where the file is no list of keys."""

    def __init__(self, path: Path, clock: Callable[[], datetime] = _now) -> None:
        self.path = path
        self._clock = clock
        self._turn = threading.Lock()
        self._mark: tuple[int, int] | None = None
        self._keys: tuple[Key, ...] = ()
        with self._turn:
            self._look()

    def all(self) -> tuple[Key, ...]:
        """Give the keys that hold, the oldest first."""
        with self._turn:
            self._look()
            return self._keys

    def make(self, name: str, role: Role) -> tuple[str, Key]:
        """Make a key; gives the secret, which is kept nowhere, and the key."""
        if role not in GRANTED:
            raise ValueError(f"no key can have the role {role.word}")
        secret = PREFIX + secrets.token_urlsafe(32)
        with self._turn:
            self._look()
            key = Key(
                id=secrets.token_hex(4),
                name=name,
                role=role.word,
                hash=_hash(secret),
                made_at=_text(self._clock()),
            )
            self._write((*self._keys, key))
        return secret, key

    def find(self, secret: str) -> Key | None:
        """Give the key that a secret is of."""
        hashed = _hash(secret)
        with self._turn:
            self._look()
            found = None
            for key in self._keys:
                if secrets.compare_digest(key.hash, hashed):
                    found = key
            if found is not None and self._stale(found):
                used = replace(found, used_at=_text(self._clock()))
                self._write(tuple(used if key.id == found.id else key for key in self._keys))
            return found

    def holds(self, key_id: str) -> bool:
        """Whether a key has not been taken back."""
        return any(key.id == key_id for key in self.all())

    def revoke(self, key_id: str) -> bool:
        """Take a key back; False where there is none of that id."""
        with self._turn:
            self._look()
            kept = tuple(key for key in self._keys if key.id != key_id)
            if len(kept) == len(self._keys):
                return False
            self._write(kept)
            return True

    def _stale(self, key: Key) -> bool:
        if key.used_at is None:
            return True
        return (self._clock() - datetime.fromisoformat(key.used_at)).total_seconds() > USED_EVERY_S

    def _look(self) -> None:
        try:
            found = self.path.stat()
        except FileNotFoundError:
            self._mark, self._keys = None, ()
            return
        mark = (found.st_mtime_ns, found.st_size)
        if mark == self._mark:
            return
        try:
            values = json.loads(self.path.read_text(encoding="utf-8"))
            keys = tuple(Key(**value) for value in values)
            for key in keys:
                if Role.named(key.role) not in GRANTED:
                    raise ValueError(key.role)
        except (OSError, ValueError, TypeError, KeyError, AttributeError, RecursionError) as error:
            raise KeysDamaged(
                f"the keys in {self.path} cannot be read; move the file away and pair the devices again"
            ) from error
        self._mark, self._keys = mark, keys

    def _write(self, keys: tuple[Key, ...]) -> None:
        text = json.dumps([asdict(key) for key in keys], ensure_ascii=False, indent=1) + "\n"
        draft = self.path.with_name(f"{self.path.name}.{secrets.token_hex(4)}.part")
        opened = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        try:
            with os.fdopen(opened, "w", encoding="utf-8") as file:
                file.write(text)
                file.flush()
                os.fsync(file.fileno())
            draft.replace(self.path)
        except BaseException:
            draft.unlink(missing_ok=True)
            raise
        found = self.path.stat()
        self._mark, self._keys = (found.st_mtime_ns, found.st_size), keys


def _hash(secret: str) -> str:
    return hashlib.sha256(secret.encode("utf-8", "surrogatepass")).hexdigest()


def _text(moment: datetime) -> str:
    return moment.isoformat(timespec="seconds").replace("+00:00", "Z")
