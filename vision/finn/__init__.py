"""Finn Billiards seen by a camera: which pins fell, leaned or flew, and where everything lies."""
