"""The methods of `client.wallet_corrections`.

Written by `python -m generator` from docs/openapi.json.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from .._core import Call, Operation
from .._groups import AsyncGroup, Group

if TYPE_CHECKING:
    from .. import models

CREDIT_WALLET: Final[Operation[models.WalletCorrection]] = Operation(
    "wallet_corrections.credit_wallet",
    "POST",
    "/admin/tenants/{id}/credit",
    result="WalletCorrection",
    body="WalletCorrectionRequest",
    is_keyed=True,
)
DEBIT_WALLET: Final[Operation[models.WalletCorrection]] = Operation(
    "wallet_corrections.debit_wallet",
    "POST",
    "/admin/tenants/{id}/debit",
    result="WalletCorrection",
    body="WalletCorrectionRequest",
    is_keyed=True,
)


class WalletCorrections(Group):
    """The methods of `client.wallet_corrections`."""

    def credit_wallet(
        self, id: str, *, amount: float, reason: str, idempotency_key: str | None = None
    ) -> models.WalletCorrection:
        """Put money into the wallet of an organization. For platform administrators. The ledger of
        the organization has it at once, as a `CORRECTION` with the reason as its reference, and
        so has the audit log. With an `Idempotency-Key` it is made once, whenever the request is
        repeated.

        amount: The amount in GHS, above 0, with at most six decimals.
        reason: The reason, in one line. The organization sees it in its ledger.
        idempotency_key: within 24 hours the same call with the same key is done once; made by the
            client if absent
        """
        return self._client._call(
            CREDIT_WALLET,
            Call(path={"id": id}, body={"amount": amount, "reason": reason}, key=idempotency_key),
        )

    def debit_wallet(
        self, id: str, *, amount: float, reason: str, idempotency_key: str | None = None
    ) -> models.WalletCorrection:
        """Take money out of the wallet of an organization. For platform administrators. The ledger
        of the organization has it at once, as a `CORRECTION` with the reason as its reference,
        and so has the audit log. With an `Idempotency-Key` it is made once, whenever the request
        is repeated.

        amount: The amount in GHS, above 0, with at most six decimals.
        reason: The reason, in one line. The organization sees it in its ledger.
        idempotency_key: within 24 hours the same call with the same key is done once; made by the
            client if absent
        """
        return self._client._call(
            DEBIT_WALLET,
            Call(path={"id": id}, body={"amount": amount, "reason": reason}, key=idempotency_key),
        )


class AsyncWalletCorrections(AsyncGroup):
    """The methods of `client.wallet_corrections`."""

    async def credit_wallet(
        self, id: str, *, amount: float, reason: str, idempotency_key: str | None = None
    ) -> models.WalletCorrection:
        """Put money into the wallet of an organization. For platform administrators. The ledger of
        the organization has it at once, as a `CORRECTION` with the reason as its reference, and
        so has the audit log. With an `Idempotency-Key` it is made once, whenever the request is
        repeated.

        amount: The amount in GHS, above 0, with at most six decimals.
        reason: The reason, in one line. The organization sees it in its ledger.
        idempotency_key: within 24 hours the same call with the same key is done once; made by the
            client if absent
        """
        return await self._client._call(
            CREDIT_WALLET,
            Call(path={"id": id}, body={"amount": amount, "reason": reason}, key=idempotency_key),
        )

    async def debit_wallet(
        self, id: str, *, amount: float, reason: str, idempotency_key: str | None = None
    ) -> models.WalletCorrection:
        """Take money out of the wallet of an organization. For platform administrators. The ledger
        of the organization has it at once, as a `CORRECTION` with the reason as its reference,
        and so has the audit log. With an `Idempotency-Key` it is made once, whenever the request
        is repeated.

        amount: The amount in GHS, above 0, with at most six decimals.
        reason: The reason, in one line. The organization sees it in its ledger.
        idempotency_key: within 24 hours the same call with the same key is done once; made by the
            client if absent
        """
        return await self._client._call(
            DEBIT_WALLET,
            Call(path={"id": id}, body={"amount": amount, "reason": reason}, key=idempotency_key),
        )
