"""The worked scoresheets that stand beside the checkout."""

import json
from pathlib import Path

import pytest

from engine import ScoresheetError, format_sheet, parse_sheet, result

FOLDER = Path(__file__).resolve().parents[3] / "shared" / "rules" / "examples"
SHEETS = sorted(path.name for path in FOLDER.glob("*.jsonl"))


@pytest.mark.shared_data
@pytest.mark.parametrize("name", SHEETS)
def test_worked_scoresheet(shared_rules: Path, name: str) -> None:
    path = shared_rules / "examples" / name
    wanted = json.loads(path.with_suffix(".expected.json").read_text())
    if wanted == {"exit": 2}:
        with pytest.raises(ScoresheetError):
            parse_sheet(path.read_bytes())
        return
    sheet = parse_sheet(path.read_bytes())
    found = result(sheet)
    assert json.dumps(found) == json.dumps(wanted)
    assert parse_sheet(format_sheet(sheet)) == sheet
