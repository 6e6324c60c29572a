"""The methods of `client.audit_log`.

Written by `python -m generator` from docs/openapi.json.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from .._core import Call, Operation
from .._groups import AsyncGroup, Group

if TYPE_CHECKING:
    from datetime import datetime

    from .. import models
    from .._paging import AsyncPages, Pages

LIST: Final[Operation[models.AuditLine]] = Operation(
    "audit_log.list", "GET", "/admin/audit", result="AuditLine"
)
LIST_OWN_AUDIT_LOG: Final[Operation[models.AuditLine]] = Operation(
    "audit_log.list_own_audit_log", "GET", "/organizations/audit", result="AuditLine"
)


class AuditLog(Group):
    """The methods of `client.audit_log`."""

    def list(
        self,
        *,
        organization: str | None = None,
        actor: str | None = None,
        action: str | None = None,
        from_: datetime | str | None = None,
        to: datetime | str | None = None,
        page: int | None = None,
        limit: int | None = None,
    ) -> Pages[models.AuditLine]:
        """List the actions of administrators. Lines of all organizations, newest first. They are
        kept for 25 months and never change: the hash of each includes the hash of the previous
        line of its organization.

        organization: Only actions on this organization.
        actor: Only actions of this user.
        action: Only this action, such as `impersonation.began`.
        from_: Only actions at this time or later.
        to: Only actions before this time.
        page: The number of the page, from 1; 1 if absent.
        limit: The number of items in a page, 1 to 100; 100 if absent.
        """
        return self._pages(
            LIST,
            Call(
                query={
                    "organization": organization,
                    "actor": actor,
                    "action": action,
                    "from": from_,
                    "to": to,
                    "page": page,
                    "limit": limit,
                }
            ),
            False,
        )

    def list_own_audit_log(
        self, *, page: int | None = None, limit: int | None = None
    ) -> Pages[models.AuditLine]:
        """List the actions of platform administrators on the organization. Newest first, with
        changes of members. For owners and administrators of the organization.

        page: The number of the page, from 1; 1 if absent.
        limit: The number of items in a page, 1 to 100; 100 if absent.
        """
        return self._pages(LIST_OWN_AUDIT_LOG, Call(query={"page": page, "limit": limit}), False)


class AsyncAuditLog(AsyncGroup):
    """The methods of `client.audit_log`."""

    def list(
        self,
        *,
        organization: str | None = None,
        actor: str | None = None,
        action: str | None = None,
        from_: datetime | str | None = None,
        to: datetime | str | None = None,
        page: int | None = None,
        limit: int | None = None,
    ) -> AsyncPages[models.AuditLine]:
        """List the actions of administrators. Lines of all organizations, newest first. They are
        kept for 25 months and never change: the hash of each includes the hash of the previous
        line of its organization.

        organization: Only actions on this organization.
        actor: Only actions of this user.
        action: Only this action, such as `impersonation.began`.
        from_: Only actions at this time or later.
        to: Only actions before this time.
        page: The number of the page, from 1; 1 if absent.
        limit: The number of items in a page, 1 to 100; 100 if absent.
        """
        return self._pages(
            LIST,
            Call(
                query={
                    "organization": organization,
                    "actor": actor,
                    "action": action,
                    "from": from_,
                    "to": to,
                    "page": page,
                    "limit": limit,
                }
            ),
            False,
        )

    def list_own_audit_log(
        self, *, page: int | None = None, limit: int | None = None
    ) -> AsyncPages[models.AuditLine]:
        """List the actions of platform administrators on the organization. Newest first, with
        changes of members. For owners and administrators of the organization.

        page: The number of the page, from 1; 1 if absent.
        limit: The number of items in a page, 1 to 100; 100 if absent.
        """
        return self._pages(LIST_OWN_AUDIT_LOG, Call(query={"page": page, "limit": limit}), False)
