"""The rules of three games and the scoresheet: pure functions over frozen values, standard library only."""
