"""`tallycam demo`: the bundled recording, watched and scored before your eyes."""

import json
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from enum import StrEnum
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from service.cli.errors import CommandError

if TYPE_CHECKING:
    import socket

    from service.live import Scribbled, Watcher
    from service.matches import Matches

SAMPLES = "datasets/samples"


class Game(StrEnum):
    """The games that a recording is bundled of."""

    CRICKET = "cricket"
    FINN = "finn"
    ASTROLABE = "astrolabe"


def command(
    game: Annotated[Game, typer.Option("--game", help="Of which game.")] = Game.CRICKET,
    fast: Annotated[bool, typer.Option("--fast", help="Do not wait for the recording's own time.")] = False,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print the result as `tallycam score` does and end; serve nothing.")
    ] = False,
    port: Annotated[
        int | None,
        typer.Option(help="Port of the page; by default 8180, or a free one if that is in use.", min=0, max=65535),
    ] = None,
    data: Annotated[
        Path | None,
        typer.Option(help="Keep the match in this folder; by default it is gone at the end.", file_okay=False),
    ] = None,
) -> None:
    """Replay the bundled recording of a game, score it, serve the page with the result until Ctrl-C."""
    from service.matches import Matches  # noqa: PLC0415
    from service.store import StoreRefused, open_store  # noqa: PLC0415

    with _folder(data) as folder:
        try:
            store = open_store(folder)
        except StoreRefused as error:
            raise CommandError(str(error)) from error
        with store:
            matches = Matches(store)
            if as_json:
                _print_result(matches, game, realtime=not fast)
            else:
                _show(matches, game, realtime=not fast, port=port)


def _print_result(matches: "Matches", game: Game, *, realtime: bool) -> None:
    from engine import result  # noqa: PLC0415

    match_id, watcher = _prepare(matches, game, realtime=realtime)
    watcher.run()
    _fail_loudly(watcher)
    print(json.dumps(result(matches.sheet(match_id)), ensure_ascii=False))


def _show(matches: "Matches", game: Game, *, realtime: bool, port: int | None) -> None:
    from service.serving import address, serve  # noqa: PLC0415

    taken = _bind(port)
    match_id, watcher = _prepare(matches, game, realtime=realtime, say=lambda text: print(text, flush=True))
    page = f"{address(taken)}/match/{match_id}"
    if realtime:
        print(f"The bundled recording is being watched; see it live at {page}\nCtrl-C ends it.\n", flush=True)
        watcher.start()
    else:
        watcher.run()
        _fail_loudly(watcher)
        print(f"See the match at {page}\nCtrl-C ends it.", flush=True)
    try:
        serve(matches, taken)
    finally:
        watcher.stop()


def _prepare(
    matches: "Matches", game: Game, *, realtime: bool, say: Callable[[str], None] | None = None
) -> "tuple[str, Watcher]":
    from service.live import Watcher  # noqa: PLC0415 - loads OpenCV
    from vision.assets import asset  # noqa: PLC0415
    from vision.failure import Failure  # noqa: PLC0415
    from vision.frames import open_frames  # noqa: PLC0415
    from vision.replay import replay  # noqa: PLC0415
    from vision.setup import load_setup  # noqa: PLC0415

    try:
        sample = asset(f"{SAMPLES}/{game}")
    except FileNotFoundError as error:
        raise CommandError(str(error)) from error
    frames = open_frames(sample / "clip.mp4")
    setup = load_setup(sample / "setup.json")
    for one in (frames, setup):
        if isinstance(one, Failure):
            raise CommandError(one.message)
    assert not isinstance(frames, Failure)
    assert not isinstance(setup, Failure)
    sides = json.loads((sample / "truth.json").read_text(encoding="utf-8"))["sides"]
    match_id = matches.create(game.value, sides)
    teller = Teller(matches, match_id, say) if say else None
    return match_id, Watcher(
        matches,
        match_id,
        frames,
        partial(replay, setup=setup),
        source="bundled recording",
        realtime=realtime,
        wrote=teller.wrote if teller else None,
        ended=teller.ended if teller else None,
    )


