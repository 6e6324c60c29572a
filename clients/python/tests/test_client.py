"""What needs no service: options, secrets, errors, unknown fields."""

import dataclasses
import logging
import pickle
import traceback
from datetime import UTC, datetime
from typing import Any

import httpx2
import pytest

import atumpan
from atumpan import Atumpan, models
from atumpan._mapping import decode
from atumpan.testing import FakeService

SECRET = "ak_live_0123456789abcdef"


def client_of(answer: httpx2.Response, **options: Any) -> Atumpan:
    """Returns a client to which everything is answered in one way."""

    def respond(_: httpx2.Request) -> httpx2.Response:
        return httpx2.Response(answer.status_code, headers=answer.headers, content=answer.content)

    http = httpx2.Client(transport=httpx2.MockTransport(respond))
    return Atumpan(api_key=SECRET, base_url="http://localhost", http_client=http, max_retries=0, **options)


@pytest.mark.parametrize(
    "url",
    [
        "http://notify.example.com",
        "http://127.0.0.1.example.com",
        "ftp://localhost",
        "notify.example.com",
        "",
        "https://user:secret@notify.example.com",
        "http://10.0.0.1",
    ],
)
def test_addresses_without_tls_are_refused(url: str) -> None:
    with pytest.raises(ValueError, match="base_url") as caught:
        Atumpan(api_key=SECRET, base_url=url)
    assert "secret" not in str(caught.value)


@pytest.mark.parametrize(
    "url", ["https://notify.example.com/", "http://127.0.0.1:8080", "http://[::1]:80", "http://localhost"]
)
def test_addresses_with_tls_or_on_this_machine_are_taken(url: str) -> None:
    Atumpan(api_key=SECRET, base_url=url)


def test_credentials_come_from_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ATUMPAN_API_KEY", "ak_environment")
    monkeypatch.setenv("ATUMPAN_BASE_URL", "http://localhost")
    requests: list[httpx2.Request] = []

    def respond(request: httpx2.Request) -> httpx2.Response:
        requests.append(request)
        return httpx2.Response(200, json={"success": True, "data": {}})

    http = httpx2.Client(transport=httpx2.MockTransport(respond))
    Atumpan(http_client=http).messages.get("a/b?c")
    Atumpan(token="t", organization_id="o", http_client=http).messages.get("1")
    assert requests[0].headers["x-api-key"] == "ak_environment"
    assert str(requests[0].url) == "http://localhost/messages/a%2Fb%3Fc"
    assert "x-api-key" not in requests[1].headers
    assert requests[1].headers["authorization"] == "Bearer t"
    assert requests[1].headers["x-organization-id"] == "o"
    assert requests[1].headers["user-agent"] == f"atumpan-python/{atumpan.__version__}"


def test_credentials_exclude_each_other() -> None:
    with pytest.raises(ValueError, match="exclude"):
        Atumpan(api_key="a", token="b", base_url="http://localhost")
    with pytest.raises(ValueError, match="belongs to a token"):
        Atumpan(api_key="a", organization_id="b", base_url="http://localhost")


@pytest.mark.parametrize("id", ["", ".", ".."])
def test_identifiers_do_not_lead_elsewhere(id: str) -> None:
    with pytest.raises(ValueError, match="id is"):
        client_of(httpx2.Response(200)).contacts.delete(id)


STATUSES = {
    400: atumpan.ValidationError, 401: atumpan.AuthenticationError, 402: atumpan.InsufficientBalanceError,
    403: atumpan.PermissionError, 404: atumpan.NotFoundError, 409: atumpan.ConflictError,
    413: atumpan.ValidationError, 415: atumpan.ValidationError, 418: atumpan.ValidationError,
    422: atumpan.ConflictError, 429: atumpan.RateLimitedError, 500: atumpan.ServerError,
    502: atumpan.ServerError, 599: atumpan.ServerError,
}  # fmt: skip


@pytest.mark.parametrize("status", STATUSES)
def test_a_code_that_is_not_known_is_an_error_of_its_status(status: int) -> None:
    body = {"success": False, "error": {"code": "FROM_TOMORROW", "message": "new", "details": {"a": 1}}}
    headers = {"x-request-id": "r1", "retry-after": "7"}
    with pytest.raises(STATUSES[status]) as caught:
        client_of(httpx2.Response(status, json=body, headers=headers)).messages.get("1")
    error = caught.value
    assert type(error) is STATUSES[status]
    assert (error.code, error.status, error.request_id) == ("FROM_TOMORROW", status, "r1")
    assert (error.details, error.retry_after) == ({"a": 1}, 7)
    assert "FROM_TOMORROW" in str(error)
    assert "r1" in str(error)


@pytest.mark.parametrize(
    "answer",
    [
        httpx2.Response(200, text="<html>Welcome to our Wi-Fi</html>", headers={"content-type": "text/html"}),
        httpx2.Response(200, json=[1]),
        httpx2.Response(200, json={"status": "fine"}),
        httpx2.Response(502, text="<html>"),
        httpx2.Response(503, json={"error": "text"}),
    ],
)
def test_answers_of_others_are_errors(answer: httpx2.Response) -> None:
    with pytest.raises(atumpan.ServerError):
        client_of(answer).messages.get("1")


