"""The hash of what read a sighting: of one that waited for a person no reading stands beside an entry."""

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"


def upgrade() -> None:
    op.add_column("sighting", sa.Column("model", sa.Text))