class Teller:
    """Prints each turn as it ends: who, the darts, what they brought, the score; or the game's own notation."""

    def __init__(self, matches: "Matches", match_id: str, say: Callable[[str], None]) -> None:
        self._matches, self._match_id, self._say = matches, match_id, say
        self._told = 0

    def wrote(self, _written: "Scribbled") -> None:
        """Say the turns that have ended since."""
        if self._matches.sheet(self._match_id).game != Game.CRICKET:
            self._tell(ended=True)
            return
        view = self._matches.view(self._match_id)
        turns: dict[int, list[dict[str, Any]]] = {}
        for step in view["history"]:
            turns.setdefault(step["turn"], []).append(step)
        for turn, steps in turns.items():
            if turn > self._told and steps[-1]["action"]["kind"] == "end_turn":
                self._told = turn
                self._say(self._visit(view["sides"], steps))

    def ended(self) -> None:
        """Say how the match stands, the turn that is still open too."""
        if self._matches.sheet(self._match_id).game != Game.CRICKET:
            self._tell(ended=False)
        view = self._matches.view(self._match_id)
        result = view["result"]
        points = ", ".join(f"{side} {score}" for side, score in zip(view["sides"], result["scores"], strict=True))
        asked = sum(bool((step["seen"] or {}).get("review")) for step in view["history"])
        over = " and so has the match" if result["over"] else ""
        self._say(f"\nThe recording has ended{over}: {points}{f'; {asked} to check' if asked else ''}.")

    def _tell(self, *, ended: bool) -> None:
        from service.visits import visit_lines  # noqa: PLC0415

        lines = [*visit_lines(self._matches.sheet(self._match_id), ended=ended)]
        for line in lines[self._told :]:
            self._say(line)
        self._told = max(self._told, len(lines))

    def _visit(self, sides: list[str], steps: list[dict[str, Any]]) -> str:
        width = max(map(len, sides))
        side = steps[-1]["side"]
        darts = " ".join(f"{step['action']['segment']:<4}" for step in _kept(steps))
        gain = sum(step["gain"][side] for step in steps if step["gain"])
        scores = " : ".join(str(points) for points in steps[-1]["scores"])
        doubts = [step["action"]["segment"] for step in _kept(steps) if (step["seen"] or {}).get("review")]
        closed = [text.split(")")[0] for text in [steps[-1]["explanation"].partition("; ")[2]] if text]
        notes = [*(text.split(" (")[0] for text in closed), *(f"{doubt} to check" for doubt in doubts)]
        return f"{sides[side]:<{width}}  {darts}  {'+' + str(gain):>4}   {scores:>9}   {', '.join(notes)}".rstrip()


def _kept(steps: list[dict[str, Any]]) -> list[dict[str, Any]]:
    kept: list[dict[str, Any]] = []
    for step in steps:
        if step["action"]["kind"] == "throw":
            kept.append(step)
        elif step["action"]["kind"] == "undo":
            kept.pop()
    return kept


def _fail_loudly(watcher: "Watcher") -> None:
    if watcher.failure is not None:
        raise CommandError(watcher.failure.message)


def _bind(port: int | None) -> "socket.socket":
    from service.serving import PORT, AddressTaken, bind  # noqa: PLC0415

    try:
        return bind("127.0.0.1", PORT if port is None else port)
    except AddressTaken as error:
        if port is not None:
            raise CommandError(str(error)) from error
        print(f"port {PORT} is in use, so another is taken", file=sys.stderr)
        return bind("127.0.0.1", 0)


@contextmanager
def _folder(data: Path | None) -> Iterator[Path]:
    if data is not None:
        yield data
        return
    with tempfile.TemporaryDirectory(prefix="tallycam-demo-", ignore_cleanup_errors=True) as folder:
        yield Path(folder)
