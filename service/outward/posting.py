"""One HTTP request to somebody else: no redirects, little patience, a refusal in a sentence."""

import http.client
import urllib.error
import urllib.request
from collections.abc import Mapping
from typing import Final

from service.outward.outlet import Refusal

PATIENCE_S: Final = 5.0
ANSWER: Final = 64 * 1024
"""Bytes of an answer that are taken; nothing of it is used."""


class _Stays(urllib.request.HTTPRedirectHandler):
    """Follows no redirect: a receiver must not send a signed message elsewhere."""

    def redirect_request(self, *_: object) -> None:
        """Give no request to follow with."""


_OPENER = urllib.request.build_opener(urllib.request.ProxyHandler({}), _Stays)


def post(url: str, body: bytes, headers: Mapping[str, str], method: str = "POST") -> None:
    """Send; raises `Refusal` where it was not taken (any status but 2xx)."""
    request = urllib.request.Request(url, body, dict(headers), method=method)
    try:
        with _OPENER.open(request, timeout=PATIENCE_S) as answer:
            answer.read(ANSWER)
    except urllib.error.HTTPError as error:
        error.close()
        raise Refusal(f"answered {error.code}") from None
    except urllib.error.URLError as error:
        raise Refusal(f"cannot be reached ({getattr(error.reason, 'strerror', None) or error.reason})") from None
    except TimeoutError:
        raise Refusal(f"did not answer within {PATIENCE_S:.0f} s") from None
    except (OSError, http.client.HTTPException, ValueError) as error:
        raise Refusal(f"cannot be reached ({type(error).__name__})") from None
