"""New darts between two pictures of a board: their tips, how sure, and where they point."""

from vision.darts.tips.dart import Dart
from vision.darts.tips.pair import Comparison, compare_pair, new_darts

__all__ = ["Comparison", "Dart", "compare_pair", "new_darts"]
