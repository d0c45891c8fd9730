"""Reads the table of Astrolabe: slots, balls elsewhere, the shot between two pictures, whole matches as video."""
