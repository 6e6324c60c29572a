"""The methods of `client.approvals`.

Written by `python -m generator` from docs/openapi.json.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from .._core import Call, Operation
from .._groups import AsyncGroup, Group

if TYPE_CHECKING:
    from .. import models, params
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
LIST_OWN_APPROVALS: Final[Operation[models.RequestedApproval]] = Operation(
    "approvals.list_own_approvals", "GET", "/approvals", result="RequestedApproval"
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

    def list_own_approvals(
        self,
        *,
        status: params.RequestedApprovalStatus | None = None,
        template_id: str | None = None,
        campaign_id: str | None = None,
        after: str | None = None,
        limit: int | None = None,
    ) -> Pages[models.RequestedApproval]:
        """List the approvals that the organization requested. Those of its templates, campaigns and
        sender names, newest first. An approval is kept for 25 months after it was decided or
        withdrawn.

        status: Only approvals in this state.
        template_id: Only approvals of this template.
        campaign_id: Only approvals of this campaign.
        after: The `pagination.nextCursor` of the part before; the beginning of the list if absent or
            empty.
        limit: The number of items in a part, 1 to 100; 20 if absent.
        """
        return self._pages(
            LIST_OWN_APPROVALS,
            Call(
                query={
                    "status": status,
                    "templateId": template_id,
                    "campaignId": campaign_id,
                    "after": after,
                    "limit": limit,
                }
            ),
            True,
        )

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

    def list_own_approvals(
        self,
        *,
        status: params.RequestedApprovalStatus | None = None,
        template_id: str | None = None,
        campaign_id: str | None = None,
        after: str | None = None,
        limit: int | None = None,
    ) -> AsyncPages[models.RequestedApproval]:
        """List the approvals that the organization requested. Those of its templates, campaigns and
        sender names, newest first. An approval is kept for 25 months after it was decided or
        withdrawn.

        status: Only approvals in this state.
        template_id: Only approvals of this template.
        campaign_id: Only approvals of this campaign.
        after: The `pagination.nextCursor` of the part before; the beginning of the list if absent or
            empty.
        limit: The number of items in a part, 1 to 100; 20 if absent.
        """
        return self._pages(
            LIST_OWN_APPROVALS,
            Call(
                query={
                    "status": status,
                    "templateId": template_id,
                    "campaignId": campaign_id,
                    "after": after,
                    "limit": limit,
                }
            ),
            True,
        )

    async def reject(self, id: str, *, comment: str | None = None) -> models.Approval:
        """Reject content. The user who requested the approval is notified by email, with the
        comment.

        comment: The reason, for the user who requested the approval.
        """
        return await self._client._call(REJECT, Call(path={"id": id}, body={"comment": comment}))
