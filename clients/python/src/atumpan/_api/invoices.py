"""The methods of `client.invoices`.

Written by `python -m generator` from docs/openapi.json.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from .._core import Call, Operation
from .._groups import AsyncGroup, Group

if TYPE_CHECKING:
    from .. import models
    from .._paging import AsyncPages, Pages

GET: Final[Operation[models.InvoiceDetails]] = Operation(
    "invoices.get", "GET", "/billing/invoices/{id}", result="InvoiceDetails"
)
LIST: Final[Operation[models.Invoice]] = Operation(
    "invoices.list", "GET", "/billing/invoices", result="Invoice"
)
VOID: Final[Operation[models.Invoice]] = Operation(
    "invoices.void", "POST", "/billing/invoices/{id}/void", result="Invoice"
)


class Invoices(Group):
    """The methods of `client.invoices`."""

    def get(self, id: str) -> models.InvoiceDetails:
        """Get an invoice, with the details of a statement. Returns JSON, or a page that prints on A4
        if `Accept` prefers `text/html`.
        """
        return self._client._call(GET, Call(path={"id": id}))

    def list(self, *, page: int | None = None, limit: int | None = None) -> Pages[models.Invoice]:
        """List invoices. Newest first. An invoice is issued for each top-up with the method
        `invoice`; a statement of each month with movements is issued on the first day of the next
        month.

        page: The number of the page, from 1; 1 if absent.
        limit: The number of items in a page, 1 to 100; 100 if absent.
        """
        return self._pages(LIST, Call(query={"page": page, "limit": limit}), False)

    def void(self, id: str) -> models.Invoice:
        """Withdraw an open invoice. For owners and administrators. Its number is not reused."""
        return self._client._call(VOID, Call(path={"id": id}))


class AsyncInvoices(AsyncGroup):
    """The methods of `client.invoices`."""

    async def get(self, id: str) -> models.InvoiceDetails:
        """Get an invoice, with the details of a statement. Returns JSON, or a page that prints on A4
        if `Accept` prefers `text/html`.
        """
        return await self._client._call(GET, Call(path={"id": id}))

    def list(self, *, page: int | None = None, limit: int | None = None) -> AsyncPages[models.Invoice]:
        """List invoices. Newest first. An invoice is issued for each top-up with the method
        `invoice`; a statement of each month with movements is issued on the first day of the next
        month.

        page: The number of the page, from 1; 1 if absent.
        limit: The number of items in a page, 1 to 100; 100 if absent.
        """
        return self._pages(LIST, Call(query={"page": page, "limit": limit}), False)

    async def void(self, id: str) -> models.Invoice:
        """Withdraw an open invoice. For owners and administrators. Its number is not reused."""
        return await self._client._call(VOID, Call(path={"id": id}))
