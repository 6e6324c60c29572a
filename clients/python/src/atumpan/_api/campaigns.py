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
    from .._stream import AsyncStream, Stream

CANCEL: Final[Operation[models.Campaign]] = Operation(
    "campaigns.cancel", "POST", "/campaigns/{id}/cancel", result="Campaign"
)
CREATE: Final[Operation[models.Campaign]] = Operation(
    "campaigns.create", "POST", "/campaigns", result="Campaign", body="CreateCampaignRequest", is_keyed=True
)
DELETE: Final[Operation[None]] = Operation("campaigns.delete", "DELETE", "/campaigns/{id}")
DUPLICATE: Final[Operation[models.Campaign]] = Operation(
    "campaigns.duplicate", "POST", "/campaigns/{id}/duplicate", result="Campaign", is_keyed=True
)
EXPORT_RECIPIENTS: Final[Operation[str]] = Operation(
    "campaigns.export_recipients", "GET", "/campaigns/{id}/recipients/export", shape="stream"
)
GET: Final[Operation[models.Campaign]] = Operation(
    "campaigns.get", "GET", "/campaigns/{id}", result="Campaign"
)
LIST: Final[Operation[models.Campaign]] = Operation("campaigns.list", "GET", "/campaigns", result="Campaign")
LIST_RECIPIENTS: Final[Operation[models.CampaignRecipient]] = Operation(
    "campaigns.list_recipients", "GET", "/campaigns/{id}/recipients", result="CampaignRecipient"
)
PAUSE: Final[Operation[models.Campaign]] = Operation(
    "campaigns.pause", "POST", "/campaigns/{id}/pause", result="Campaign"
)
PREVIEW: Final[Operation[models.CampaignPreview]] = Operation(
    "campaigns.preview", "POST", "/campaigns/{id}/preview", result="CampaignPreview"
)
RESEND_FAILURES: Final[Operation[models.ResendForecast | models.BegunResend]] = Operation(
    "campaigns.resend_failures",
    "POST",
    "/campaigns/{id}/resend-failed",
    result="ResendForecast | BegunResend",
    body="ResendCampaignRequest",
    is_keyed=True,
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
        with `MISSING_VARIABLE`, at no cost, and it counts as skipped. The campaign of a sandbox
        key is a rehearsal.

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

    def delete(self, id: str) -> None:
        """Delete a draft."""
        self._client._call(DELETE, Call(path={"id": id}))

    def duplicate(self, id: str, *, idempotency_key: str | None = None) -> models.Campaign:
        """Duplicate a campaign. Creates a draft with the same text, template, sender, metadata and
        segment, and without `scheduledAt`. ` (copy)` is added to the name. Made with an API key,
        it is of the mode of the key.

        idempotency_key: within 24 hours the same call with the same key is done once; made by the
            client if absent
        """
        return self._client._call(DUPLICATE, Call(path={"id": id}, key=idempotency_key))

    def export_recipients(
        self,
        id: str,
        *,
        outcome: params.RecipientOutcome | None = None,
        reason: params.RecipientReason | None = None,
    ) -> Stream:
        """Download the recipients of a campaign. CSV, with the filters and in the order of the list.
        A cell that a spreadsheet would read as a formula begins with an apostrophe, except phone
        numbers.

        outcome: Only recipients with this outcome.
        reason: Only recipients that were not reached for this reason.
        """
        return self._stream(
            EXPORT_RECIPIENTS, Call(path={"id": id}, query={"outcome": outcome, "reason": reason})
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

    def list_recipients(
        self,
        id: str,
        *,
        outcome: params.RecipientOutcome | None = None,
        reason: params.RecipientReason | None = None,
        after: str | None = None,
        limit: int | None = None,
    ) -> Pages[models.CampaignRecipient]:
        """List the recipients of a campaign. Those that have an outcome: `SENT` (a provider has
        accepted the message), `SKIPPED` (nothing was to be sent: `NO_ADDRESS`,
        `RECIPIENT_SUPPRESSED`, `MISSING_VARIABLE`) or `FAILED`. First come those with a message,
        newest first, then those without an address. Of a completed campaign there are as many as
        `audience`, until a contact without an address is deleted, messages are purged, or, of a
        rehearsal, 7 days are over. While many messages wait, a part may have fewer recipients
        than `limit`, even none, although `nextCursor` leads to more. To a sandbox key only the
        recipients of rehearsals are visible.

        outcome: Only recipients with this outcome.
        reason: Only recipients that were not reached for this reason.
        after: The `pagination.nextCursor` of the part before; the beginning of the list if absent or
            empty.
        limit: The number of items in a part, 1 to 100; 20 if absent.
        """
        return self._pages(
            LIST_RECIPIENTS,
            Call(
                path={"id": id}, query={"outcome": outcome, "reason": reason, "after": after, "limit": limit}
            ),
            True,
        )

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

    def resend_failures(
        self, id: str, *, dry_run: bool | None = None, idempotency_key: str | None = None
    ) -> models.ResendForecast | models.BegunResend:
        """Send the failed messages of a campaign again. Takes the messages that failed, of at most
        31 days from the start of the campaign; those of skipped recipients are counted, and not
        sent. With `dryRun` all are only counted. Otherwise they are sent again in the background
        as by `POST /messages/resend`, each of them once, however often this is repeated; `GET
        /messages/resend/{id}` shows the progress. The new messages have `resentFrom`, and do not
        count for the campaign.

        dry_run: True to count the messages and send nothing.
        idempotency_key: within 24 hours the same call with the same key is done once; made by the
            client if absent
        """
        return self._client._call(
            RESEND_FAILURES, Call(path={"id": id}, body={"dry_run": dry_run}, key=idempotency_key)
        )

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
        format: params.TextFormat | None | Omit = OMIT,
        metadata: Mapping[str, str] | None | Omit = OMIT,
        name: str | None = None,
        scheduled_at: datetime | str | None | Omit = OMIT,
        segment_id: str | None | Omit = OMIT,
        sender_id: str | None | Omit = OMIT,
        subject: str | None | Omit = OMIT,
        template_id: str | None | Omit = OMIT,
    ) -> models.Campaign:
        """Change a draft, or move a scheduled campaign. Absent fields keep their values; null clears
        a value. Of a campaign that is `SCHEDULED` only `scheduledAt` can be changed, to another
        time; one that has passed means now.

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
        with `MISSING_VARIABLE`, at no cost, and it counts as skipped. The campaign of a sandbox
        key is a rehearsal.

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

    async def delete(self, id: str) -> None:
        """Delete a draft."""
        await self._client._call(DELETE, Call(path={"id": id}))

    async def duplicate(self, id: str, *, idempotency_key: str | None = None) -> models.Campaign:
        """Duplicate a campaign. Creates a draft with the same text, template, sender, metadata and
        segment, and without `scheduledAt`. ` (copy)` is added to the name. Made with an API key,
        it is of the mode of the key.

        idempotency_key: within 24 hours the same call with the same key is done once; made by the
            client if absent
        """
        return await self._client._call(DUPLICATE, Call(path={"id": id}, key=idempotency_key))

    def export_recipients(
        self,
        id: str,
        *,
        outcome: params.RecipientOutcome | None = None,
        reason: params.RecipientReason | None = None,
    ) -> AsyncStream:
        """Download the recipients of a campaign. CSV, with the filters and in the order of the list.
        A cell that a spreadsheet would read as a formula begins with an apostrophe, except phone
        numbers.

        outcome: Only recipients with this outcome.
        reason: Only recipients that were not reached for this reason.
        """
        return self._stream(
            EXPORT_RECIPIENTS, Call(path={"id": id}, query={"outcome": outcome, "reason": reason})
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

    def list_recipients(
        self,
        id: str,
        *,
        outcome: params.RecipientOutcome | None = None,
        reason: params.RecipientReason | None = None,
        after: str | None = None,
        limit: int | None = None,
    ) -> AsyncPages[models.CampaignRecipient]:
        """List the recipients of a campaign. Those that have an outcome: `SENT` (a provider has
        accepted the message), `SKIPPED` (nothing was to be sent: `NO_ADDRESS`,
        `RECIPIENT_SUPPRESSED`, `MISSING_VARIABLE`) or `FAILED`. First come those with a message,
        newest first, then those without an address. Of a completed campaign there are as many as
        `audience`, until a contact without an address is deleted, messages are purged, or, of a
        rehearsal, 7 days are over. While many messages wait, a part may have fewer recipients
        than `limit`, even none, although `nextCursor` leads to more. To a sandbox key only the
        recipients of rehearsals are visible.

        outcome: Only recipients with this outcome.
        reason: Only recipients that were not reached for this reason.
        after: The `pagination.nextCursor` of the part before; the beginning of the list if absent or
            empty.
        limit: The number of items in a part, 1 to 100; 20 if absent.
        """
        return self._pages(
            LIST_RECIPIENTS,
            Call(
                path={"id": id}, query={"outcome": outcome, "reason": reason, "after": after, "limit": limit}
            ),
            True,
        )

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

    async def resend_failures(
        self, id: str, *, dry_run: bool | None = None, idempotency_key: str | None = None
    ) -> models.ResendForecast | models.BegunResend:
        """Send the failed messages of a campaign again. Takes the messages that failed, of at most
        31 days from the start of the campaign; those of skipped recipients are counted, and not
        sent. With `dryRun` all are only counted. Otherwise they are sent again in the background
        as by `POST /messages/resend`, each of them once, however often this is repeated; `GET
        /messages/resend/{id}` shows the progress. The new messages have `resentFrom`, and do not
        count for the campaign.

        dry_run: True to count the messages and send nothing.
        idempotency_key: within 24 hours the same call with the same key is done once; made by the
            client if absent
        """
        return await self._client._call(
            RESEND_FAILURES, Call(path={"id": id}, body={"dry_run": dry_run}, key=idempotency_key)
        )

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
        format: params.TextFormat | None | Omit = OMIT,
        metadata: Mapping[str, str] | None | Omit = OMIT,
        name: str | None = None,
        scheduled_at: datetime | str | None | Omit = OMIT,
        segment_id: str | None | Omit = OMIT,
        sender_id: str | None | Omit = OMIT,
        subject: str | None | Omit = OMIT,
        template_id: str | None | Omit = OMIT,
    ) -> models.Campaign:
        """Change a draft, or move a scheduled campaign. Absent fields keep their values; null clears
        a value. Of a campaign that is `SCHEDULED` only `scheduledAt` can be changed, to another
        time; one that has passed means now.

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
