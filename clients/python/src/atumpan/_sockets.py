"""A limit on the time of a whole attempt, where httpx2 limits single reads and writes only."""

import time
from contextvars import ContextVar
from typing import Any

import httpcore2
import httpx2

end_of_attempt: ContextVar[float | None] = ContextVar("end_of_attempt", default=None)


def _limited(timeout: float | None) -> float | None:
    end = end_of_attempt.get()
    if end is None:
        return timeout
    left = max(end - time.monotonic(), 0.001)
    return left if timeout is None else min(left, timeout)


class _Stream(httpcore2.NetworkStream):
    def __init__(self, stream: httpcore2.NetworkStream) -> None:
        self._stream = stream

    def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        return self._stream.read(max_bytes, _limited(timeout))

    def write(self, buffer: bytes, timeout: float | None = None) -> None:
        self._stream.write(buffer, _limited(timeout))

    def close(self) -> None:
        self._stream.close()

    def start_tls(self, *arguments: Any, **named: Any) -> httpcore2.NetworkStream:
        return _Stream(self._stream.start_tls(*arguments, **named))

    def get_extra_info(self, info: str) -> Any:
        return self._stream.get_extra_info(info)


class _Backend(httpcore2.NetworkBackend):
    def __init__(self, backend: httpcore2.NetworkBackend) -> None:
        self._backend = backend

    def connect_tcp(self, *arguments: Any, **named: Any) -> httpcore2.NetworkStream:
        return _Stream(self._backend.connect_tcp(*arguments, **named))

    def connect_unix_socket(self, *arguments: Any, **named: Any) -> httpcore2.NetworkStream:
        return _Stream(self._backend.connect_unix_socket(*arguments, **named))

    def sleep(self, seconds: float) -> None:
        self._backend.sleep(seconds)


def limit_attempts(client: httpx2.Client) -> None:
    """Makes a client's reads and writes obey `end_of_attempt`."""
    for transport in (client._transport, *client._mounts.values()):
        pool: Any = getattr(transport, "_pool", None)
        if hasattr(pool, "_network_backend"):
            pool._network_backend = _Backend(pool._network_backend)
