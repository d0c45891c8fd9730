"""Checks of form that all games share: whether a JSON value is what the scoresheet's description says it is.

Each helper gives the value back, typed, or raises `FormError` with a sentence that names the key, what it got and
what it takes. The good path is short: a scoresheet of hundreds of entries is read within milliseconds.

    ValueError
    ├── FormError        a value that is not of the form
    └── NotationError    a line that a person typed and that is no notation
"""

from collections.abc import Callable, Collection, Iterable, Mapping
from json import dumps
from typing import Any, TypeAlias, TypeVar

Number: TypeAlias = int | float
T = TypeVar("T")

HIGHEST = 10**300
"""Whole numbers end here, far beyond any use, so that each also is a finite float and can be printed."""
SHOWN = 60
"""How many characters of a wrong value a message repeats."""


class FormError(ValueError):
    """A value that is not of the form; the text says where, what it is and what would be right."""

    def inside(self, where: str) -> "FormError":
        """Give the same fault as seen from the value around it."""
        return FormError(f"{where}: {self}")


class NotationError(ValueError):
    """A typed line that is no notation; the text says which part and what would be right."""


def shown(value: object) -> str:
    """Give a wrong value as a message repeats it: as JSON, cut short."""
    if isinstance(value, dict | list):
        return "an object" if isinstance(value, dict) else f"a list of {len(value)}"
    value = value[: SHOWN + 1] if isinstance(value, str) else value
    text = dumps(value, ensure_ascii=False)
    text = text if text.isprintable() else dumps(value)  # nothing in a message controls a terminal
    return text if len(text) <= SHOWN + 2 else text[:SHOWN] + "…"


def named(key: str) -> str:
    """Give a key as a message names it: bare where that is clear."""
    return key if len(key) <= SHOWN // 2 and key.isprintable() else shown(key)


def wrong(where: str, value: object, takes: str) -> FormError:
    """Give the fault of a value that is not what it should be."""
    return FormError(f"{where}: got {shown(value)}, takes {takes}")


def fields(value: object, needed: Collection[str], optional: Collection[str] = ()) -> dict[str, Any]:
    """Give an object that has all needed keys and no others but the optional ones."""
    if not isinstance(value, dict):
        raise FormError(f"got {shown(value)}, takes an object")
    for key in needed:
        if key not in value:
            raise _misfit(value, needed, optional)
    if len(value) > len(needed):
        for key in value:
            if key not in needed and key not in optional:
                raise _misfit(value, needed, optional)
    return value


def _misfit(value: dict[str, Any], needed: Collection[str], optional: Collection[str]) -> FormError:
    """Give the fault of an object whose keys are not the right ones."""
    for key in value:
        if key not in needed and key not in optional:
            known = ", ".join([*needed, *optional]) or "none"
            return FormError(f"unknown key {shown(key)}, takes {known}")
    missing = next(key for key in needed if key not in value)
    return FormError(f"the key {shown(missing)} is missing")


def tagged(
    value: object, kinds: Mapping[str, tuple[Collection[str], Collection[str]]], tag: str = "kind"
) -> tuple[str, dict[str, Any]]:
    """Give the kind of an object and its fields; `kinds` has the needed and the optional keys of each kind."""
    if not isinstance(value, dict):
        raise FormError(f"got {shown(value)}, takes an object")
    if tag not in value:
        raise FormError(f"the key {shown(tag)} is missing")
    kind = value[tag]
    if type(kind) is not str or kind not in kinds:
        raise wrong(tag, kind, listed(kinds))
    needed, optional = kinds[kind]
    return kind, fields(value, needed, optional)


def whole(value: object, where: str, low: int | None = 0) -> int:
    """Give a whole number, at least `low`; neither a float nor a truth value is one."""
    if type(value) is not int or not (-HIGHEST if low is None else low) <= value <= HIGHEST:
        takes = "a whole number" if low is None else f"a whole number from {low}"
        raise wrong(where, value, takes)
    return value


def number(value: object, where: str, above: int | None = None) -> Number:
    """Give a finite number, above `above`, as it was given; a truth value is none."""
    if isinstance(value, int | float) and value is not True and value is not False:
        low = -HIGHEST if above is None else above
        if low <= value <= HIGHEST and value != above:  # not so with NaN
            return value
    raise wrong(where, value, "a number" if above is None else f"a number above {above}")


def written(value: Number) -> Number:
    """Give a number as a scoresheet is written with it: no float where an integer does."""
    return int(value) if isinstance(value, float) and value.is_integer() else value


def truth(value: object, where: str) -> bool:
    """Give true or false."""
    if type(value) is not bool:
        raise wrong(where, value, "true or false")
    return value


def text(value: object, where: str, takes: str = "a text that is not empty") -> str:
    """Give a text that is not blank."""
    if type(value) is not str or not value.strip():
        raise wrong(where, value, takes)
    return value


def word(value: object, where: str, words: Collection[str]) -> str:
    """Give one of the words."""
    if type(value) is not str or value not in words:
        raise wrong(where, value, listed(words))
    return value


def items(value: object, where: str, read: Callable[[object, str], T], count: int | None = None) -> tuple[T, ...]:
    """Give a list, each of its items read by `read(item, where)`."""
    if type(value) is not list or (count is not None and len(value) != count):
        raise wrong(where, value, "a list" if count is None else f"a list of {count}")
    try:
        return tuple([read(item, where) for item in value])
    except FormError:  # again, to say which it was
        return tuple(read(item, f"{where}[{at}]") for at, item in enumerate(value))


def side(value: object, sides: int, where: str = "side") -> int:
    """Give an index into the sides."""
    if type(value) is not int or not 0 <= value < sides:
        raise wrong(where, value, f"a side, 0 to {sides - 1}")
    return value


def listed(words: Iterable[str], last_by: str = "or") -> str:
    """Give words as a sentence lists them: `a, b or c`."""
    *first, last = words
    return f"{', '.join(first)} {last_by} {last}" if first else last
