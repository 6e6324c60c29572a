"""The methods of `client.checkout`.

Written by `python -m generator` from docs/openapi.json.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from .._core import Call, Operation
from .._groups import AsyncGroup, Group

if TYPE_CHECKING:
    pass

DECLINE: Final[Operation[str]] = Operation(
    "checkout.decline", "POST", "/checkout/{reference}/decline", shape="text", form="raw", is_public=True
)
PAY: Final[Operation[str]] = Operation(
    "checkout.pay", "POST", "/checkout/{reference}/pay", shape="text", form="raw", is_public=True
)
SHOW: Final[Operation[str]] = Operation(
    "checkout.show", "GET", "/checkout/{reference}", shape="text", is_public=True
)


class Checkout(Group):
    """The methods of `client.checkout`."""

    def decline(self, reference: str, *, body: Any | None = None) -> str:
        """Decline the payment. A completed payment stays completed."""
        return self._client._call(
            DECLINE, Call(path={"reference": reference}, body={} if body is None else body)
        )

    def pay(self, reference: str, *, body: Any | None = None) -> str:
        """Make the payment. Repeating it changes nothing."""
        return self._client._call(PAY, Call(path={"reference": reference}, body={} if body is None else body))

    def show(self, reference: str) -> str:
        """Show a payment, with a button that makes it and one that declines."""
        return self._client._call(SHOW, Call(path={"reference": reference}))


class AsyncCheckout(AsyncGroup):
    """The methods of `client.checkout`."""

    async def decline(self, reference: str, *, body: Any | None = None) -> str:
        """Decline the payment. A completed payment stays completed."""
        return await self._client._call(
            DECLINE, Call(path={"reference": reference}, body={} if body is None else body)
        )

    async def pay(self, reference: str, *, body: Any | None = None) -> str:
        """Make the payment. Repeating it changes nothing."""
        return await self._client._call(
            PAY, Call(path={"reference": reference}, body={} if body is None else body)
        )

    async def show(self, reference: str) -> str:
        """Show a payment, with a button that makes it and one that declines."""
        return await self._client._call(SHOW, Call(path={"reference": reference}))
