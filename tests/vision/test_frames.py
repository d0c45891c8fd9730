import struct
import zlib
from itertools import pairwise
from pathlib import Path

import av
import cv2
import numpy as np
import pytest
from support.video_files import SIZE, cut_to, pictures, turned_by_90, write_video

from vision.failure import Failure
from vision.frames import Frame, FrameSource, open_frames, scale_of, shrink


def opened(path: Path, fps: float | None = None) -> FrameSource:
    source = open_frames(path, fps)
    assert isinstance(source, FrameSource), source
    return source


def decoded(path: Path, fps: float | None = None) -> list[Frame]:
    frames = list(opened(path, fps))
    assert all(isinstance(frame, Frame) for frame in frames), frames[-1]
    return [frame for frame in frames if isinstance(frame, Frame)]


def refusal(path: Path, fps: float | None = None) -> Failure:
    source = open_frames(path, fps)
    assert isinstance(source, Failure)
    assert source.message.startswith(str(path))
    assert "\n" not in source.message
    return source


def test_times_of_a_variable_rate_are_exact(tmp_path: Path) -> None:
    times = [0, 27, 133, 166, 167, 400, 1001, 1034, 2500]
    for name in ("video.mp4", "video.mkv"):
        path = write_video(tmp_path / name, pictures(len(times)), times_ms=times)
        assert [frame.t_ms for frame in decoded(path)] == times


def test_times_start_at_the_first_frame(tmp_path: Path) -> None:
    path = write_video(tmp_path / "late.mkv", pictures(4), times_ms=[5000, 5040, 5081, 5120])
    frames = decoded(path)
    assert [(frame.index, frame.t_ms) for frame in frames] == [(0, 0), (1, 40), (2, 81), (3, 120)]


def test_a_clock_that_falls_back_is_told_and_time_goes_on(tmp_path: Path) -> None:
    path = write_video(tmp_path / "a.ts", pictures(30), codec="mpeg4", fps=10)
    path.write_bytes(path.read_bytes() * 2)  # as recorders join two files
    frames = decoded(path)
    steps = {now.t_ms - then.t_ms for then, now in pairwise(frames)}
    assert (len(frames), steps) == (60, {100})
    assert [(frame.index, frame.jumped_ms) for frame in frames if frame.jumped_ms] == [(30, 3000)]


def test_frames_come_in_the_order_of_showing_despite_b_frames(tmp_path: Path) -> None:
    path = write_video(tmp_path / "b.mp4", pictures(), settings={"bf": "3", "crf": "10"})
    bright = [round(float(np.flatnonzero(frame.luma()[30] > 200).mean())) for frame in decoded(path)]
    assert bright == sorted(bright)
    assert len(set(bright)) == len(bright)


@pytest.mark.parametrize(
    ("name", "codec", "pixels"),
    [
        ("a.mp4", "libx264", "yuv420p"),
        ("a.mp4", "libx264", "yuv422p"),
        ("a.mp4", "libx264", "yuv444p"),
        ("a.mp4", "libx264", "gray"),
        ("a.mp4", "libx264", "yuv420p10le"),
        ("a.mp4", "libx264rgb", "rgb24"),
        ("a.mp4", "libx265", "yuv420p"),
        ("a.avi", "mjpeg", "yuvj420p"),
        ("a.avi", "mjpeg", "yuvj422p"),
        ("a.avi", "mpeg4", "yuv420p"),
        ("a.mkv", "libx264", "yuvj420p"),
        ("a.ts", "libx264", "yuv420p"),
        ("a.webm", "libvpx", "yuv420p"),
        ("a.webm", "libvpx-vp9", "yuv420p"),
    ],
)
def test_brightness_and_colour_agree_in_every_pixel_format(
    tmp_path: Path, name: str, codec: str, pixels: str
) -> None:
    path = write_video(tmp_path / name, pictures(6), codec=codec, pixels=pixels)
    frames = decoded(path)
    assert len(frames) == 6
    for frame in frames:
        assert frame.luma().shape == (SIZE[1], SIZE[0])
        assert frame.luma().dtype == np.uint8
        assert frame.bgr().shape == (SIZE[1], SIZE[0], 3)
        # The block is the brightest in both, at the same place; ranges (16-235 or 0-255) may differ.
        column = 8 + 4 * frame.index + 12
        assert frame.luma()[32, column] > frame.luma()[32, 4] + 40
        assert frame.bgr()[32, column].min() > frame.bgr()[32, 4].max() + 40


def test_brightness_of_a_video_is_a_view_of_what_was_decoded(tmp_path: Path) -> None:
    frame = decoded(write_video(tmp_path / "a.mp4", pictures(2)))[0]
    assert not frame.luma().flags.owndata
    assert frame.luma() is frame.luma()


