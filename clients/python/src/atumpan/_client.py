"""The clients: credentials, and the steps of an exchange."""

from __future__ import annotations

import ipaddress
import logging
import os
import time
import uuid
from collections.abc import Iterable, Mapping
from types import ModuleType, TracebackType
from typing import TYPE_CHECKING, Any, Self, TypeVar
from urllib.parse import urlsplit

from . import _helpers, errors
from ._api import AsyncGroups, Groups
from ._core import Answer, Attempt, Call, Failure, Limits, Operation, Secret, Steps, exchange, result_of
from ._mapping import OMIT, Omit

if TYPE_CHECKING:
    import httpx2

T = TypeVar("T")


def _base_address(url: str) -> str:
    if not url:
        raise ValueError("base_url is missing, and so is ATUMPAN_BASE_URL")
    parts = urlsplit(url)
    if parts.username or parts.password:
        raise ValueError("base_url must not hold a user or a password")
    if not parts.hostname or parts.scheme not in ("http", "https") or parts.query or parts.fragment:
        raise ValueError("base_url is not an address such as https://notify.example.com")
    if parts.scheme == "http" and not _is_loopback(parts.hostname):
        raise ValueError("base_url must begin with https://, except for this machine")
    return url.rstrip("/")


def _is_loopback(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost" or host.endswith(".localhost")


def _hidden(value: str | None) -> Secret | None:
    return Secret(value) if value else None


def _credentials(key: Secret | None, token: Secret | None, organization_id: str | None) -> dict[str, Secret]:
    """Returns the headers of the credentials."""
    if key and token:
        raise ValueError("api_key and token exclude each other")
    if organization_id and not token:
        raise ValueError("organization_id belongs to a token; a key has its organization")
    if key:
        return {"x-api-key": key}
    headers = {"authorization": Secret(f"Bearer {token.value}")} if token else {}
    return {**headers, "x-organization-id": Secret(organization_id)} if organization_id else headers


class _Base:
    """The part of the clients that neither waits nor sends."""

    _base_url = ""
    _is_own: bool

    def __init__(
        self,
        api_key: Secret | None,
        token: Secret | None,
        organization_id: str | None,
        base_url: str | None,
        limits: Limits,
        logger: logging.Logger | None,
    ) -> None:
        if api_key is None and token is None:
            api_key = _hidden(os.environ.get("ATUMPAN_API_KEY"))
        from . import _transport

        self._transport: ModuleType = _transport
        self._secrets = _credentials(api_key, token, organization_id)
        if limits.max_retries < 0:
            raise ValueError("max_retries is negative")
        self._limits = limits
        self._logger = logger or logging.getLogger("atumpan")
        self._base_url = _base_address(base_url or os.environ.get("ATUMPAN_BASE_URL") or "")

    def __repr__(self) -> str:
        return f"{type(self).__name__}(base_url={self._base_url!r})"

    def with_options(
        self,
        *,
        timeout: float | None | Omit = OMIT,
        deadline: float | None | Omit = OMIT,
        max_retries: int | Omit = OMIT,
    ) -> Self:
        """Returns a client with other limits, which shares the connections."""
        given = {"timeout": timeout, "deadline": deadline, "max_retries": max_retries}
        changes: dict[str, Any] = {name: value for name, value in given.items() if value is not OMIT}
        copy = type(self).__new__(type(self))
        copy.__dict__.update({k: v for k, v in self.__dict__.items() if k.startswith("_")})
        copy._limits = self._limits._replace(**changes)
        copy._is_own = False
        return copy

    def _steps(self, operation: Operation[Any], call: Call, left: float | None = None) -> Steps[Answer]:
        if not self._secrets and not operation.is_public:
            raise errors.AuthenticationError(
                f"{operation.name} needs an API key (ATUMPAN_API_KEY) or a token", code="UNAUTHORIZED"
            )
        if operation.is_keyed and call.key is None:
            call = call._replace(key=str(uuid.uuid4()))
        limits = self._limits
        if left is not None:
            limits = limits._replace(deadline=left if limits.deadline is None else min(left, limits.deadline))
        return exchange(operation, call, self._base_url, limits, self._logger)


class Atumpan(Groups, _Base):
    """Calls the service, and waits for its answers."""

    def __init__(
        self,
        api_key: str | None = None,
        *,
        token: str | None = None,
        organization_id: str | None = None,
        base_url: str | None = None,
        timeout: float | None = 30.0,
        deadline: float | None = 120.0,
        max_retries: int = 2,
        http_client: httpx2.Client | None = None,
        logger: logging.Logger | None = None,
    ) -> None:
        key, session = _hidden(api_key), _hidden(token)
        del api_key, token
        limits = Limits(timeout, deadline, max_retries)
        super().__init__(key, session, organization_id, base_url, limits, logger)
        self._is_own = http_client is None
        self._http = http_client or self._transport.client()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Closes the connections, unless they are of a client of the caller."""
        if self._is_own:
            self._http.close()

    def _call(self, operation: Operation[T], call: Call) -> T:
        return result_of(operation, self._answer(operation, call))

    def _answer(self, operation: Operation[Any], call: Call) -> Answer:
        return self._run(self._steps(operation, call))

    def _run(self, steps: Steps[T]) -> T:
        answer: Answer | Failure | None = None
        while True:
            try:
                step = steps.send(answer)
            except StopIteration as done:
                result: T = done.value
                return result
            answer = None
            if isinstance(step, Attempt):
                answer = self._attempt(step)
            else:
                time.sleep(step)

    def _attempt(self, attempt: Attempt) -> Answer | Failure:
        answer: Answer | Failure = self._transport.send(self._http, attempt, self._secrets)
        return answer

    def _send_bulk(
        self, operation: Operation[Any], messages: Iterable[Mapping[str, Any]], call: Call
    ) -> _helpers.BulkOutcome:
        from concurrent.futures import ThreadPoolExecutor

        parts = _helpers.parts(messages, call)
        with ThreadPoolExecutor(min(_helpers.AT_A_TIME, len(parts))) as pool:
            outcomes = list(pool.map(lambda part: self._outcome(operation, part.call), parts))
        return _helpers.joined(list(zip(parts, outcomes, strict=True)))

    def _outcome(self, operation: Operation[Any], call: Call) -> Any:
        try:
            return self._call(operation, call)
        except errors.AtumpanError as error:
            return error


class AsyncAtumpan(AsyncGroups, _Base):
    """Calls the service within asyncio or trio."""

    def __init__(
        self,
        api_key: str | None = None,
        *,
        token: str | None = None,
        organization_id: str | None = None,
        base_url: str | None = None,
        timeout: float | None = 30.0,
        deadline: float | None = 120.0,
        max_retries: int = 2,
        http_client: httpx2.AsyncClient | None = None,
        logger: logging.Logger | None = None,
    ) -> None:
        key, session = _hidden(api_key), _hidden(token)
        del api_key, token
        limits = Limits(timeout, deadline, max_retries)
        super().__init__(key, session, organization_id, base_url, limits, logger)
        self._is_own = http_client is None
        self._http = http_client or self._transport.async_client()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()

    async def close(self) -> None:
        """Closes the connections, unless they are of a client of the caller."""
        if self._is_own:
            await self._http.aclose()

    async def _call(self, operation: Operation[T], call: Call) -> T:
        return result_of(operation, await self._answer(operation, call))

    async def _answer(self, operation: Operation[Any], call: Call) -> Answer:
        return await self._run(self._steps(operation, call))

    async def _run(self, steps: Steps[T]) -> T:
        import anyio

        answer: Answer | Failure | None = None
        while True:
            try:
                step = steps.send(answer)
            except StopIteration as done:
                result: T = done.value
                return result
            answer = None
            if isinstance(step, Attempt):
                answer = await self._attempt(step)
            else:
                await anyio.sleep(step)

    async def _attempt(self, attempt: Attempt) -> Answer | Failure:
        answer: Answer | Failure = await self._transport.send_async(self._http, attempt, self._secrets)
        return answer

    async def _send_bulk(
        self, operation: Operation[Any], messages: Iterable[Mapping[str, Any]], call: Call
    ) -> _helpers.BulkOutcome:
        import anyio

        parts = _helpers.parts(messages, call)
        outcomes: list[Any] = [None] * len(parts)
        places = anyio.Semaphore(_helpers.AT_A_TIME)

        async def send(at: int) -> None:
            async with places:
                outcomes[at] = await self._outcome(operation, parts[at].call)

        async with anyio.create_task_group() as group:
            for at in range(len(parts)):
                group.start_soon(send, at)
        return _helpers.joined(list(zip(parts, outcomes, strict=True)))

    async def _outcome(self, operation: Operation[Any], call: Call) -> Any:
        try:
            return await self._call(operation, call)
        except errors.AtumpanError as error:
            return error
