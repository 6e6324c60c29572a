"""The methods of `client.campaigns`.

Written by `python -m generator` from docs/openapi.json.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from .._core import Call, Operation
from .._groups import AsyncGroup, Group
from .._mapping import OMIT

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import datetime

    from .. import models, params
    from .._mapping import Omit
    from .._paging import AsyncPages, Pages

CANCEL: Final[Operation[models.Campaign]] = Operation(
    "campaigns.cancel", "POST", "/campaigns/{id}/cancel", result="Campaign"
)
CREATE: Final[Operation[models.Campaign]] = Operation(
    "campaigns.create", "POST", "/campaigns", result="Campaign", body="CreateCampaignRequest", is_keyed=True
)
GET: Final[Operation[models.Campaign]] = Operation(
    "campaigns.get", "GET", "/campaigns/{id}", result="Campaign"
)
LIST: Final[Operation[models.Campaign]] = Operation("campaigns.list", "GET", "/campaigns", result="Campaign")
PAUSE: Final[Operation[models.Campaign]] = Operation(
    "campaigns.pause", "POST", "/campaigns/{id}/pause", result="Campaign"
)
PREVIEW: Final[Operation[models.CampaignPreview]] = Operation(
    "campaigns.preview", "POST", "/campaigns/{id}/preview", result="CampaignPreview"
)
RESUME: Final[Operation[models.Campaign]] = Operation(
    "campaigns.resume", "POST", "/campaigns/{id}/resume", result="Campaign"
)
SEND: Final[Operation[models.SentCampaign]] = Operation(
    "campaigns.send", "POST", "/campaigns/{id}/send", result="SentCampaign", is_keyed=True
)
UPDATE: Final[Operation[models.Campaign]] = Operation(
    "campaigns.update", "PATCH", "/campaigns/{id}", result="Campaign", body="UpdateCampaignRequest"
)


class Campaigns(Group):
    """The methods of `client.campaigns`."""

    def cancel(self, id: str) -> models.Campaign:
        """Cancel a campaign. Messages that no provider has yet are not sent: they are `FAILED` with
        `CANCELLED`, and refunded.
        """
        return self._client._call(CANCEL, Call(path={"id": id}))

    def create(
        self,
        *,
        channel: params.Channel,
        name: str,
        body: str | None = None,
        format: params.TextFormat | None = None,
        is_sandbox: bool | None = None,
        metadata: Mapping[str, str] | None = None,
        scheduled_at: datetime | str | None = None,
        segment_id: str | None = None,
        sender_id: str | None = None,
        subject: str | None = None,
        template_id: str | None = None,
        idempotency_key: str | None = None,
    ) -> models.Campaign:
        """Create a campaign. Creates a draft with the text of its template, or a text of its own.
        The fields of each contact fill its placeholders: `firstName`, `lastName`, `phone`,
        `email`, `countryCode`, and the keys of `attributes`; `{{unsubscribe}}` is an unsubscribe
        link. A contact without a value that the text needs gets nothing: its message is `FAILED`
        with `MISSING_VARIABLE`, at no cost. The campaign of a sandbox key is a rehearsal.

        name: A name for people.
        body: A text of its own, without a template. Its category is `MARKETING`. The text before
            filling may be as long as the channel allows.
        format: The format of its own text, only for `EMAIL`; detected if absent (see `sendMessage`).
        is_sandbox: True to rehearse it in the sandbox: nothing reaches a provider, and it costs 0. It
            stays so, and goes on as fast as sandbox messages may. With an API key it must agree with
            the mode of the key.
        metadata: The metadata of all its messages, as for a message.
        scheduled_at: The time of its start. A time that has passed when it is sent means now.
        segment_id: The segment of its recipients; all contacts if absent.
        sender_id: The sender of its messages, as for a message.
        subject: A subject line of its own, without a template.
        template_id: The template of its text. It must have the same channel.
        idempotency_key: within 24 hours the same call with the same key is done once; made by the
            client if absent
        """
        return self._client._call(
            CREATE,
            Call(
                body={
                    "channel": channel,
                    "name": name,
                    "body": body,
                    "format": format,
                    "is_sandbox": is_sandbox,
                    "metadata": metadata,
                    "scheduled_at": scheduled_at,
                    "segment_id": segment_id,
                    "sender_id": sender_id,
                    "subject": subject,
                    "template_id": template_id,
                },
                key=idempotency_key,
            ),
        )

    def get(self, id: str) -> models.Campaign:
        """Get a campaign, with its progress."""
        return self._client._call(GET, Call(path={"id": id}))

    def list(self, *, page: int | None = None, limit: int | None = None) -> Pages[models.Campaign]:
        """List campaigns. Newest first, each with its progress.

        page: The number of the page, from 1; 1 if absent.
        limit: The number of items in a page, 1 to 100; 100 if absent.
        """
        return self._pages(LIST, Call(query={"page": page, "limit": limit}), False)

    def pause(self, id: str) -> models.Campaign:
        """Pause a campaign that is being sent. Messages that no provider has yet are held. A
        campaign that is paused for 30 days, for any reason, is cancelled.
        """
        return self._client._call(PAUSE, Call(path={"id": id}))

    def preview(self, id: str) -> models.CampaignPreview:
        """Preview a campaign, as if it were sent now. With more than 2,000 contacts the result is an
        estimate from a part of them.
        """
        return self._client._call(PREVIEW, Call(path={"id": id}))

    def resume(self, id: str) -> models.Campaign:
        """Resume a paused campaign. A campaign that is paused because of `INSUFFICIENT_BALANCE`
        resumes by itself after a top-up, and one that is paused because of
        `SPENDING_LIMIT_REACHED` on the next day, in UTC, or when the limit is raised.
        """
        return self._client._call(RESUME, Call(path={"id": id}))

    def send(self, id: str, *, idempotency_key: str | None = None) -> models.SentCampaign:
        """Send a draft. The campaign becomes `SENDING`, or `SCHEDULED` if `scheduledAt` is in the
        future. Its text and the rules of its segment are fixed now: later changes of the template
        or the segment have no effect. A text that scores 30 or more as `MARKETING` first requires
        the approval of the platform: the answer is `APPROVAL_REQUIRED`, the campaign is
        `PENDING_APPROVAL`, and it continues by itself once it is approved. A rejection ends it.

        idempotency_key: within 24 hours the same call with the same key is done once; made by the
            client if absent
        """
        return self._client._call(SEND, Call(path={"id": id}, key=idempotency_key))

    def update(
        self,
        id: str,
        *,
        body: str | None | Omit = OMIT,
        format: params.TextFormat | None | None = None,
        metadata: Mapping[str, str] | None | Omit = OMIT,
        name: str | None = None,
        scheduled_at: datetime | str | None | Omit = OMIT,
        segment_id: str | None | Omit = OMIT,
        sender_id: str | None | Omit = OMIT,
        subject: str | None | Omit = OMIT,
        template_id: str | None | Omit = OMIT,
    ) -> models.Campaign:
        """Change a draft. Absent fields keep their values; null clears a value.

        body: A text of its own, without a template. Its category is `MARKETING`. The text before
            filling may be as long as the channel allows.
        format: The format of its own text, only for `EMAIL`; detected if absent (see `sendMessage`).
        metadata: The metadata of all its messages, as for a message.
        name: A name for people.
        scheduled_at: The time of its start. A time that has passed when it is sent means now.
        segment_id: The segment of its recipients; all contacts if absent.
        sender_id: The sender of its messages, as for a message.
        subject: A subject line of its own, without a template.
        template_id: The template of its text. It must have the same channel.
        """
        return self._client._call(
            UPDATE,
            Call(
                path={"id": id},
                body={
                    "body": body,
                    "format": format,
                    "metadata": metadata,
                    "name": name,
                    "scheduled_at": scheduled_at,
                    "segment_id": segment_id,
                    "sender_id": sender_id,
                    "subject": subject,
                    "template_id": template_id,
                },
            ),
        )


class AsyncCampaigns(AsyncGroup):
    """The methods of `client.campaigns`."""

    async def cancel(self, id: str) -> models.Campaign:
        """Cancel a campaign. Messages that no provider has yet are not sent: they are `FAILED` with
        `CANCELLED`, and refunded.
        """
        return await self._client._call(CANCEL, Call(path={"id": id}))

    async def create(
        self,
        *,
        channel: params.Channel,
        name: str,
        body: str | None = None,
        format: params.TextFormat | None = None,
        is_sandbox: bool | None = None,
        metadata: Mapping[str, str] | None = None,
        scheduled_at: datetime | str | None = None,
        segment_id: str | None = None,
        sender_id: str | None = None,
        subject: str | None = None,
        template_id: str | None = None,
        idempotency_key: str | None = None,
    ) -> models.Campaign:
        """Create a campaign. Creates a draft with the text of its template, or a text of its own.
        The fields of each contact fill its placeholders: `firstName`, `lastName`, `phone`,
        `email`, `countryCode`, and the keys of `attributes`; `{{unsubscribe}}` is an unsubscribe
        link. A contact without a value that the text needs gets nothing: its message is `FAILED`
        with `MISSING_VARIABLE`, at no cost. The campaign of a sandbox key is a rehearsal.

        name: A name for people.
        body: A text of its own, without a template. Its category is `MARKETING`. The text before
            filling may be as long as the channel allows.
        format: The format of its own text, only for `EMAIL`; detected if absent (see `sendMessage`).
        is_sandbox: True to rehearse it in the sandbox: nothing reaches a provider, and it costs 0. It
            stays so, and goes on as fast as sandbox messages may. With an API key it must agree with
            the mode of the key.
        metadata: The metadata of all its messages, as for a message.
        scheduled_at: The time of its start. A time that has passed when it is sent means now.
        segment_id: The segment of its recipients; all contacts if absent.
        sender_id: The sender of its messages, as for a message.
        subject: A subject line of its own, without a template.
        template_id: The template of its text. It must have the same channel.
        idempotency_key: within 24 hours the same call with the same key is done once; made by the
            client if absent
        """
        return await self._client._call(
            CREATE,
            Call(
                body={
                    "channel": channel,
                    "name": name,
                    "body": body,
                    "format": format,
                    "is_sandbox": is_sandbox,
                    "metadata": metadata,
                    "scheduled_at": scheduled_at,
                    "segment_id": segment_id,
                    "sender_id": sender_id,
                    "subject": subject,
                    "template_id": template_id,
                },
                key=idempotency_key,
            ),
        )

    async def get(self, id: str) -> models.Campaign:
        """Get a campaign, with its progress."""
        return await self._client._call(GET, Call(path={"id": id}))

    def list(self, *, page: int | None = None, limit: int | None = None) -> AsyncPages[models.Campaign]:
        """List campaigns. Newest first, each with its progress.

        page: The number of the page, from 1; 1 if absent.
        limit: The number of items in a page, 1 to 100; 100 if absent.
        """
        return self._pages(LIST, Call(query={"page": page, "limit": limit}), False)

    async def pause(self, id: str) -> models.Campaign:
        """Pause a campaign that is being sent. Messages that no provider has yet are held. A
        campaign that is paused for 30 days, for any reason, is cancelled.
        """
        return await self._client._call(PAUSE, Call(path={"id": id}))

    async def preview(self, id: str) -> models.CampaignPreview:
        """Preview a campaign, as if it were sent now. With more than 2,000 contacts the result is an
        estimate from a part of them.
        """
        return await self._client._call(PREVIEW, Call(path={"id": id}))

    async def resume(self, id: str) -> models.Campaign:
        """Resume a paused campaign. A campaign that is paused because of `INSUFFICIENT_BALANCE`
        resumes by itself after a top-up, and one that is paused because of
        `SPENDING_LIMIT_REACHED` on the next day, in UTC, or when the limit is raised.
        """
        return await self._client._call(RESUME, Call(path={"id": id}))

    async def send(self, id: str, *, idempotency_key: str | None = None) -> models.SentCampaign:
        """Send a draft. The campaign becomes `SENDING`, or `SCHEDULED` if `scheduledAt` is in the
        future. Its text and the rules of its segment are fixed now: later changes of the template
        or the segment have no effect. A text that scores 30 or more as `MARKETING` first requires
        the approval of the platform: the answer is `APPROVAL_REQUIRED`, the campaign is
        `PENDING_APPROVAL`, and it continues by itself once it is approved. A rejection ends it.

        idempotency_key: within 24 hours the same call with the same key is done once; made by the
            client if absent
        """
        return await self._client._call(SEND, Call(path={"id": id}, key=idempotency_key))

    async def update(
        self,
        id: str,
        *,
        body: str | None | Omit = OMIT,
        format: params.TextFormat | None | None = None,
        metadata: Mapping[str, str] | None | Omit = OMIT,
        name: str | None = None,
        scheduled_at: datetime | str | None | Omit = OMIT,
        segment_id: str | None | Omit = OMIT,
        sender_id: str | None | Omit = OMIT,
        subject: str | None | Omit = OMIT,
        template_id: str | None | Omit = OMIT,
    ) -> models.Campaign:
        """Change a draft. Absent fields keep their values; null clears a value.

        body: A text of its own, without a template. Its category is `MARKETING`. The text before
            filling may be as long as the channel allows.
        format: The format of its own text, only for `EMAIL`; detected if absent (see `sendMessage`).
        metadata: The metadata of all its messages, as for a message.
        name: A name for people.
        scheduled_at: The time of its start. A time that has passed when it is sent means now.
        segment_id: The segment of its recipients; all contacts if absent.
        sender_id: The sender of its messages, as for a message.
        subject: A subject line of its own, without a template.
        template_id: The template of its text. It must have the same channel.
        """
        return await self._client._call(
            UPDATE,
            Call(
                path={"id": id},
                body={
                    "body": body,
                    "format": format,
                    "metadata": metadata,
                    "name": name,
                    "scheduled_at": scheduled_at,
                    "segment_id": segment_id,
                    "sender_id": sender_id,
                    "subject": subject,
                    "template_id": template_id,
                },
            ),
        )