def test_unknown_fields_and_values_are_kept() -> None:
    data = {
        "id": "1",
        "channel": "PIGEON",
        "status": "FLYING",
        "createdAt": "soon",
        "wingSpan": 0.7,
        "attempts": [{"provider": "loft", "outcome": "LANDED", "startedAt": "2026-01-31T09:00:00.120Z"}],
    }
    client = client_of(httpx2.Response(200, json={"success": True, "data": data, "more": 1}))
    log = client.messages.get("1")
    assert (log.channel, log.status) == ("PIGEON", "FLYING")
    assert log.extra == {"wingSpan": 0.7}
    assert log.attempts[0].started_at == datetime(2026, 1, 31, 9, 0, 0, 120_000, UTC)
    assert log.attempts[0].vendor_code is None
    assert str(log.created_at) == "soon"


def test_results_are_frozen_dataclasses() -> None:
    log = decode(models.Attempt, {"provider": "sms", "startedAt": "2026-01-31T09:00:00.000Z"})
    assert dataclasses.is_dataclass(models.NewApiKey)
    assert "key" in {field.name for field in dataclasses.fields(models.NewApiKey)}
    with pytest.raises(dataclasses.FrozenInstanceError):
        log.provider = "other"
    assert dataclasses.replace(log, provider="other").provider == "other"
    assert dataclasses.asdict(log)["provider"] == "sms"
    assert pickle.loads(pickle.dumps(log)) == log
    made = models.Balance(balance=1.5, currency="GHS")
    assert made == models.Balance(balance=1.5, currency="GHS")
    assert repr(made) == "Balance(balance=1.5, currency='GHS')"
    with pytest.raises(TypeError):
        models.Balance(balance=1.5)  # type: ignore[call-arg]


def text_of(error: BaseException) -> str:
    """Returns a stack trace with all variables."""
    return "".join(traceback.TracebackException.from_exception(error, capture_locals=True).format())


def test_secrets_are_in_no_text(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    client = client_of(httpx2.Response(403, json={}))
    with pytest.raises(atumpan.PermissionError) as caught:
        client.messages.send(channel="SMS", to="0241234567", body="confidential")
    shown = text_of(caught.value)
    for text in (repr(client), repr(client.__dict__), shown, caplog.text):
        assert SECRET not in text
    assert "confidential" not in caplog.text
    assert "/messages/send" in caplog.text
    new = decode(models.NewApiKey, {"id": "1", "key": SECRET})
    assert SECRET not in repr(new)
    assert new.key == SECRET


def test_a_broken_connection_shows_no_secret() -> None:
    service = FakeService()
    service.fail_next("connection")
    http = httpx2.Client(transport=service.transport)
    client = Atumpan(api_key=SECRET, base_url="http://localhost", max_retries=0, http_client=http)
    with pytest.raises(atumpan.ConnectionError) as caught:
        client.messages.get("1")
    assert SECRET not in text_of(caught.value)
    assert caught.value.__cause__ is None
    assert caught.value.__context__ is None


def test_a_wrong_address_shows_no_secret() -> None:
    options = {"api_key": SECRET}
    with pytest.raises(ValueError, match="https") as caught:
        Atumpan(**options, base_url="http://notify.example.com")
    shown = text_of(caught.value)
    assert "api_key" in shown
    assert SECRET not in shown.split("in __init__", 1)[1]


def test_the_logger_of_the_caller_is_used(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG, "shop")
    client = client_of(httpx2.Response(404, json={}), logger=logging.getLogger("shop"))
    with pytest.raises(atumpan.NotFoundError):
        client.messages.get("1")
    assert [record.name for record in caplog.records if record.name != "httpx2"] == ["shop"]


def test_times_need_a_zone() -> None:
    client = client_of(httpx2.Response(200, json={"success": True, "data": {}}))
    with pytest.raises(ValueError, match="time zone"):
        client.api_keys.create(name="Shop", expires_at=datetime(2027, 1, 1))


def test_options_of_a_copy_share_the_connections() -> None:
    client = client_of(httpx2.Response(500))
    patient = client.with_options(timeout=90, max_retries=5)
    assert patient._http is client._http
    assert patient._limits == (90, 120.0, 5)
    assert client._limits == (30.0, 120.0, 0)
    assert patient.messages._client is patient
    with pytest.raises(ValueError, match="max_retries"):
        Atumpan(api_key="a", base_url="http://localhost", max_retries=-1)


def test_metadata_and_booleans_in_queries() -> None:
    from atumpan._core import Call, Operation, url_of

    operation: Operation[None] = Operation("x.list", "GET", "/x")
    call = Call(
        query={"metadata": {"order no": "4711"}, "isSandbox": True, "from": datetime(2026, 1, 31, tzinfo=UTC)}
    )
    assert url_of("", operation, call) == (
        "/x?metadata%5Border+no%5D=4711&isSandbox=true&from=2026-01-31T00%3A00%3A00.000Z"
    )
