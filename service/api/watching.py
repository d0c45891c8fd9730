"""Routes of boards: what they are, how they are set up, what they see, which match they watch."""

import threading
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field
from typing import Annotated, Any, ClassVar, Final, Literal, TypeVar

from anyio.to_thread import run_sync
from fastapi import Path, Query, Request, Response
from fastapi.responses import JSONResponse
from pydantic import ConfigDict, Field

from service.api import wire
from service.api.bodies import strict_router
from service.api.problems import Problem
from service.api.routes import Key, matches_of, once_of, problems
from service.boards.boards import Boards, CannotNow, NoSuchCamera, NotOfTheForm, NotSeen
from service.boards.runtime import Shown
from service.config import Settings
from service.store import InUse, KeyUsed, NoSuchBoard, NoSuchMatch, SetupRow

router = strict_router(tags=["boards"])

T = TypeVar("T")

_BEGUN: Final = threading.Lock()

BoardId = Annotated[str, Path(pattern="^[0-9a-z]{1,32}$", description="The board's id.")]
Version = Annotated[int, Path(ge=1, le=2**31, description="Of the setup, from 1.")]
Media = Annotated[
    str, Field(strict=True, pattern="^[0-9a-f]{64}$", description="A picture, as `POST /pictures` names it.")
]
Source = Annotated[
    str,
    Field(
        strict=True,
        min_length=1,
        max_length=1000,
        pattern=wire.PLAIN,
        description="A video file, a folder of pictures, a device, or the address of a network camera.",
    ),
]
Coordinate = Annotated[float, Field(ge=-100_000, le=100_000, allow_inf_nan=False)]
Point = Annotated[list[Coordinate], Field(min_length=2, max_length=2)]
Points = Annotated[list[Point], Field(min_length=4, max_length=64)]
Pace = Literal["real", "fast"]


@dataclass(kw_only=True)
class NewBoard:
    """A board. `pace`: a recording waits for its own time (`real`) or does not (`fast`)."""

    __pydantic_config__: ClassVar[ConfigDict] = wire.STRICT
    name: wire.Name
    game: Literal["cricket", "finn", "astrolabe"]
    source: Source
    pace: Pace = "real"


@dataclass(kw_only=True)
class BoardChange:
    """What is to be otherwise; the rest stays."""

    __pydantic_config__: ClassVar[ConfigDict] = wire.STRICT
    name: wire.Name | None = None
    source: Source | None = None
    pace: Pace | None = None


@dataclass(kw_only=True)
class BoardState:
    """How a board is right now.

    `phase`: `off`, `starting`, `looking` (only for its picture), `watching`, `restarting` (it broke down or was
    stuck), `ended` (the recording has), `stopped`, `failed`. `seen`: `still`, `hand`, `hidden`, `stalled`, …
    """

    phase: str
    seen: str
    t_ms: int
    frames: int
    restarts: int
    code: str | None
    message: str | None


@dataclass(kw_only=True)
class Watching:
    """The match that a board watches, with which of its setups."""

    id: int
    match: str
    setup_version: int
    begun_at: str


@dataclass(kw_only=True)
class Board:
    """A board; `setup_version` is that of its newest setup, null where it has none.

    `decides`: settings that a match on it has, as its setup says: where the defense zone is, how many slots.
    """

    id: str
    name: str
    game: str
    source: str
    pace: str
    created_at: str
    setup_version: int | None
    decides: wire.Object
    state: BoardState
    watching: Watching | None


@dataclass(kw_only=True)
class BoardList:
    """All boards, by name."""

    boards: list[Board]


@dataclass(kw_only=True)
class NewSetup:
    """A SETUP to keep; `colours_image`, where it has one, is the name of a picture."""

    __pydantic_config__: ClassVar[ConfigDict] = wire.STRICT
    setup: wire.Object
    by: wire.Name = "player"


@dataclass(kw_only=True)
class SetupVersion:
    """A setup of a board as it was kept; none is ever changed."""

    version: int
    by: str
    at: str
    setup: wire.Object


@dataclass(kw_only=True)
class SetupList:
    """Every version, the newest first."""

    setups: list[SetupVersion]


@dataclass(kw_only=True)
class CalibrationRequest:
    """What to calibrate by: nothing (the board is found), points placed by hand, or a whole SETUP to look at.

    `picture`: where; without it the newest of the board's camera. `known`: where the points lie on the board, in
    cm, for cricket in mm; by default the table's corners counter-clockwise from the origin, or where the outer
    wire of the doubles crosses the middles of 20, 6, 3 and 11. `twenty`: a pixel in the sector of 20.
    """

    __pydantic_config__: ClassVar[ConfigDict] = wire.STRICT
    picture: Media | None = None
    points_px: Points | None = None
    known: Points | None = None
    twenty: Point | None = None
    setup: wire.Object | None = None


@dataclass(kw_only=True)
class Calibration:
    """A SETUP to look at: `overlay` shows it drawn over `picture`. Post it to the setups to keep it."""

    setup: wire.Object
    to_check: list[str]
    picture: str
    overlay: str


