"""What attackers found in comparable software, tried here: each test is a published fault of somebody's.

Those of single routes are in `test_access` (roles on every route and transport, keys, pairing) and `test_api`
(names of files, sizes, forwarded headers).
"""

import logging
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest
from playwright.sync_api import Browser, Page
from starlette.testclient import TestClient
from support.page import NEEDS_CHROMIUM
from support.service import ask, free_port, opened, played, running

from service.access import GRANTED, Access, KeyRing, Role
from service.api import create_app
from service.matches import Matches

V1 = "/api/v1"
HOST = "http://192.168.1.20:8180"
CANARY = "canary-51f0"


@pytest.fixture
def matches(tmp_path: Path) -> Iterator[Matches]:
    with opened(tmp_path) as found:
        yield found


@pytest.fixture
def client(matches: Matches) -> Iterator[TestClient]:
    app = create_app(matches)
    yield TestClient(app, base_url="http://127.0.0.1", raise_server_exceptions=False)
    if app.state.boards is not None:
        app.state.boards.close()


def jpeg() -> bytes:
    """Give a picture in which there is something to see."""
    return bytes(cv2.imencode(".jpg", np.random.default_rng(1).integers(0, 255, (240, 320, 3), np.uint8))[1])


def test_a_viewer_orders_nothing_over_a_websocket(matches: Matches, tmp_path: Path) -> None:
    """Frigate CVE-2026-75607: a viewer ran an admin's operations by WebSocket."""
    access = Access(keys=KeyRing(tmp_path / "keys.json"))
    held = {role: access.keys.make(role.word, role)[0] for role in GRANTED}
    match_id = played(matches, "T20")
    before = matches.text(match_id)
    client = TestClient(create_app(matches, ["192.168.1.20"], access=access), base_url=HOST)
    key = {"Authorization": f"Bearer {held[Role.DISPLAY]}"}
    with client.websocket_connect(f"ws://192.168.1.20:8180{V1}/changes", headers=key) as socket:
        socket.receive_json()
        for order in ({"type": "undo"}, {"method": "DELETE", "path": f"{V1}/access/keys/x"}, [1], "strike"):
            socket.send_json(order)
        socket.send_text("\x00" * 1000)
    assert matches.text(match_id) == before
    assert len(access.keys.all()) == len(GRANTED)


