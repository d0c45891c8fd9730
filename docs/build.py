"""Write the documentation that follows from the code: commands, OpenAPI, the schema of the settings.

Run by `make docs`; a test fails where the files and the code differ.
"""

import json
import os
import subprocess
import sys
from pathlib import Path

from service.cli.main import COMMANDS

DOCS = Path(__file__).parent
# A fixed width makes the help the same in every terminal.
ENVIRONMENT = {**os.environ, "COLUMNS": "110", "TERMINAL_WIDTH": "110", "NO_COLOR": "1"}


def commands_page() -> str:
    """Give the help of every command as one Markdown page."""
    parts = ["# Commands\n\nWritten by `make docs` from the program's own help.\n"]
    for name in COMMANDS:
        done = subprocess.run(
            [sys.executable, "-c", "from service.cli.main import main; main()", name, "--help"],
            text=True,
            capture_output=True,
            check=True,
            env=ENVIRONMENT,
        )
        text = "\n".join(line.rstrip() for line in done.stdout.strip().splitlines())
        parts.append(f"## tallycam {name}\n\n```text\n{text}\n```\n")
    return "\n".join(parts)


def openapi() -> str:
    """Give the description of the HTTP interface as JSON text."""
    from service.api import create_app  # noqa: PLC0415

    return json.dumps(create_app().openapi(), indent=1, ensure_ascii=False, sort_keys=True) + "\n"


def config_schema() -> str:
    """Give the JSON Schema of the settings file."""
    from service.config import schema  # noqa: PLC0415

    return json.dumps(schema(), indent=1, ensure_ascii=False) + "\n"


def pages() -> dict[Path, str]:
    """Give each generated file's path and text."""
    return {
        DOCS / "commands.md": commands_page(),
        DOCS / "openapi.json": openapi(),
        DOCS / "config.schema.json": config_schema(),
    }


if __name__ == "__main__":
    for path, text in pages().items():
        path.write_text(text)
        sys.stdout.write(f"wrote {path.relative_to(DOCS.parent)}\n")
