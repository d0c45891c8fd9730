"""Finn Billiards' twin: shots by physics, boards and pins drawn, the truth of both."""
