"""Client library of Atumpan, the notification service."""

from typing import TYPE_CHECKING, Any

from . import errors, webhooks
from ._client import AsyncAtumpan, Atumpan
from ._helpers import BulkFailure, BulkOutcome
from ._mapping import OMIT
from ._paging import AsyncPages, Page, Pages
from ._stream import AsyncStream, Stream
from ._version import __version__
from .errors import (
    AtumpanError,
    AuthenticationError,
    ConflictError,
    ConnectionError,
    InsufficientBalanceError,
    NotFoundError,
    PermissionError,
    RateLimitedError,
    ServerError,
    TimeoutError,
    ValidationError,
)
from .webhooks import WebhookVerificationError

if TYPE_CHECKING:
    from . import models, params, testing

__all__ = [
    "OMIT",
    "AsyncAtumpan",
    "AsyncPages",
    "AsyncStream",
    "Atumpan",
    "AtumpanError",
    "AuthenticationError",
    "BulkFailure",
    "BulkOutcome",
    "ConflictError",
    "ConnectionError",
    "InsufficientBalanceError",
    "NotFoundError",
    "Page",
    "Pages",
    "PermissionError",
    "RateLimitedError",
    "ServerError",
    "Stream",
    "TimeoutError",
    "ValidationError",
    "WebhookVerificationError",
    "__version__",
    "errors",
    "models",
    "params",
    "testing",
    "webhooks",
]


def __getattr__(name: str) -> Any:
    if name in ("models", "params", "testing"):
        import importlib

        return importlib.import_module(f"{__name__}.{name}")
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
