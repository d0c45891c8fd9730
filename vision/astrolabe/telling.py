"""From the looks of places, and what the network says of them, to what lies there, whose, and how sure that is."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Literal

import numpy as np

from vision.astrolabe.ball_limits import LIMITS
from vision.astrolabe.colours import core_bgr, shade_of, strangeness
from vision.astrolabe.gutters import InGutter
from vision.astrolabe.looks import Look
from vision.astrolabe.teaching import Colours

Point = tuple[float, float]
Holds = Literal[0, 1, "?"] | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Heard:
    """What is said of one place: by the network, and by whoever tapped a ball there.

    Attributes
    ----------
    ball
        Chance of a ball.
    second
        Chance that it would be the other side's.
    tapped
        Whose ball a person tapped there, if anyone did.
    """

    ball: float
    second: float
    tapped: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class SlotRead:
    """A slot and what was seen in it; `code` says what is unsure, if anything; `sided` how sure its side is."""

    row: int
    place: int
    holds: Holds
    chance: float
    code: str | None
    look: Look
    sided: float


@dataclass(frozen=True, slots=True, kw_only=True)
class LooseBall:
    """A ball outside of the slots, `gutter` if it is in one: where it lies, where it shows on the flat picture.

    The two differ in a gutter, which is deeper than the board. `sided` is how sure its side is.
    """

    ball: Holds
    xy_cm: Point
    seen_cm: Point
    gutter: bool
    chance: float
    code: str | None
    sided: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Slot:
    """A slot: its row and place in it, its best look, the network's word, the chance that it is not empty.

    `rare` is how much rarer than those of empty slots the colours in it are.
    """

    row: int
    place: int
    look: Look
    heard: Heard
    there: float
    rare: float


def heard_slots(
    looks: Sequence[tuple[int, int, Look]], heard: Sequence[Heard], told: Mapping[int, bool], *, hidden: bool
) -> list[Slot]:
    """Weigh what slots look like, and what the network says of them; the former says little where balls hide."""
    empty = [look.rare for _, _, look in looks if look.like < LIMITS.slot_middle]
    usual = _Usual(middle=_middle(looks), gap=_gap(looks))
    rare = float(np.median(empty)) if empty else 0.0
    found = []
    for k, (row, place, look) in enumerate(looks):
        there = usual.chance(look)
        by_others = told.get(k)
        if by_others is not None and (there < LIMITS.sure_slot if by_others else there > 1 - LIMITS.sure_slot):
            there = LIMITS.told if by_others else 1 - LIMITS.told
        most = LIMITS.hidden_odds if hidden else LIMITS.rule_odds
        there = together(there, heard[k], -most, most)
        found.append(Slot(row=row, place=place, look=look, heard=heard[k], there=there, rare=look.rare - rare))
    return found


@dataclass(frozen=True, slots=True, kw_only=True)
class _Usual:
    """What slots of one picture have in common: `like` between empty and not; `gap` is what `_gap` gives."""

    middle: float
    gap: tuple[float, float] | None

    def chance(self, look: Look) -> float:
        """Give the chance that a slot is not empty.

        Where that is unsure by itself and slots fall into two groups, the gap between them tells, if what it would
        make a ball has an outline and a colour that no shadow has.
        """
        alone = _logistic(LIMITS.slot_slope * (look.like - self.middle))
        if self.gap is not None and 1 - LIMITS.sure_slot < alone < LIMITS.sure_slot:
            plain = look.edge >= LIMITS.gap_edge and look.strange <= LIMITS.gap_strange
            if plain:
                wide = self.gap[1] - self.gap[0]
                return max(alone, _logistic(LIMITS.gap_slope / wide * (look.like - sum(self.gap) / 2)))
        return alone


def _gap(looks: Sequence[tuple[int, int, Look]]) -> tuple[float, float] | None:
    """Give the likeness of the last empty slot and of the first ball, if they are far apart."""
    likes = sorted(look.like for _, _, look in looks)
    gaps = [
        (low, high)
        for k, (low, high) in enumerate(pairwise(likes))
        if k + 1 >= LIMITS.few_empty and low < LIMITS.sure_empty
    ]
    widest = max(gaps, key=lambda gap: gap[1] - gap[0], default=(0.0, 0.0))
    return widest if widest[1] - widest[0] >= LIMITS.least_gap else None


def _middle(looks: Sequence[tuple[int, int, Look]]) -> float:
    """Give the likeness that lies between empty slots and balls: lower where empty ones are far from any ball."""
    empty = [look.like for _, _, look in looks if look.like < LIMITS.sure_empty]
    if len(empty) < LIMITS.few_empty:
        return LIMITS.slot_middle
    return float(np.clip(max(empty) + LIMITS.over_empty, LIMITS.slot_lowest, LIMITS.slot_middle))


def read_slot(slot: Slot, alike: float, *, alone: bool) -> SlotRead:
    """Say what a slot holds; `alone` where only one side's colour is known."""
    look = slot.look
    side, sided = _sided(look.side, (look.strange, look.strange_other), alike, slot.heard)
    holds: Holds
    code: str | None = None
    if slot.there < 1 - LIMITS.sure_slot:
        odd = slot.rare > LIMITS.rare
        holds, chance, code = ("?", 0.5, "NOT_A_BALL") if odd else (None, 1 - slot.there, None)
    elif slot.there < LIMITS.sure_slot:
        holds, chance, code = "?", 0.5, "SLOT_UNSURE"
    elif sided < LIMITS.sure_side:
        holds, chance, code = "?", 0.5, "COLOUR_UNSURE"
    elif look.strange > LIMITS.strange:
        holds, chance, code = "?", 0.5, "NOT_A_BALL"
    else:
        holds, chance = side, slot.there * sided
    if alone and holds == "?":
        code = "COLOUR_UNSURE"
    return SlotRead(row=slot.row, place=slot.place, holds=holds, chance=chance, code=code, look=look, sided=sided)


