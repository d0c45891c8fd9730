"""Time, files, network and people around the rules and the eyes."""