@dataclass(kw_only=True)
class Picture:
    """A picture that was brought: its name, its size in pixels."""

    name: str
    width: int
    height: int


@dataclass(kw_only=True)
class Camera:
    """A camera of this machine or of the settings. Give its `source` to a board: it names the camera for good.

    `by_port`: it has a twin, so that only the port tells them apart: it must stay plugged in there. `boards`:
    the names of those whose source it is.
    """

    source: str
    name: str
    device: str
    vendor: str
    product: str
    serial: str
    by_port: bool
    boards: list[str]


@dataclass(kw_only=True)
class CameraList:
    """The cameras: those of the settings, then those of this machine in the order of their devices."""

    cameras: list[Camera]


@dataclass(kw_only=True)
class WatchRequest:
    """The match to watch; `lying`: what lies on the board already, as a STATE has it."""

    __pydantic_config__: ClassVar[ConfigDict] = wire.STRICT
    match: Annotated[str, Field(strict=True, pattern="^[0-9a-z]{1,32}$")]
    lying: wire.Object | None = field(default=None)


def boards_of(request: Request) -> Boards:
    """Give the boards that the application serves; they begin with the first question."""
    state = request.app.state
    with _BEGUN:
        if state.boards is None:
            settings: Settings = state.settings
            state.boards = Boards(
                matches_of(request),
                session_bytes=lambda: settings.now.config.media.session_bytes,
                named=lambda: settings.now.config.cameras,
            )
        found: Boards = state.boards
        return found


def asked(work: Callable[[], T]) -> T:
    """Do it, and turn what boards refuse into problems."""
    try:
        return work()
    except NoSuchBoard as error:
        raise Problem(404, "NO_SUCH_BOARD", str(error)) from error
    except NoSuchMatch as error:
        raise Problem(404, "NO_SUCH_MATCH", str(error)) from error
    except NoSuchCamera as error:
        raise Problem(404, error.code, str(error)) from error
    except KeyUsed as error:
        raise Problem(422, "KEY_USED", str(error)) from error
    except InUse as error:
        raise Problem(409, "IN_USE", str(error)) from error
    except CannotNow as error:
        raise Problem(409, error.code, str(error)) from error
    except NotOfTheForm as error:
        raise Problem(422, error.code, str(error)) from error
    except NotSeen as error:
        shown = {"picture": error.picture} if error.picture else {}
        raise Problem(409, error.code, str(error), shown) from error


@router.get("/boards", response_model=BoardList, responses=problems())
def list_boards(request: Request) -> Response:
    """List the boards."""
    return JSONResponse({"boards": boards_of(request).views()})


@router.post("/boards", status_code=201, response_model=Board, responses=problems(404, 415, 422))
def create_board(request: Request, body: NewBoard, key: Key = None) -> Response:
    """Make a board known: a name, a game, where its pictures come from."""
    boards, once = boards_of(request), once_of(request, key, body)
    board = asked(lambda: boards.create(body.name, body.game, body.source, body.pace, once))
    return JSONResponse(boards.view(board.id), status_code=201, headers={"Location": f"/api/v1/boards/{board.id}"})


@router.get("/boards/{board_id}", response_model=Board, responses=problems(404, 422))
def get_board(request: Request, board_id: BoardId) -> Response:
    """Tell what a board is, and how it is right now."""
    boards = boards_of(request)
    return JSONResponse(asked(lambda: boards.view(board_id)))


@router.patch("/boards/{board_id}", response_model=Board, responses=problems(404, 415, 422))
def change_board(request: Request, board_id: BoardId, body: BoardChange) -> Response:
    """Change name, source or pace; what it watches now it goes on watching as before."""
    boards = boards_of(request)
    values = {key: value for key, value in asdict(body).items() if value is not None}
    asked(lambda: boards.change(board_id, values))
    return JSONResponse(asked(lambda: boards.view(board_id)))


@router.delete("/boards/{board_id}", status_code=204, responses=problems(404, 409, 422))
def remove_board(request: Request, board_id: BoardId) -> Response:
    """Take a board away; its matches stay."""
    boards = boards_of(request)
    asked(lambda: boards.remove(board_id))
    return Response(status_code=204)


@router.get("/cameras", response_model=CameraList, responses=problems(409))
def list_cameras(request: Request) -> Response:
    """List the cameras of this machine, and those that the settings name."""
    boards = boards_of(request)
    return JSONResponse({"cameras": asked(boards.cameras)})


_JPEG: dict[int | str, dict[str, Any]] = {200: {"content": {"image/jpeg": {}}}}


@router.get("/cameras/picture", response_class=Response, responses={**_JPEG, **problems(404, 409, 422)})
def get_camera_picture(
    request: Request,
    source: Annotated[str, Query(min_length=1, max_length=1000, description="As the list of cameras has it.")],
) -> Response:
    """Give what a camera sees right now as JPEG, so that people pick it by its picture.

    It is opened for this, and closed again seconds after nobody asks any more. Where it cannot be, the problem
    says why.
    """
    boards = boards_of(request)
    return _picture(asked(lambda: boards.see(source)))


