"""The service on HTTP: routes under `/api/v1`, live changes, the page."""

from service.api.app import create_app

__all__ = ["create_app"]
