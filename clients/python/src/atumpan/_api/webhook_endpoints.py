"""The methods of `client.webhook_endpoints`.

Written by `python -m generator` from docs/openapi.json.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from .._core import Call, Operation
from .._groups import AsyncGroup, Group
from .._mapping import OMIT

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    from .. import models, params
    from .._mapping import Omit
    from .._paging import AsyncPages, Pages

CREATE: Final[Operation[models.WebhookEndpointWithSecret]] = Operation(
    "webhook_endpoints.create",
    "POST",
    "/webhook-endpoints",
    result="WebhookEndpointWithSecret",
    body="CreateWebhookEndpointRequest",
    is_keyed=True,
)
DELETE: Final[Operation[models.WebhookEndpoint | None]] = Operation(
    "webhook_endpoints.delete", "DELETE", "/webhook-endpoints/{id}", result="WebhookEndpoint"
)
LIST: Final[Operation[models.WebhookEndpoint]] = Operation(
    "webhook_endpoints.list", "GET", "/webhook-endpoints", result="WebhookEndpoint"
)
LIST_DELIVERIES: Final[Operation[models.WebhookDelivery]] = Operation(
    "webhook_endpoints.list_deliveries", "GET", "/webhook-endpoints/{id}/deliveries", result="WebhookDelivery"
)
RECOVER_DELIVERIES: Final[Operation[models.RecoveredWebhookDeliveries]] = Operation(
    "webhook_endpoints.recover_deliveries",
    "POST",
    "/webhook-endpoints/{id}/recover",
    result="RecoveredWebhookDeliveries",
    body="RecoverWebhookDeliveriesRequest",
    is_keyed=True,
)
RETRY_DELIVERY: Final[Operation[models.RetriedWebhookDelivery]] = Operation(
    "webhook_endpoints.retry_delivery",
    "POST",
    "/webhook-endpoints/{id}/deliveries/{deliveryId}/retry",
    result="RetriedWebhookDelivery",
    is_keyed=True,
)
ROTATE_SECRET: Final[Operation[models.WebhookEndpointWithSecret]] = Operation(
    "webhook_endpoints.rotate_secret",
    "POST",
    "/webhook-endpoints/{id}/rotate-secret",
    result="WebhookEndpointWithSecret",
    is_keyed=True,
)
TEST: Final[Operation[models.WebhookTest]] = Operation(
    "webhook_endpoints.test",
    "POST",
    "/webhook-endpoints/{id}/test",
    result="WebhookTest",
    body="TestWebhookEndpointRequest",
)
UPDATE: Final[Operation[models.WebhookEndpoint]] = Operation(
    "webhook_endpoints.update",
    "PATCH",
    "/webhook-endpoints/{id}",
    result="WebhookEndpoint",
    body="UpdateWebhookEndpointRequest",
)


class WebhookEndpoints(Group):
    """The methods of `client.webhook_endpoints`."""

    def create(
        self,
        *,
        url: str,
        events: Sequence[params.WebhookEvent] | None = None,
        idempotency_key: str | None = None,
    ) -> models.WebhookEndpointWithSecret:
        """Create a webhook endpoint. The endpoint receives events from one second later on. An
        organization has at most 20 active endpoints; of deactivated ones the newest 1,000 are
        kept. Calls are signed with the secret, which is in this answer only. Signatures and
        contents are described with each event under `webhooks` in this document.

        url: The URL of the receiver: https, in development also http. It must lead to a public address.
        events: The events that it is subscribed to; all, including future ones, if absent, null or
            empty.
        idempotency_key: within 24 hours the same call with the same key is done once; made by the
            client if absent
        """
        return self._client._call(CREATE, Call(body={"url": url, "events": events}, key=idempotency_key))

    def delete(self, id: str, *, permanent: bool | None = None) -> models.WebhookEndpoint | None:
        """Deactivate a webhook endpoint. The endpoint receives no more events, and pending
        deliveries become `FAILED`. It stays in the list, and can be activated again, for 25
        months. With `permanent=true` it is removed; its deliveries can still be listed for 30
        days.

        permanent: True to remove the endpoint instead of deactivating it.
        """
        return self._client._call(DELETE, Call(path={"id": id}, query={"permanent": permanent}))

    def list(self, *, page: int | None = None, limit: int | None = None) -> Pages[models.WebhookEndpoint]:
        """List webhook endpoints. Newest first, including deactivated ones. For owners,
        administrators and developers.

        page: The number of the page, from 1; 1 if absent.
        limit: The number of items in a page, 1 to 100; 100 if absent.
        """
        return self._pages(LIST, Call(query={"page": page, "limit": limit}), False)

    def list_deliveries(
        self,
        id: str,
        *,
        status: params.WebhookDeliveryStatus | None = None,
        event: params.WebhookEvent | None = None,
        from_: datetime | str | None = None,
        to: datetime | str | None = None,
        page: int | None = None,
        limit: int | None = None,
    ) -> Pages[models.WebhookDelivery]:
        """List deliveries to a webhook endpoint. Deliveries of the last 30 days, newest first; at
        most 1,000 are counted and shown. If there are more, `pagination.isLowerBound` is true:
        `to` shows older ones. With `event`, or a `status` other than `FAILED`, the newest 20,000
        are searched.

        status: Only deliveries in this state.
        event: Only deliveries of this event.
        from_: Only deliveries of events at this time or later.
        to: Only deliveries of events before this time.
        page: The number of the page, from 1; 1 if absent.
        limit: The number of items in a page, 1 to 100; 20 if absent.
        """
        return self._pages(
            LIST_DELIVERIES,
            Call(
                path={"id": id},
                query={
                    "status": status,
                    "event": event,
                    "from": from_,
                    "to": to,
                    "page": page,
                    "limit": limit,
                },
            ),
            False,
        )

    def recover_deliveries(
        self, id: str, *, since: datetime | str, idempotency_key: str | None = None
    ) -> models.RecoveredWebhookDeliveries:
        """Retry all deliveries that failed since a time. They are tried again as often as new ones,
        in their order. One request recovers at most 100,000; if `hasMore` is true, the same
        request recovers the next.

        since: Deliveries of events since this time, at most 30 days ago.
        idempotency_key: within 24 hours the same call with the same key is done once; made by the
            client if absent
        """
        return self._client._call(
            RECOVER_DELIVERIES, Call(path={"id": id}, body={"since": since}, key=idempotency_key)
        )

    def retry_delivery(
        self, id: str, delivery_id: str, *, idempotency_key: str | None = None
    ) -> models.RetriedWebhookDelivery:
        """Retry a delivery. It is tried once more now with the same identifier, whatever its outcome
        was.

        idempotency_key: within 24 hours the same call with the same key is done once; made by the
            client if absent
        """
        return self._client._call(
            RETRY_DELIVERY, Call(path={"id": id, "deliveryId": delivery_id}, key=idempotency_key)
        )

    def rotate_secret(
        self, id: str, *, idempotency_key: str | None = None
    ) -> models.WebhookEndpointWithSecret:
        """Rotate the secret of a webhook endpoint. The previous secret also signs for 24 hours:
        `webhook-signature` has both signatures, `X-Service-Signature` that of the new secret.
        After several rotations in a day the newest two secrets sign.

        idempotency_key: within 24 hours the same call with the same key is done once; made by the
            client if absent
        """
        return self._client._call(ROTATE_SECRET, Call(path={"id": id}, key=idempotency_key))

    def test(self, id: str, *, event: params.WebhookEvent | None = None) -> models.WebhookTest:
        """Send a test to a webhook endpoint. Sends an invented event at once, and once, signed like
        others. Nothing of it is recorded. An endpoint is tested by one call at a time, and once a
        second.

        event: `message.status.updated` if absent.
        """
        return self._client._call(TEST, Call(path={"id": id}, body={"event": event}))

    def update(
        self,
        id: str,
        *,
        events: Sequence[params.WebhookEvent] | None | Omit = OMIT,
        is_active: bool | None = None,
        url: str | None = None,
    ) -> models.WebhookEndpoint:
        """Change a webhook endpoint. A reactivated endpoint receives events from one second later
        on. Events that it missed, and failed deliveries, can be recovered.

        events: The events that it is subscribed to; all, including future ones, if absent, null or
            empty.
        is_active: True if it receives events.
        url: The URL of the receiver: https, in development also http. It must lead to a public address.
        """
        return self._client._call(
            UPDATE, Call(path={"id": id}, body={"events": events, "is_active": is_active, "url": url})
        )


class AsyncWebhookEndpoints(AsyncGroup):
    """The methods of `client.webhook_endpoints`."""

    async def create(
        self,
        *,
        url: str,
        events: Sequence[params.WebhookEvent] | None = None,
        idempotency_key: str | None = None,
    ) -> models.WebhookEndpointWithSecret:
        """Create a webhook endpoint. The endpoint receives events from one second later on. An
        organization has at most 20 active endpoints; of deactivated ones the newest 1,000 are
        kept. Calls are signed with the secret, which is in this answer only. Signatures and
        contents are described with each event under `webhooks` in this document.

        url: The URL of the receiver: https, in development also http. It must lead to a public address.
        events: The events that it is subscribed to; all, including future ones, if absent, null or
            empty.
        idempotency_key: within 24 hours the same call with the same key is done once; made by the
            client if absent
        """
        return await self._client._call(
            CREATE, Call(body={"url": url, "events": events}, key=idempotency_key)
        )

    async def delete(self, id: str, *, permanent: bool | None = None) -> models.WebhookEndpoint | None:
        """Deactivate a webhook endpoint. The endpoint receives no more events, and pending
        deliveries become `FAILED`. It stays in the list, and can be activated again, for 25
        months. With `permanent=true` it is removed; its deliveries can still be listed for 30
        days.

        permanent: True to remove the endpoint instead of deactivating it.
        """
        return await self._client._call(DELETE, Call(path={"id": id}, query={"permanent": permanent}))

    def list(
        self, *, page: int | None = None, limit: int | None = None
    ) -> AsyncPages[models.WebhookEndpoint]:
        """List webhook endpoints. Newest first, including deactivated ones. For owners,
        administrators and developers.

        page: The number of the page, from 1; 1 if absent.
        limit: The number of items in a page, 1 to 100; 100 if absent.
        """
        return self._pages(LIST, Call(query={"page": page, "limit": limit}), False)

    def list_deliveries(
        self,
        id: str,
        *,
        status: params.WebhookDeliveryStatus | None = None,
        event: params.WebhookEvent | None = None,
        from_: datetime | str | None = None,
        to: datetime | str | None = None,
        page: int | None = None,
        limit: int | None = None,
    ) -> AsyncPages[models.WebhookDelivery]:
        """List deliveries to a webhook endpoint. Deliveries of the last 30 days, newest first; at
        most 1,000 are counted and shown. If there are more, `pagination.isLowerBound` is true:
        `to` shows older ones. With `event`, or a `status` other than `FAILED`, the newest 20,000
        are searched.

        status: Only deliveries in this state.
        event: Only deliveries of this event.
        from_: Only deliveries of events at this time or later.
        to: Only deliveries of events before this time.
        page: The number of the page, from 1; 1 if absent.
        limit: The number of items in a page, 1 to 100; 20 if absent.
        """
        return self._pages(
            LIST_DELIVERIES,
            Call(
                path={"id": id},
                query={
                    "status": status,
                    "event": event,
                    "from": from_,
                    "to": to,
                    "page": page,
                    "limit": limit,
                },
            ),
            False,
        )

    async def recover_deliveries(
        self, id: str, *, since: datetime | str, idempotency_key: str | None = None
    ) -> models.RecoveredWebhookDeliveries:
        """Retry all deliveries that failed since a time. They are tried again as often as new ones,
        in their order. One request recovers at most 100,000; if `hasMore` is true, the same
        request recovers the next.

        since: Deliveries of events since this time, at most 30 days ago.
        idempotency_key: within 24 hours the same call with the same key is done once; made by the
            client if absent
        """
        return await self._client._call(
            RECOVER_DELIVERIES, Call(path={"id": id}, body={"since": since}, key=idempotency_key)
        )

    async def retry_delivery(
        self, id: str, delivery_id: str, *, idempotency_key: str | None = None
    ) -> models.RetriedWebhookDelivery:
        """Retry a delivery. It is tried once more now with the same identifier, whatever its outcome
        was.

        idempotency_key: within 24 hours the same call with the same key is done once; made by the
            client if absent
        """
        return await self._client._call(
            RETRY_DELIVERY, Call(path={"id": id, "deliveryId": delivery_id}, key=idempotency_key)
        )

    async def rotate_secret(
        self, id: str, *, idempotency_key: str | None = None
    ) -> models.WebhookEndpointWithSecret:
        """Rotate the secret of a webhook endpoint. The previous secret also signs for 24 hours:
        `webhook-signature` has both signatures, `X-Service-Signature` that of the new secret.
        After several rotations in a day the newest two secrets sign.

        idempotency_key: within 24 hours the same call with the same key is done once; made by the
            client if absent
        """
        return await self._client._call(ROTATE_SECRET, Call(path={"id": id}, key=idempotency_key))

    async def test(self, id: str, *, event: params.WebhookEvent | None = None) -> models.WebhookTest:
        """Send a test to a webhook endpoint. Sends an invented event at once, and once, signed like
        others. Nothing of it is recorded. An endpoint is tested by one call at a time, and once a
        second.

        event: `message.status.updated` if absent.
        """
        return await self._client._call(TEST, Call(path={"id": id}, body={"event": event}))

    async def update(
        self,
        id: str,
        *,
        events: Sequence[params.WebhookEvent] | None | Omit = OMIT,
        is_active: bool | None = None,
        url: str | None = None,
    ) -> models.WebhookEndpoint:
        """Change a webhook endpoint. A reactivated endpoint receives events from one second later
        on. Events that it missed, and failed deliveries, can be recovered.

        events: The events that it is subscribed to; all, including future ones, if absent, null or
            empty.
        is_active: True if it receives events.
        url: The URL of the receiver: https, in development also http. It must lead to a public address.
        """
        return await self._client._call(
            UPDATE, Call(path={"id": id}, body={"events": events, "is_active": is_active, "url": url})
        )
