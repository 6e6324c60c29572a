"""Errors by kind. Each status of an answer has a class, whatever its code."""

import builtins
from collections.abc import Mapping
from typing import Any


class AtumpanError(Exception):
    """A call that failed. `code` and `details` are those of the service."""

    def __init__(
        self,
        message: str,
        *,
        code: str,
        status: int | None = None,
        request_id: str | None = None,
        details: Mapping[str, Any] | None = None,
        retry_after: float | None = None,
        idempotency_key: str | None = None,
    ) -> None:
        super().__init__(message)
        self.message = message
        self.code = code
        self.status = status
        self.request_id = request_id
        self.details: Mapping[str, Any] = details or {}
        self.retry_after = retry_after
        self.idempotency_key = idempotency_key
        """The key of the call: repeated with it, nothing is sent or created twice."""

    def __str__(self) -> str:
        request = f" (request {self.request_id})" if self.request_id else ""
        return f"{self.code}: {self.message}{request}"


class AuthenticationError(AtumpanError):
    """401: credentials are missing, wrong, or of the wrong kind."""


class PermissionError(AtumpanError):
    """403: the credentials do not allow this."""


class NotFoundError(AtumpanError):
    """404: there is no such thing in the organization."""


class ConflictError(AtumpanError):
    """409 and 422: the state of a thing, or an earlier use of the idempotency key, forbids it."""


class ValidationError(AtumpanError):
    """400, and other answers that say that the request is wrong."""

    @property
    def field_errors(self) -> Mapping[str, list[str]]:
        """What is wrong with each field, by its path, such as `messages.3.to`."""
        errors: Mapping[str, list[str]] = self.details.get("fieldErrors") or {}
        return errors

    @property
    def form_errors(self) -> list[str]:
        """What is wrong with the request as a whole."""
        errors: list[str] = self.details.get("formErrors") or []
        return errors

    def __str__(self) -> str:
        fields = "; ".join(f"{path}: {', '.join(texts)}" for path, texts in self.field_errors.items())
        return super().__str__() + (f" [{fields}]" if fields else "")


class InsufficientBalanceError(AtumpanError):
    """402: the wallet or a spending limit does not suffice."""


class RateLimitedError(AtumpanError):
    """429: too many requests; `retry_after` is in seconds."""


class ServerError(AtumpanError):
    """5xx, and answers that are not the service's."""


class ConnectionError(AtumpanError, builtins.ConnectionError):
    """No whole answer came. The call may have had its effect: see `idempotency_key`."""


class TimeoutError(AtumpanError, builtins.TimeoutError):
    """The time of an attempt, of all attempts, or of waiting is over."""


CLASSES: Mapping[int, type[AtumpanError]] = {
    401: AuthenticationError,
    402: InsufficientBalanceError,
    403: PermissionError,
    404: NotFoundError,
    409: ConflictError,
    422: ConflictError,
    429: RateLimitedError,
}


def class_of(status: int) -> type[AtumpanError]:
    """Returns the class of a status."""
    if status in CLASSES:
        return CLASSES[status]
    return ValidationError if 400 <= status < 500 else ServerError
