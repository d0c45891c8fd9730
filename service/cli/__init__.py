"""The `tallycam` command: one module a subcommand, loaded only when it is called."""

import os

# numpy's matrices here are small: shared over threads they cost several times the processor's time, which boards
# that are read beside each other have not got. It has to be said before numpy is loaded.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
