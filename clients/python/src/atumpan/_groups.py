"""Bases of the groups of methods, with the methods that take several calls."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar, cast

from ._helpers import wait_until_final
from ._paging import AsyncPages, Pages
from ._stream import AsyncStream, Stream

if TYPE_CHECKING:
    from . import models
    from ._client import AsyncAtumpan, Atumpan
    from ._core import Call, Operation

T = TypeVar("T")


class Group:
    """Methods of one subject."""

    def __init__(self, client: object) -> None:
        self._client = cast("Atumpan", client)

    def _pages(self, operation: Operation[T], call: Call, has_cursor: bool) -> Pages[T]:
        return Pages(self._client, operation, call, has_cursor)

    def _stream(self, operation: Operation[str], call: Call) -> Stream:
        return Stream(self._client, operation, call)


class AsyncGroup:
    """Methods of one subject."""

    def __init__(self, client: object) -> None:
        self._client = cast("AsyncAtumpan", client)

    def _pages(self, operation: Operation[T], call: Call, has_cursor: bool) -> AsyncPages[T]:
        return AsyncPages(self._client, operation, call, has_cursor)

    def _stream(self, operation: Operation[str], call: Call) -> AsyncStream:
        return AsyncStream(self._client, operation, call)


class MessagesBase(Group):
    """Waiting for messages."""

    def wait_until_final(self, id: str, *, timeout: float = 60.0) -> models.DeliveryLogDetail:
        """Waits until a message is `DELIVERED` or `FAILED`; raises `TimeoutError` after `timeout` seconds."""
        from ._api.messages import GET

        return self._client._run(wait_until_final(self._client, GET, id, timeout))


class AsyncMessagesBase(AsyncGroup):
    """Waiting for messages."""

    async def wait_until_final(self, id: str, *, timeout: float = 60.0) -> models.DeliveryLogDetail:
        """Waits until a message is `DELIVERED` or `FAILED`; raises `TimeoutError` after `timeout` seconds."""
        from ._api.messages import GET

        return await self._client._run(wait_until_final(self._client, GET, id, timeout))
