"""What a game is to the rest of the program: a frozen record of plain functions.

A game module (`engine.cricket`, `engine.finn`, `engine.astrolabe`) builds one `Game` and nothing else is known of
it outside. The registry of them is `engine.games.GAMES`.

Conventions that every game keeps:

- Configs, states and actions are frozen, slotted, keyword-only dataclasses, hashable, compared by value. Actions
  are a closed union; each class has a class variable `kind`, the word of the scoresheet.
- A state carries all that the rules need (its config, how many sides play) and `t_ms`, the time of the last action
  that was applied, 0 before the first.
- A refusal is a code in capitals, the first that fits in the order that the scoresheet's description has. A fault
  of form is an `engine.forms.FormError`. `check` and `apply` only ever see actions whose form is right.
- Nothing here reads a clock, a file or a source of chance.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Generic, TypeAlias, TypeVar

Reason: TypeAlias = str


ConfigT = TypeVar("ConfigT")
StateT = TypeVar("StateT")
ActionT = TypeVar("ActionT")


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """How a match ended: the side that won, or None for a draw."""

    winner: int | None


def _no_detail(_state: object, _action: object) -> str:
    return ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Game(Generic[ConfigT, StateT, ActionT]):
    """The functions of one game; see each field. State comes first wherever both are taken."""

    name: str
    """The word in the scoresheet's header."""
    rules: str
    """Name and version of the rules, as in the header."""
    fewest_sides: int
    """How many sides there must be."""
    most_sides: int | None
    """How many there may be; None for any number."""
    umpire_corrects: bool
    """Whether amend, strike and insert are an umpire's alone (FC-33)."""

    parse_config: Callable[[object], ConfigT]
    """Config from its JSON value; what is left out has its default. Raises `FormError`."""
    format_config: Callable[[ConfigT], dict[str, Any]]
    """Config as JSON: only what differs from the defaults, in the documented order."""
    parse_action: Callable[[object, int], ActionT]
    """Action from its JSON value and the number of sides. Raises `FormError`."""
    format_action: Callable[[ActionT], dict[str, Any]]
    """Action as JSON in the documented order of keys, defaults left out."""

    initial: Callable[[ConfigT, int], StateT]
    """The state before the first action, from config and number of sides."""
    check: Callable[[StateT, ActionT], Reason | None]
    """Why the rules refuse the action in this state, or None."""
    apply: Callable[[StateT, ActionT], StateT]
    """The state after an action for which `check` gave None."""
    legal: Callable[[StateT, int], Iterator[ActionT]]
    """Actions that `check` allows, none twice: all where they are few, else a sample that the integer seed fixes.

    Times are chosen so that the action is allowed, at or after the state's. Playing any of them at random ends a
    match sooner or later; there is none once the match is over, and at least one before.
    """

    outcome: Callable[[StateT], Outcome | None]
    """How the match ended, or None while it runs."""
    turn: Callable[[StateT], int | None]
    """The side to act, or None (the match is over, no Round runs)."""
    scores: Callable[[StateT], tuple[int, ...]]
    """Points by side."""
    summary: Callable[[StateT], dict[str, Any]]
    """The `state` of the result object, JSON-ready."""
    ends_turn: Callable[[StateT, ActionT, StateT], bool]
    """Whether a turn ended with the action between the two states: one point of the running totals."""

    notation: Callable[[ActionT], str]
    """The action in one short line for people. Whose turn it is is not said."""
    notation_help: str
    """What may be typed, in one line."""
    read_notation: Callable[[StateT, str, int], tuple[ActionT, ...]]
    """Actions from such a line (often one, in cricket a whole visit), by the side on turn, at time `t_ms`.

    Reads back what `notation` wrote for an allowed action, and what can be typed without special keys.
    Raises `engine.forms.NotationError`.
    """
    state_notation: Callable[[StateT], str]
    """The state in one line for people."""
    describe: Callable[[StateT, ActionT], str]
    """What a scoreboard would say of an allowed action, with its clauses: `pins 7 and 6: +2 (FB-21)`."""
    detail: Callable[[StateT, ActionT], str] = _no_detail
    """What there is to say of a refused action beyond its code (FB-31: the pair and the distance), or nothing."""


AnyGame: TypeAlias = Game[Any, Any, Any]
Registry: TypeAlias = Mapping[str, AnyGame]
