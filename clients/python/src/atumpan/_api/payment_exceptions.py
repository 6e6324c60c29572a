"""The methods of `client.payment_exceptions`.

Written by `python -m generator` from docs/openapi.json.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from .._core import Call, Operation
from .._groups import AsyncGroup, Group

if TYPE_CHECKING:
    from .. import models
    from .._paging import AsyncPages, Pages

LIST: Final[Operation[models.PaymentException]] = Operation(
    "payment_exceptions.list", "GET", "/admin/payment-exceptions", result="PaymentException"
)
RESOLVE: Final[Operation[models.PaymentException]] = Operation(
    "payment_exceptions.resolve",
    "POST",
    "/admin/payment-exceptions/{id}/resolve",
    result="PaymentException",
    body="PaymentExceptionResolution",
)


class PaymentExceptions(Group):
    """The methods of `client.payment_exceptions`."""

    def list(
        self, *, resolved: bool | None = None, page: int | None = None, limit: int | None = None
    ) -> Pages[models.PaymentException]:
        """List payments that could not be credited. For platform administrators. Newest first.

        resolved: Only resolved exceptions, or only open ones.
        page: The number of the page, from 1; 1 if absent.
        limit: The number of items in a page, 1 to 100; 100 if absent.
        """
        return self._pages(LIST, Call(query={"resolved": resolved, "page": page, "limit": limit}), False)

    def resolve(self, id: str, *, comment: str) -> models.PaymentException:
        """Resolve a payment exception. For platform administrators. Records the resolution and moves
        no money: credit the payment with `POST /billing/top-up` and a `reference`, or refund it
        at the gateway. The comment is recorded in the audit log.

        comment: A description of the resolution.
        """
        return self._client._call(RESOLVE, Call(path={"id": id}, body={"comment": comment}))


class AsyncPaymentExceptions(AsyncGroup):
    """The methods of `client.payment_exceptions`."""

    def list(
        self, *, resolved: bool | None = None, page: int | None = None, limit: int | None = None
    ) -> AsyncPages[models.PaymentException]:
        """List payments that could not be credited. For platform administrators. Newest first.

        resolved: Only resolved exceptions, or only open ones.
        page: The number of the page, from 1; 1 if absent.
        limit: The number of items in a page, 1 to 100; 100 if absent.
        """
        return self._pages(LIST, Call(query={"resolved": resolved, "page": page, "limit": limit}), False)

    async def resolve(self, id: str, *, comment: str) -> models.PaymentException:
        """Resolve a payment exception. For platform administrators. Records the resolution and moves
        no money: credit the payment with `POST /billing/top-up` and a `reference`, or refund it
        at the gateway. The comment is recorded in the audit log.

        comment: A description of the resolution.
        """
        return await self._client._call(RESOLVE, Call(path={"id": id}, body={"comment": comment}))
