"""Matches, their entries, what was seen and decided, the numbered changes and the keys they came under."""

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None


def upgrade() -> None:
    op.create_table(
        "match",
        sa.Column("id", sa.Text, primary_key=True),
        sa.Column("header", sa.Text, nullable=False),
        sa.Column("created_at", sa.Text, nullable=False),
        sqlite_strict=True,
    )
    op.create_table(
        "entry",
        sa.Column("match_id", sa.Text, sa.ForeignKey("match.id"), primary_key=True),
        sa.Column("seq", sa.Integer, sa.CheckConstraint("seq > 0"), primary_key=True, autoincrement=False),
        sa.Column("line", sa.Text, nullable=False),
        sqlite_strict=True,
    )
    op.create_table(
        "detection",
        sa.Column("match_id", sa.Text, primary_key=True),
        sa.Column("entry_seq", sa.Integer, primary_key=True, autoincrement=False),
        sa.Column("seen", sa.Text, nullable=False),
        sa.Column("model", sa.Text, nullable=False),
        sa.ForeignKeyConstraint(["match_id", "entry_seq"], ["entry.match_id", "entry.seq"]),
        sqlite_strict=True,
    )
    op.create_table(
        "review",
        sa.Column("id", sa.Integer, primary_key=True),
        sa.Column("match_id", sa.Text, nullable=False),
        sa.Column("entry_seq", sa.Integer, nullable=False),
        sa.Column("decision", sa.Text, nullable=False),
        sa.Column("by", sa.Text, nullable=False),
        sa.Column("at", sa.Text, nullable=False),
        sa.ForeignKeyConstraint(["match_id", "entry_seq"], ["entry.match_id", "entry.seq"]),
        sqlite_strict=True,
    )
    op.create_index("review_of_entry", "review", ["match_id", "entry_seq"])
    op.create_table(
        "change",
        sa.Column("id", sa.Integer, primary_key=True),
        sa.Column("match_id", sa.Text, sa.ForeignKey("match.id"), nullable=False),
        sa.Column("kind", sa.Text, nullable=False),
        sa.Column("entry_seq", sa.Integer),
        sa.Column("seq", sa.Integer, nullable=False),
        sa.Column("at", sa.Text, nullable=False),
        sqlite_strict=True,
        sqlite_autoincrement=True,
    )
    op.create_index("change_of_match", "change", ["match_id", "id"])
    op.create_table(
        "done",
        sa.Column("key", sa.Text, primary_key=True),
        sa.Column("fingerprint", sa.Text, nullable=False),
        sa.Column("change_id", sa.Integer, sa.ForeignKey("change.id"), nullable=False),
        sqlite_strict=True,
    )
