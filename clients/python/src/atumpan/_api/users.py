"""The methods of `client.users`.

Written by `python -m generator` from docs/openapi.json.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from .._core import Call, Operation
from .._groups import AsyncGroup, Group
from .._mapping import OMIT

if TYPE_CHECKING:
    from .. import models, params
    from .._mapping import Omit
    from .._paging import AsyncPages, Pages

END_SESSIONS: Final[Operation[models.PlatformUser]] = Operation(
    "users.end_sessions", "POST", "/admin/users/{id}/end-sessions", result="PlatformUser"
)
LIST: Final[Operation[models.PlatformUser]] = Operation(
    "users.list", "GET", "/admin/users", result="PlatformUser"
)
RESET_SECOND_FACTOR: Final[Operation[models.PlatformUser]] = Operation(
    "users.reset_second_factor", "POST", "/admin/users/{id}/reset-totp", result="PlatformUser"
)
UPDATE: Final[Operation[models.PlatformUser]] = Operation(
    "users.update", "PATCH", "/admin/users/{id}", result="PlatformUser", body="UserUpdate"
)


class Users(Group):
    """The methods of `client.users`."""

    def end_sessions(self, id: str) -> models.PlatformUser:
        """End all sessions of a user. For platform administrators. The user can sign in again.
        Recorded in the audit log.
        """
        return self._client._call(END_SESSIONS, Call(path={"id": id}))

    def list(
        self, *, search: str | None = None, page: int | None = None, limit: int | None = None
    ) -> Pages[models.PlatformUser]:
        """List all users. For platform administrators. Newest first.

        search: Only users whose email addresses or names contain this text, in any letter case.
        page: The number of the page, from 1; 1 if absent.
        limit: The number of items in a page, 1 to 100; 100 if absent.
        """
        return self._pages(LIST, Call(query={"search": search, "page": page, "limit": limit}), False)

    def reset_second_factor(self, id: str) -> models.PlatformUser:
        """Remove the second factor of a user. For platform administrators, for users who lost their
        device and their recovery codes. The user signs in with the password alone, and can set up
        another one. Recorded in the audit log. A user without a second factor does not change.
        """
        return self._client._call(RESET_SECOND_FACTOR, Call(path={"id": id}))

    def update(
        self,
        id: str,
        *,
        email_verified: bool | None = None,
        platform_role: params.PlatformRole | None | Omit = OMIT,
    ) -> models.PlatformUser:
        """Change the platform role of a user, or the verification of the address. For platform
        administrators. Takes effect with the next request of the user, and is recorded in the
        audit log. The last administrator keeps the role.

        email_verified: True if the user is known to read the mail of the address.
        platform_role: The role on the platform; null for an ordinary user.
        """
        return self._client._call(
            UPDATE,
            Call(path={"id": id}, body={"email_verified": email_verified, "platform_role": platform_role}),
        )


class AsyncUsers(AsyncGroup):
    """The methods of `client.users`."""

    async def end_sessions(self, id: str) -> models.PlatformUser:
        """End all sessions of a user. For platform administrators. The user can sign in again.
        Recorded in the audit log.
        """
        return await self._client._call(END_SESSIONS, Call(path={"id": id}))

    def list(
        self, *, search: str | None = None, page: int | None = None, limit: int | None = None
    ) -> AsyncPages[models.PlatformUser]:
        """List all users. For platform administrators. Newest first.

        search: Only users whose email addresses or names contain this text, in any letter case.
        page: The number of the page, from 1; 1 if absent.
        limit: The number of items in a page, 1 to 100; 100 if absent.
        """
        return self._pages(LIST, Call(query={"search": search, "page": page, "limit": limit}), False)

    async def reset_second_factor(self, id: str) -> models.PlatformUser:
        """Remove the second factor of a user. For platform administrators, for users who lost their
        device and their recovery codes. The user signs in with the password alone, and can set up
        another one. Recorded in the audit log. A user without a second factor does not change.
        """
        return await self._client._call(RESET_SECOND_FACTOR, Call(path={"id": id}))

    async def update(
        self,
        id: str,
        *,
        email_verified: bool | None = None,
        platform_role: params.PlatformRole | None | Omit = OMIT,
    ) -> models.PlatformUser:
        """Change the platform role of a user, or the verification of the address. For platform
        administrators. Takes effect with the next request of the user, and is recorded in the
        audit log. The last administrator keeps the role.

        email_verified: True if the user is known to read the mail of the address.
        platform_role: The role on the platform; null for an ordinary user.
        """
        return await self._client._call(
            UPDATE,
            Call(path={"id": id}, body={"email_verified": email_verified, "platform_role": platform_role}),
        )
