"""The methods of `client.callbacks`.

Written by `python -m generator` from docs/openapi.json.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from .._core import Call, Operation
from .._groups import AsyncGroup, Group

if TYPE_CHECKING:
    from .. import models

ANSWER_HANDSHAKE: Final[Operation[models.Received]] = Operation(
    "callbacks.answer_handshake", "GET", "/callbacks/providers/{name}", result="Received", is_public=True
)
RECEIVE: Final[Operation[models.Received]] = Operation(
    "callbacks.receive", "POST", "/callbacks/providers/{name}", result="Received", form="raw", is_public=True
)


class Callbacks(Group):
    """The methods of `client.callbacks`."""

    def answer_handshake(self, name: str) -> models.Received:
        """Answer a vendor's handshake, or receive a callback sent with `GET`. For vendors only."""
        return self._client._call(ANSWER_HANDSHAKE, Call(path={"name": name}))

    def receive(self, name: str, *, body: Any | None = None) -> models.Received:
        """Receive a provider's callback. For vendors only. Every callback is verified by the
        vendor's signature, or by a token in the address if the vendor does not sign, before its
        content is used.
        """
        return self._client._call(RECEIVE, Call(path={"name": name}, body={} if body is None else body))


class AsyncCallbacks(AsyncGroup):
    """The methods of `client.callbacks`."""

    async def answer_handshake(self, name: str) -> models.Received:
        """Answer a vendor's handshake, or receive a callback sent with `GET`. For vendors only."""
        return await self._client._call(ANSWER_HANDSHAKE, Call(path={"name": name}))

    async def receive(self, name: str, *, body: Any | None = None) -> models.Received:
        """Receive a provider's callback. For vendors only. Every callback is verified by the
        vendor's signature, or by a token in the address if the vendor does not sign, before its
        content is used.
        """
        return await self._client._call(RECEIVE, Call(path={"name": name}, body={} if body is None else body))
