"""Steps of the methods that take several calls."""

import time
import uuid
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from . import errors
from ._core import Call, Operation, Steps, result_of
from ._model import Model, dataclass

if TYPE_CHECKING:
    from . import models
    from ._client import _Base

PART = 100
AT_A_TIME = 4


@dataclass(frozen=True, kw_only=True)
class BulkFailure(Model):
    """A message that was not accepted, or whose acceptance is not known after a broken connection."""

    index: int
    """Its place in the list of the caller."""
    error: errors.AtumpanError
    """The error of the hundred that it was sent with; `field_errors` are those of this message."""


@dataclass(frozen=True, kw_only=True)
class BulkOutcome(Model):
    """The outcome of a bulk send, in the order of the caller's messages."""

    messages: "Sequence[models.DeliveryLog | None]"
    """A log for each message; None in the places of failures."""
    failures: Sequence[BulkFailure]


class Part(NamedTuple):
    """Up to a hundred messages of a bulk send."""

    offset: int
    size: int
    call: Call


def parts(messages: Iterable[Mapping[str, Any]], call: Call) -> list[Part]:
    """Cuts messages into hundreds. Each has a key of its own, made of the caller's."""
    items = list(messages)
    key = call.key or str(uuid.uuid4())
    cut = []
    for offset in range(0, max(len(items), 1), PART):
        some = items[offset : offset + PART]
        own = key if len(items) <= PART else f"{key}-{offset // PART + 1}"
        cut.append(Part(offset, len(some), call._replace(key=own, body={**call.body, "messages": some})))
    return cut


def joined(sent: "Sequence[tuple[Part, list[models.BulkResult] | errors.AtumpanError]]") -> BulkOutcome:
    """Joins the outcomes of parts. If none was accepted, their first error is raised."""
    from .models import DeliveryLog

    messages: list[DeliveryLog | None] = []
    failures: list[BulkFailure] = []
    for part, outcome in sent:
        for at in range(part.size):
            result = _own(outcome, at) if isinstance(outcome, errors.AtumpanError) else outcome[at]
            if isinstance(result, DeliveryLog):
                messages.append(result)
                continue
            messages.append(None)
            error = result if isinstance(result, errors.AtumpanError) else _refused(result)
            failures.append(BulkFailure(index=part.offset + at, error=error))
    first = next((outcome for _, outcome in sent if isinstance(outcome, errors.AtumpanError)), None)
    if first is not None and all(isinstance(outcome, errors.AtumpanError) for _, outcome in sent):
        raise first
    return BulkOutcome(messages=messages, failures=failures)


def _refused(item: "models.RefusedItem") -> errors.ValidationError:
    """Returns the error of a message that was refused while others of its hundred were accepted."""
    faults = {"fieldErrors": item.field_errors}
    return errors.ValidationError("the message is not valid", code=item.error_code, details=faults)


def _own(error: errors.AtumpanError, at: int) -> errors.AtumpanError:
    """Returns an error with the faults of the message at a place only."""
    if not isinstance(error, errors.ValidationError):
        return error
    prefix = f"messages.{at}."
    faults = {
        path.removeprefix(prefix): texts
        for path, texts in error.field_errors.items()
        if path.startswith(prefix)
    }
    message = error.message if faults else "another message of the same hundred is not valid"
    return errors.ValidationError(
        message,
        code=error.code,
        status=error.status,
        request_id=error.request_id,
        details={**error.details, "fieldErrors": faults},
        idempotency_key=error.idempotency_key,
    )


def wait_until_final(
    client: "_Base", operation: "Operation[models.DeliveryLogDetail]", message_id: str, timeout: float
) -> "Steps[models.DeliveryLogDetail]":
    """Reads a message until it is delivered or failed."""
    end, wait = time.monotonic() + timeout, 0.25
    while True:
        answer = yield from client._steps(operation, Call(path={"id": message_id}), end - time.monotonic())
        log = result_of(operation, answer)
        if log.status in ("DELIVERED", "FAILED"):
            return log
        if time.monotonic() + wait >= end:
            raise errors.TimeoutError(f"the message is still {log.status}", code="TIMED_OUT")
        yield wait
        wait = min(wait * 1.5, 5.0)


def import_file(
    client: "_Base",
    upload: Operation[Any],
    get: "Operation[models.ImportWithErrors]",
    call: Call,
    on_progress: "Callable[[models.ImportWithErrors], object] | None",
    timeout: float,
) -> "Steps[models.ImportWithErrors]":
    """Uploads a file and reads the state of its import until all rows are processed."""
    end, wait = time.monotonic() + timeout, 0.25
    started = result_of(upload, (yield from client._steps(upload, call)))
    while True:
        answer = yield from client._steps(get, Call(path={"id": started.id}), end - time.monotonic())
        state = result_of(get, answer)
        if on_progress:
            on_progress(state)
        if state.status in ("COMPLETED", "FAILED"):
            return state
        if time.monotonic() + wait >= end:
            raise errors.TimeoutError(f"import {started.id} is still {state.status}", code="TIMED_OUT")
        yield wait
        wait = min(wait * 1.5, 5.0)
