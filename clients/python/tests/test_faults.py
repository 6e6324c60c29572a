"""One message over a line that breaks connections in each way, and what must not be repeated."""

import asyncio
import time
from collections.abc import Callable

import pytest
from support.line import FAULTS, Line, after_the_request, answered, no_answer, status
from support.service import Service
from support.table import ROWS

import atumpan
from atumpan import AsyncAtumpan, Atumpan, models
from atumpan import _core as core


@pytest.fixture(autouse=True)
def _short_waits(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(core, "FIRST_WAIT", 0.05)


def send(service: Service, line: Line, body: str) -> models.DeliveryLog:
    with Atumpan(api_key=service.sandbox_key, base_url=line.url, timeout=0.7) as client:
        return client.messages.send(channel="SMS", to="0241234567", body=body)


def send_async(service: Service, line: Line, body: str) -> models.DeliveryLog:
    async def work() -> models.DeliveryLog:
        async with AsyncAtumpan(api_key=service.sandbox_key, base_url=line.url, timeout=0.7) as client:
            return await client.messages.send(channel="SMS", to="0241234567", body=body)

    return asyncio.run(work())


def made(service: Service, body: str) -> int:
    with service.session() as client:
        return sum(log.body == body for log in client.delivery_logs.list(limit=100).page().data)


@pytest.mark.parametrize("sender", [send, send_async])
@pytest.mark.parametrize("name", FAULTS)
def test_one_send_is_one_message(
    service: Service, name: str, sender: Callable[[Service, Line, str], models.DeliveryLog]
) -> None:
    body = f"{sender.__name__}: {name}"
    with Line(service.url, FAULTS[name]) as line:
        message = sender(service, line, body)
    assert message.body == body
    assert made(service, body) == 1
    keys = {request.headers.get("idempotency-key") for request in line.requests}
    assert len(keys) == 1
    assert None not in keys
    assert line.connections == 2
    ROWS.append((body, line.connections, len(line.done), made(service, body)))


@pytest.mark.parametrize("code", [301, 302, 303, 307, 308])
def test_another_host_gets_neither_request_nor_key(service: Service, code: int) -> None:
    with Line(service.url, after_the_request, times=99) as other:
        elsewhere = answered(status(code, f"location: {other.url}/messages/send"))
        with Line(service.url, elsewhere) as line, pytest.raises(atumpan.ServerError, match="redirects"):
            send(service, line, f"redirect {code}")
    assert (line.connections, other.connections) == (1, 0)
    ROWS.append((f"send: redirect {code} to another host", line.connections, 0, 0))


def test_no_retries_are_one_call(service: Service) -> None:
    with Line(service.url, answered(status(503)), times=9) as line:
        client = Atumpan(api_key=service.sandbox_key, base_url=line.url, max_retries=0)
        with pytest.raises(atumpan.ServerError) as caught:
            client.messages.send(channel="SMS", to="0241234567", body="Once")
    assert (len(line.requests), caught.value.status) == (1, 503)


def test_two_retries_are_three_calls(service: Service) -> None:
    with Line(service.url, answered(status(503)), times=9) as line:
        with pytest.raises(atumpan.ServerError) as caught:
            send(service, line, "Thrice")
        keys = {request.headers["idempotency-key"] for request in line.requests}
    assert len(line.requests) == 3
    assert keys == {caught.value.idempotency_key}


def test_a_failed_call_can_be_repeated_with_its_key(service: Service) -> None:
    with Line(service.url, FAULTS["closed after the work, no answer"], times=9) as line:
        client = Atumpan(api_key=service.sandbox_key, base_url=line.url)
        with pytest.raises(ConnectionError) as caught:
            client.messages.send(channel="SMS", to="0241234567", body="Later")
        assert isinstance(caught.value, atumpan.ConnectionError)
        service.sandbox().messages.send(
            channel="SMS", to="0241234567", body="Later", idempotency_key=caught.value.idempotency_key
        )
    assert made(service, "Later") == 1


@pytest.mark.parametrize("name", ["closed after the request, not forwarded", "503", "429"])
def test_what_is_neither_safe_nor_keyed_is_not_repeated(service: Service, name: str) -> None:
    with Line(service.url, FAULTS[name], times=9) as line:
        client = Atumpan(token=service.token, organization_id=service.organization_id, base_url=line.url)
        with pytest.raises(atumpan.AtumpanError):
            client.contacts.update("019a5b8e-6c2f-7d10-a4c3-e5f708192a3b", first_name="Kofi")
        with pytest.raises(atumpan.AtumpanError):
            client.contacts.delete("019a5b8e-6c2f-7d10-a4c3-e5f708192a3b")
        with pytest.raises(atumpan.AtumpanError):
            client.callbacks.receive("simulated", body={})
    assert [request.verb for request in line.requests] == ["PATCH", "DELETE", "POST"]
    assert not any("idempotency-key" in request.headers for request in line.requests)


def test_what_has_not_left_is_repeated_whatever_it_is(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level("DEBUG", "atumpan")
    with Line("http://127.0.0.1:1", after_the_request) as line:
        url = line.url
    client = Atumpan(token="t", organization_id="o", base_url=url)
    with pytest.raises(atumpan.ConnectionError, match="ConnectError"):
        client.contacts.delete("1")
    assert sum(record.name == "atumpan" for record in caplog.records) == 3


@pytest.mark.parametrize("name", FAULTS)
def test_reading_is_repeated_without_a_key(service: Service, name: str) -> None:
    with Line(service.url, FAULTS[name]) as line:
        client = Atumpan(
            token=service.token, organization_id=service.organization_id, base_url=line.url, timeout=0.7
        )
        assert client.organizations.get().id == service.organization_id
    assert line.connections == 2
    assert not any("idempotency-key" in request.headers for request in line.requests)


def test_a_long_retry_after_is_not_waited_for(service: Service) -> None:
    began = time.monotonic()
    fault = answered(status(429, "retry-after: 61", error="RATE_LIMITED"))
    with Line(service.url, fault, times=9) as line, pytest.raises(atumpan.RateLimitedError) as caught:
        send(service, line, "Too many")
    assert caught.value.retry_after == 61
    assert len(line.requests) == 1
    assert time.monotonic() - began < 2


def test_retry_after_is_waited_for(service: Service) -> None:
    began = time.monotonic()
    with Line(service.url, answered(status(429, "retry-after: 1", error="RATE_LIMITED"))) as line:
        send(service, line, "In a second")
    assert 1 <= time.monotonic() - began < 2


@pytest.mark.parametrize("name", ["no answer in time", "head, byte by byte", "body, byte by byte"])
@pytest.mark.parametrize("kind", ["sync", "async"])
def test_a_time_out_counts_for_each_attempt(service: Service, name: str, kind: str) -> None:
    sender = send if kind == "sync" else send_async
    began = time.monotonic()
    with Line(service.url, FAULTS[name], times=9) as line, pytest.raises(TimeoutError):
        sender(service, line, f"Slow {name} {kind}")
    assert line.connections == 3
    assert 2.1 <= time.monotonic() - began < 3.5


def test_a_deadline_counts_for_all_attempts(service: Service) -> None:
    began = time.monotonic()
    with Line(service.url, no_answer, times=9) as line:
        client = Atumpan(api_key=service.sandbox_key, base_url=line.url, deadline=0.5)
        with pytest.raises(atumpan.TimeoutError):
            client.messages.send(channel="SMS", to="0241234567", body="Deadline")
    assert time.monotonic() - began < 1
    assert line.connections == 1


def test_a_break_amid_a_stream_is_told(service: Service) -> None:
    service.sandbox().messages.send(channel="SMS", to="0241234567", body="A line of a file")
    with Line(service.url, FAULTS["closed amid the body"], times=9) as line:
        client = Atumpan(token=service.token, organization_id=service.organization_id, base_url=line.url)
        with pytest.raises(atumpan.ConnectionError):
            client.delivery_logs.export().read()
    assert line.connections == 1


def test_a_bulk_send_over_a_broken_line_sends_each_once(service: Service) -> None:
    with Line(service.url, FAULTS["reset after the work, no answer"], times=2) as line:
        client = Atumpan(api_key=service.sandbox_key, base_url=line.url)
        items: list[atumpan.params.BulkItemRequest] = [
            {"channel": "SMS", "to": "0248000000", "body": f"Bulk {number}"} for number in range(250)
        ]
        result = client.messages.send_bulk(items, async_=True, idempotency_key="bulk-once")
    assert not result.failures
    with service.session() as session:
        logs = [log.body for log in session.delivery_logs.list(limit=100) if log.recipient == "+233248000000"]
    assert sorted(logs) == sorted(item["body"] for item in items)
    assert {request.headers["idempotency-key"] for request in line.requests} == {
        "bulk-once-1",
        "bulk-once-2",
        "bulk-once-3",
    }
