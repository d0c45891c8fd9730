"""Darts."""
