"""Videos that are damaged, or made to do harm, looked at by the process that looks at foreign files."""

import random
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from support.video_files import pictures, write_video

from service.boards.child import Eyes

KINDS = ("a.mp4", "libx264"), ("b.mkv", "libx264"), ("c.avi", "mjpeg"), ("d.webm", "libvpx"), ("e.ts", "mpeg4")
MOST_BYTES = 1 << 30


def whole(folder: Path) -> list[Path]:
    """Write a video of each kind."""
    return [
        write_video(folder / name, pictures(12), codec=codec, pixels="yuvj420p" if codec == "mjpeg" else "yuv420p")
        for name, codec in KINDS
    ]


def damaged(folder: Path, count: int) -> Iterator[Path]:
    """Give files cut off, with bits flipped, with holes, with pieces twice, and in the wrong container."""
    chance = random.Random(5)
    good = [(path, path.read_bytes()) for path in whole(folder)]
    for number in range(count):
        path, original = chance.choice(good)
        data, at, suffix = bytearray(original), chance.randrange(len(original)), path.suffix
        match number % 5:
            case 0:
                del data[at:]
            case 1:
                for _ in range(chance.choice([1, 10, 100, 1000])):
                    data[chance.randrange(len(data))] ^= 1 << chance.randrange(8)
            case 2:
                data[at : at + 4000] = bytes(len(data[at : at + 4000]))
            case 3:
                data[at:at] = data[:3000]
            case _:
                suffix = chance.choice(good)[0].suffix
        target = folder / f"damaged-{number}{suffix}"
        target.write_bytes(data)
        yield target


def bomb(folder: Path) -> Path:
    """Write a video of some kilobytes whose second picture says that it has 65,000 x 65,000 px."""
    path = write_video(folder / "bomb.avi", pictures(3), codec="mjpeg", pixels="yuvj420p")
    data = bytearray(path.read_bytes())
    frame = data.index(b"\xff\xc0", data.index(b"\xff\xc0") + 2)
    data[frame + 5 : frame + 9] = b"\xfd\xe8\xfd\xe8"
    path.write_bytes(data)
    return path


def looked_at(eyes: Eyes, path: Path) -> str:
    """Ask for a late frame; give the code of the refusal, or nothing."""
    said = eyes.ask({"ask": "frame", "source": str(path), "t_ms": 60_000})
    failure = said.head.get("failure")
    if failure is None:
        assert said.parts["picture"]
        return ""
    assert failure["message"].endswith(".")
    assert "\n" not in failure["message"]
    return str(failure["code"])


def most_memory(eyes: Eyes) -> int:
    """Give the bytes that the process had at its largest, and hold that it is still the first one."""
    assert eyes._child is not None
    status = Path(f"/proc/{eyes._child.process.pid}/status").read_text()
    (line,) = (line for line in status.splitlines() if line.startswith("VmHWM"))
    return int(line.split()[1]) * 1024


@pytest.mark.parametrize("count", [30, pytest.param(200, marks=pytest.mark.slow)])
def test_damaged_videos_give_a_picture_or_one_sentence(tmp_path: Path, count: int) -> None:
    with closing(Eyes()) as eyes:
        looked_at(eyes, whole(tmp_path)[0])
        assert eyes._child is not None
        process = eyes._child.process.pid
        codes = {looked_at(eyes, path) for path in damaged(tmp_path, count)}
        assert codes <= {"", "NOT_A_VIDEO", "DAMAGED_VIDEO", "SIZE_CHANGED", "BAD_SIZE", "NO_FRAMES", "EMPTY_FILE"}
        assert {"", "NOT_A_VIDEO"} <= codes
        assert eyes._child.process.pid == process
        assert most_memory(eyes) < MOST_BYTES


def test_a_picture_that_asks_for_all_memory_gets_none(tmp_path: Path) -> None:
    with closing(Eyes()) as eyes:
        assert looked_at(eyes, bomb(tmp_path)) in ("", "DAMAGED_VIDEO", "SIZE_CHANGED")
        assert most_memory(eyes) < MOST_BYTES
