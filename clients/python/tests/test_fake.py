"""The service in memory."""

import asyncio
from typing import Any

import pytest

import atumpan
from atumpan import _core as core
from atumpan.testing import FakeService


@pytest.fixture(autouse=True)
def _short_waits(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(core, "FIRST_WAIT", 0.01)


def test_messages_are_kept() -> None:
    service = FakeService()
    client = service.client()
    message = client.messages.send(channel="SMS", to="0241234567", body="Akwaaba!")
    assert message.status == "SENT"
    assert client.messages.wait_until_final(message.id).status == "DELIVERED"
    assert [kept.body for kept in service.messages] == ["Akwaaba!"]
    sent = client.messages.send_bulk([{"channel": "SMS", "to": "0240000000", "body": "x"}] * 101)
    assert len(sent.messages) == 101
    assert service.messages[-1].status == "FAILED"
    assert service.requests[-1].method == "messages.send_bulk"


@pytest.mark.parametrize(
    "way", ["connection", "lost-answer", "timeout", 503, {"status": 429, "retry_after": 0}]
)
def test_it_fails_once_in_each_way(way: Any) -> None:
    service = FakeService()
    service.fail_next(way)
    service.client().messages.send(channel="SMS", to="0241234567", body="x")
    assert len(service.messages) == 1
    assert len(service.requests) == 2
    assert len({request.idempotency_key for request in service.requests}) == 1


def test_it_fails_for_good() -> None:
    service = FakeService()
    service.fail_next(
        "timeout", {"status": 402, "code": "INSUFFICIENT_BALANCE", "message": "too little"}, 500
    )
    client = service.client(max_retries=0)
    with pytest.raises(TimeoutError):
        client.messages.send(channel="SMS", to="0241234567", body="x")
    with pytest.raises(atumpan.InsufficientBalanceError, match="too little"):
        client.messages.send(channel="SMS", to="0241234567", body="x")
    with pytest.raises(atumpan.ServerError):
        client.messages.send(channel="SMS", to="0241234567", body="x")
    assert service.messages == []


def test_other_methods_get_an_answer_from_the_test() -> None:
    service = FakeService()
    with pytest.raises(atumpan.NotFoundError, match="contacts.get"):
        service.client().contacts.get("1")
    service.answer("contacts.get", {"id": "1", "firstName": "Ama"})
    service.answer("contacts.list", [{"id": "1"}, {"id": "2"}])
    assert service.client().contacts.get("1").first_name == "Ama"
    assert [contact.id for contact in service.client().contacts.list()] == ["1", "2"]


def test_it_serves_programs_in_asyncio() -> None:
    async def work() -> None:
        service = FakeService()
        service.fail_next("lost-answer")
        client = service.async_client()
        message = await client.messages.send(channel="SMS", to="0241234567", body="x")
        assert (await client.messages.get(message.id)).status == "DELIVERED"
        assert len(service.messages) == 1

    asyncio.run(work())
