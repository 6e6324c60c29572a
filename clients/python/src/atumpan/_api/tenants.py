"""The methods of `client.tenants`.

Written by `python -m generator` from docs/openapi.json.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from .._core import Call, Operation
from .._groups import AsyncGroup, Group

if TYPE_CHECKING:
    from .. import models, params
    from .._paging import AsyncPages, Pages

GET: Final[Operation[models.Tenant]] = Operation("tenants.get", "GET", "/admin/tenants/{id}", result="Tenant")
LIST: Final[Operation[models.Tenant]] = Operation("tenants.list", "GET", "/admin/tenants", result="Tenant")
RESTORE: Final[Operation[models.Tenant]] = Operation(
    "tenants.restore", "POST", "/admin/tenants/{id}/restore", result="Tenant"
)
SUSPEND: Final[Operation[models.Tenant]] = Operation(
    "tenants.suspend", "POST", "/admin/tenants/{id}/suspend", result="Tenant", body="SuspendRequest"
)
UPDATE: Final[Operation[models.Tenant]] = Operation(
    "tenants.update", "PATCH", "/admin/tenants/{id}", result="Tenant", body="TenantUpdate"
)


class Tenants(Group):
    """The methods of `client.tenants`."""

    def get(self, id: str) -> models.Tenant:
        """Get an organization. For platform administrators."""
        return self._client._call(GET, Call(path={"id": id}))

    def list(
        self,
        *,
        search: str | None = None,
        suspended: bool | None = None,
        page: int | None = None,
        limit: int | None = None,
    ) -> Pages[models.Tenant]:
        """List all organizations. For platform administrators. Newest first, without the platform's
        own.

        search: Only organizations whose names contain this text, in any letter case.
        suspended: Only suspended organizations, or only others.
        page: The number of the page, from 1; 1 if absent.
        limit: The number of items in a page, 1 to 100; 100 if absent.
        """
        return self._pages(
            LIST, Call(query={"search": search, "suspended": suspended, "page": page, "limit": limit}), False
        )

    def restore(self, id: str) -> models.Tenant:
        """Reinstate a suspended organization. For platform administrators. Held messages continue
        within seconds. The owners are notified by email, and the change is recorded in the audit
        log. An organization that is not suspended does not change.
        """
        return self._client._call(RESTORE, Call(path={"id": id}))

    def suspend(self, id: str, *, reason: str) -> models.Tenant:
        """Suspend an organization. For platform administrators. Within a second, on every instance,
        requests to send, to trigger an event and to send or resume a campaign are refused with
        403 `ORGANIZATION_SUSPENDED`; everything else works as before. Waiting messages are held
        until they expire, then fail with `EXPIRED` and are refunded. Campaigns wait, and events
        try no further channel. The owners are notified by email, and the suspension is recorded
        in the audit log. An organization that is already suspended does not change; repeat the
        request after a 503.

        reason: The reason, in one line. It is shown to the owners.
        """
        return self._client._call(SUSPEND, Call(path={"id": id}, body={"reason": reason}))

    def update(
        self, id: str, *, limits: params.TenantLimitsUpdate | None = None, screening: bool | None = None
    ) -> models.Tenant:
        """Change the platform's settings of an organization. For platform administrators. A change
        takes effect on every instance within a second, and is recorded in the audit log.

        limits: Limits of the organization.
        screening: True if texts that the organization sends directly are scored before they are handed
            to a provider. A text that scores 60 or more fails with `BLOCKED_CONTENT`. Texts of
            templates are not scored.
        """
        return self._client._call(
            UPDATE, Call(path={"id": id}, body={"limits": limits, "screening": screening})
        )


class AsyncTenants(AsyncGroup):
    """The methods of `client.tenants`."""

    async def get(self, id: str) -> models.Tenant:
        """Get an organization. For platform administrators."""
        return await self._client._call(GET, Call(path={"id": id}))

    def list(
        self,
        *,
        search: str | None = None,
        suspended: bool | None = None,
        page: int | None = None,
        limit: int | None = None,
    ) -> AsyncPages[models.Tenant]:
        """List all organizations. For platform administrators. Newest first, without the platform's
        own.

        search: Only organizations whose names contain this text, in any letter case.
        suspended: Only suspended organizations, or only others.
        page: The number of the page, from 1; 1 if absent.
        limit: The number of items in a page, 1 to 100; 100 if absent.
        """
        return self._pages(
            LIST, Call(query={"search": search, "suspended": suspended, "page": page, "limit": limit}), False
        )

    async def restore(self, id: str) -> models.Tenant:
        """Reinstate a suspended organization. For platform administrators. Held messages continue
        within seconds. The owners are notified by email, and the change is recorded in the audit
        log. An organization that is not suspended does not change.
        """
        return await self._client._call(RESTORE, Call(path={"id": id}))

    async def suspend(self, id: str, *, reason: str) -> models.Tenant:
        """Suspend an organization. For platform administrators. Within a second, on every instance,
        requests to send, to trigger an event and to send or resume a campaign are refused with
        403 `ORGANIZATION_SUSPENDED`; everything else works as before. Waiting messages are held
        until they expire, then fail with `EXPIRED` and are refunded. Campaigns wait, and events
        try no further channel. The owners are notified by email, and the suspension is recorded
        in the audit log. An organization that is already suspended does not change; repeat the
        request after a 503.

        reason: The reason, in one line. It is shown to the owners.
        """
        return await self._client._call(SUSPEND, Call(path={"id": id}, body={"reason": reason}))

    async def update(
        self, id: str, *, limits: params.TenantLimitsUpdate | None = None, screening: bool | None = None
    ) -> models.Tenant:
        """Change the platform's settings of an organization. For platform administrators. A change
        takes effect on every instance within a second, and is recorded in the audit log.

        limits: Limits of the organization.
        screening: True if texts that the organization sends directly are scored before they are handed
            to a provider. A text that scores 60 or more fails with `BLOCKED_CONTENT`. Texts of
            templates are not scored.
        """
        return await self._client._call(
            UPDATE, Call(path={"id": id}, body={"limits": limits, "screening": screening})
        )