def test_the_small_picture_holds_means(tmp_path: Path) -> None:
    luma = np.random.default_rng(1).integers(0, 255, (725, 1283), dtype=np.uint8)
    small = shrink(luma)
    assert scale_of(725, 1283) == 4
    assert small.shape == (181, 320)
    means = luma[:724, :1280].reshape(181, 4, 320, 4).mean(axis=(1, 3))
    assert np.abs(small - means).max() <= 1.01
    assert [scale_of(*size) for size in ((120, 160), (359, 640), (480, 640), (1080, 1920), (1280, 720))] == [
        1,
        1,
        2,
        4,
        4,
    ]


def test_a_phone_held_upright_is_shown_upright(tmp_path: Path) -> None:
    flat = decoded(write_video(tmp_path / "flat.mp4", pictures(2)))[0]
    upright = decoded(turned_by_90(write_video(tmp_path / "upright.mp4", pictures(2))))[0]
    assert upright.size == (SIZE[1], SIZE[0])
    assert np.array_equal(upright.luma(), cv2.rotate(flat.luma(), cv2.ROTATE_90_CLOCKWISE))
    assert np.array_equal(upright.bgr(), cv2.rotate(flat.bgr(), cv2.ROTATE_90_CLOCKWISE))
    assert opened(tmp_path / "upright.mp4").size == (SIZE[1], SIZE[0])


def test_sound_is_left_alone(tmp_path: Path) -> None:
    path = write_video(tmp_path / "sound.mp4", pictures(), sound=True)
    assert len(decoded(path)) == 20


def test_a_source_can_be_read_again(tmp_path: Path) -> None:
    source = opened(write_video(tmp_path / "a.mp4", pictures(5)))
    first, second = ([frame.luma().tobytes() for frame in source if isinstance(frame, Frame)] for _ in range(2))
    assert first == second
    assert len(first) == 5


def test_a_folder_gives_its_pictures_in_the_order_of_their_names(tmp_path: Path) -> None:
    for name, grey in (("b.png", 80), ("a.jpg", 40), ("c.PNG", 120), ("notes.txt", 0)):
        picture = np.full((90, 120, 3), grey, np.uint8)
        good, data = cv2.imencode(Path(name).suffix.lower() if grey else ".png", picture)
        assert good
        (tmp_path / name).write_bytes(data.tobytes())
    frames = decoded(tmp_path, 30)
    assert [frame.t_ms for frame in frames] == [0, 33, 67]
    assert [round(float(frame.luma().mean())) for frame in frames] == [40, 80, 120]
    assert [frame.t_ms for frame in decoded(tmp_path)] == [0, 200, 400]


def test_what_is_no_video_is_refused_in_one_sentence(tmp_path: Path) -> None:
    (tmp_path / "text.mp4").write_text("hello " * 2000)
    (tmp_path / "empty.mp4").touch()
    (tmp_path / "none").mkdir()
    write_video(tmp_path / "other.avi", pictures(3), codec="ffv1")
    write_video(tmp_path / "tiny.mp4", pictures(3, (32, 60)))
    cases = {
        "text.mp4": "NOT_A_VIDEO",
        "empty.mp4": "EMPTY_FILE",
        "absent.mp4": "NO_FILE",
        "none": "NO_PICTURES",
        "other.avi": "NOT_A_VIDEO",
        "tiny.mp4": "BAD_SIZE",
    }
    assert {name: refusal(tmp_path / name).code for name in cases} == cases


def test_sound_alone_is_no_video(tmp_path: Path) -> None:
    path = tmp_path / "sound.mp4"
    with av.open(str(path), "w") as out:
        audio = out.add_stream("aac", rate=8000, layout="mono")
        silence = av.AudioFrame.from_ndarray(np.zeros((1, 8000), np.float32), format="fltp", layout="mono")
        silence.sample_rate = 8000
        out.mux(audio.encode(silence))
        out.mux(audio.encode())
    assert refusal(path).code == "NOT_A_VIDEO"


def test_a_playlist_does_not_make_it_open_other_files(tmp_path: Path) -> None:
    write_video(tmp_path / "secret.ts", pictures(3))
    playlist = tmp_path / "list.mp4"
    playlist.write_text(
        f"#EXTM3U\n#EXT-X-TARGETDURATION:1\n#EXTINF:1,\n{tmp_path / 'secret.ts'}\n#EXT-X-ENDLIST\n"
    )
    assert refusal(playlist).code == "NOT_A_VIDEO"
    playlist.write_text(f"ffconcat version 1.0\nfile {tmp_path / 'secret.ts'}\n")
    assert refusal(playlist).code == "NOT_A_VIDEO"