def read_loose(look: Look, alike: float, heard: Heard) -> LooseBall:
    """Say whose a ball on the board is."""
    whose = _sided(look.side, (look.strange, look.strange_other), alike, heard)
    return _loose(
        whose,
        look.strange,
        (look.xy_cm, look.xy_cm, False),
        together(loose_chance(look), heard, LIMITS.loose_odds),
    )


def read_piece(piece: InGutter, alike: float, colours: Colours, heard: Heard) -> LooseBall:
    """Say whose a ball in a gutter is."""
    shade = shade_of(core_bgr(piece.pixels))
    fits = [np.inf if taught is None else strangeness(shade, taught) for taught in colours.sides]
    side = int(np.argmin(fits))
    agrees = piece.leaning == 0 or (piece.leaning < 0) == bool(side)
    whose = _sided(side, (float(fits[side]), float(fits[1 - side]) if agrees else float(fits[side])), alike, heard)
    return _loose(whose, float(fits[side]), (piece.xy_cm, piece.seen_cm, True), LIMITS.piece)


def _loose(
    whose: tuple[Literal[0, 1], float], strange: float, where: tuple[Point, Point, bool], chance: float
) -> LooseBall:
    side, sided = whose
    code = "COLOUR_UNSURE" if sided < LIMITS.sure_side else None
    code = "NOT_A_BALL" if code is None and strange > LIMITS.strange else code
    lies, shows, gutter = where
    return LooseBall(
        ball="?" if code else side,
        xy_cm=lies,
        seen_cm=shows,
        gutter=gutter,
        chance=chance * sided,
        code=code,
        sided=sided,
    )


def alikeness(balls: Sequence[Look], *, here: bool) -> float:
    """Give how much more alike balls of a side are in this picture than lights could make them: 1 or more.

    What light may do to a colour was measured over many lights. Within one picture there is one, and how far its
    balls lie from their side's colour says how much that is to be feared here; less so where the colours were
    learnt from balls of this picture itself (`here`).
    """
    prior = 3 * LIMITS.feared[here]
    seen = sum(min(3 * LIMITS.strange, look.strange) for look in balls)
    return float(np.clip((prior + 3 * len(balls)) / (prior + seen), 1.0, LIMITS.most_alike[here]))


def _sided(side: int, strange: tuple[float, float], alike: float, heard: Heard) -> tuple[Literal[0, 1], float]:
    """Give whose a ball is that fits `side` and the other so badly, and how sure that is."""
    if heard.tapped is not None:
        return _side(heard.tapped), LIMITS.tapped
    odds = odds_of(_side_chance(strange, alike))
    if np.isfinite(strange[1]):
        second = float(np.clip(odds_of(heard.second), -LIMITS.heard_side, LIMITS.heard_side))
        odds += second if side else -second
    return (_side(side), _logistic(odds)) if odds >= 0 else (_side(1 - side), _logistic(-odds))


def _side_chance(strange: tuple[float, float], alike: float) -> float:
    """Give the chance that a ball is of the side that it fits so badly, and the other so; see `alikeness`."""
    return _logistic(alike * (strange[1] - strange[0]) / 2)


def loose_chance(look: Look) -> float:
    """Give the chance that what lies on the board is a ball, by its look alone."""
    return _logistic(LIMITS.loose_slope * (looseness(look) - LIMITS.loose_middle))


def looseness(look: Look) -> float:
    """Give how much what lies on the board looks like a ball, as `loose_middle` has it."""
    beside = look.free < 1 and look.strange <= LIMITS.beside_strange
    return look.like - look.gap - LIMITS.open_edge * (1 - look.edge) + (LIMITS.beside if beside else 0.0)


def roundness(look: Look) -> float:
    """Give how much a place looks like a ball with an outline, as `round_piece` has it."""
    return look.like - look.gap + 3 * look.edge


def together(
    chance: float, heard: Heard, least: float = -LIMITS.rule_odds, most: float = LIMITS.rule_odds
) -> float:
    """Give the chance of a ball of which the look says so much, and the network what it says.

    The logarithm of the odds by the look is kept from `least` to `most`.
    """
    return _logistic(float(np.clip(odds_of(chance), least, most)) + heard_odds(heard))


def heard_odds(heard: Heard) -> float:
    """Give the logarithm of the odds of a ball, as far as the network is believed."""
    return float(np.clip(odds_of(heard.ball), -LIMITS.heard_odds, LIMITS.heard_odds))


def odds_of(chance: float) -> float:
    """Give the logarithm of the odds of a chance."""
    chance = float(np.clip(chance, 1e-9, 1 - 1e-9))
    return float(np.log(chance / (1 - chance)))


def _side(side: int) -> Literal[0, 1]:
    return 1 if side else 0


def _logistic(value: float) -> float:
    return float(1 / (1 + np.exp(-np.clip(value, -40, 40))))
