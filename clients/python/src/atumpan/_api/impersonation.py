"""The methods of `client.impersonation`.

Written by `python -m generator` from docs/openapi.json.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from .._core import Call, Operation
from .._groups import AsyncGroup, Group

if TYPE_CHECKING:
    from .. import models

EXIT: Final[Operation[models.RestoredSession]] = Operation(
    "impersonation.exit", "POST", "/admin/exit-impersonation", result="RestoredSession"
)
IMPERSONATE: Final[Operation[models.Impersonation]] = Operation(
    "impersonation.impersonate", "POST", "/admin/tenants/{id}/impersonate", result="Impersonation"
)


class Impersonation(Group):
    """The methods of `client.impersonation`."""

    def exit(self) -> models.RestoredSession:
        """End the impersonation. The token of the call becomes invalid. The new token expires with
        the session in which the impersonation began. The holder of an impersonation token can
        thus act as the administrator: protect it like an administrator's token.
        """
        return self._client._call(EXIT, Call())

    def impersonate(self, id: str) -> models.Impersonation:
        """Act as an organization. The token is valid for 15 minutes, for this organization, with the
        permissions of an owner, except that it cannot send messages, start, resume or cancel
        campaigns, move money, create or revoke API keys, or invite members. It does not give
        access to the endpoints of administrators. `X-Organization-Id` may be omitted. The owners
        are notified by email, and the audit log records every request that is made with it.
        """
        return self._client._call(IMPERSONATE, Call(path={"id": id}))


class AsyncImpersonation(AsyncGroup):
    """The methods of `client.impersonation`."""

    async def exit(self) -> models.RestoredSession:
        """End the impersonation. The token of the call becomes invalid. The new token expires with
        the session in which the impersonation began. The holder of an impersonation token can
        thus act as the administrator: protect it like an administrator's token.
        """
        return await self._client._call(EXIT, Call())

    async def impersonate(self, id: str) -> models.Impersonation:
        """Act as an organization. The token is valid for 15 minutes, for this organization, with the
        permissions of an owner, except that it cannot send messages, start, resume or cancel
        campaigns, move money, create or revoke API keys, or invite members. It does not give
        access to the endpoints of administrators. `X-Organization-Id` may be omitted. The owners
        are notified by email, and the audit log records every request that is made with it.
        """
        return await self._client._call(IMPERSONATE, Call(path={"id": id}))
