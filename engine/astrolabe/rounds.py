"""How Rounds, Games and the match begin and end, and running out (AS-11, AS-13, AS-40, AS-43, AS-50, AS-51)."""

from dataclasses import replace

from engine.astrolabe.board import added, fresh
from engine.astrolabe.state import Course, State, is_extra, scores


def started(state: State, t_ms: int) -> State:
    """Give the next Round with its clock running; after a Game the first of the next (AS-11, AS-51)."""
    config, course = state.config, state.course
    number = 1 if course.game_over else course.round + 1
    extra = number > config.rounds and config.target is None
    return State(
        config=config,
        board=fresh(config.slots, config.balls),
        course=replace(
            course,
            game=course.game + course.game_over,
            game_over=False,
            round=number,
            starts_ms=t_ms,
            ends_ms=t_ms + (config.extra_ms if extra else config.round_ms),
        ),
        t_ms=t_ms,
        points=(0, 0) if course.game_over else state.points,
        turn=1 - number % 2,
    )


def ended(state: State, *, hands: bool = True) -> State:
    """Give the state once the Round is over, and the Game where that settles it.

    Parameters
    ----------
    state : State
        The last of the running Round.
    hands : bool
        Whether balls in hand score (AS-43); in an extra Round they never do (AS-13).
    """
    over = _stopped(state)
    if hands and not is_extra(over):
        ours, theirs = over.board.hand
        over = replace(over, points=(over.points[0] + ours, over.points[1] + theirs))
    leader = _leader_after_rounds(over) if over.config.target is None else target_reached(over)
    return over if leader is None else _game_won(over, leader)


def won(state: State, side: int) -> State:
    """Give the state once a shot has ended Round and Game at once (AS-13, AS-50)."""
    return _game_won(_stopped(state), side)


def target_reached(state: State) -> int | None:
    """Give the side that has reached the target; of two the higher; of two equal none (AS-50)."""
    target = state.config.target
    if target is None:
        return None
    ours, theirs = scores(state)
    return None if ours == theirs or max(ours, theirs) < target else int(theirs > ours)


def settled(state: State) -> State:
    """Give the state once running out was looked at, as after every event in a Round (AS-40, AS-42)."""
    hand = state.board.hand
    player = state.final_sequence
    if hand == (0, 0) or (player is not None and hand[player] == 0):
        return ended(state)
    if player is not None or state.choice is not None or state.turn is None or hand[state.turn]:
        return state
    other = 1 - state.turn
    return replace(state, turn=other, choice=other)


def longer(course: Course, ms: int) -> Course:
    """Give the course with the end of the running Round, if any, moved (AS-70)."""
    return course if course.ends_ms is None else replace(course, ends_ms=course.ends_ms + ms)


def _stopped(state: State) -> State:
    """Give the state with no Round running; what lies in the slots is counted with live scoring (AS-24)."""
    return State(
        config=state.config,
        board=state.board,
        course=replace(state.course, ends_ms=None),
        t_ms=state.t_ms,
        points=scores(state),
    )


def _leader_after_rounds(state: State) -> int | None:
    """Give the side with the higher total once all Rounds are played (AS-13)."""
    ours, theirs = state.points
    return None if state.course.round < state.config.rounds or ours == theirs else int(theirs > ours)


def _game_won(state: State, side: int) -> State:
    """Give the state with a Game more for a side; most Games take the match (AS-51)."""
    course = state.course
    games = added(course.games, side, 1)
    winner = side if games[side] > state.config.best_of // 2 else None
    return replace(state, course=replace(course, games=games, game_over=True, winner=winner))
