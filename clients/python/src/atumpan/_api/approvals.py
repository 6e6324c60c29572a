"""The methods of `client.approvals`.

Written by `python -m generator` from docs/openapi.json.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from .._core import Call, Operation
from .._groups import AsyncGroup, Group

if TYPE_CHECKING:
    from .. import models
    from .._paging import AsyncPages, Pages

APPROVE: Final[Operation[models.Approval]] = Operation(
    "approvals.approve", "POST", "/admin/approvals/{id}/approve", result="Approval", body="DecisionRequest"
)
GET: Final[Operation[models.Approval]] = Operation(
    "approvals.get", "GET", "/admin/approvals/{id}", result="Approval"
)
LIST: Final[Operation[models.Approval]] = Operation(
    "approvals.list", "GET", "/admin/approvals", result="Approval"
)
REJECT: Final[Operation[models.Approval]] = Operation(
    "approvals.reject", "POST", "/admin/approvals/{id}/reject", result="Approval", body="DecisionRequest"
)


class Approvals(Group):
    """The methods of `client.approvals`."""

    def approve(self, id: str, *, comment: str | None = None) -> models.Approval:
        """Approve content. The content can be used from now on. Authors cannot approve their own
        content. The user who requested the approval is notified by email.

        comment: The reason, for the user who requested the approval.
        """
        return self._client._call(APPROVE, Call(path={"id": id}, body={"comment": comment}))

    def get(self, id: str) -> models.Approval:
        """Get an approval, pending or decided. The text is shown in full."""
        return self._client._call(GET, Call(path={"id": id}))

    def list(self, *, page: int | None = None, limit: int | None = None) -> Pages[models.Approval]:
        """List pending approvals. Those of all organizations, newest first. Only the first 10,000
        characters of a text are shown: get the approval to read the rest before a decision.

        page: The number of the page, from 1; 1 if absent.
        limit: The number of items in a page, 1 to 100; 100 if absent.
        """
        return self._pages(LIST, Call(query={"page": page, "limit": limit}), False)

    def reject(self, id: str, *, comment: str | None = None) -> models.Approval:
        """Reject content. The user who requested the approval is notified by email, with the
        comment.

        comment: The reason, for the user who requested the approval.
        """
        return self._client._call(REJECT, Call(path={"id": id}, body={"comment": comment}))


class AsyncApprovals(AsyncGroup):
    """The methods of `client.approvals`."""

    async def approve(self, id: str, *, comment: str | None = None) -> models.Approval:
        """Approve content. The content can be used from now on. Authors cannot approve their own
        content. The user who requested the approval is notified by email.

        comment: The reason, for the user who requested the approval.
        """
        return await self._client._call(APPROVE, Call(path={"id": id}, body={"comment": comment}))

    async def get(self, id: str) -> models.Approval:
        """Get an approval, pending or decided. The text is shown in full."""
        return await self._client._call(GET, Call(path={"id": id}))

    def list(self, *, page: int | None = None, limit: int | None = None) -> AsyncPages[models.Approval]:
        """List pending approvals. Those of all organizations, newest first. Only the first 10,000
        characters of a text are shown: get the approval to read the rest before a decision.

        page: The number of the page, from 1; 1 if absent.
        limit: The number of items in a page, 1 to 100; 100 if absent.
        """
        return self._pages(LIST, Call(query={"page": page, "limit": limit}), False)

    async def reject(self, id: str, *, comment: str | None = None) -> models.Approval:
        """Reject content. The user who requested the approval is notified by email, with the
        comment.

        comment: The reason, for the user who requested the approval.
        """
        return await self._client._call(REJECT, Call(path={"id": id}, body={"comment": comment}))
