"""A board taught by pictures that were brought: lessons to a SETUP, looked at in a process of its own."""

import threading
from collections.abc import Mapping, Sequence
from typing import Any, Final, TypeAlias

from service.boards.boards import Boards, CannotNow, NotOfTheForm
from service.boards.child import Child
from service.boards.framing import Ended, TooSlow

JSON: TypeAlias = Any

WITHIN_S: Final = 900.0
"""Forty lessons, each read some times, on a small and busy machine."""

_TURN: Final = threading.Lock()


def taught(boards: Boards, board_id: str, lessons: Sequence[Mapping[str, JSON]]) -> dict[str, JSON]:
    """Teach a board's newest setup; what comes of it is kept by nobody yet.

    Parameters
    ----------
    boards
        Of the service.
    board_id
        Whose setup it is.
    lessons
        As `vision.teach.lessons` has them; `image` and `before` are names of pictures.

    Returns
    -------
    dict
        As `vision.teach.teaching.Taught` gives it; the new SETUP names pictures too.

    Raises
    ------
    NoSuchBoard, NotOfTheForm, CannotNow
    """
    row = boards.table.setup(boards.table.get(board_id).id)
    if row is None:
        raise CannotNow("NO_SETUP", "the board has no setup yet: calibrate it first")
    setup = boards.runtime.setup_of(board_id, row.version)
    named = [dict(one) for one in lessons]
    for one in named:
        for key in ("image", "before"):
            if one.get(key) is not None:
                one[key] = _file(boards, one[key])
    if not _TURN.acquire(blocking=False):
        raise CannotNow("IN_USE", "another board is being taught: wait until it is done")
    child = Child("service.boards.eyes")
    try:
        child.send({"ask": "teach", "setup": setup, "lessons": {"lessons": named}})
        answer = dict(child.receive(WITHIN_S).head)
    except (Ended, TooSlow) as error:
        raise CannotNow("BROKE_DOWN", "the lessons could not be read in time") from error
    finally:
        child.kill()
        _TURN.release()
    if (failure := answer.get("failure")) is not None:
        raise NotOfTheForm(failure["code"], failure["message"])
    if answer["setup"] is not None and answer["setup"].get("colours_image"):
        answer["setup"]["colours_image"] = answer["setup"]["colours_image"].rsplit("/", 1)[-1].partition(".")[0]
    return answer


def _file(boards: Boards, name: str) -> str:
    path = boards.media.find(name)
    if path is None or path.suffix != ".jpg":
        raise NotOfTheForm("NO_SUCH_PICTURE", f"there is no picture {name!r}")
    return str(path.resolve())