# Setting up


@router.get("/boards/{board_id}/setups", response_model=SetupList, responses=problems(404, 422))
def list_setups(request: Request, board_id: BoardId) -> Response:
    """List every version of a board's setup, the newest first."""
    boards = boards_of(request)
    return JSONResponse({"setups": [_setup(row) for row in asked(lambda: boards.setups(board_id))]})


@router.get("/boards/{board_id}/setups/{version}", response_model=SetupVersion, responses=problems(404, 422))
def get_setup(request: Request, board_id: BoardId, version: Version) -> Response:
    """Give one version of a board's setup; its `setup` is the file that `tallycam read` takes."""
    boards = boards_of(request)
    for row in asked(lambda: boards.setups(board_id)):
        if row.version == version:
            return JSONResponse(_setup(row))
    raise Problem(404, "NO_SUCH_SETUP", f"the board has no setup of version {version}")


@router.post(
    "/boards/{board_id}/setups",
    status_code=201,
    response_model=SetupVersion,
    responses=problems(404, 409, 415, 422),
)
def add_setup(request: Request, board_id: BoardId, body: NewSetup, key: Key = None) -> Response:
    """Keep a setup as the board's newest; the next match that it watches is watched with it."""
    boards, once = boards_of(request), once_of(request, key, body)
    row = asked(lambda: boards.add_setup(board_id, body.setup, body.by, once))
    return JSONResponse(_setup(row), status_code=201)


@router.post("/boards/{board_id}/calibrations", response_model=Calibration, responses=problems(404, 409, 415, 422))
def calibrate(request: Request, board_id: BoardId, body: CalibrationRequest) -> Response:
    """Find the board in a picture, or see what points or a SETUP come to, drawn over it. Nothing is kept.

    Where no board is found, the problem has the `picture`, for points to be placed in.
    """
    boards = boards_of(request)
    values: Mapping[str, Any] = {key: value for key, value in asdict(body).items() if key != "picture"}
    found = asked(lambda: boards.calibrate(board_id, values, body.picture))
    return JSONResponse(asdict(found))


@router.get(
    "/boards/{board_id}/picture",
    response_class=Response,
    responses={**_JPEG, **problems(404, 409, 422)},
)
def get_board_picture(
    request: Request,
    board_id: BoardId,
    t_ms: Annotated[
        int | None, Query(ge=0, le=2**31, description="Of a recording: the picture at that time.")
    ] = None,
) -> Response:
    """Give the newest picture of a board as JPEG; of a recording that is not being watched, the first."""
    boards = boards_of(request)
    return _picture(asked(lambda: boards.look(board_id, t_ms)))


def _picture(shown: Shown) -> Response:
    told = {"X-Time-Ms": str(shown.t_ms), "X-Size": f"{shown.size[0]}x{shown.size[1]}"}
    return Response(shown.jpeg, media_type="image/jpeg", headers=told)


_RAW = {"schema": {"type": "string", "format": "binary"}}


@router.post(
    "/pictures",
    tags=["media"],
    status_code=201,
    response_model=Picture,
    responses=problems(409, 415, 422),
    openapi_extra={
        "requestBody": {
            "required": True,
            "content": dict.fromkeys(("image/jpeg", "image/png", "image/webp"), _RAW),
        }
    },
)
async def add_picture(request: Request) -> Response:
    """Bring a picture to calibrate on: the file itself is the body. Only its pixels are kept."""
    if not request.headers.get("content-type", "").lower().startswith("image/"):
        raise Problem(415, "UNSUPPORTED_MEDIA_TYPE", "a picture comes as image/jpeg, image/png or image/webp")
    data = await request.body()
    boards = boards_of(request)
    name, (width, height) = await run_sync(lambda: asked(lambda: boards.add_picture(data)))
    return JSONResponse({"name": name, "width": width, "height": height}, status_code=201)


# Watching


@router.post(
    "/boards/{board_id}/watching",
    status_code=201,
    response_model=Board,
    responses=problems(404, 409, 415, 422),
)
def begin_watching(request: Request, board_id: BoardId, body: WatchRequest, key: Key = None) -> Response:
    """Have a board watch a match: what it sees is recorded, or waits for a person."""
    boards, once = boards_of(request), once_of(request, key, body)
    asked(lambda: boards.watch(board_id, body.match, body.lying, once))
    return JSONResponse(boards.view(board_id), status_code=201)


@router.delete("/boards/{board_id}/watching", response_model=Board, responses=problems(404, 422))
def end_watching(request: Request, board_id: BoardId) -> Response:
    """Have a board watch nothing any more; the match goes on by hand."""
    boards = boards_of(request)
    asked(lambda: boards.stop(board_id))
    return JSONResponse(boards.view(board_id))


def _setup(row: SetupRow) -> dict[str, Any]:
    return {"version": row.version, "by": row.by, "at": row.at, "setup": dict(row.setup)}
