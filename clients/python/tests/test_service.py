"""Both clients against the real service."""

import asyncio
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from support.service import Service

import atumpan
from atumpan import AsyncAtumpan, Atumpan, models


def test_a_message_is_sent_and_followed_to_its_end(service: Service) -> None:
    client = service.sandbox()
    message = client.messages.send(channel="SMS", to="0241234567", body="Akwaaba!")
    assert message.recipient == "+233241234567"
    final = client.messages.wait_until_final(message.id, timeout=10)
    assert final.status == "DELIVERED"
    assert final.is_sandbox
    assert final.created_at.tzinfo is not None


def test_a_repeated_key_sends_nothing(service: Service) -> None:
    client = service.sandbox()
    first = client.messages.send(channel="SMS", to="0241234567", body="One", idempotency_key="python-once")
    again = client.messages.send(channel="SMS", to="0241234567", body="One", idempotency_key="python-once")
    assert again.id == first.id
    with pytest.raises(atumpan.ConflictError) as caught:
        client.messages.send(channel="SMS", to="0241234567", body="Two", idempotency_key="python-once")
    assert caught.value.code == "IDEMPOTENCY_KEY_REUSED"


def test_waiting_ends_with_the_time(service: Service) -> None:
    client = service.sandbox()
    message = client.messages.send(channel="SMS", to="0241230001", body="Stays sent")
    with pytest.raises(TimeoutError, match="still SENT"):
        client.messages.wait_until_final(message.id, timeout=1)


def test_faults_are_told_by_field(service: Service) -> None:
    with pytest.raises(atumpan.ValidationError) as caught:
        service.sandbox().messages.send(channel="SMS", to="12")
    assert caught.value.status == 400
    assert set(caught.value.field_errors) == {"to", "body"}
    assert caught.value.request_id


def test_errors_have_the_class_of_their_kind(service: Service) -> None:
    with pytest.raises(atumpan.NotFoundError):
        service.sandbox().messages.get("019a5b8e-6c2f-7d10-a4c3-e5f708192a3b")
    with pytest.raises(atumpan.AuthenticationError):
        Atumpan(api_key="ak_wrong", base_url=service.url).messages.get("1")
    with pytest.raises(atumpan.AuthenticationError, match="needs an API key"):
        Atumpan(base_url=service.url).messages.get("1")
    live = Atumpan(api_key=service.live_key, base_url=service.url)
    with pytest.raises(atumpan.InsufficientBalanceError):
        live.messages.send_bulk([{"channel": "SMS", "to": "0241234567", "body": "x" * 1500}] * 100)


def test_lists_go_through_all_pages(service: Service) -> None:
    client = service.session()
    for number in range(7):
        client.contacts.create(first_name=f"Kofi {number}", phone=f"024555000{number}", tags=["paged"])
    contacts = client.contacts.list(limit=3)
    page = contacts.page()
    assert len(page.data) == 3
    assert page.total is not None
    assert page.total >= 7
    names = {contact.first_name for contact in contacts}
    assert names >= {f"Kofi {number}" for number in range(7)}
    assert [len(page.data) for page in client.contacts.list(limit=3).pages()][:2] == [3, 3]


def test_refused_requests_are_listed_by_cursor(service: Service) -> None:
    assert all(
        isinstance(one, models.RefusedRequest)
        for one in service.session().requests.list_refused_requests(limit=2)
    )


def test_null_clears_and_absence_keeps(service: Service) -> None:
    client = service.session()
    contact = client.contacts.create(
        first_name="Esi", email="esi@example.com", attributes={"shoeSize_eu": "38"}
    )
    assert contact.attributes == {"shoeSize_eu": "38"}
    kept = client.contacts.update(contact.id, last_name="Quartey")
    assert kept.first_name == "Esi"
    assert client.contacts.update(contact.id, first_name=None).first_name is None
    client.contacts.delete(contact.id)


def test_bulk_is_cut_into_hundreds_and_keeps_the_order(service: Service) -> None:
    recipients = [f"0245{number:06}" for number in range(230)]
    result = service.sandbox().messages.send_bulk(
        ({"channel": "SMS", "to": to, "body": "Sale"} for to in recipients), async_=True
    )
    assert result.failures == []
    assert [log.recipient for log in result.messages if log] == [f"+233{to[1:]}" for to in recipients]


def test_bulk_says_what_failed_by_its_place(service: Service) -> None:
    items: list[atumpan.params.BulkItemRequest] = [
        {"channel": "SMS", "to": f"0246{number:06}", "body": "Sale"} for number in range(150)
    ]
    items[120]["to"] = "nobody"
    result = service.sandbox().messages.send_bulk(items, async_=True)
    assert all(result.messages[:100])
    assert not any(result.messages[100:])
    by_place = {failure.index: failure.error for failure in result.failures}
    assert sorted(by_place) == list(range(100, 150))
    wrong, other = by_place[120], by_place[121]
    assert isinstance(wrong, atumpan.ValidationError)
    assert isinstance(other, atumpan.ValidationError)
    assert set(wrong.field_errors) == {"to"}
    assert not other.field_errors


