"""Which pictures are for training and which for validation: by their names, so that a set may grow."""

import hashlib

TRAIN, VAL = "train", "val"


def split_of(name: str, val_share: float) -> str:
    """Give `train` or `val` for a picture's name; always the same for the same name and share."""
    digest = hashlib.sha256(name.encode()).digest()
    return VAL if int.from_bytes(digest[:4], "big") < val_share * 2**32 else TRAIN
