"""The methods of `client.closings`.

Written by `python -m generator` from docs/openapi.json.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from .._core import Call, Operation
from .._groups import AsyncGroup, Group

if TYPE_CHECKING:
    from .. import models

CLOSE_ORGANIZATION: Final[Operation[models.Organization]] = Operation(
    "closings.close_organization",
    "POST",
    "/organizations/current/close",
    result="Organization",
    body="CloseOrganizationRequest",
)
RESTORE_ORGANIZATION: Final[Operation[models.Organization]] = Operation(
    "closings.restore_organization", "POST", "/organizations/current/restore", result="Organization"
)


class Closings(Group):
    """The methods of `client.closings`."""

    def close_organization(self, *, password: str, forfeit: bool | None = None) -> models.Organization:
        """Close the organization. For owners. Scheduled messages are cancelled and refunded,
        campaigns are cancelled, and the owners are notified by email. From then on, within a
        second on every instance, whatever changes something or is called with an API key is
        refused with 403 `ORGANIZATION_CLOSED`; messages that were accepted before are delivered.
        Members can sign in and read. An owner can restore the organization for 30 days; then it
        is erased, except for its ledger, its invoices and its audit log. A wallet with money is
        given up with `forfeit`: the ledger has it as a `CORRECTION` with the reference
        `forfeited`, and what is refunded later follows. Without it, refunds of scheduled messages
        can fill the wallet: they stay cancelled, and the request fails. A wrong password counts
        as a failed login. A closed organization does not change; repeat the request after a 503.

        forfeit: True to give up the money in the wallet.
        """
        return self._client._call(CLOSE_ORGANIZATION, Call(body={"password": password, "forfeit": forfeit}))

    def restore_organization(self) -> models.Organization:
        """Restore the closed organization. For owners, within 30 days. Everything is as before,
        except for cancelled messages and campaigns, and money that was given up. An organization
        that is open does not change.
        """
        return self._client._call(RESTORE_ORGANIZATION, Call())


class AsyncClosings(AsyncGroup):
    """The methods of `client.closings`."""

    async def close_organization(self, *, password: str, forfeit: bool | None = None) -> models.Organization:
        """Close the organization. For owners. Scheduled messages are cancelled and refunded,
        campaigns are cancelled, and the owners are notified by email. From then on, within a
        second on every instance, whatever changes something or is called with an API key is
        refused with 403 `ORGANIZATION_CLOSED`; messages that were accepted before are delivered.
        Members can sign in and read. An owner can restore the organization for 30 days; then it
        is erased, except for its ledger, its invoices and its audit log. A wallet with money is
        given up with `forfeit`: the ledger has it as a `CORRECTION` with the reference
        `forfeited`, and what is refunded later follows. Without it, refunds of scheduled messages
        can fill the wallet: they stay cancelled, and the request fails. A wrong password counts
        as a failed login. A closed organization does not change; repeat the request after a 503.

        forfeit: True to give up the money in the wallet.
        """
        return await self._client._call(
            CLOSE_ORGANIZATION, Call(body={"password": password, "forfeit": forfeit})
        )

    async def restore_organization(self) -> models.Organization:
        """Restore the closed organization. For owners, within 30 days. Everything is as before,
        except for cancelled messages and campaigns, and money that was given up. An organization
        that is open does not change.
        """
        return await self._client._call(RESTORE_ORGANIZATION, Call())
