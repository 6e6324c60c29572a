"""The methods of `client.delivery_logs`.

Written by `python -m generator` from docs/openapi.json.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from .._core import Call, Operation
from .._groups import AsyncGroup, Group

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import datetime

    from .. import models, params
    from .._paging import AsyncPages, Pages
    from .._stream import AsyncStream, Stream

EXPORT: Final[Operation[str]] = Operation(
    "delivery_logs.export", "GET", "/delivery-logs/export", shape="stream"
)
LIST: Final[Operation[models.DeliveryLog]] = Operation(
    "delivery_logs.list", "GET", "/delivery-logs", result="DeliveryLog"
)


class DeliveryLogs(Group):
    """The methods of `client.delivery_logs`."""

    def export(
        self,
        *,
        status: params.Status | None = None,
        channel: params.Channel | None = None,
        recipient: str | None = None,
        campaign_id: str | None = None,
        from_: datetime | str | None = None,
        to: datetime | str | None = None,
        event: str | None = None,
        provider: str | None = None,
        error_code: params.FailureCode | None = None,
        is_sandbox: bool | None = None,
        metadata: Mapping[str, str] | None = None,
    ) -> Stream:
        """Download delivery logs. CSV, newest first, at most 10,000 rows, with the filters of the
        list. A cell that a spreadsheet would read as a formula begins with an apostrophe, except
        phone numbers: a plus and digits are no formula. A text has its first 10,000 characters;
        `bodyTruncated` is `true` if there are more.

        status: Only messages in this state.
        channel: Only messages of this channel.
        recipient: Only messages to this recipient, in any form that `to` of a message may have. Numbers
            without a calling code are numbers of Ghana.
        campaign_id: Only messages of this campaign.
        from_: Only messages accepted at this time or later.
        to: Only messages accepted before this time.
        event: Only messages that notify of the event with this slug.
        provider: Only messages that this provider has, or had last.
        error_code: Only messages that failed for this reason; with `NO_REPORT` those without a report.
        is_sandbox: Only messages of the sandbox if true, only others if false.
        metadata: Only messages with this value of this key of their metadata, as in
            `metadata[order]=4711`. Several pairs must all be there.
        """
        return self._stream(
            EXPORT,
            Call(
                query={
                    "status": status,
                    "channel": channel,
                    "recipient": recipient,
                    "campaignId": campaign_id,
                    "from": from_,
                    "to": to,
                    "event": event,
                    "provider": provider,
                    "errorCode": error_code,
                    "isSandbox": is_sandbox,
                    "metadata": metadata,
                }
            ),
        )

    def list(
        self,
        *,
        status: params.Status | None = None,
        channel: params.Channel | None = None,
        recipient: str | None = None,
        campaign_id: str | None = None,
        from_: datetime | str | None = None,
        to: datetime | str | None = None,
        event: str | None = None,
        provider: str | None = None,
        error_code: params.FailureCode | None = None,
        is_sandbox: bool | None = None,
        metadata: Mapping[str, str] | None = None,
        page: int | None = None,
        limit: int | None = None,
        after: str | None = None,
    ) -> Pages[models.DeliveryLog]:
        """List delivery logs. Newest first. Filters can be combined. With other filters than
        `recipient`, `campaignId`, `status` and `channel`, 31 days are searched: those from
        `from`, else those until `to`, or the last ones. With other filters than `status` and
        `channel`, `total` counts up to 1,000 messages (`isLowerBound`), and an answer comes of a
        look at about 10,000 messages: a page may have fewer messages than `limit`, even none,
        although `nextCursor` leads to more. A recipient, a failure or rare metadata is found at
        once. An API key with the scope `delivery-logs:read` sees the messages of its own mode.

        status: Only messages in this state.
        channel: Only messages of this channel.
        recipient: Only messages to this recipient, in any form that `to` of a message may have. Numbers
            without a calling code are numbers of Ghana.
        campaign_id: Only messages of this campaign.
        from_: Only messages accepted at this time or later.
        to: Only messages accepted before this time.
        event: Only messages that notify of the event with this slug.
        provider: Only messages that this provider has, or had last.
        error_code: Only messages that failed for this reason; with `NO_REPORT` those without a report.
        is_sandbox: Only messages of the sandbox if true, only others if false.
        metadata: Only messages with this value of this key of their metadata, as in
            `metadata[order]=4711`. Several pairs must all be there.
        page: The number of the page, from 1; 1 if absent.
        limit: The number of items in a page, 1 to 100; 20 if absent.
        after: The `pagination.nextCursor` of the part before; the beginning of the list if empty. The
            answer has no totals then. Not together with `page`.
        """
        return self._pages(
            LIST,
            Call(
                query={
                    "status": status,
                    "channel": channel,
                    "recipient": recipient,
                    "campaignId": campaign_id,
                    "from": from_,
                    "to": to,
                    "event": event,
                    "provider": provider,
                    "errorCode": error_code,
                    "isSandbox": is_sandbox,
                    "metadata": metadata,
                    "page": page,
                    "limit": limit,
                    "after": after,
                }
            ),
            True,
        )


class AsyncDeliveryLogs(AsyncGroup):
    """The methods of `client.delivery_logs`."""

    def export(
        self,
        *,
        status: params.Status | None = None,
        channel: params.Channel | None = None,
        recipient: str | None = None,
        campaign_id: str | None = None,
        from_: datetime | str | None = None,
        to: datetime | str | None = None,
        event: str | None = None,
        provider: str | None = None,
        error_code: params.FailureCode | None = None,
        is_sandbox: bool | None = None,
        metadata: Mapping[str, str] | None = None,
    ) -> AsyncStream:
        """Download delivery logs. CSV, newest first, at most 10,000 rows, with the filters of the
        list. A cell that a spreadsheet would read as a formula begins with an apostrophe, except
        phone numbers: a plus and digits are no formula. A text has its first 10,000 characters;
        `bodyTruncated` is `true` if there are more.

        status: Only messages in this state.
        channel: Only messages of this channel.
        recipient: Only messages to this recipient, in any form that `to` of a message may have. Numbers
            without a calling code are numbers of Ghana.
        campaign_id: Only messages of this campaign.
        from_: Only messages accepted at this time or later.
        to: Only messages accepted before this time.
        event: Only messages that notify of the event with this slug.
        provider: Only messages that this provider has, or had last.
        error_code: Only messages that failed for this reason; with `NO_REPORT` those without a report.
        is_sandbox: Only messages of the sandbox if true, only others if false.
        metadata: Only messages with this value of this key of their metadata, as in
            `metadata[order]=4711`. Several pairs must all be there.
        """
        return self._stream(
            EXPORT,
            Call(
                query={
                    "status": status,
                    "channel": channel,
                    "recipient": recipient,
                    "campaignId": campaign_id,
                    "from": from_,
                    "to": to,
                    "event": event,
                    "provider": provider,
                    "errorCode": error_code,
                    "isSandbox": is_sandbox,
                    "metadata": metadata,
                }
            ),
        )

    def list(
        self,
        *,
        status: params.Status | None = None,
        channel: params.Channel | None = None,
        recipient: str | None = None,
        campaign_id: str | None = None,
        from_: datetime | str | None = None,
        to: datetime | str | None = None,
        event: str | None = None,
        provider: str | None = None,
        error_code: params.FailureCode | None = None,
        is_sandbox: bool | None = None,
        metadata: Mapping[str, str] | None = None,
        page: int | None = None,
        limit: int | None = None,
        after: str | None = None,
    ) -> AsyncPages[models.DeliveryLog]:
        """List delivery logs. Newest first. Filters can be combined. With other filters than
        `recipient`, `campaignId`, `status` and `channel`, 31 days are searched: those from
        `from`, else those until `to`, or the last ones. With other filters than `status` and
        `channel`, `total` counts up to 1,000 messages (`isLowerBound`), and an answer comes of a
        look at about 10,000 messages: a page may have fewer messages than `limit`, even none,
        although `nextCursor` leads to more. A recipient, a failure or rare metadata is found at
        once. An API key with the scope `delivery-logs:read` sees the messages of its own mode.

        status: Only messages in this state.
        channel: Only messages of this channel.
        recipient: Only messages to this recipient, in any form that `to` of a message may have. Numbers
            without a calling code are numbers of Ghana.
        campaign_id: Only messages of this campaign.
        from_: Only messages accepted at this time or later.
        to: Only messages accepted before this time.
        event: Only messages that notify of the event with this slug.
        provider: Only messages that this provider has, or had last.
        error_code: Only messages that failed for this reason; with `NO_REPORT` those without a report.
        is_sandbox: Only messages of the sandbox if true, only others if false.
        metadata: Only messages with this value of this key of their metadata, as in
            `metadata[order]=4711`. Several pairs must all be there.
        page: The number of the page, from 1; 1 if absent.
        limit: The number of items in a page, 1 to 100; 20 if absent.
        after: The `pagination.nextCursor` of the part before; the beginning of the list if empty. The
            answer has no totals then. Not together with `page`.
        """
        return self._pages(
            LIST,
            Call(
                query={
                    "status": status,
                    "channel": channel,
                    "recipient": recipient,
                    "campaignId": campaign_id,
                    "from": from_,
                    "to": to,
                    "event": event,
                    "provider": provider,
                    "errorCode": error_code,
                    "isSandbox": is_sandbox,
                    "metadata": metadata,
                    "page": page,
                    "limit": limit,
                    "after": after,
                }
            ),
            True,
        )
