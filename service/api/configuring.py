"""The settings in force, and the schema of their file."""

from dataclasses import dataclass

from fastapi import APIRouter, Request
from fastapi.responses import JSONResponse

from service.api import wire
from service.config import Config, Settings, schema

router = APIRouter(tags=["service"])


@dataclass(kw_only=True)
class ConfigInForce:
    """The settings that hold. `problem`: why a newer file does not; the last good settings stay then."""

    file: str | None
    problem: str | None
    settings: Config


@router.get("/config", summary="Give the settings in force")
def get_config(request: Request) -> ConfigInForce:
    """Give the settings, and the fault of their file if it was changed and cannot be used."""
    settings: Settings = request.app.state.settings
    now = settings.now
    file = None if settings.path is None else str(settings.path)
    return ConfigInForce(file=file, problem=now.problem, settings=now.config)


@router.get("/config/schema", response_model=wire.Object, summary="Give the schema of the settings file")
def get_config_schema() -> JSONResponse:
    """Give the JSON Schema of the TOML file that `tallycam serve --config` takes."""
    return JSONResponse(schema())
