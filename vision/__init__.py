"""Pictures to observations to proposed actions."""
