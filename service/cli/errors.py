"""The one exception with which a subcommand ends."""


class CommandError(Exception):
    """A mistake in the call or its files; its text is one sentence: what, where, what would be right."""
