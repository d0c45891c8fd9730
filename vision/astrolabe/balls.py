"""Finds the balls of one picture: what lies in each slot, and every ball anywhere else on the table."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from vision.astrolabe.ball_limits import LIMITS
from vision.astrolabe.colours import Taught
from vision.astrolabe.gutters import gutter_balls
from vision.astrolabe.hidden import hidden_sides, odd_in_gutters, odd_on_board
from vision.astrolabe.looks import Look, Looker
from vision.astrolabe.seeking import Finder
from vision.astrolabe.teaching import Colours
from vision.astrolabe.telling import (
    Heard,
    LooseBall,
    SlotRead,
    alikeness,
    heard_slots,
    read_loose,
    read_piece,
    read_slot,
)
from vision.astrolabe.view import TableView

Picture = NDArray[np.uint8]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Balls:
    """All that one picture shows.

    Attributes
    ----------
    slots
        Row by row.
    loose
        Balls elsewhere, in the order of their distance from the player.
    maybe
        Places that may be a ball or not, cm.
    hidden
        Balls of a side look like the board, so that one may be overlooked.
    flat
        (h, w, 3) the picture seen flat.
    """

    slots: tuple[SlotRead, ...]
    loose: tuple[LooseBall, ...]
    maybe: tuple[tuple[float, float], ...]
    hidden: bool
    flat: Picture


def find_balls(picture: Picture, view: TableView, colours: Colours, flat: Picture | None = None) -> Balls:
    """Find every ball of a picture.

    Parameters
    ----------
    picture
        (H, W, 3) BGR.
    view
        The table.
    colours
        What its balls look like, in whatever light.
    flat
        (h, w, 3) the picture seen flat, if that is at hand.
    """
    looker = Looker(picture, view.flat(picture) if flat is None else flat, view, colours)
    finder = Finder(looker)
    in_slots = finder.slots()
    on_board, in_gutters = (
        hidden_sides(tables, looker.colours.pixels) for tables in (looker.likeness.board, looker.likeness.gutter)
    )
    hidden = [side for side in looker.sides if on_board[side]]
    told = finder.told_apart([look for _, _, look in in_slots], on_board) if hidden else {}
    slots = heard_slots(in_slots, finder.heard_in_slots(in_slots), told, hidden=bool(hidden))
    filled = [slot.look for slot in slots if slot.there >= 0.5]
    dark = [_dark(looker.colours.sides[side]) for side in looker.sides]
    odd_ones = odd_in_gutters(looker.flat, view) if any(in_gutters) or any(dark) else ()
    pieces, asked = finder.in_gutters(gutter_balls(looker.flat, finder.like, dark, view), odd_ones, in_gutters)
    odd_places = odd_on_board(looker.flat, view)[: LIMITS.most_odd] if hidden else ()
    taken = [look.xy_cm for look in filled]
    elsewhere, maybe = finder.loose(taken, [piece.seen_cm for piece, _ in pieces], on_board, odd_places)
    alike = alikeness([*filled, *(look for look, _ in elsewhere)], here=looker.colours.here)
    loose = [read_loose(look, alike, heard) for look, heard in elsewhere]
    loose += [read_piece(piece, alike, looker.colours, heard) for piece, heard in pieces]
    alone = None in colours.sides
    seen = [(slot.look, slot.heard) for slot in slots if slot.there >= 0.5] + elsewhere
    return Balls(
        slots=tuple(read_slot(slot, alike, alone=alone) for slot in slots),
        loose=tuple(sorted(loose, key=lambda ball: (ball.xy_cm[1], ball.xy_cm[0]))),
        maybe=(*maybe, *asked),
        hidden=any(_lost(side, seen) for side in hidden),
        flat=looker.flat,
    )


def _dark(taught: Taught | None) -> bool:
    if taught is None:
        return False
    return max(taught.shade.bgr) < LIMITS.shadow and taught.shade.saturation < LIMITS.grey


def _lost(side: int, balls: Sequence[tuple[Look, Heard]]) -> bool:
    """Say whether even balls whose places are known are hardly seen, of a side that the board's colour hides."""
    mine = [(look, heard) for look, heard in balls if look.side == side]
    if not mine:
        return True
    contrast = float(np.median([look.like - look.gap for look, _ in mine]))
    return contrast < LIMITS.contrast and min(heard.ball for _, heard in mine) < LIMITS.heard_well
