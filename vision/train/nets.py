"""The networks: small enough to learn on two CPU cores, plain enough to export to ONNX as they are."""

from itertools import pairwise

import torch
from torch import Tensor, nn
from torch.nn import functional


def conv(given: int, made: int, stride: int = 1, size: int = 3) -> nn.Sequential:
    """Give a convolution with normalisation and ReLU."""
    return nn.Sequential(
        nn.Conv2d(given, made, size, stride, size // 2, bias=False), nn.BatchNorm2d(made), nn.ReLU(inplace=True)
    )


class TipVotes(nn.Module):
    """A pyramid of five scales, the finest a quarter of what it sees.

    The answer is (N, 4, S / 4, S / 4): logits that a tip lies in a cell and that a dart is seen there, and from
    each cell of a dart the way to its tip, right and down, in units of `vision.darts.learned.VOTE_MM`.
    """

    def __init__(self, channels: int, width: int = 32) -> None:
        super().__init__()
        w = width
        sizes = (w, 2 * w, 3 * w, 4 * w, 4 * w)
        self.stem = nn.Sequential(conv(channels, w // 2, 2, 5), conv(w // 2, w, 2), conv(w, w))
        self.down = nn.ModuleList(nn.Sequential(conv(a, b, 2), conv(b, b)) for a, b in pairwise(sizes))
        # Coarser scales are brought to the finer one's channels first and then added: a third of a U-net's price.
        self.narrow = nn.ModuleList(nn.Conv2d(b, a, 1) for a, b in pairwise(sizes))
        self.up = nn.ModuleList(conv(a, a) for a, _ in pairwise(sizes))
        self.head = nn.Conv2d(w, 4, 1)
        with torch.no_grad():
            self.head.bias.copy_(torch.tensor((-3.5, -3.5, 0.0, 0.0)))

    def forward(self, seen: Tensor) -> Tensor:
        """(N, channels, S, S) to (N, 4, S / 4, S / 4)."""
        scales = [self.stem(seen)]
        for step in self.down:
            scales.append(step(scales[-1]))
        out = scales.pop()
        for narrow, step in zip(reversed(self.narrow), reversed(self.up), strict=True):
            out = step(functional.interpolate(narrow(out), scale_factor=2.0, mode="nearest") + scales.pop())
        return self.head(out)


class PointInPatch(nn.Module):
    """Where in a small patch a point lies, how sure that is, and whether it is there at all.

    The answer is (N, 6): x and y in units of half the patch from its centre (x right, y down), the logarithms of
    the two diagonal entries and the lower entry of the Cholesky factor of the *inverse* covariance in the same
    units, and the logit that the point is there. The place is the mean of a map (Nibali et al., Numerical
    coordinate regression, 2018), which learns several times faster than numbers from a dense layer.
    """

    def __init__(self, channels: int, size: int, width: int = 32) -> None:
        super().__init__()
        w = width
        sizes = (2 * w, 3 * w, 4 * w)
        self.stem = nn.Sequential(conv(channels, w, 2), conv(w, w), conv(w, 2 * w, 2), conv(2 * w, 2 * w))
        self.down = nn.ModuleList(nn.Sequential(conv(a, b, 2), conv(b, b)) for a, b in pairwise(sizes))
        self.narrow = nn.ModuleList(nn.Conv2d(b, a, 1) for a, b in pairwise(sizes))
        self.up = nn.ModuleList(conv(a, a) for a, _ in pairwise(sizes))
        self.map = nn.Conv2d(2 * w, 1, 1)
        coarse = size // 16
        self.head = nn.Sequential(
            nn.Flatten(), nn.Linear(4 * w * coarse * coarse, 64), nn.ReLU(), nn.Linear(64, 4)
        )
        self.side = size // 4
        centres = (torch.arange(self.side) * 4 + 1.5 - (size - 1) / 2) / (size / 2)
        self.register_buffer("centres", centres, persistent=False)

    def forward(self, seen: Tensor) -> Tensor:
        """(N, channels, size, size) to (N, 6)."""
        scales = [self.stem(seen)]
        for step in self.down:
            scales.append(step(scales[-1]))
        rest = self.head(scales[-1])
        out = scales.pop()
        for narrow, step in zip(reversed(self.narrow), reversed(self.up), strict=True):
            out = step(functional.interpolate(narrow(out), scale_factor=2.0, mode="nearest") + scales.pop())
        chances = self.map(out).float().flatten(1).softmax(1).reshape(-1, self.side, self.side)
        x, y = (chances.sum(1) * self.centres).sum(1), (chances.sum(2) * self.centres).sum(1)
        return torch.cat((torch.stack((x, y), 1), rest.float()), 1)