@pytest.mark.parametrize("fps", [0, -1, 1e9, 1e-9, float("nan")])
def test_a_rate_that_is_none_is_refused(tmp_path: Path, fps: float) -> None:
    cv2.imwrite(str(tmp_path / "a.png"), np.zeros((90, 120), np.uint8))
    source = open_frames(tmp_path, fps)
    assert isinstance(source, Failure)
    assert source.code == "BAD_FPS"


def test_a_rate_is_not_for_a_video(tmp_path: Path) -> None:
    assert refusal(write_video(tmp_path / "a.mp4", pictures(3)), 5).code == "BAD_FPS"


@pytest.mark.parametrize(
    ("name", "codec", "pixels", "container"),
    [
        ("a.avi", "mjpeg", "yuvj420p", {}),
        ("a.mkv", "libx264", "yuv420p", {}),
        ("a.mp4", "libx264", "yuv420p", {"movflags": "faststart"}),
        ("a.mp4", "libx264", "yuv420p", {"movflags": "frag_keyframe+empty_moov"}),
    ],
)
def test_a_video_that_breaks_off_gives_what_is_good_and_says_so(
    tmp_path: Path, name: str, codec: str, pixels: str, container: dict[str, str]
) -> None:
    whole = write_video(tmp_path / name, pictures(40), codec=codec, pixels=pixels, container=container)
    frames = list(opened(cut_to(whole, 0.6, tmp_path / f"cut-{name}")))
    last = frames.pop()
    assert isinstance(last, Failure)
    assert last.code == "DAMAGED_VIDEO"
    assert str(len(frames)) in last.message
    assert 5 <= len(frames) < 40
    assert all(isinstance(frame, Frame) for frame in frames)


def test_a_video_cut_before_its_index_is_refused(tmp_path: Path) -> None:
    whole = write_video(tmp_path / "a.mp4", pictures(40))
    assert refusal(cut_to(whole, 0.6, tmp_path / "cut.mp4")).code == "NOT_A_VIDEO"


def test_a_change_of_size_ends_the_video(tmp_path: Path) -> None:
    first = write_video(tmp_path / "1.ts", pictures(5))
    second = write_video(tmp_path / "2.ts", pictures(5, (200, 160)))
    both = tmp_path / "both.ts"
    both.write_bytes(first.read_bytes() + second.read_bytes())
    last = list(opened(both))[-1]
    assert isinstance(last, Failure)
    assert last.code == "SIZE_CHANGED"


def test_a_folder_with_another_size_or_no_picture_says_which_file(tmp_path: Path) -> None:
    cv2.imwrite(str(tmp_path / "a.png"), np.zeros((90, 120), np.uint8))
    cv2.imwrite(str(tmp_path / "b.png"), np.zeros((90, 160), np.uint8))
    last = list(opened(tmp_path))[-1]
    assert isinstance(last, Failure)
    assert last.code == "SIZE_CHANGED"
    assert "b.png" in last.message
    (tmp_path / "b.png").write_text("no picture")
    last = list(opened(tmp_path))[-1]
    assert isinstance(last, Failure)
    assert last.code == "NOT_A_PICTURE"
    assert "b.png" in last.message


def test_a_folder_named_as_a_picture_is_passed_over(tmp_path: Path) -> None:
    (tmp_path / "a.png").mkdir()
    cv2.imwrite(str(tmp_path / "b.png"), pictures(1)[0])
    assert len(decoded(tmp_path)) == 1


def test_a_picture_that_claims_more_than_any_camera_gives_is_refused(tmp_path: Path) -> None:
    header = struct.pack(">IIBBBBB", 100_000, 100_000, 8, 2, 0, 0, 0)
    parts = [(b"IHDR", header), (b"IDAT", zlib.compress(bytes(1000))), (b"IEND", b"")]
    chunks = [
        struct.pack(">I", len(part)) + name + part + struct.pack(">I", zlib.crc32(name + part))
        for name, part in parts
    ]
    (tmp_path / "a.png").write_bytes(b"\x89PNG\r\n\x1a\n" + b"".join(chunks))
    assert refusal(tmp_path).code == "NOT_A_PICTURE"


def test_a_name_longer_than_any_file_has_is_refused(tmp_path: Path) -> None:
    assert refusal(tmp_path / ("x" * 300)).code == "NO_FILE"


def test_a_picture_that_vanishes_while_the_folder_is_read_ends_it(tmp_path: Path) -> None:
    for name in ("a.png", "b.png"):
        cv2.imwrite(str(tmp_path / name), pictures(1)[0])
    source = opened(tmp_path)
    (tmp_path / "b.png").unlink()
    last = list(source)[-1]
    assert isinstance(last, Failure)
    assert last.code == "NOT_A_PICTURE"
