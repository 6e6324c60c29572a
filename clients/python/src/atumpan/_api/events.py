"""The methods of `client.events`.

Written by `python -m generator` from docs/openapi.json.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from .._core import Call, Operation
from .._groups import AsyncGroup, Group
from .._mapping import OMIT

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from datetime import datetime

    from .. import models, params
    from .._mapping import Omit
    from .._paging import AsyncPages, Pages

CREATE: Final[Operation[models.Event]] = Operation(
    "events.create", "POST", "/events", result="Event", body="CreateEventRequest", is_keyed=True
)
DELETE: Final[Operation[models.DeletedEvent]] = Operation(
    "events.delete", "DELETE", "/events/{id}", result="DeletedEvent"
)
GET: Final[Operation[models.Event]] = Operation("events.get", "GET", "/events/{id}", result="Event")
LIST: Final[Operation[models.Event]] = Operation("events.list", "GET", "/events", result="Event")
TRIGGER: Final[Operation[models.TriggeredEvent]] = Operation(
    "events.trigger",
    "POST",
    "/events/trigger",
    result="TriggeredEvent",
    body="TriggerEventRequest",
    is_keyed=True,
)
UPDATE: Final[Operation[models.Event]] = Operation(
    "events.update", "PATCH", "/events/{id}", result="Event", body="UpdateEventRequest"
)


class Events(Group):
    """The methods of `client.events`."""

    def create(
        self,
        *,
        name: str,
        slug: str,
        channel_priority: Sequence[params.Channel] | None = None,
        country_code: str | None = None,
        description: str | None = None,
        fallback_rules: params.EventFallbackRules | None = None,
        is_active: bool | None = None,
        retry_rules: params.EventRetryRules | None = None,
        sender_id: str | None = None,
        template_id: str | None = None,
        templates: Mapping[str, str] | None = None,
        idempotency_key: str | None = None,
    ) -> models.Event:
        """Create an event.

        slug: The name of the event for programs: 1 to 100 of the characters `a` to `z`, `0` to `9`,
            `.`, `_` and `-`. It never changes.
        channel_priority: The channels in the order in which they are tried; `SMS` if absent.
        country_code: The country of phone numbers without a calling code; `GH` if absent.
        description: The purpose of the event.
        is_active: True if it may be triggered; true if absent.
        sender_id: The sender of messages on the channels that can have it (`SMS`, `WHATSAPP`, `VOICE`),
            if it is approved for one of them. Other channels are used without.
        template_id: The template of all channels that have none in `templates`. On a channel that it is
            not written for, its text is sent, and for `EMAIL` its subject.
        templates: Templates of single channels: names of channels, and identifiers.
        idempotency_key: within 24 hours the same call with the same key is done once; made by the
            client if absent
        """
        return self._client._call(
            CREATE,
            Call(
                body={
                    "name": name,
                    "slug": slug,
                    "channel_priority": channel_priority,
                    "country_code": country_code,
                    "description": description,
                    "fallback_rules": fallback_rules,
                    "is_active": is_active,
                    "retry_rules": retry_rules,
                    "sender_id": sender_id,
                    "template_id": template_id,
                    "templates": templates,
                },
                key=idempotency_key,
            ),
        )

    def delete(self, id: str) -> models.DeletedEvent:
        """Delete an event. Notifications that were triggered before continue unchanged."""
        return self._client._call(DELETE, Call(path={"id": id}))

    def get(self, id: str) -> models.Event:
        """Get an event."""
        return self._client._call(GET, Call(path={"id": id}))

    def list(
        self, *, search: str | None = None, page: int | None = None, limit: int | None = None
    ) -> Pages[models.Event]:
        """List events. Newest first, each with its templates. For members, and for API keys with the
        scope `events:read`.

        search: Only events whose name or slug contains this text, in any letter case.
        page: The number of the page, from 1; 1 if absent.
        limit: The number of items in a page, 1 to 100; 100 if absent.
        """
        return self._pages(LIST, Call(query={"search": search, "page": page, "limit": limit}), False)

    def trigger(
        self,
        *,
        event: str,
        async_: bool | None = None,
        contact_id: str | None = None,
        country_code: str | None = None,
        is_sandbox: bool | None = None,
        metadata: Mapping[str, str] | None = None,
        scheduled_at: datetime | str | None = None,
        sender_id: str | None = None,
        to: str | None = None,
        variables: Mapping[str, str] | None = None,
        idempotency_key: str | None = None,
    ) -> models.TriggeredEvent:
        """Trigger an event. The channels of `channelPriority` are tried in their order, then those
        of `fallbackRules.channels`. The next one is tried if a channel has no usable address or
        no route, if its message fails, at once or later, and if its message has not reached
        `untilStatus` within `afterSeconds`. Each channel sends its own message at its own cost;
        an empty wallet ends the notification. A message that arrives after the next channel was
        tried does not undo the message of that channel.
        With `to`, channels that cannot use such an address are skipped. With `contactId` the
        contact provides the addresses and, for placeholders that `variables` do not name, its
        fields (`firstName`, `lastName`, `phone`, `email`, `countryCode`) and attributes; beside
        `to`, only the latter two. The texts of all channels are filled at once: a placeholder
        without a value is a fault on any channel.
        With `async` the answer comes as soon as the first message is accepted, else as soon as a
        channel does not fail in its first attempt. It is the delivery log of the current message.
        With a repeated `idempotencyKey` it is the first log, with the present state of the
        channels. API keys without `messages:read` and `contacts:read` do not see the recipient
        and the texts of a message to a contact. For owners, administrators, campaign managers and
        developers, and for API keys with the scope `events:trigger`.

        event: The slug of the event.
        async_: True to get the answer before the outcome; false if absent.
        contact_id: The contact to notify. Beside `to`, only its fields and attributes are used.
        country_code: The country of a phone number without a calling code; that of the event if absent.
        is_sandbox: True to rehearse in the sandbox with a session: nothing reaches a provider, and it
            costs 0. With an API key it must agree with the mode of the key.
        metadata: Up to 20 pairs by which your own systems know the message: keys of at most 40
            characters, values of at most 500. They are not sent; the log and webhooks show them.
        scheduled_at: The time at which it is to go, 1 minute to 90 days ahead, in the sandbox at most 6
            days; at once if absent. It is paid for now. The suppression list, the approval of the
            template and sending windows are looked at again when it is due. Not for codes (`OTP`).
        sender_id: The sender on the channels that can have it (`SMS`, `WHATSAPP`, `VOICE`), if it is
            approved for one of them; that of the event if absent.
        to: A phone number, an email address or a device token.
        variables: Values for the placeholders `{{name}}`.
        idempotency_key: within 24 hours the same call with the same key is done once; made by the
            client if absent
        """
        return self._client._call(
            TRIGGER,
            Call(
                body={
                    "event": event,
                    "async_": async_,
                    "contact_id": contact_id,
                    "country_code": country_code,
                    "is_sandbox": is_sandbox,
                    "metadata": metadata,
                    "scheduled_at": scheduled_at,
                    "sender_id": sender_id,
                    "to": to,
                    "variables": variables,
                },
                key=idempotency_key,
            ),
        )

    def update(
        self,
        id: str,
        *,
        channel_priority: Sequence[params.Channel] | None = None,
        country_code: str | None | Omit = OMIT,
        description: str | None | Omit = OMIT,
        fallback_rules: params.EventFallbackRules | None | Omit = OMIT,
        is_active: bool | None = None,
        name: str | None = None,
        retry_rules: params.EventRetryRules | None | Omit = OMIT,
        sender_id: str | None | Omit = OMIT,
        template_id: str | None | Omit = OMIT,
        templates: Mapping[str, str] | None | Omit = OMIT,
    ) -> models.Event:
        """Change an event. Absent fields keep their values; null clears a value. The slug does not
        change. Notifications that were triggered before continue unchanged.

        channel_priority: The channels in the order in which they are tried; `SMS` if absent.
        country_code: The country of phone numbers without a calling code; `GH` if absent.
        description: The purpose of the event.
        is_active: True if it may be triggered.
        sender_id: The sender of messages on the channels that can have it (`SMS`, `WHATSAPP`, `VOICE`),
            if it is approved for one of them. Other channels are used without.
        template_id: The template of all channels that have none in `templates`. On a channel that it is
            not written for, its text is sent, and for `EMAIL` its subject.
        templates: Templates of single channels: names of channels, and identifiers.
        """
        return self._client._call(
            UPDATE,
            Call(
                path={"id": id},
                body={
                    "channel_priority": channel_priority,
                    "country_code": country_code,
                    "description": description,
                    "fallback_rules": fallback_rules,
                    "is_active": is_active,
                    "name": name,
                    "retry_rules": retry_rules,
                    "sender_id": sender_id,
                    "template_id": template_id,
                    "templates": templates,
                },
            ),
        )


class AsyncEvents(AsyncGroup):
    """The methods of `client.events`."""

    async def create(
        self,
        *,
        name: str,
        slug: str,
        channel_priority: Sequence[params.Channel] | None = None,
        country_code: str | None = None,
        description: str | None = None,
        fallback_rules: params.EventFallbackRules | None = None,
        is_active: bool | None = None,
        retry_rules: params.EventRetryRules | None = None,
        sender_id: str | None = None,
        template_id: str | None = None,
        templates: Mapping[str, str] | None = None,
        idempotency_key: str | None = None,
    ) -> models.Event:
        """Create an event.

        slug: The name of the event for programs: 1 to 100 of the characters `a` to `z`, `0` to `9`,
            `.`, `_` and `-`. It never changes.
        channel_priority: The channels in the order in which they are tried; `SMS` if absent.
        country_code: The country of phone numbers without a calling code; `GH` if absent.
        description: The purpose of the event.
        is_active: True if it may be triggered; true if absent.
        sender_id: The sender of messages on the channels that can have it (`SMS`, `WHATSAPP`, `VOICE`),
            if it is approved for one of them. Other channels are used without.
        template_id: The template of all channels that have none in `templates`. On a channel that it is
            not written for, its text is sent, and for `EMAIL` its subject.
        templates: Templates of single channels: names of channels, and identifiers.
        idempotency_key: within 24 hours the same call with the same key is done once; made by the
            client if absent
        """
        return await self._client._call(
            CREATE,
            Call(
                body={
                    "name": name,
                    "slug": slug,
                    "channel_priority": channel_priority,
                    "country_code": country_code,
                    "description": description,
                    "fallback_rules": fallback_rules,
                    "is_active": is_active,
                    "retry_rules": retry_rules,
                    "sender_id": sender_id,
                    "template_id": template_id,
                    "templates": templates,
                },
                key=idempotency_key,
            ),
        )

    async def delete(self, id: str) -> models.DeletedEvent:
        """Delete an event. Notifications that were triggered before continue unchanged."""
        return await self._client._call(DELETE, Call(path={"id": id}))

    async def get(self, id: str) -> models.Event:
        """Get an event."""
        return await self._client._call(GET, Call(path={"id": id}))

    def list(
        self, *, search: str | None = None, page: int | None = None, limit: int | None = None
    ) -> AsyncPages[models.Event]:
        """List events. Newest first, each with its templates. For members, and for API keys with the
        scope `events:read`.

        search: Only events whose name or slug contains this text, in any letter case.
        page: The number of the page, from 1; 1 if absent.
        limit: The number of items in a page, 1 to 100; 100 if absent.
        """
        return self._pages(LIST, Call(query={"search": search, "page": page, "limit": limit}), False)

    async def trigger(
        self,
        *,
        event: str,
        async_: bool | None = None,
        contact_id: str | None = None,
        country_code: str | None = None,
        is_sandbox: bool | None = None,
        metadata: Mapping[str, str] | None = None,
        scheduled_at: datetime | str | None = None,
        sender_id: str | None = None,
        to: str | None = None,
        variables: Mapping[str, str] | None = None,
        idempotency_key: str | None = None,
    ) -> models.TriggeredEvent:
        """Trigger an event. The channels of `channelPriority` are tried in their order, then those
        of `fallbackRules.channels`. The next one is tried if a channel has no usable address or
        no route, if its message fails, at once or later, and if its message has not reached
        `untilStatus` within `afterSeconds`. Each channel sends its own message at its own cost;
        an empty wallet ends the notification. A message that arrives after the next channel was
        tried does not undo the message of that channel.
        With `to`, channels that cannot use such an address are skipped. With `contactId` the
        contact provides the addresses and, for placeholders that `variables` do not name, its
        fields (`firstName`, `lastName`, `phone`, `email`, `countryCode`) and attributes; beside
        `to`, only the latter two. The texts of all channels are filled at once: a placeholder
        without a value is a fault on any channel.
        With `async` the answer comes as soon as the first message is accepted, else as soon as a
        channel does not fail in its first attempt. It is the delivery log of the current message.
        With a repeated `idempotencyKey` it is the first log, with the present state of the
        channels. API keys without `messages:read` and `contacts:read` do not see the recipient
        and the texts of a message to a contact. For owners, administrators, campaign managers and
        developers, and for API keys with the scope `events:trigger`.

        event: The slug of the event.
        async_: True to get the answer before the outcome; false if absent.
        contact_id: The contact to notify. Beside `to`, only its fields and attributes are used.
        country_code: The country of a phone number without a calling code; that of the event if absent.
        is_sandbox: True to rehearse in the sandbox with a session: nothing reaches a provider, and it
            costs 0. With an API key it must agree with the mode of the key.
        metadata: Up to 20 pairs by which your own systems know the message: keys of at most 40
            characters, values of at most 500. They are not sent; the log and webhooks show them.
        scheduled_at: The time at which it is to go, 1 minute to 90 days ahead, in the sandbox at most 6
            days; at once if absent. It is paid for now. The suppression list, the approval of the
            template and sending windows are looked at again when it is due. Not for codes (`OTP`).
        sender_id: The sender on the channels that can have it (`SMS`, `WHATSAPP`, `VOICE`), if it is
            approved for one of them; that of the event if absent.
        to: A phone number, an email address or a device token.
        variables: Values for the placeholders `{{name}}`.
        idempotency_key: within 24 hours the same call with the same key is done once; made by the
            client if absent
        """
        return await self._client._call(
            TRIGGER,
            Call(
                body={
                    "event": event,
                    "async_": async_,
                    "contact_id": contact_id,
                    "country_code": country_code,
                    "is_sandbox": is_sandbox,
                    "metadata": metadata,
                    "scheduled_at": scheduled_at,
                    "sender_id": sender_id,
                    "to": to,
                    "variables": variables,
                },
                key=idempotency_key,
            ),
        )

    async def update(
        self,
        id: str,
        *,
        channel_priority: Sequence[params.Channel] | None = None,
        country_code: str | None | Omit = OMIT,
        description: str | None | Omit = OMIT,
        fallback_rules: params.EventFallbackRules | None | Omit = OMIT,
        is_active: bool | None = None,
        name: str | None = None,
        retry_rules: params.EventRetryRules | None | Omit = OMIT,
        sender_id: str | None | Omit = OMIT,
        template_id: str | None | Omit = OMIT,
        templates: Mapping[str, str] | None | Omit = OMIT,
    ) -> models.Event:
        """Change an event. Absent fields keep their values; null clears a value. The slug does not
        change. Notifications that were triggered before continue unchanged.

        channel_priority: The channels in the order in which they are tried; `SMS` if absent.
        country_code: The country of phone numbers without a calling code; `GH` if absent.
        description: The purpose of the event.
        is_active: True if it may be triggered.
        sender_id: The sender of messages on the channels that can have it (`SMS`, `WHATSAPP`, `VOICE`),
            if it is approved for one of them. Other channels are used without.
        template_id: The template of all channels that have none in `templates`. On a channel that it is
            not written for, its text is sent, and for `EMAIL` its subject.
        templates: Templates of single channels: names of channels, and identifiers.
        """
        return await self._client._call(
            UPDATE,
            Call(
                path={"id": id},
                body={
                    "channel_priority": channel_priority,
                    "country_code": country_code,
                    "description": description,
                    "fallback_rules": fallback_rules,
                    "is_active": is_active,
                    "name": name,
                    "retry_rules": retry_rules,
                    "sender_id": sender_id,
                    "template_id": template_id,
                    "templates": templates,
                },
            ),
        )
