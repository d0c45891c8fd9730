"""The dartboard's twin: boards, darts, rooms and cameras from a seed; stills, clips and training crops."""
