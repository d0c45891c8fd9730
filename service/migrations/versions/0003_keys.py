"""Keys of requests that change no match: what came of them."""

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"


def upgrade() -> None:
    op.create_table(
        "done_now",
        sa.Column("key", sa.Text, primary_key=True),
        sa.Column("fingerprint", sa.Text, nullable=False),
        sa.Column("change_id", sa.Integer, sa.ForeignKey("change.id")),
        sa.Column("made", sa.Text),
        sqlite_strict=True,
    )
    op.execute("INSERT INTO done_now SELECT key, fingerprint, change_id, NULL FROM done")
    op.drop_table("done")
    op.rename_table("done_now", "done")
