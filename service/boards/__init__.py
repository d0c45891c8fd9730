"""Boards: what sees them runs in processes of its own, so that no camera or model takes the service down."""
