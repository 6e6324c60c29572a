"""The methods of `client.messages`.

Written by `python -m generator` from docs/openapi.json.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from .._core import Call, Operation
from .._groups import AsyncMessagesBase, MessagesBase

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from datetime import datetime

    from .. import models, params
    from .._helpers import BulkOutcome

CANCEL: Final[Operation[models.DeliveryLog]] = Operation(
    "messages.cancel", "POST", "/messages/{id}/cancel", result="DeliveryLog"
)
GET: Final[Operation[models.DeliveryLogDetail]] = Operation(
    "messages.get", "GET", "/messages/{id}", result="DeliveryLogDetail"
)
GET_RESEND: Final[Operation[models.Resend]] = Operation(
    "messages.get_resend", "GET", "/messages/resend/{id}", result="Resend"
)
MOVE: Final[Operation[models.DeliveryLog]] = Operation(
    "messages.move", "PATCH", "/messages/{id}", result="DeliveryLog", body="MoveMessageRequest"
)
RESEND: Final[Operation[models.DeliveryLog]] = Operation(
    "messages.resend",
    "POST",
    "/messages/{id}/resend",
    result="DeliveryLog",
    body="ResendMessageRequest",
    is_keyed=True,
)
RESEND_FAILED: Final[Operation[models.ResendForecast | models.BegunResend]] = Operation(
    "messages.resend_failed",
    "POST",
    "/messages/resend",
    result="ResendForecast | BegunResend",
    body="ResendFailedRequest",
    is_keyed=True,
)
SEND: Final[Operation[models.DeliveryLog]] = Operation(
    "messages.send", "POST", "/messages/send", result="DeliveryLog", body="SendMessageRequest", is_keyed=True
)
SEND_BULK: Final[Operation[list[models.BulkResult]]] = Operation(
    "messages.send_bulk",
    "POST",
    "/messages/bulk",
    result="BulkResult",
    shape="list",
    body="SendBulkRequest",
    is_keyed=True,
)


class Messages(MessagesBase):
    """The methods of `client.messages`."""

    def cancel(self, id: str) -> models.DeliveryLog:
        """Cancel a message. Possible until a provider is given the message: while it is scheduled,
        held back or waits for another attempt. It fails with `CANCELLED` and is refunded, and no
        other channel of its event is tried. A repetition has the same answer.
        """
        return self._client._call(CANCEL, Call(path={"id": id}))

    def get(self, id: str) -> models.DeliveryLogDetail:
        """Get a message."""
        return self._client._call(GET, Call(path={"id": id}))

    def get_resend(self, id: str) -> models.Resend:
        """Get the progress of sending failed messages again. Kept for 30 days after its end."""
        return self._client._call(GET_RESEND, Call(path={"id": id}))

    def move(self, id: str, *, scheduled_at: datetime | str) -> models.DeliveryLog:
        """Move a scheduled message to another time. The price stays as it was. Its validity counts
        from the new time.

        scheduled_at: The time at which it is to go, 1 minute to 90 days ahead, in the sandbox at most 6
            days after it was accepted.
        """
        return self._client._call(MOVE, Call(path={"id": id}, body={"scheduled_at": scheduled_at}))

    def resend(
        self, id: str, *, again: bool | None = None, idempotency_key: str | None = None
    ) -> models.DeliveryLog:
        """Send a failed message again. The text stays as it was filled. Suppression, template,
        sender, route and price are looked up anew. A message is sent again once; `again` allows
        one more. Never sent again are codes (`OTP`), and what was cancelled, suppressed, blocked,
        erased, or expired before the usual validity of its category.

        again: True to send it again though it was sent again before.
        idempotency_key: within 24 hours the same call with the same key is done once; made by the
            client if absent
        """
        return self._client._call(RESEND, Call(path={"id": id}, body={"again": again}, key=idempotency_key))

    def resend_failed(
        self,
        *,
        from_: datetime | str,
        campaign_id: str | None = None,
        channel: params.Channel | None = None,
        dry_run: bool | None = None,
        error_code: params.FailureCode | None = None,
        event: str | None = None,
        is_sandbox: bool | None = None,
        metadata: Mapping[str, str] | None = None,
        provider: str | None = None,
        recipient: str | None = None,
        to: datetime | str | None = None,
        idempotency_key: str | None = None,
    ) -> models.ResendForecast | models.BegunResend:
        """Send failed messages again. Takes the failed messages of at most 31 days that fit all
        given filters. With `dryRun` the newest 100,000 are only counted. Otherwise they are sent
        again in the background, newest first, each once, until one cannot be paid. The rest can
        be requested again.

        from_: Only messages accepted at this time or later.
        campaign_id: Only messages of this campaign.
        channel: Only messages of this channel.
        dry_run: True to count the messages and send nothing.
        error_code: Only messages that failed for this reason.
        event: Only messages that notify of the event with this slug.
        is_sandbox: True for messages of the sandbox, false for all others; the caller's mode if absent.
            With an API key it must agree with the mode of the key.
        metadata: Only messages with these pairs among their metadata.
        provider: Only messages that this provider had last.
        recipient: Only messages to this recipient, as a send would take it.
        to: Only messages accepted before this time, at most 31 days after `from`; now if absent.
        idempotency_key: within 24 hours the same call with the same key is done once; made by the
            client if absent
        """
        return self._client._call(
            RESEND_FAILED,
            Call(
                body={
                    "from_": from_,
                    "campaign_id": campaign_id,
                    "channel": channel,
                    "dry_run": dry_run,
                    "error_code": error_code,
                    "event": event,
                    "is_sandbox": is_sandbox,
                    "metadata": metadata,
                    "provider": provider,
                    "recipient": recipient,
                    "to": to,
                },
                key=idempotency_key,
            ),
        )

    def send(
        self,
        *,
        channel: params.Channel,
        to: str,
        async_: bool | None = None,
        body: str | None = None,
        category: params.Category | None = None,
        country_code: str | None = None,
        format: params.TextFormat | None = None,
        is_sandbox: bool | None = None,
        metadata: Mapping[str, str] | None = None,
        scheduled_at: datetime | str | None = None,
        sender_id: str | None = None,
        subject: str | None = None,
        template_id: str | None = None,
        validity_period: int | None = None,
        variables: Mapping[str, str] | None = None,
        idempotency_key: str | None = None,
    ) -> models.DeliveryLog:
        """Send a message. With `async` the answer comes as soon as the message is accepted, else
        with the outcome of the first attempt. For owners, administrators, campaign managers and
        developers, and for API keys with the scope `messages:send`.

        to: A phone number, an email address or a device token, depending on the channel.
        async_: True to get the answer before the outcome; false if absent.
        body: The text. Required without a template.
        category: The category of the message, `TRANSACTIONAL` if absent; a template's own category
            takes precedence.
        country_code: The country of phone numbers without a calling code; `GH` if absent.
        format: The format of the body; only for the channel `EMAIL`, whose body may be HTML. If absent
            it is HTML when the body, or else that of the template, begins with `<html` or `<!DOCTYPE
            html` or has one of the tags `<br>`, `</p>`, `</a>`, `</div>`, `</td>`, `</li>`, `</h1>`,
            `</strong>`, `</b>` before placeholders are filled. A template's own format takes
            precedence. In HTML the values of placeholders are escaped.
        is_sandbox: True to rehearse in the sandbox with a session: nothing reaches a provider, and it
            costs 0. With an API key it must agree with the mode of the key.
        metadata: Up to 20 pairs by which your own systems know the message: keys of at most 40
            characters, values of at most 500. They are not sent; the log and webhooks show them.
        scheduled_at: The time at which it is to go, 1 minute to 90 days ahead, in the sandbox at most 6
            days; at once if absent. It is paid for now. The suppression list, the approval of the
            template and sending windows are looked at again when it is due. Not for codes (`OTP`).
        sender_id: The sender to show, if the provider allows it. For an SMS: 1 to 11 letters, digits
            and spaces, or a number.
        subject: The subject line. On channels without one it is logged and not sent; an EMAIL without
            one is sent with `(no subject)`.
        template_id: An approved template of the same channel, which provides the text.
        validity_period: The number of seconds for which sending is tried. Default: 600 for `OTP`, 3600
            for `ALERT` and 86400 for all others. At most 3600 for `OTP`.
        variables: Values for the placeholders `{{name}}`: at most 10,000 characters each and 100,000 in
            total. They are escaped in an HTML body.
        idempotency_key: within 24 hours the same call with the same key is done once; made by the
            client if absent
        """
        return self._client._call(
            SEND,
            Call(
                body={
                    "channel": channel,
                    "to": to,
                    "async_": async_,
                    "body": body,
                    "category": category,
                    "country_code": country_code,
                    "format": format,
                    "is_sandbox": is_sandbox,
                    "metadata": metadata,
                    "scheduled_at": scheduled_at,
                    "sender_id": sender_id,
                    "subject": subject,
                    "template_id": template_id,
                    "validity_period": validity_period,
                    "variables": variables,
                },
                key=idempotency_key,
            ),
        )

    def send_bulk(
        self,
        messages: Iterable[params.BulkItemRequest],
        *,
        async_: bool | None = None,
        country_code: str | None = None,
        is_sandbox: bool | None = None,
        partial: bool | None = None,
        scheduled_at: datetime | str | None = None,
        idempotency_key: str | None = None,
    ) -> BulkOutcome:
        """Sends any number of messages, in hundreds, of which at most four are on their way. Each
        hundred is accepted or refused as a whole, under a key made of `idempotency_key`. The
        result has a log in the place of each message that was accepted, and says what failed. If
        nothing was accepted, the first error is raised.

        async_: True to get the answer before the outcomes; false if absent.
        country_code: The country of phone numbers without a calling code, in all messages; `GH` if
            absent.
        is_sandbox: True to rehearse in the sandbox with a session: nothing reaches a provider, and it
            costs 0. With an API key it must agree with the mode of the key.
        partial: True to accept the valid messages if others are not; false if absent. The place of a
            wrong message in the answer says what is wrong with it.
        scheduled_at: The time at which it is to go, 1 minute to 90 days ahead, in the sandbox at most 6
            days; at once if absent. It is paid for now. The suppression list, the approval of the
            template and sending windows are looked at again when it is due. Not for codes (`OTP`).
        idempotency_key: within 24 hours the same call with the same key is done once; made by the
            client if absent
        """
        return self._client._send_bulk(
            SEND_BULK,
            messages,
            Call(
                body={
                    "async_": async_,
                    "country_code": country_code,
                    "is_sandbox": is_sandbox,
                    "partial": partial,
                    "scheduled_at": scheduled_at,
                },
                key=idempotency_key,
            ),
        )


class AsyncMessages(AsyncMessagesBase):
    """The methods of `client.messages`."""

    async def cancel(self, id: str) -> models.DeliveryLog:
        """Cancel a message. Possible until a provider is given the message: while it is scheduled,
        held back or waits for another attempt. It fails with `CANCELLED` and is refunded, and no
        other channel of its event is tried. A repetition has the same answer.
        """
        return await self._client._call(CANCEL, Call(path={"id": id}))

    async def get(self, id: str) -> models.DeliveryLogDetail:
        """Get a message."""
        return await self._client._call(GET, Call(path={"id": id}))

    async def get_resend(self, id: str) -> models.Resend:
        """Get the progress of sending failed messages again. Kept for 30 days after its end."""
        return await self._client._call(GET_RESEND, Call(path={"id": id}))

    async def move(self, id: str, *, scheduled_at: datetime | str) -> models.DeliveryLog:
        """Move a scheduled message to another time. The price stays as it was. Its validity counts
        from the new time.

        scheduled_at: The time at which it is to go, 1 minute to 90 days ahead, in the sandbox at most 6
            days after it was accepted.
        """
        return await self._client._call(MOVE, Call(path={"id": id}, body={"scheduled_at": scheduled_at}))

    async def resend(
        self, id: str, *, again: bool | None = None, idempotency_key: str | None = None
    ) -> models.DeliveryLog:
        """Send a failed message again. The text stays as it was filled. Suppression, template,
        sender, route and price are looked up anew. A message is sent again once; `again` allows
        one more. Never sent again are codes (`OTP`), and what was cancelled, suppressed, blocked,
        erased, or expired before the usual validity of its category.

        again: True to send it again though it was sent again before.
        idempotency_key: within 24 hours the same call with the same key is done once; made by the
            client if absent
        """
        return await self._client._call(
            RESEND, Call(path={"id": id}, body={"again": again}, key=idempotency_key)
        )

    async def resend_failed(
        self,
        *,
        from_: datetime | str,
        campaign_id: str | None = None,
        channel: params.Channel | None = None,
        dry_run: bool | None = None,
        error_code: params.FailureCode | None = None,
        event: str | None = None,
        is_sandbox: bool | None = None,
        metadata: Mapping[str, str] | None = None,
        provider: str | None = None,
        recipient: str | None = None,
        to: datetime | str | None = None,
        idempotency_key: str | None = None,
    ) -> models.ResendForecast | models.BegunResend:
        """Send failed messages again. Takes the failed messages of at most 31 days that fit all
        given filters. With `dryRun` the newest 100,000 are only counted. Otherwise they are sent
        again in the background, newest first, each once, until one cannot be paid. The rest can
        be requested again.

        from_: Only messages accepted at this time or later.
        campaign_id: Only messages of this campaign.
        channel: Only messages of this channel.
        dry_run: True to count the messages and send nothing.
        error_code: Only messages that failed for this reason.
        event: Only messages that notify of the event with this slug.
        is_sandbox: True for messages of the sandbox, false for all others; the caller's mode if absent.
            With an API key it must agree with the mode of the key.
        metadata: Only messages with these pairs among their metadata.
        provider: Only messages that this provider had last.
        recipient: Only messages to this recipient, as a send would take it.
        to: Only messages accepted before this time, at most 31 days after `from`; now if absent.
        idempotency_key: within 24 hours the same call with the same key is done once; made by the
            client if absent
        """
        return await self._client._call(
            RESEND_FAILED,
            Call(
                body={
                    "from_": from_,
                    "campaign_id": campaign_id,
                    "channel": channel,
                    "dry_run": dry_run,
                    "error_code": error_code,
                    "event": event,
                    "is_sandbox": is_sandbox,
                    "metadata": metadata,
                    "provider": provider,
                    "recipient": recipient,
                    "to": to,
                },
                key=idempotency_key,
            ),
        )

    async def send(
        self,
        *,
        channel: params.Channel,
        to: str,
        async_: bool | None = None,
        body: str | None = None,
        category: params.Category | None = None,
        country_code: str | None = None,
        format: params.TextFormat | None = None,
        is_sandbox: bool | None = None,
        metadata: Mapping[str, str] | None = None,
        scheduled_at: datetime | str | None = None,
        sender_id: str | None = None,
        subject: str | None = None,
        template_id: str | None = None,
        validity_period: int | None = None,
        variables: Mapping[str, str] | None = None,
        idempotency_key: str | None = None,
    ) -> models.DeliveryLog:
        """Send a message. With `async` the answer comes as soon as the message is accepted, else
        with the outcome of the first attempt. For owners, administrators, campaign managers and
        developers, and for API keys with the scope `messages:send`.

        to: A phone number, an email address or a device token, depending on the channel.
        async_: True to get the answer before the outcome; false if absent.
        body: The text. Required without a template.
        category: The category of the message, `TRANSACTIONAL` if absent; a template's own category
            takes precedence.
        country_code: The country of phone numbers without a calling code; `GH` if absent.
        format: The format of the body; only for the channel `EMAIL`, whose body may be HTML. If absent
            it is HTML when the body, or else that of the template, begins with `<html` or `<!DOCTYPE
            html` or has one of the tags `<br>`, `</p>`, `</a>`, `</div>`, `</td>`, `</li>`, `</h1>`,
            `</strong>`, `</b>` before placeholders are filled. A template's own format takes
            precedence. In HTML the values of placeholders are escaped.
        is_sandbox: True to rehearse in the sandbox with a session: nothing reaches a provider, and it
            costs 0. With an API key it must agree with the mode of the key.
        metadata: Up to 20 pairs by which your own systems know the message: keys of at most 40
            characters, values of at most 500. They are not sent; the log and webhooks show them.
        scheduled_at: The time at which it is to go, 1 minute to 90 days ahead, in the sandbox at most 6
            days; at once if absent. It is paid for now. The suppression list, the approval of the
            template and sending windows are looked at again when it is due. Not for codes (`OTP`).
        sender_id: The sender to show, if the provider allows it. For an SMS: 1 to 11 letters, digits
            and spaces, or a number.
        subject: The subject line. On channels without one it is logged and not sent; an EMAIL without
            one is sent with `(no subject)`.
        template_id: An approved template of the same channel, which provides the text.
        validity_period: The number of seconds for which sending is tried. Default: 600 for `OTP`, 3600
            for `ALERT` and 86400 for all others. At most 3600 for `OTP`.
        variables: Values for the placeholders `{{name}}`: at most 10,000 characters each and 100,000 in
            total. They are escaped in an HTML body.
        idempotency_key: within 24 hours the same call with the same key is done once; made by the
            client if absent
        """
        return await self._client._call(
            SEND,
            Call(
                body={
                    "channel": channel,
                    "to": to,
                    "async_": async_,
                    "body": body,
                    "category": category,
                    "country_code": country_code,
                    "format": format,
                    "is_sandbox": is_sandbox,
                    "metadata": metadata,
                    "scheduled_at": scheduled_at,
                    "sender_id": sender_id,
                    "subject": subject,
                    "template_id": template_id,
                    "validity_period": validity_period,
                    "variables": variables,
                },
                key=idempotency_key,
            ),
        )

    async def send_bulk(
        self,
        messages: Iterable[params.BulkItemRequest],
        *,
        async_: bool | None = None,
        country_code: str | None = None,
        is_sandbox: bool | None = None,
        partial: bool | None = None,
        scheduled_at: datetime | str | None = None,
        idempotency_key: str | None = None,
    ) -> BulkOutcome:
        """Sends any number of messages, in hundreds, of which at most four are on their way. Each
        hundred is accepted or refused as a whole, under a key made of `idempotency_key`. The
        result has a log in the place of each message that was accepted, and says what failed. If
        nothing was accepted, the first error is raised.

        async_: True to get the answer before the outcomes; false if absent.
        country_code: The country of phone numbers without a calling code, in all messages; `GH` if
            absent.
        is_sandbox: True to rehearse in the sandbox with a session: nothing reaches a provider, and it
            costs 0. With an API key it must agree with the mode of the key.
        partial: True to accept the valid messages if others are not; false if absent. The place of a
            wrong message in the answer says what is wrong with it.
        scheduled_at: The time at which it is to go, 1 minute to 90 days ahead, in the sandbox at most 6
            days; at once if absent. It is paid for now. The suppression list, the approval of the
            template and sending windows are looked at again when it is due. Not for codes (`OTP`).
        idempotency_key: within 24 hours the same call with the same key is done once; made by the
            client if absent
        """
        return await self._client._send_bulk(
            SEND_BULK,
            messages,
            Call(
                body={
                    "async_": async_,
                    "country_code": country_code,
                    "is_sandbox": is_sandbox,
                    "partial": partial,
                    "scheduled_at": scheduled_at,
                },
                key=idempotency_key,
            ),
        )
