"""The name under which the local network finds the service, said by multicast DNS."""

import logging
import socket
import threading
from collections.abc import Sequence
from typing import Final

from zeroconf import Error as ZeroconfError
from zeroconf import InterfaceChoice, IPVersion, ServiceInfo, Zeroconf

NAME: Final = "tallycam"
"""The name that is asked for; where another machine of the network has it, that one keeps it."""

log = logging.getLogger("tallycam.network")


class NetworkName:
    """`tallycam.local`, said to the network for as long as the service runs.

    Networks that pass on no multicast never hear it; the address works everywhere.
    """

    def __init__(self, address: str, port: int, interfaces: Sequence[str] | None = None) -> None:
        self._info = ServiceInfo(
            "_http._tcp.local.",
            f"{NAME}._http._tcp.local.",
            addresses=[socket.inet_aton(address)],
            port=port,
            server=f"{NAME}.local.",
            properties={"path": "/"},
        )
        self._interfaces = interfaces
        self._end = threading.Event()
        self._thread = threading.Thread(target=self._run, name="network-name", daemon=True)

    def start(self) -> None:
        """Begin; it takes two seconds to hear whether somebody else has the name, and nobody waits for that."""
        self._thread.start()

    def close(self) -> None:
        """Take the name back."""
        self._end.set()
        if self._thread.is_alive():
            self._thread.join(3.0)

    def _run(self) -> None:
        try:
            known = InterfaceChoice.All if self._interfaces is None else list(self._interfaces)
            network = Zeroconf(interfaces=known, ip_version=IPVersion.V4Only)
        except OSError as error:
            log.warning("the name %s.local cannot be said to the network: %s", NAME, error.strerror)
            return
        try:
            network.register_service(self._info, allow_name_change=True)
            self._end.wait()
            network.unregister_service(self._info)
        except (OSError, ZeroconfError) as error:
            log.warning("the name %s.local is not said to the network: %s", NAME, error)
        finally:
            network.close()
