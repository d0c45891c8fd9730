"""Where weights and bundled recordings lie: the project's folders, or their copies inside an installed wheel."""

from pathlib import Path

_PACKAGE = Path(__file__).parent


def asset(relative: str) -> Path:
    """Give the path of a bundled file or folder.

    Parameters
    ----------
    relative
        The path in the project, as `models/tips.onnx` or `datasets/samples/cricket`.

    Raises
    ------
    FileNotFoundError
        If neither the checkout nor the installed package has it.
    """
    for base in (_PACKAGE / "_assets", _PACKAGE.parent):
        path = base / relative
        if path.exists():
            return path
    raise FileNotFoundError(f"{relative} is not part of this installation of tallycam")
