"""The methods of `client.billing`.

Written by `python -m generator` from docs/openapi.json.
"""

from __future__ import annotations

import builtins
from typing import TYPE_CHECKING, Final

from .._core import Call, Operation
from .._groups import AsyncGroup, Group

if TYPE_CHECKING:
    from .. import models

GET_PRICING: Final[Operation[models.Tariff]] = Operation(
    "billing.get_pricing", "GET", "/billing/pricing", result="Tariff"
)
GET_WALLET: Final[Operation[models.Wallet]] = Operation(
    "billing.get_wallet", "GET", "/billing/wallet", result="Wallet"
)
LIST_USAGE: Final[Operation[list[models.Usage]]] = Operation(
    "billing.list_usage", "GET", "/billing/usage", result="Usage", shape="list"
)


class Billing(Group):
    """The methods of `client.billing`."""

    def get_pricing(self) -> models.Tariff:
        """List active pricing rules and plans."""
        return self._client._call(GET_PRICING, Call())

    def get_wallet(self) -> models.Wallet:
        """Get the balance of the wallet."""
        return self._client._call(GET_WALLET, Call())

    def list_usage(self, *, months: int | None = None) -> builtins.list[models.Usage]:
        """Get usage by channel and month. Newest month first. Live messages count in the month of
        their acceptance (UTC), the current month included. A failed message was refunded: it
        counts as a message with its segments, and is not part of `cost`.

        months: The number of calendar months; 1 if absent.
        """
        return self._client._call(LIST_USAGE, Call(query={"months": months}))


class AsyncBilling(AsyncGroup):
    """The methods of `client.billing`."""

    async def get_pricing(self) -> models.Tariff:
        """List active pricing rules and plans."""
        return await self._client._call(GET_PRICING, Call())

    async def get_wallet(self) -> models.Wallet:
        """Get the balance of the wallet."""
        return await self._client._call(GET_WALLET, Call())

    async def list_usage(self, *, months: int | None = None) -> builtins.list[models.Usage]:
        """Get usage by channel and month. Newest month first. Live messages count in the month of
        their acceptance (UTC), the current month included. A failed message was refunded: it
        counts as a message with its segments, and is not part of `cost`.

        months: The number of calendar months; 1 if absent.
        """
        return await self._client._call(LIST_USAGE, Call(query={"months": months}))
