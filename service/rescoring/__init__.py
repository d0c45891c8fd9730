"""Recordings put through today's pipeline, and what it says otherwise than was accepted at the time.

`found` finds recordings, `work` does one (a pure function of hashes), `kept` keeps results by those hashes, `run`
does what is missing over processes or machines, `changes` holds results against scoresheets, `report` shows it.
"""
