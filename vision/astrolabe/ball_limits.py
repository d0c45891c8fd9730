"""What is a ball, what is none, and what a person is asked about: the measures of one place."""

from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True, slots=True)
class BallLimits:
    """What is a ball, what is none, and what a person is asked about.

    The measures of one place: `like`, mean logarithm of how much likelier its pixels are a ball's than the rest's,
    from -3 to 3; `gap`, the same of what lies around it; `edge`, the share of its outline that shows an edge.
    Measured on rendered tables of every kind: balls in slots 2.1 and more, empty slots 0.1 and less; elsewhere
    the outline of a ball is closed and `like - gap - 12 (1 - edge)` is 2.4 and more for balls of the very colour
    of the table, 4.4 and more for others, 2.7 and less for pieces of combs and walls.

    Attributes
    ----------
    slot_middle, slot_slope
        The chance of a ball in a slot is logistic in `like`: one half there, and so steep.
    sure_empty, few_empty, over_empty, slot_lowest
        Slots less like balls than this are empty. Where there are so many of them, a slot that is so much liker a
        ball than any of them is one half a ball, down to the last of these.
    least_gap, gap_slope, gap_edge, gap_strange
        Where likenesses leave a gap of this width, that tells: at its ends 0.996 is sure. Balls have so much of an
        outline and fit their side's colour so well; shadows have less, and fit worse.
    unlike, gap_spreads, told
        Where the board hides balls, a slot's likeness and so many times its difference from the others tell, if
        they leave a gap of `least_gap` and of so many deviations of the empty ones: then with this chance.
    sure_slot
        A slot with a chance nearer to one half than this is unsure.
    loose_middle, loose_slope, sure_loose, maybe_loose
        The same for balls elsewhere, by the sum of the three, in which an open outline counts `open_edge` against.
        What is less likely a ball than `maybe_loose` is not even asked about.
    least_like, stands_out
        Nothing less like a ball, or less so than what is around it by this, is looked at elsewhere.
    nothing
        The least `like` there is, negative.
    far_balls
        Nothing that is not plainly a ball is asked about so many diameters, or less, from the far end of a gutter.
    most_odd, aside_of_odd
        So many places at most of a board that hides balls are looked at where it is not as around them, and so
        many radii beside: a ball may show by its gleam and its shadow alone.
    contrast, half_edge
        Where the board's colour hides balls of a side, what is so much liker a ball than what is around it, with
        so much of an outline, may be one; that suffices if its balls in slots stand out as much.
    touching, touching_like
        What is so like a ball and within so many radii of a ball may be another one that touches it.
    beside, beside_strange
        What touches a ball and fits its side's colour so well has this much less to show of an outline, in the
        sum: the other hides a part of it and lights the rest. Of 123 rendered balls that touch one 121 reach 0.4,
        nothing else that fits so well more than -3.
    shadow, grey
        Balls darker than this, levels, and greyer than this look like shadows.
    sure_side
        Chance from which on a ball's side is sure.
    strange
        A ball that fits its side's colour worse than this (squared standard deviations) is asked about.
    feared, most_alike
        See `alikeness`: that a light may do all it can weighs as much as so many balls that it has done it to, and
        never are balls taken to be more alike than this; the first of each where a light came between teaching
        and this picture, the second where balls of this picture taught both colours. In one light 99 of 100
        rendered balls lie within 0.4 of their side's colour (squared, where any light allows 3), real ones within
        6. Of 18,000 real balls told in pairs in the light that taught them, the second pair leaves half as many
        of near colours unsure and tells none wrong that the first tells right.
    rare
        A slot without a ball holds something else if this much more of it than of the other slots without is as
        the table hardly is anywhere.
    comb_radii
        From here to here beside a row's line a comb is in the way of every ball that is in none of its slots; what
        looks like a ball there that touches one is a piece of the comb.
    least_free
        A ball of whose outline others cover more than the rest is never sure.
    piece
        Chance that a piece of a side's colour in a gutter is a ball.
    round_piece, no_piece, piece_like, wall
        A piece in a gutter whose place is so round (`like - gap + 3 edge`) is a ball, one less round than the
        second is none; where shadows, or the gutter, look like balls of its side, it has to be so like one, and is
        none below the first of the two. What goes on around it (`gap`) more than this may be a wall. Rendered
        balls in gutters: round 5.7 and more, like 0.93 and more, gap -1.3 and less; what was taken for one, wall
        and shadow: round 3.6 and less or like 0.6 and less, gap up to 0.4.
    apart
        Two balls touch at 2 radii; nothing nearer than this many radii is another one.
    own
        What is so near to the middle of a ball, in radii, is that ball when others are sought.
    aside_cm
        A ball that rests in a slot is this near to the row's line across the table.
    tooth_cm
        Half the thickness of a tooth: a ball in a slot lies between two.
    rule_odds, hidden_odds, loose_odds, heard_odds
        What the look of a place and the network say is added up as logarithms of odds, neither counted for more
        than this: the look (where the board hides balls; against a ball on the board), the network. So neither is
        believed against the other where both are sure.
    heard_side
        The same of whose a ball is.
    tapped
        Chance that a ball which a person tapped is of the side that it was tapped for.
    heard_none, heard_sure
        With less chance than the first the network sees nothing, with more than the second surely a ball.
    heard_well
        A side whose known balls the network sees with this chance is overlooked nowhere, whatever the board hides.
    plainly
        What is so like a ball by its colour alone is looked at though the network sees nothing.
    aside_in_slot
        A ball in a slot whose colour the board hides is asked about so many radii aside of the middle.
    piece_chances
        Chance of a piece in a gutter by its look: of a ball, of one where shadows look like it, of what may be
        one, of what is none.
    across
        So many radii across from the middle of a piece the network is asked whether there is the middle of a ball.
    unheard_of, gleaming
        Odds of a ball, by themselves, at places of a gutter that have no side's colour, or have a gleam.
    ball_odds, maybe_odds
        What has such odds in a gutter is a ball, or asked about. Of 53 black rendered balls in gutters four have
        less than 2.6 and none less than 0.4, of 68 other things two more than -1.3 and none more than -0.5; on the
        board the 16 balls have 3.5 and more, of 109 other things one more than 0.6.
    far_odds
        At the far end of a gutter, where no ball stays, only what has such odds is a ball.
    heard_in_gutter
        What the network gives less chance than this is asked about in a gutter, whatever it looks like: strips of
        cloth beside dark gutters had 0.89 and the colour of black balls.
    apart_in_gutter
        Balls in a gutter show at least so many radii apart.
    odd_chance
        Of a ball where the board is not as it is around.
    """

    slot_middle: float = 1.3
    slot_slope: float = 5.0
    sure_empty: float = 0.5
    few_empty: int = 4
    over_empty: float = 1.0
    slot_lowest: float = 0.7
    least_gap: float = 1.0
    gap_slope: float = 11.0
    gap_edge: float = 0.6
    gap_strange: float = 0.3
    unlike: float = 10.0
    gap_spreads: float = 4.5
    told: float = 0.98
    sure_slot: float = 0.97
    loose_middle: float = 3.3
    loose_slope: float = 4.5
    sure_loose: float = 0.93
    maybe_loose: float = 0.25
    open_edge: float = 12.0
    least_like: float = 0.6
    stands_out: float = 1.2
    nothing: float = 3.0
    far_balls: float = 1.2
    most_odd: int = 20
    contrast: float = 2.8
    half_edge: float = 0.4
    touching: float = 2.6
    touching_like: float = 2.3
    beside: float = 3.0
    beside_strange: float = 0.5
    shadow: float = 70.0
    grey: float = 0.25
    sure_side: float = 0.97
    strange: float = 20.0
    feared: tuple[float, float] = (2.0, 0.5)
    most_alike: tuple[float, float] = (4.0, 8.0)
    rare: float = 0.4
    comb_radii: tuple[float, float] = (-2.1, 1.0)
    least_free: float = 0.45
    piece: float = 0.99
    round_piece: float = 5.0
    no_piece: float = 4.2
    piece_like: tuple[float, float] = (0.7, 0.8)
    wall: float = -0.9
    apart: float = 1.7
    own: float = 1.4
    aside_cm: float = 0.3
    tooth_cm: float = 0.3
    rule_odds: float = 4.0
    hidden_odds: float = 1.5
    loose_odds: float = -2.5
    heard_odds: float = 6.0
    heard_side: float = 3.0
    tapped: float = 0.999
    heard_none: float = 0.03
    plainly: float = 2.0
    heard_sure: float = 0.97
    heard_well: float = 0.8
    aside_of_odd: float = 0.4
    aside_in_slot: float = 0.35
    piece_chances: tuple[float, float, float, float] = (0.98, 0.85, 0.5, 0.15)
    across: tuple[float, ...] = (0.0, -0.5, 0.5)
    unheard_of: float = -2.0
    gleaming: float = -0.5
    ball_odds: float = 2.6
    far_odds: float = 5.0
    heard_in_gutter: float = 0.95
    maybe_odds: float = -1.3
    apart_in_gutter: float = 1.4
    odd_chance: float = 0.15


LIMITS: Final = BallLimits()
