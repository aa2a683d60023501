"""How a server is to be reached, and what one request may cost. Plain values; nothing is opened."""

from __future__ import annotations

import ipaddress
from dataclasses import dataclass

DEFAULT_HOST = "127.0.0.1"
DEFAULT_PORT = 7364
MIB = 1 << 20


@dataclass(frozen=True, slots=True, kw_only=True)
class Serving:
    """`names`: host names besides its address that the server answers to. `needs_token`: /api and /mcp are closed without one.

    Bytes: `body` of a request, `upload` of an import, `answer` in JSON. Seconds: a request may take `patience`, one that works
    through the whole store `long_patience`; `beat` between signs of life of an event stream, `tick` between looks at the store.
    `calls` run at once, `streams` are event streams open at once. Each `map_every` seconds the map is brought up to date, 0:
    never.
    """

    host: str = DEFAULT_HOST
    port: int = DEFAULT_PORT
    names: tuple[str, ...] = ()
    read_only: bool = False
    needs_token: bool = False
    body: int = 34 * MIB
    upload: int = 4096 * MIB
    answer: int = 64 * MIB
    patience: float = 60.0
    long_patience: float = 6 * 3600.0
    beat: float = 15.0
    tick: float = 0.5
    map_every: float = 15.0
    calls: int = 8
    streams: int = 64
    mcp_budget: int = 6000


def is_loopback(host: str) -> bool:
    """Whether only this machine reaches a server on that address."""
    if host == "localhost":
        return True
    address = address_of(host)
    return address is not None and address.is_loopback


def address_of(host: str) -> ipaddress.IPv4Address | ipaddress.IPv6Address | None:
    """The address that a host of a URL is written as; None for a name."""
    try:
        return ipaddress.ip_address(host.removeprefix("[").removesuffix("]"))
    except ValueError:
        return None


def url_of(host: str, port: int) -> str:
    """Where a browser on this machine finds the server."""
    address = address_of(host)
    if address is not None and address.is_unspecified:
        host = "127.0.0.1" if address.version == 4 else "::1"
    return f"http://{f'[{host}]' if ':' in host else host}:{port}/"
