"""Alembic's entry: migrations run on the connection that the club hands over."""

from alembic import context

from service.venue.schema import metadata

context.configure(connection=context.config.attributes["connection"], target_metadata=metadata)
context.run_migrations()
