"""How other machines of the network call this one."""

import socket


def own_names() -> tuple[str, ...]:
    """Give the names that a local network knows this machine by."""
    name = socket.gethostname().lower()
    bare = name.partition(".")[0]
    return tuple(dict.fromkeys(one for one in (name, bare, f"{bare}.local", "tallycam.local") if one))


def own_address() -> str | None:
    """Give the address at which other machines of the network reach this one; nothing is sent to find it."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect(("192.0.2.1", 9))
        except OSError:
            return None
        found: str = probe.getsockname()[0]
    return None if found.startswith(("127.", "0.")) else found