def test_a_cameras_password_is_told_to_nobody(
    client: TestClient,
    caplog: pytest.LogCaptureFixture,
    capfd: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Frigate CVE-2026-75608: camera addresses with passwords came out by a side door and in logs."""
    monkeypatch.setattr("service.boards.boards.LOOK_S", 2.0)
    caplog.set_level(logging.DEBUG)
    source = f"rtsp://admin:{CANARY}@127.0.0.1:{free_port()}/live"
    made = client.post(f"{V1}/boards", json={"name": "Den", "game": "cricket", "source": source})
    assert made.status_code == 201
    board = f"{V1}/boards/{made.json()['id']}"
    answers = [made, client.get(board), client.get(f"{V1}/boards"), client.patch(board, json={"name": "Attic"})]
    answers += [client.get(f"{board}/picture")]
    answers += [client.get(f"{V1}/{path}") for path in ("config", "metrics", "health", "outlets", "openapi.json")]
    for answer in answers:
        assert CANARY not in answer.text
    printed = capfd.readouterr()
    assert CANARY not in caplog.text + printed.out + printed.err


@pytest.mark.parametrize(
    "source",
    [
        "exec:touch /tmp/x", "file:///etc/passwd", "concat:/etc/passwd|/etc/hosts", "ffmpeg -i x", "$(id)", "`id`",
        "javascript:alert(1)", "data:video/mp4;base64,AAAA", "subfile,,start,0,,:/etc/hosts", "lavfi:testsrc",
    ],
)  # fmt: skip
def test_no_source_is_a_command(client: TestClient, source: str) -> None:
    """Frigate CVE-2026-25643, go2rtc: commands by the address of a camera."""
    answer = client.post(f"{V1}/boards", json={"name": "Den", "game": "cricket", "source": source})
    assert answer.status_code == 422
    assert answer.json()["code"] in ("BAD_SOURCE", "MALFORMED")


def test_what_is_brought_as_a_picture_is_a_picture_and_nothing_else(client: TestClient) -> None:
    """OctoPrint CVE-2024-28237: a page in the place of a snapshot."""
    page = b"<html><script>alert(1)</script></html>"
    assert client.post(f"{V1}/pictures", content=page, headers={"Content-Type": "image/jpeg"}).status_code == 422
    hidden = jpeg() + page
    made = client.post(f"{V1}/pictures", content=hidden, headers={"Content-Type": "image/jpeg"})
    assert made.status_code == 201
    answer = client.get(f"{V1}/media/{made.json()['name']}")
    assert answer.headers["content-type"] == "image/jpeg"
    assert answer.headers["x-content-type-options"] == "nosniff"
    assert page not in answer.content


def test_a_smuggled_name_or_field_moves_no_file(client: TestClient, tmp_path: Path) -> None:
    """OctoPrint CVE-2025-48067 and CVE-2026-54134: files moved by fields of an upload."""
    before = {path for path in tmp_path.rglob("*") if path.is_file()}
    smuggled = {"file.path": "/etc/passwd", "path": "../../x", "filename": "../x", "name": "/etc/x"}
    headers = {"Content-Type": "image/jpeg", "Content-Disposition": 'attachment; filename="../../x.jpg"'}
    client.post(f"{V1}/pictures", params=smuggled, content=jpeg(), headers=headers)
    multipart = client.post(f"{V1}/pictures", data=smuggled, files={"file": ("../../x.jpg", jpeg(), "image/jpeg")})
    assert multipart.status_code == 415
    made = {path for path in tmp_path.rglob("*") if path.is_file()} - before
    assert all(path.is_relative_to(tmp_path / "media") or path.name.startswith("tallycam.db") for path in made)
    for body in (
        {"game": "cricket", "sides": ["A", "B"], "path": "x"},
        {"game": "cricket", "sides": ["A", "B"], "id": "x"},
    ):
        assert client.post(f"{V1}/matches", json=body).status_code == 422


def test_a_thousand_ranges_cost_no_more_than_one(client: TestClient) -> None:
    """Starlette CVE-2025-62727: many ranges of a file took quadratic time."""
    made = client.post(f"{V1}/pictures", content=jpeg(), headers={"Content-Type": "image/jpeg"}).json()
    ranges = ",".join(f"{start}-{start + 1}" for start in range(6000))
    answer = client.get(f"{V1}/media/{made['name']}", headers={"Range": f"bytes={ranges}"})
    assert answer.status_code in (200, 206, 400, 416)
    assert len(answer.content) < 200_000


def test_nothing_of_ours_is_shown_in_a_foreign_frame(client: TestClient) -> None:
    """Home Assistant GHSA-935v-rmg9-44mw: clicks stolen through a frame."""
    for path in ("/", "/tv", "/overlay", "/devices", "/review", f"{V1}/matches", "/static/app.js"):
        headers = client.get(path).headers
        assert "frame-ancestors 'none'" in headers["content-security-policy"]
        assert headers["x-frame-options"] == "DENY"


def test_a_host_that_carries_a_path_opens_nothing(client: TestClient) -> None:
    """Starlette CVE-2026-48710: a path smuggled in by the Host header."""
    for host in ("127.0.0.1/x?y=", "127.0.0.1@evil.example", "127.0.0.1#", "127.0.0.1:80:80", "evil.example", ""):
        assert client.get(f"{V1}/config", headers={"Host": host}).status_code in (400, 421)


# ---------------------------------------------------------------- a page of another origin, in a real browser

ATTACK = (Path(__file__).parent / "page_driveby.js").read_text(encoding="utf-8")


@pytest.fixture
def elsewhere() -> Iterator[str]:
    """A page of another origin."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(200)
            self.send_header("Content-Type", "text/html")
            self.end_headers()
            self.wfile.write(b"<!doctype html><title>evil</title><body></body>")

        def log_message(self, format: str, *args: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://localhost:{server.server_address[1]}"
    server.shutdown()
    server.server_close()


@pytest.mark.parametrize("lan", [False, True], ids=["loopback", "lan"])
@pytest.mark.browser
@NEEDS_CHROMIUM
@pytest.mark.long
def test_a_page_of_another_origin_reads_and_writes_nothing(
    browser: Browser, elsewhere: str, tmp_path: Path, *, lan: bool
) -> None:
    """The drive-by page: what a paired browser visits may neither see nor touch the board in the next room."""
    with opened(tmp_path) as matches:
        match_id = played(matches, "T20 S20 S5")
        before = matches.text(match_id)
    args = ("--lan",) if lan else ()
    with running("--data", str(tmp_path), *args, port=free_port()) as (service, base):
        context = browser.new_context()
        page: Page = context.new_page()
        if lan:
            assert service.process.stdout is not None
            code = service.process.stdout.readline().rsplit("#", 1)[1].strip()
            page.goto(f"{base}/pair#{code}")
            page.get_by_label("Name of this device").fill("phone")
            page.get_by_role("button", name="Pair").click()
        else:
            page.goto(base)
        page.locator("a.match").first.wait_for()
        page.goto(elsewhere)
        done: dict[str, Any] = page.evaluate(ATTACK, [base, match_id])
        context.close()
        for name in ("read", "write", "image", "script", "socket", "stream"):
            assert done[name] == "refused", (name, done)
        assert done["read blind"] in (0, "refused")
        if not lan:
            assert len(ask(base, "GET", "/matches")["matches"]) == 1
    with opened(tmp_path) as matches:
        assert matches.text(match_id) == before
        assert len(matches.summaries()) == 1
