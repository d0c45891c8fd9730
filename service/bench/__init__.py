"""Measurements of speed, one module each: `tallycam bench NAME`."""
