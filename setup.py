"""Copy weights and demo recordings into the package when a wheel is built.

`models/` and `datasets/` are folders of the project, not packages; an installed wheel finds what it needs of them
under `vision/_assets/` (see `vision.assets`). Everything else about the build is in `pyproject.toml`.
"""

import shutil
from pathlib import Path

from setuptools import setup
from setuptools.command.build_py import build_py

ROOT = Path(__file__).parent
ASSETS = {"models": ("*.onnx", "*.npz", "*.json", "*.md"), "datasets/samples": ("**/*",)}


class BuildWithAssets(build_py):
    """The usual build, then the assets; an editable install reads them in place."""

    def run(self) -> None:
        """Build the packages and copy the assets into the build folder."""
        super().run()
        if self.editable_mode:
            return
        for folder, patterns in ASSETS.items():
            for pattern in patterns:
                for source in sorted((ROOT / folder).glob(pattern)):
                    if source.is_file():
                        self._copy(source)

    def _copy(self, source: Path) -> None:
        target = Path(self.build_lib) / "vision" / "_assets" / source.relative_to(ROOT)
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(source, target)


setup(cmdclass={"build_py": BuildWithAssets})
