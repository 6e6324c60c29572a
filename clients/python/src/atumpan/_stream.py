"""Answers that are read in parts. The request is sent when reading begins."""

from __future__ import annotations

import os
from collections.abc import AsyncIterator, Iterator
from typing import TYPE_CHECKING, Any

from ._core import Call, Failure, Operation, failure_of

if TYPE_CHECKING:
    from ._client import AsyncAtumpan, Atumpan


class Stream:
    """A file that the service makes. Iterating yields its bytes in parts."""

    def __init__(self, client: Atumpan, operation: Operation[Any], call: Call) -> None:
        self._client, self._operation, self._call = client, operation, call

    def __iter__(self) -> Iterator[bytes]:
        response = self._client._answer(self._operation, self._call).stream
        failure: Failure | None = None
        try:
            yield from response.iter_bytes()
        except self._client._transport.FAILURES as error:
            failure = self._client._transport.failure(error)
        finally:
            response.close()
        if failure is not None:
            raise failure_of(failure, None)

    def read(self) -> bytes:
        """Reads the whole file."""
        return b"".join(self)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes the file to a path."""
        with open(path, "wb") as file:
            for part in self:
                file.write(part)


class AsyncStream:
    """A file that the service makes. Iterating yields its bytes in parts."""

    def __init__(self, client: AsyncAtumpan, operation: Operation[Any], call: Call) -> None:
        self._client, self._operation, self._call = client, operation, call

    async def __aiter__(self) -> AsyncIterator[bytes]:
        response = (await self._client._answer(self._operation, self._call)).stream
        failure: Failure | None = None
        try:
            async for part in response.aiter_bytes():
                yield part
        except self._client._transport.FAILURES as error:
            failure = self._client._transport.failure(error)
        finally:
            await response.aclose()
        if failure is not None:
            raise failure_of(failure, None)

    async def read(self) -> bytes:
        """Reads the whole file."""
        return b"".join([part async for part in self])

    async def save(self, path: str | os.PathLike[str]) -> None:
        """Writes the file to a path."""
        with open(path, "wb") as file:
            async for part in self:
                file.write(part)
