"""One exchange with the service: attempts, waits and errors, without input and output.

The generators here yield steps: an `Attempt` is answered with an `Answer` or a `Failure`, a number is a
wait in seconds. The two clients differ only in how they take these steps.
"""

import json
import logging
import os
import random
import re
import time
import uuid
from collections.abc import Generator, Mapping
from email.utils import parsedate_to_datetime
from typing import Any, BinaryIO, Generic, Literal, NamedTuple, TypeAlias, TypeVar, Union
from urllib.parse import quote, urlencode

from . import errors
from ._mapping import decode, encode, encode_time

T = TypeVar("T")
RETRIED = frozenset({429, 502, 503, 504})
FIRST_WAIT = 0.5
LONGEST_WAIT = 60.0


class Operation(Generic[T]):
    """An operation of the document. `T` is the type of its result."""

    __slots__ = ("body", "form", "is_keyed", "is_public", "method", "name", "path", "result", "shape")

    def __init__(
        self,
        name: str,
        method: str,
        path: str,
        *,
        result: str | None = None,
        shape: Literal["one", "list", "bare", "text", "stream"] = "one",
        body: str | None = None,
        form: Literal["json", "multipart", "raw"] = "json",
        is_keyed: bool = False,
        is_public: bool = False,
    ) -> None:
        self.name, self.method, self.path, self.result, self.shape = name, method, path, result, shape
        self.body, self.form, self.is_keyed, self.is_public = body, form, is_keyed, is_public


class Call(NamedTuple):
    """Arguments of an operation."""

    path: Mapping[str, str] = {}
    query: Mapping[str, Any] = {}
    headers: Mapping[str, str | None] = {}
    body: Any = None
    key: str | None = None


class Limits(NamedTuple):
    """Times in seconds, and the number of further attempts."""

    timeout: float | None = 30.0
    deadline: float | None = 120.0
    max_retries: int = 2


class Secret:
    """A text that no `repr` shows."""

    def __init__(self, value: str) -> None:
        self.value = value

    def __repr__(self) -> str:
        return "***"


class Attempt(NamedTuple):
    """A request to send once, without credentials: the client adds them as it sends it."""

    method: str
    url: str
    headers: Mapping[str, str]
    content: bytes | None
    timeout: float | None
    is_stream: bool


class Answer(NamedTuple):
    """An answer that came whole, or the head of one that streams."""

    status: int
    headers: Mapping[str, str]
    content: bytes = b""
    stream: Any = None


class Failure(NamedTuple):
    """An attempt without a whole answer. `name` is the kind of error of the transport."""

    kind: Literal["NOT_SENT", "LOST", "TIMED_OUT", "INVALID"]
    name: str


File: TypeAlias = "bytes | str | os.PathLike[str] | BinaryIO"
Steps: TypeAlias = Generator[Attempt | float, Any, T]


def url_of(base: str, operation: Operation[Any], call: Call) -> str:
    """Returns the address of a call."""
    segments = {}
    for name, value in call.path.items():
        if value in ("", ".", ".."):
            raise ValueError(f"{name} is empty" if not value else f"{name} is {value!r}")
        segments[name] = quote(str(value), safe="")
    pairs: list[tuple[str, str]] = []
    for name, value in call.query.items():
        if isinstance(value, Mapping):
            pairs.extend((f"{name}[{key}]", text(item)) for key, item in value.items())
        elif value is not None:
            pairs.append((name, text(value)))
    query = f"?{urlencode(pairs)}" if pairs else ""
    return base + operation.path.format_map(segments) + query


def text(value: Any) -> str:
    """Returns a value as queries and forms have it."""
    if isinstance(value, bool):
        return "true" if value else "false"
    return encode_time(value) if hasattr(value, "tzinfo") else str(value)


def content_of(operation: Operation[Any], body: Any) -> tuple[bytes | None, dict[str, str]]:
    """Returns the bytes of a body, and their headers."""
    if body is None:
        return None, {}
    if operation.form == "multipart":
        return _form({**body, "file": read(body["file"])})
    if operation.form == "json" and operation.body:
        from . import params

        body = encode(getattr(params, operation.body), body)
    content = body if isinstance(body, bytes) else json.dumps(body, ensure_ascii=False).encode()
    return content, {"content-type": "application/json"}


def read(file: File) -> bytes:
    """Returns the bytes of a file, of a path or of bytes."""
    if isinstance(file, bytes):
        return file
    if isinstance(file, (str, os.PathLike)):
        with open(file, "rb") as opened:
            return opened.read()
    return file.read()


def _form(body: Mapping[str, Any]) -> tuple[bytes, dict[str, str]]:
    boundary = uuid.uuid4().hex
    parts = []
    for name, value in body.items():
        if name != "file" and value is not None:
            content = json.dumps(value) if isinstance(value, Mapping) else text(value)
            head = f'--{boundary}\r\ncontent-disposition: form-data; name="{name}"\r\n\r\n'
            parts.append(f"{head}{content}\r\n".encode())
    head = 'content-disposition: form-data; name="file"; filename="file.csv"\r\ncontent-type: text/csv'
    parts.append(f"--{boundary}\r\n{head}\r\n\r\n".encode() + body["file"])
    parts.append(f"\r\n--{boundary}--\r\n".encode())
    return b"".join(parts), {"content-type": f"multipart/form-data; boundary={boundary}"}


