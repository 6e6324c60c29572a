"""The methods of `client.ledger`.

Written by `python -m generator` from docs/openapi.json.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from .._core import Call, Operation
from .._groups import AsyncGroup, Group

if TYPE_CHECKING:
    from .. import models
    from .._paging import AsyncPages, Pages

LIST: Final[Operation[models.LedgerMovement]] = Operation(
    "ledger.list", "GET", "/billing/ledger", result="LedgerMovement"
)


class Ledger(Group):
    """The methods of `client.ledger`."""

    def list(self, *, page: int | None = None, limit: int | None = None) -> Pages[models.LedgerMovement]:
        """List the movements of the wallet. Newest first; the sum is the balance. Payments for
        messages within an hour form one movement, and so do their refunds; both grow until the
        hour ends. A movement is entered into the ledger some seconds (credits) or minutes (hours)
        later. From then on it never changes, and has a `sequence`, which counts without gaps from
        1, and a `hash`: the SHA-256 of the 32 bytes of the previous hash (zeros for the first
        entry) and the entry, as described in docs/ledger.md.

        page: The number of the page, from 1; 1 if absent.
        limit: The number of items in a page, 1 to 100; 100 if absent.
        """
        return self._pages(LIST, Call(query={"page": page, "limit": limit}), False)


class AsyncLedger(AsyncGroup):
    """The methods of `client.ledger`."""

    def list(self, *, page: int | None = None, limit: int | None = None) -> AsyncPages[models.LedgerMovement]:
        """List the movements of the wallet. Newest first; the sum is the balance. Payments for
        messages within an hour form one movement, and so do their refunds; both grow until the
        hour ends. A movement is entered into the ledger some seconds (credits) or minutes (hours)
        later. From then on it never changes, and has a `sequence`, which counts without gaps from
        1, and a `hash`: the SHA-256 of the 32 bytes of the previous hash (zeros for the first
        entry) and the entry, as described in docs/ledger.md.

        page: The number of the page, from 1; 1 if absent.
        limit: The number of items in a page, 1 to 100; 100 if absent.
        """
        return self._pages(LIST, Call(query={"page": page, "limit": limit}), False)
