"""The methods of `client.top_ups`.

Written by `python -m generator` from docs/openapi.json.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from .._core import Call, Operation
from .._groups import AsyncGroup, Group

if TYPE_CHECKING:
    from .. import models, params
    from .._paging import AsyncPages, Pages

LIST: Final[Operation[models.ListedTopUp]] = Operation(
    "top_ups.list", "GET", "/billing/top-ups", result="ListedTopUp"
)
RECEIVE_GATEWAY_EVENT: Final[Operation[models.Received]] = Operation(
    "top_ups.receive_gateway_event",
    "POST",
    "/billing/webhooks/gateway",
    result="Received",
    form="raw",
    is_public=True,
)
TOP_UP: Final[Operation[models.TopUp]] = Operation(
    "top_ups.top_up", "POST", "/billing/top-up", result="TopUp", body="TopUpRequest", is_keyed=True
)
VERIFY_PAYMENT: Final[Operation[models.VerifiedPayment]] = Operation(
    "top_ups.verify_payment",
    "POST",
    "/billing/verify-payment",
    result="VerifiedPayment",
    body="VerifyPaymentRequest",
)


class TopUps(Group):
    """The methods of `client.top_ups`."""

    def list(
        self, *, status: params.TopUpStatus | None = None, page: int | None = None, limit: int | None = None
    ) -> Pages[models.ListedTopUp]:
        """List top-ups. Payments through the gateway, newest first. Those by invoice are in `GET
        /billing/invoices`. Unsuccessful ones are listed for 25 months.

        status: Only top-ups in this state.
        page: The number of the page, from 1; 1 if absent.
        limit: The number of items in a page, 1 to 100; 100 if absent.
        """
        return self._pages(LIST, Call(query={"status": status, "page": page, "limit": limit}), False)

    def receive_gateway_event(self, *, x_gateway_signature: str, body: Any | None = None) -> models.Received:
        """Receive an event of the payment gateway. For the gateway only. The signature is the HMAC
        of the raw body in lowercase hexadecimal: SHA-512 if it has 128 digits, SHA-256 if it has
        64. `x-paystack-signature` is read if `x-gateway-signature` is absent. `charge.success`
        credits the wallet; every other event is stored and changes nothing.

        x_gateway_signature: The signature of the body.
        """
        return self._client._call(
            RECEIVE_GATEWAY_EVENT,
            Call(headers={"x-gateway-signature": x_gateway_signature}, body={} if body is None else body),
        )

    def top_up(
        self,
        *,
        amount: float,
        payment_method: params.PaymentMethod | None = None,
        reference: str | None = None,
        idempotency_key: str | None = None,
    ) -> models.TopUp:
        """Top up the wallet. With `mobile_money` or `card` the answer has the address of a payment
        page; the wallet is credited when the payment gateway confirms the payment. With `invoice`
        it names the invoice. A platform administrator, who need not be a member, credits other
        payments with a `reference`: at once, and once for each reference.

        amount: The amount in GHS, with at most two decimals.
        payment_method: `mobile_money` if absent.
        reference: The reference of a payment outside the gateway. For platform administrators only; the
            number of an open invoice pays that invoice.
        idempotency_key: within 24 hours the same call with the same key is done once; made by the
            client if absent
        """
        return self._client._call(
            TOP_UP,
            Call(
                body={"amount": amount, "payment_method": payment_method, "reference": reference},
                key=idempotency_key,
            ),
        )

    def verify_payment(self, *, reference: str) -> models.VerifiedPayment:
        """Verify a top-up at the payment gateway. If it was paid and the gateway has not reported it
        yet, the wallet is credited now.

        reference: The reference in the answer of `POST /billing/top-up`.
        """
        return self._client._call(VERIFY_PAYMENT, Call(body={"reference": reference}))


class AsyncTopUps(AsyncGroup):
    """The methods of `client.top_ups`."""

    def list(
        self, *, status: params.TopUpStatus | None = None, page: int | None = None, limit: int | None = None
    ) -> AsyncPages[models.ListedTopUp]:
        """List top-ups. Payments through the gateway, newest first. Those by invoice are in `GET
        /billing/invoices`. Unsuccessful ones are listed for 25 months.

        status: Only top-ups in this state.
        page: The number of the page, from 1; 1 if absent.
        limit: The number of items in a page, 1 to 100; 100 if absent.
        """
        return self._pages(LIST, Call(query={"status": status, "page": page, "limit": limit}), False)

    async def receive_gateway_event(
        self, *, x_gateway_signature: str, body: Any | None = None
    ) -> models.Received:
        """Receive an event of the payment gateway. For the gateway only. The signature is the HMAC
        of the raw body in lowercase hexadecimal: SHA-512 if it has 128 digits, SHA-256 if it has
        64. `x-paystack-signature` is read if `x-gateway-signature` is absent. `charge.success`
        credits the wallet; every other event is stored and changes nothing.

        x_gateway_signature: The signature of the body.
        """
        return await self._client._call(
            RECEIVE_GATEWAY_EVENT,
            Call(headers={"x-gateway-signature": x_gateway_signature}, body={} if body is None else body),
        )

    async def top_up(
        self,
        *,
        amount: float,
        payment_method: params.PaymentMethod | None = None,
        reference: str | None = None,
        idempotency_key: str | None = None,
    ) -> models.TopUp:
        """Top up the wallet. With `mobile_money` or `card` the answer has the address of a payment
        page; the wallet is credited when the payment gateway confirms the payment. With `invoice`
        it names the invoice. A platform administrator, who need not be a member, credits other
        payments with a `reference`: at once, and once for each reference.

        amount: The amount in GHS, with at most two decimals.
        payment_method: `mobile_money` if absent.
        reference: The reference of a payment outside the gateway. For platform administrators only; the
            number of an open invoice pays that invoice.
        idempotency_key: within 24 hours the same call with the same key is done once; made by the
            client if absent
        """
        return await self._client._call(
            TOP_UP,
            Call(
                body={"amount": amount, "payment_method": payment_method, "reference": reference},
                key=idempotency_key,
            ),
        )

    async def verify_payment(self, *, reference: str) -> models.VerifiedPayment:
        """Verify a top-up at the payment gateway. If it was paid and the gateway has not reported it
        yet, the wallet is credited now.

        reference: The reference in the answer of `POST /billing/top-up`.
        """
        return await self._client._call(VERIFY_PAYMENT, Call(body={"reference": reference}))
