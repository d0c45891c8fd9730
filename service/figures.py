"""Figures in the text form that Prometheus reads."""

from collections.abc import Iterator, Mapping, Sequence


def gauge(name: str, said: str, value: float) -> Iterator[str]:
    """Give the lines of one figure."""
    yield from gauges(name, said, [({}, value)])


def gauges(name: str, said: str, values: Sequence[tuple[Mapping[str, str], float]]) -> Iterator[str]:
    """Give the lines of a figure that is told by labels; a name that ends with `_total` is a counter."""
    kind = "counter" if name.endswith("_total") else "gauge"
    yield f"# HELP tallycam_{name} {said}\n# TYPE tallycam_{name} {kind}\n"
    for labels, value in values:
        told = ",".join(f'{key}="{_escaped(text)}"' for key, text in labels.items())
        yield f"tallycam_{name}{'{' + told + '}' if told else ''} {float(value):.12g}\n"


def _escaped(text: str) -> str:
    return text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
