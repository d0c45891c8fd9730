"""Scenes over many machines by dask.distributed; each is a pure function of its seed: a lost worker costs its own.

Workers draw into a folder of their own and send the files back; the caller's disk is the only one that keeps them.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from vision.synth.order import Order

RETRIES = 3  # of a scene whose worker raised; lost workers' scenes are given out again by dask itself
Row = dict[str, Any]


def spread(order: Order, seeds: Sequence[int], scheduler: str) -> Iterator[Row]:
    """Make scenes on the workers of a scheduler (`tcp://HOST:8786`); gives rows of the manifest as they come.

    Raises
    ------
    RuntimeError
        With one sentence, where dask is not installed or the scheduler does not answer.
    """
    try:
        from distributed import Client, as_completed  # noqa: PLC0415 - the extra `venue` may be missing
    except ImportError as error:
        raise RuntimeError("--scheduler needs dask: pip install 'tallycam[venue]'") from error
    try:
        client = Client(scheduler, timeout="10s")
    except (OSError, ValueError) as error:
        raise RuntimeError(f"no dask scheduler answers at {scheduler}") from error
    with client:
        futures = client.map(_drawn, [order] * len(seeds), list(seeds), pure=False, retries=RETRIES)
        for future in as_completed(futures):
            row, files = future.result()
            for name, data in files.items():
                _keep(order.folder / name, data)
            future.release()
            yield row


def _drawn(order: Order, seed: int) -> tuple[Row, dict[str, bytes]]:
    from vision.synth.work import one  # noqa: PLC0415 - work imports this module

    with TemporaryDirectory() as folder:
        row = one(replace(order, folder=Path(folder)), seed)
        return row, {name: (Path(folder) / name).read_bytes() for name in row["files"]}


def _keep(path: Path, data: bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    part = path.with_suffix(path.suffix + ".part")
    part.write_bytes(data)
    part.replace(path)
