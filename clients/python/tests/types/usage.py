"""Is checked by mypy and pyright, and never run."""

from datetime import datetime
from typing import assert_type

from atumpan import AsyncAtumpan, Atumpan, BulkFailure, models, params, webhooks


def synchronous(client: Atumpan) -> None:
    message = client.messages.send(channel="SMS", to="0241234567", body="Akwaaba!", async_=True)
    assert_type(message, models.DeliveryLog)
    assert_type(message.created_at, datetime)
    assert_type(message.attempts[0].vendor_code, str | None)
    assert_type(client.messages.wait_until_final(message.id, timeout=10), models.DeliveryLogDetail)
    for log in client.delivery_logs.list(status="FAILED"):
        assert_type(log, models.DeliveryLog)
    assert_type(client.contacts.list().page().data, list[models.Contact])
    item: params.BulkItemRequest = {"channel": "SMS", "to": "0241234567", "body": "x"}
    for failure in client.messages.send_bulk([item]).failures:
        assert_type(failure, BulkFailure)
    client.contacts.update("1", first_name=None)
    client.messages.send(channel="PIGEON", to="x", body="y")  # type: ignore[arg-type]  # pyright: ignore
    client.messages.send(to="x", body="y")  # type: ignore[call-arg]  # pyright: ignore
    client.messages.send(channel="SMS", to="x", text="y")  # type: ignore[call-arg]  # pyright: ignore
    if message.status == "FROM_TOMORROW":
        print(message.extra["newField"])
    message.status = "SENT"  # type: ignore[misc]  # pyright: ignore


async def asynchronous(client: AsyncAtumpan) -> None:
    message = await client.messages.send(channel="SMS", to="0241234567", body="Akwaaba!")
    assert_type(message, models.DeliveryLog)
    async for log in client.delivery_logs.list(status="FAILED"):
        assert_type(log, models.DeliveryLog)
    async for part in client.delivery_logs.export():
        assert_type(part, bytes)
    assert_type((await client.webhook_endpoints.create(url="https://a.example")).secret, str)


def receiver(body: bytes, headers: dict[str, str]) -> None:
    event = webhooks.verify(body, headers, ["whsec_a", "whsec_b"])
    match event:
        case models.MessageStatusUpdatedEvent():
            assert_type(event.data, models.DeliveryLog)
        case models.WalletLowEvent():
            assert_type(event.data.balance, float)
        case webhooks.UnknownEvent():
            assert_type(event.event, str)
        case _:
            assert_type(event.created_at, datetime)