def exchange(
    operation: Operation[Any], call: Call, base: str, limits: Limits, logger: logging.Logger
) -> Steps[Answer]:
    """Sends a request until it is answered, or must not be repeated."""
    content, content_headers = content_of(operation, call.body)
    own = {name: value for name, value in call.headers.items() if value is not None}
    if call.key is not None:
        own["idempotency-key"] = call.key
    accept = {"text": "text/html, text/plain", "stream": "text/csv"}.get(operation.shape, "application/json")
    request = Attempt(
        operation.method,
        url_of(base, operation, call),
        {"accept": accept, **content_headers, **own},
        content,
        limits.timeout,
        operation.shape == "stream",
    )
    is_safe = operation.method == "GET" or call.key is not None
    end = None if limits.deadline is None else time.monotonic() + limits.deadline
    for retry in range(limits.max_retries + 1):
        answer = yield request._replace(timeout=_remaining(end, limits.timeout))
        error = error_of(answer, operation, call.key)
        logger.debug(
            "%s %s answered %s in attempt %d, request %s",
            operation.method,
            operation.path,
            error.code if error else answer.status,
            retry + 1,
            answer.headers.get("x-request-id") if isinstance(answer, Answer) else None,
        )
        if error is None:
            assert isinstance(answer, Answer)
            return answer
        wait = _wait(retry, error.retry_after)
        is_over = end is not None and time.monotonic() + wait >= end
        is_long = (error.retry_after or 0) > LONGEST_WAIT
        if retry == limits.max_retries or is_over or is_long or not _may_repeat(answer, error, is_safe):
            raise error
        yield wait
    raise AssertionError("max_retries is negative")


def _remaining(end: float | None, timeout: float | None) -> float | None:
    if end is None:
        return timeout
    left = max(end - time.monotonic(), 0.001)
    return left if timeout is None else min(left, timeout)


def _wait(retry: int, retry_after: float | None) -> float:
    if retry_after is not None:
        return float(retry_after + random.uniform(0, 0.1))
    return min(8.0, FIRST_WAIT * 2.0**retry) * random.uniform(0.5, 1.0)


def _may_repeat(answer: Answer | Failure, error: errors.AtumpanError, is_safe: bool) -> bool:
    if isinstance(answer, Failure) and answer.kind == "NOT_SENT":
        return True
    is_passing = error.status is None or error.status in RETRIED
    return (
        is_safe
        and (is_passing or error.code == "IDEMPOTENCY_IN_PROGRESS")
        and error.code != "INVALID_REQUEST"
    )


def error_of(
    answer: Answer | Failure, operation: Operation[Any], key: str | None
) -> errors.AtumpanError | None:
    """Returns what is wrong with an answer."""
    if isinstance(answer, Failure):
        return failure_of(answer, key)
    request_id = answer.headers.get("x-request-id")
    if 200 <= answer.status < 300:
        if answer.status == 204 or operation.shape in ("text", "stream"):
            return None
        is_json = "json" in answer.headers.get("content-type", "")
        try:
            value = json.loads(answer.content) if is_json else None
        except ValueError:
            text = "the answer is cut off"
            return errors.ConnectionError(
                text, code="CONNECTION_FAILED", request_id=request_id, idempotency_key=key
            )
        if isinstance(value, dict) and (operation.shape == "bare" or "data" in value):
            return None
        return errors.ServerError(
            "the answer is not one of the service: is base_url right?",
            code="INVALID_ANSWER",
            status=answer.status,
            request_id=request_id,
            idempotency_key=key,
        )
    fault = _fault(answer)
    default = (
        "the service redirects elsewhere, which is not followed"
        if answer.status < 400
        else f"the service answered {answer.status}"
    )
    return errors.class_of(answer.status)(
        str(fault.get("message") or default),
        code=str(fault.get("code") or f"HTTP_{answer.status}"),
        status=answer.status,
        request_id=request_id,
        details=fault.get("details"),
        retry_after=seconds(answer.headers.get("retry-after")),
        idempotency_key=key,
    )


def _fault(answer: Answer) -> dict[str, Any]:
    try:
        fault = json.loads(answer.content)["error"]
    except (ValueError, KeyError, TypeError):
        return {}
    return fault if isinstance(fault, dict) else {}


def failure_of(failure: Failure, key: str | None) -> errors.AtumpanError:
    """Returns the error of an attempt without a whole answer."""
    if failure.kind == "TIMED_OUT":
        return errors.TimeoutError(
            f"no answer in time ({failure.name})", code="TIMED_OUT", idempotency_key=key
        )
    if failure.kind == "INVALID":
        return errors.ConnectionError(f"the request is not valid ({failure.name})", code="INVALID_REQUEST")
    text = f"the connection failed ({failure.name})"
    return errors.ConnectionError(text, code="CONNECTION_FAILED", idempotency_key=key)


def seconds(value: str | None) -> float | None:
    """Returns what `Retry-After` says in seconds."""
    if value is None:
        return None
    if re.fullmatch(r"\d+(\.\d+)?", value.strip()):
        return float(value)
    try:
        return max(0.0, parsedate_to_datetime(value).timestamp() - time.time())
    except ValueError:
        return None


def result_of(operation: Operation[T], answer: Answer) -> T:
    """Returns the result of an operation."""
    result: Any = None
    if operation.shape == "text":
        result = answer.content.decode()
    elif answer.status != 204 and operation.result is not None:
        from . import models

        value = json.loads(answer.content)
        hint: Any = Union[*(getattr(models, name, Any) for name in operation.result.split(" | "))]
        if operation.shape == "list":
            hint = list[hint]
        result = decode(hint, value if operation.shape == "bare" else value["data"])
    return result  # type: ignore[no-any-return]
