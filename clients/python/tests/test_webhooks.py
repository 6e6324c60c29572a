"""Signatures of webhooks."""

import json
import re
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import httpx2
import pytest
from standardwebhooks.webhooks import Webhook
from support.service import ROOT, free_port

from atumpan import WebhookVerificationError, models, webhooks

SECRET = "whsec_MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3"
FORMER = "whsec_NzY1NDMyMTBmZWRjYmE5ODc2NTQzMjEw"
BODY = json.dumps({
    "id": "019a5b8e-6c2f-7d10-a4c3-e5f708192a3b", "event": "message.status.updated",
    "createdAt": "2026-11-22T10:00:00.120Z", "organizationId": "019a5b8e-0000-7d10-a4c3-e5f708192a3b",
    "data": {"id": "1", "status": "DELIVERED", "body": "₵5"},
}, ensure_ascii=False).encode()  # fmt: skip


def reason_of(body: Any, headers: dict[str, str], secret: str | list[str] = SECRET) -> str:
    with pytest.raises(WebhookVerificationError) as caught:
        webhooks.verify(body, headers, secret)
    assert SECRET not in str(caught.value)
    return caught.value.reason


def test_an_event_is_typed_by_its_name() -> None:
    event = webhooks.verify(BODY, webhooks.sign(BODY, SECRET), SECRET)
    assert isinstance(event, models.MessageStatusUpdatedEvent)
    assert event.data.status == "DELIVERED"
    assert event.created_at.year == 2026
    assert webhooks.verify(BODY.decode(), webhooks.sign(BODY, SECRET), SECRET) == event


def test_the_library_of_standard_webhooks_takes_the_signature() -> None:
    assert Webhook(SECRET).verify(BODY, webhooks.sign(BODY, SECRET))


def test_an_event_of_a_newer_service_is_kept() -> None:
    body = (
        b'{"id": "1", "event": "pigeon.landed", "data": {"loft": 3}, "createdAt": "2026-11-22T10:00:00.120Z"}'
    )
    event = webhooks.verify(body, webhooks.sign(body, SECRET), SECRET)
    assert isinstance(event, webhooks.UnknownEvent)
    assert (event.event, event.data) == ("pigeon.landed", {"loft": 3})


def test_several_secrets_are_taken_while_they_change() -> None:
    headers = webhooks.sign(BODY, FORMER)
    assert webhooks.verify(BODY, headers, [SECRET, FORMER])
    assert reason_of(BODY, headers) == "SIGNATURE"
    both = webhooks.sign(BODY, SECRET)
    both["webhook-signature"] = (
        f"{webhooks.sign(BODY, FORMER)['webhook-signature']} {both['webhook-signature']}"
    )
    assert webhooks.verify(BODY, both, SECRET)


def test_names_of_headers_are_in_any_case() -> None:
    headers = {name.title(): value for name, value in webhooks.sign(BODY, SECRET).items()}
    assert webhooks.verify(BODY, headers, SECRET)


def test_what_was_wrong_is_told() -> None:
    headers = webhooks.sign(BODY, SECRET)
    for name in ("webhook-id", "webhook-timestamp", "webhook-signature"):
        assert reason_of(BODY, {**headers, name: ""}) == "HEADER_MISSING"
    assert reason_of(json.loads(BODY), headers) == "BODY_PARSED"
    assert reason_of(json.dumps(json.loads(BODY)), headers) == "SIGNATURE"
    assert reason_of(BODY, {**headers, "webhook-id": "other"}) == "SIGNATURE"
    assert reason_of(BODY, {**headers, "webhook-signature": "v1,ä"}) == "SIGNATURE"
    for skew in (-301, 302):
        assert reason_of(BODY, webhooks.sign(BODY, SECRET, timestamp=time.time() + skew)) == "CLOCK"
    assert webhooks.verify(BODY, webhooks.sign(BODY, SECRET, timestamp=time.time() - 290), SECRET)


@pytest.mark.parametrize("secret", ["", "secret", []])
def test_other_secrets_are_refused(secret: Any) -> None:
    with pytest.raises(ValueError, match="whsec_"):
        webhooks.verify(BODY, {}, secret)


def test_the_specified_signature_is_made() -> None:
    import hashlib
    import hmac

    expected = hmac.new(SECRET.encode(), BODY, hashlib.sha256).hexdigest()
    assert webhooks.sign(BODY, SECRET)["x-service-signature"] == expected


def test_the_receiver_of_the_page_takes_what_is_signed(tmp_path: Path) -> None:
    page = (ROOT / "docs" / "webhooks.md").read_text()
    blocks = re.findall(r"^```python\n(.*?)^```$", page, re.DOTALL | re.MULTILINE)
    [program] = [block for block in blocks if "HTTPServer" in block]
    path, port = tmp_path / "receiver.py", free_port()
    path.write_text(program)
    command = [sys.executable, str(path), SECRET, str(port)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as receiver:
        try:
            # It is called again until it listens.
            with httpx2.Client(transport=httpx2.HTTPTransport(retries=6)) as caller:
                url = f"http://127.0.0.1:{port}/"
                signed = caller.post(url, content=BODY, headers=webhooks.sign(BODY, SECRET))
                forged = caller.post(url, content=BODY)
        finally:
            receiver.terminate()
        shown = receiver.communicate(timeout=10)[0]
    assert (signed.status_code, forged.status_code) == (204, 401)
    assert shown == "message.status.updated\nforged\n"
