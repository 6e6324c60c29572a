"""Checks and makes the signatures of webhooks."""

import json
import time
import uuid
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from ._mapping import decode
from ._model import Model, dataclass

if TYPE_CHECKING:
    from . import models

TOLERANCE = 300
Reason: TypeAlias = Literal["HEADER_MISSING", "BODY_PARSED", "SIGNATURE", "CLOCK"]


class WebhookVerificationError(ValueError):
    """A request that is not a webhook of the service, and the `reason` in one word."""

    def __init__(self, reason: Reason, message: str) -> None:
        super().__init__(message)
        self.reason: Reason = reason


@dataclass(frozen=True, kw_only=True)
class UnknownEvent(Model):
    """An event of a newer service."""

    id: str
    event: str
    created_at: datetime
    organization_id: str
    data: Any


class _Keys:
    """Secrets that no `repr` shows."""

    def __init__(self, secret: str | Sequence[str]) -> None:
        self._secrets = [secret] if isinstance(secret, str) else list(secret)
        if not all(one.startswith("whsec_") for one in self._secrets) or not self._secrets:
            raise ValueError("a secret of a webhook endpoint begins with whsec_")

    def signatures(self, signed: bytes) -> list[str]:
        import base64
        import hashlib
        import hmac

        keys = (base64.b64decode(secret.removeprefix("whsec_")) for secret in self._secrets)
        digests = (hmac.new(key, signed, hashlib.sha256).digest() for key in keys)
        return ["v1," + base64.b64encode(digest).decode() for digest in digests]

    def body_signature(self, body: bytes) -> str:
        import hashlib
        import hmac

        return hmac.new(self._secrets[0].encode(), body, hashlib.sha256).hexdigest()


def verify(
    body: bytes | str,
    headers: Mapping[str, str],
    secret: str | Sequence[str],
    *,
    tolerance: float = TOLERANCE,
) -> "models.WebhookEvents | UnknownEvent":
    """Returns the event of a request, if one of the secrets signed it in the last five minutes.

    `body` is the body as it was received. Raises `WebhookVerificationError`.
    """
    import hmac

    keys = _Keys(secret)
    del secret
    if not isinstance(body, (bytes, bytearray, memoryview, str)):
        raise WebhookVerificationError(
            "BODY_PARSED", "the body is already parsed; pass its bytes as they were received"
        )
    raw = body.encode() if isinstance(body, str) else bytes(body)
    found = {name.lower(): value for name, value in headers.items()}
    for name in ("webhook-id", "webhook-timestamp", "webhook-signature"):
        if not found.get(name):
            raise WebhookVerificationError("HEADER_MISSING", f"the header {name} is missing")
    sent = found["webhook-timestamp"]
    expected = keys.signatures(f"{found['webhook-id']}.{sent}.".encode() + raw)
    given = found["webhook-signature"].split()
    if not any(hmac.compare_digest(one.encode(), other.encode()) for one in expected for other in given):
        raise WebhookVerificationError(
            "SIGNATURE",
            "the signature is not of this body and secret; a body that was parsed and written anew differs",
        )
    if not sent.isdecimal() or abs(time.time() - int(sent)) > tolerance:
        raise WebhookVerificationError(
            "CLOCK", f"the request is more than {tolerance:g} seconds old or early"
        )
    return _event(json.loads(raw))


def _event(event: Any) -> "models.WebhookEvents | UnknownEvent":
    from . import models

    cls = models.EVENTS.get(event.get("event"), UnknownEvent)
    result: models.WebhookEvents | UnknownEvent = decode(cls, event)
    return result


def sign(
    body: bytes | str, secret: str, *, id: str | None = None, timestamp: float | None = None
) -> dict[str, str]:
    """Returns the headers with which the service would send a body, for tests of receivers."""
    keys = _Keys(secret)
    del secret
    raw = body.encode() if isinstance(body, str) else body
    try:
        event = json.loads(raw)
    except ValueError:
        event = None
    known = event if isinstance(event, dict) else {}
    id = id or str(known.get("id") or uuid.uuid4())
    sent = int(time.time() if timestamp is None else timestamp)
    return {
        "content-type": "application/json",
        "x-service-event": str(known.get("event", "")),
        "x-service-signature": keys.body_signature(raw),
        "webhook-id": id,
        "webhook-timestamp": str(sent),
        "webhook-signature": keys.signatures(f"{id}.{sent}.".encode() + raw)[0],
    }
