"""What an action led to, for the scoreboard: the end of a Round, a Game or the match, a choice, the turn."""

from collections.abc import Iterator

from engine.astrolabe.actions import Action, Choose, FreeShot, RoundOver, Shot, StartRound
from engine.astrolabe.after_shot import landing
from engine.astrolabe.rounds import target_reached
from engine.astrolabe.state import State, is_extra
from engine.astrolabe.values import new_slams


def followed(state: State, action: Action, after: State) -> Iterator[str]:
    """Yield what the action led to: the Round's end, a choice, the turn."""
    if state.course.ends_ms is not None and after.course.ends_ms is None:
        yield from _round_end(state, action, after)
    elif after.choice is not None and state.choice is None:
        yield f"side {1 - after.choice} is out of balls, side {after.choice} chooses (AS-40)"
    elif after.turn != state.turn and not isinstance(action, StartRound | FreeShot):
        yield f"side {after.turn}'s turn (AS-12)"


def _round_end(state: State, action: Action, after: State) -> Iterator[str]:
    if not isinstance(action, RoundOver):
        yield f"the Round is over ({_why(state, action)})"
    if _hands_count(state, action):
        hands = (f"side {side} +{count}" for side, count in enumerate(after.board.hand) if count)
        scored = ", ".join(hands)
        if scored:
            yield f"balls in hand: {scored} (AS-43)"
    yield from _game_end(state, after)


def _why(state: State, action: Action) -> str:
    """Give the clause by which the Round ended before its time."""
    if isinstance(action, Choose):
        return "AS-41" if action.option == "bank" else "AS-42"
    if isinstance(action, Shot):
        landed, earned = landing(state, action)
        if is_extra(state) and any(earned):
            return "AS-13"
        if target_reached(landed) is not None:
            return "AS-50"
        slams = action.foul is None and new_slams(state.board, landed.board)
        if state.config.grand_slam_finish and slams:
            return "AS-60"
    return "AS-40" if state.final_sequence is None else "AS-42"


def _hands_count(state: State, action: Action) -> bool:
    """Tell whether balls in hand scored at the end of the Round (AS-43)."""
    if is_extra(state) or (isinstance(action, Choose) and action.option == "bank"):
        return False
    return not isinstance(action, Shot) or target_reached(landing(state, action)[0]) is None


def _game_end(before: State, after: State) -> Iterator[str]:
    course, config = after.course, after.config
    if course.game_over:
        side = int(course.games[1] > before.course.games[1])
        clause = "AS-13" if config.target is None else "AS-50"
        yield f"side {side} wins the Game ({clause})"
        if config.best_of > 1 and course.winner is not None:
            yield f"side {side} wins the match, {max(course.games)} to {min(course.games)} (AS-51)"
    elif config.target is None and course.round >= config.rounds:
        yield "{} to {}, an extra Round decides (AS-13)".format(*after.points)
