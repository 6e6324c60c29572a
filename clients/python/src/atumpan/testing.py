"""A service in memory, for tests of programs that send."""

from __future__ import annotations

import importlib
import json
import pkgutil
import re
import uuid
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any, Literal, NamedTuple, TypeAlias

import httpx2

from . import _api
from ._client import AsyncAtumpan, Atumpan
from ._core import Operation
from ._mapping import decode, encode_time
from .models import DeliveryLog

Way: TypeAlias = Literal["connection", "lost-answer", "timeout"] | int | Mapping[str, Any]
Json: TypeAlias = dict[str, Any]


class RecordedRequest(NamedTuple):
    """A request that the service got."""

    method: str
    """Name of the method, such as `messages.send`."""
    body: Any
    query: Mapping[str, str]
    idempotency_key: str | None


class _Route(NamedTuple):
    name: str
    verb: str
    pattern: re.Pattern[str]


def _routes() -> list[_Route]:
    operations: list[Operation[Any]] = []
    for module in pkgutil.iter_modules(_api.__path__):
        content = vars(importlib.import_module(f"{_api.__name__}.{module.name}"))
        operations.extend(item for item in content.values() if isinstance(item, Operation))
    routes = []
    for one in sorted(operations, key=lambda one: one.path.count("{")):
        pattern = re.compile(re.sub(r"\{\w+\}", "([^/]+)", one.path))
        routes.append(_Route(one.name, one.method, pattern))
    return routes


def _outcome(recipient: str) -> str:
    who = recipient.split("@")[0]
    if who.endswith("0000"):
        return "FAILED"
    return "SENT" if who.endswith("0001") else "DELIVERED"


class FakeService:
    """Accepts messages, keeps idempotency keys, and fails as it is asked to.

    Recipients decide the outcome, as in the sandbox: those that end in 0000 fail, in 0001 stay `SENT`.
    """

    def __init__(self) -> None:
        self.requests: list[RecordedRequest] = []
        """Requests in their order, repeated ones as well."""
        self._messages: list[Json] = []
        self._ways: list[Way] = []
        self._answers: dict[str, Any] = {}
        self._kept: dict[str, httpx2.Response] = {}
        self._routes = _routes()
        self.transport = httpx2.MockTransport(self._respond)
        """For an `httpx2.Client` or `httpx2.AsyncClient`, which a client takes as `http_client`."""

    @property
    def messages(self) -> list[DeliveryLog]:
        """Accepted messages, oldest first."""
        return [decode(DeliveryLog, message) for message in self._messages]

    def client(self, **options: Any) -> Atumpan:
        """Returns a client of this service."""
        http = httpx2.Client(transport=self.transport)
        return Atumpan(api_key="ak_fake", base_url="http://localhost", http_client=http, **options)

    def async_client(self, **options: Any) -> AsyncAtumpan:
        """Returns a client of this service."""
        http = httpx2.AsyncClient(transport=self.transport)
        return AsyncAtumpan(api_key="ak_fake", base_url="http://localhost", http_client=http, **options)

    def fail_next(self, *ways: Way) -> None:
        """Lets the next requests fail, one for each of the ways.

        A way is `connection` (lost before anything is done), `lost-answer` (the work is done), `timeout`, a
        status, or an error: `{"status": 402, "code": …, "message": …, "details": …, "retry_after": …}`.
        """
        self._ways.extend(ways)

    def answer(self, method: str, data: Any) -> None:
        """Lets a method, such as `contacts.get`, answer with data, named as on the wire."""
        self._answers[method] = data

    def _respond(self, request: httpx2.Request) -> httpx2.Response:
        route = next((one for one in self._routes if self._is(one, request)), None)
        found = route.pattern.fullmatch(request.url.path) if route else None
        is_json = request.headers.get("content-type") == "application/json"
        body = json.loads(request.content) if is_json and request.content else None
        key = request.headers.get("idempotency-key")
        name = route.name if route else f"{request.method} {request.url.path}"
        self.requests.append(RecordedRequest(name, body, dict(request.url.params), key))
        way = self._ways.pop(0) if self._ways else None
        if way is not None and way != "lost-answer":
            return _fail(way)
        answer = self._kept.get(key or "") or self._work(name, found.groups() if found else (), body or {})
        if key and answer.is_success:
            self._kept[key] = answer
        if way is not None:
            return _fail(way)
        return httpx2.Response(answer.status_code, headers=answer.headers, content=answer.content)

    @staticmethod
    def _is(route: _Route, request: httpx2.Request) -> bool:
        return route.verb == request.method and bool(route.pattern.fullmatch(request.url.path))

    def _work(self, name: str, path: tuple[str | Any, ...], body: Json) -> httpx2.Response:
        status = 202 if body.get("async") else 201
        if name in self._answers:
            return _success(200, self._answers[name])
        if name in ("messages.send", "events.trigger"):
            return _success(status, self._accept(body))
        if name == "messages.send_bulk":
            items = [self._accept({**body, **item}) for item in body["messages"]]
            return _success(status, items)
        if name == "messages.get":
            for message in self._messages:
                if path[0] in (message["id"], message["internalMessageId"]):
                    return _success(200, message)
        text = f"the fake service has no answer to {name}: give one with answer()"
        return _error({"status": 404, "code": "NOT_FOUND", "message": text})

    def _accept(self, body: Json) -> Json:
        """Keeps a message with its outcome, and returns it as it is at first."""
        id, recipient = str(uuid.uuid4()), str(body.get("to", ""))
        outcome = _outcome(recipient)
        is_failed = outcome == "FAILED"
        message: Json = {
            "id": id,
            "internalMessageId": f"msg_{id.replace('-', '')}",
            "channel": body.get("channel", "SMS"),
            "category": body.get("category", "TRANSACTIONAL"),
            "recipient": recipient,
            "body": body.get("body", ""),
            "subject": body.get("subject"),
            "status": outcome,
            "cost": 0,
            "errorCode": "UNDELIVERED" if is_failed else None,
            "errorMessage": "not delivered" if is_failed else None,
            "isSandbox": True,
            "refunded": is_failed,
            "createdAt": encode_time(datetime.now(UTC)),
            "attempts": [],
        }
        self._messages.append(message)
        first = "QUEUED" if body.get("async") else "SENT"
        return {**message, "status": first, "errorCode": None, "errorMessage": None}


def _success(status: int, data: Any) -> httpx2.Response:
    body: Json = {"success": True, "data": data}
    if isinstance(data, list):
        body["pagination"] = {"page": 1, "limit": 100, "total": len(data), "totalPages": 1}
    return httpx2.Response(status, json=body, headers={"x-request-id": str(uuid.uuid4())})


def _fail(way: Way) -> httpx2.Response:
    if way in ("connection", "lost-answer"):
        raise httpx2.ReadError("the connection is lost")
    if way == "timeout":
        raise httpx2.ReadTimeout("there is no answer")
    return _error(way if isinstance(way, Mapping) else {"status": way})


def _error(way: Mapping[str, Any]) -> httpx2.Response:
    status, retry_after = way["status"], way.get("retry_after")
    headers = {"x-request-id": str(uuid.uuid4())}
    if retry_after is not None:
        headers["retry-after"] = str(retry_after)
    error = {
        "code": way.get("code", f"HTTP_{status}"),
        "message": way.get("message", "asked to fail"),
        "details": way.get("details", {}),
    }
    return httpx2.Response(status, json={"success": False, "error": error}, headers=headers)
