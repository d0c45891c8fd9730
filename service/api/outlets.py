"""Who is told of changes, how that goes, and trying an action out."""

from dataclasses import asdict, dataclass
from typing import Annotated

from fastapi import APIRouter, Path, Request, Response
from fastapi.responses import JSONResponse

from service.api.problems import Problem
from service.api.routes import problems
from service.outward.start import Outlets

router = APIRouter(tags=["outlets"], prefix="/outlets")


@dataclass(kw_only=True)
class Outlet:
    """One receiver: the newest change it has taken, how many it has not, why the last try failed."""

    name: str
    last: int
    waiting: int
    problem: str | None


@dataclass(kw_only=True)
class OutletList:
    """All receivers, and the actions that can be tried, by number from 1."""

    outlets: list[Outlet]
    actions: list[str]


@dataclass(kw_only=True)
class Tried:
    """What came of trying an action: null where its receiver took it."""

    problem: str | None


@router.get("", response_model=OutletList, responses=problems())
def list_outlets(request: Request) -> Response:
    """Say who is told of changes, and how that goes."""
    outlets: Outlets = request.app.state.outlets
    told = [asdict(sent) for sent in outlets.sent()]
    return JSONResponse({"outlets": told, "actions": [test.name for test in outlets.tests]})


@router.post("/actions/{number}/test", response_model=Tried, responses=problems(404, 422))
def try_action(request: Request, number: Annotated[int, Path(ge=1, le=64)]) -> Response:
    """Send an action's request now, to see whether the light comes on."""
    outlets: Outlets = request.app.state.outlets
    if number > len(outlets.tests):
        raise Problem(404, "NO_SUCH_ACTION", f"the settings have {len(outlets.tests)} actions")
    return JSONResponse({"problem": outlets.tests[number - 1]()})
