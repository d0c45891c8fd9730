"""Boards, their setups, what watches which match, what was seen, and what is done about doubts."""

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"


def upgrade() -> None:
    op.add_column("change", sa.Column("sighting_id", sa.Integer))
    op.create_table(
        "doubts",
        sa.Column("match_id", sa.Text, sa.ForeignKey("match.id"), primary_key=True),
        sa.Column("way", sa.Text, sa.CheckConstraint("way IN ('mark', 'wait')"), nullable=False),
        sqlite_strict=True,
    )
    op.create_table(
        "board",
        sa.Column("id", sa.Text, primary_key=True),
        sa.Column("name", sa.Text, nullable=False),
        sa.Column("game", sa.Text, nullable=False),
        sa.Column("source", sa.Text, nullable=False),
        sa.Column("pace", sa.Text, sa.CheckConstraint("pace IN ('real', 'fast')"), nullable=False),
        sa.Column("created_at", sa.Text, nullable=False),
        sa.Column("removed_at", sa.Text),
        sqlite_strict=True,
    )
    op.create_table(
        "setup",
        sa.Column("board_id", sa.Text, sa.ForeignKey("board.id"), primary_key=True),
        sa.Column("version", sa.Integer, sa.CheckConstraint("version > 0"), primary_key=True, autoincrement=False),
        sa.Column("setup", sa.Text, nullable=False),
        sa.Column("by", sa.Text, nullable=False),
        sa.Column("at", sa.Text, nullable=False),
        sqlite_strict=True,
    )
    op.create_table(
        "watching",
        sa.Column("id", sa.Integer, primary_key=True),
        sa.Column("board_id", sa.Text, sa.ForeignKey("board.id"), nullable=False),
        sa.Column("match_id", sa.Text, sa.ForeignKey("match.id"), nullable=False),
        sa.Column("setup_version", sa.Integer, nullable=False),
        sa.Column("source", sa.Text, nullable=False),
        sa.Column("pace", sa.Text, nullable=False),
        sa.Column("lying", sa.Text),
        sa.Column("zero_ms", sa.Integer, nullable=False),
        sa.Column("begun_at", sa.Text, nullable=False),
        sa.Column("ended_at", sa.Text),
        sa.Column("outcome", sa.Text),
        sa.ForeignKeyConstraint(["board_id", "setup_version"], ["setup.board_id", "setup.version"]),
        sqlite_strict=True,
    )
    running = sa.text("ended_at IS NULL")
    op.create_index("watching_of_board", "watching", ["board_id"], unique=True, sqlite_where=running)
    op.create_index("watching_of_match", "watching", ["match_id"], unique=True, sqlite_where=running)
    op.create_table(
        "sighting",
        sa.Column("id", sa.Integer, primary_key=True),
        sa.Column("match_id", sa.Text, sa.ForeignKey("match.id"), nullable=False),
        sa.Column("watching_id", sa.Integer, sa.ForeignKey("watching.id")),
        sa.Column("number", sa.Integer, nullable=False),
        sa.Column("event", sa.Text, nullable=False),
        sa.Column("pictures", sa.Text, nullable=False),
        sa.Column("codes", sa.Text, nullable=False),
        sa.Column("action", sa.Text),
        sa.Column("state", sa.Text, nullable=False),
        sa.Column("first_entry", sa.Integer),
        sa.Column("last_entry", sa.Integer),
        sa.Column("at", sa.Text, nullable=False),
        sa.Column("decision", sa.Text),
        sa.Column("by", sa.Text),
        sa.Column("decided_at", sa.Text),
        sqlite_strict=True,
    )
    op.create_index("sighting_of_match", "sighting", ["match_id", "id"])
    op.create_index("sighting_of_watching", "sighting", ["watching_id", "number"], unique=True)
