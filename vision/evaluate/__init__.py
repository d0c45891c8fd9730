"""Measuring what is read against what is true."""