def test_bulk_in_part_says_what_was_refused(service: Service) -> None:
    result = service.sandbox().messages.send_bulk(
        [{"channel": "SMS", "to": to, "body": "Sale"} for to in ("0241234567", "nobody", "0201234567")],
        partial=True,
        async_=True,
    )
    assert [bool(log) for log in result.messages] == [True, False, True]
    failure = result.failures[0]
    assert failure.index == 1
    assert isinstance(failure.error, atumpan.ValidationError)
    assert set(failure.error.field_errors) == {"to"}


def test_a_message_is_found_by_its_metadata(service: Service) -> None:
    client = service.sandbox()
    sent = client.messages.send(
        channel="SMS", to="0241234567", body="Ready", metadata={"order no": "4711", "shop_id": "7"}
    )
    found = list(service.session().delivery_logs.list(metadata={"order no": "4711"}, is_sandbox=True))
    assert [log.id for log in found] == [sent.id]
    assert found[0].metadata == {"order no": "4711", "shop_id": "7"}


def test_what_is_answered_depends_on_the_request(service: Service) -> None:
    since = datetime.now(UTC) - timedelta(hours=1)
    session = service.session()
    forecast = session.messages.resend_failed(from_=since, dry_run=True)
    assert isinstance(forecast, models.ResendForecast)
    begun = session.messages.resend_failed(from_=since)
    assert isinstance(begun, models.BegunResend)


def test_contacts_are_imported_with_progress(service: Service, tmp_path: Path) -> None:
    file = tmp_path / "customers.csv"
    file.write_text("First Name;Phone;Town\nAma;0247000001;Kumasi\nYaw;2.33244E+11;Tema\n")
    seen: list[str] = []
    done = service.session().contacts.import_(
        file, mapping={"Town": "attributes.City"}, on_progress=lambda state: seen.append(state.status)
    )
    assert (done.status, done.created, done.failed) == ("COMPLETED", 1, 1)
    assert done.errors[0].column == "Phone"
    assert seen[-1] == "COMPLETED"


def test_the_log_is_exported_as_a_stream(service: Service, tmp_path: Path) -> None:
    service.sandbox().messages.send(channel="SMS", to="0241234567", body="Exported")
    stream = service.session().delivery_logs.export(channel="SMS")
    assert b"+233241234567" in b"".join(stream)
    stream.save(tmp_path / "log.csv")
    assert (tmp_path / "log.csv").read_bytes().count(b"\n") > 1
    with pytest.raises(atumpan.AuthenticationError):
        Atumpan(api_key="ak_wrong", base_url=service.url).delivery_logs.export().read()


def test_texts_and_bare_answers(service: Service) -> None:
    client = Atumpan(base_url=service.url)
    assert client.health.get().dependencies.database.status == "ok"
    assert "# HELP" in client.health.get_metrics()


def test_names_inside_free_maps_are_left_alone(service: Service) -> None:
    preview = service.session().segments.preview(
        rules={"some_key": {"startsWith": "a"}, "firstName": "Kofi 1"}
    )
    assert preview.count == 0


@pytest.mark.parametrize("backend", ["asyncio", "trio"])
def test_the_same_within_asyncio_and_trio(service: Service, backend: str) -> None:
    async def work() -> None:
        async with AsyncAtumpan(api_key=service.sandbox_key, base_url=service.url) as client:
            message = await client.messages.send(channel="SMS", to="0241234567", body="Akwaaba!")
            final = await client.messages.wait_until_final(message.id, timeout=10)
            assert final.status == "DELIVERED"
            sent = await client.messages.send_bulk(
                [{"channel": "SMS", "to": "0241234567", "body": str(number)} for number in range(120)],
                async_=True,
            )
            assert len(sent.messages) == 120
            assert not sent.failures
            with pytest.raises(atumpan.NotFoundError):
                await client.messages.get("019a5b8e-6c2f-7d10-a4c3-e5f708192a3b")
        async with AsyncAtumpan(
            token=service.token, organization_id=service.organization_id, base_url=service.url
        ) as client:
            logs = [log async for log in client.delivery_logs.list(limit=50)]
            assert len(logs) > 100
            assert len((await client.delivery_logs.list().page()).data) == 20
            assert b"+233" in await client.delivery_logs.export().read()
            done = await client.contacts.import_(b"phone\n0247000009\n")
            assert done.status == "COMPLETED"

    if backend == "trio":
        import trio

        trio.run(work)
    else:
        asyncio.run(work())
