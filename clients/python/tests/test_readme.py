"""The README, block by block, and its receivers of webhooks with the real frameworks."""

import re
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from support.service import Service

from atumpan import webhooks

README = (Path(__file__).parents[1] / "README.md").read_text()
BLOCKS = re.findall(r"^```python ?(\S*)\n(.*?)^```$", README, re.DOTALL | re.MULTILINE)
SECRET = "whsec_MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3"
BODY = b'{"id": "1", "event": "message.status.updated", "data": {"status": "DELIVERED"}}'


def block(name: str) -> str:
    """Returns the block with a name."""
    return next(text for kind, text in BLOCKS if kind == name)


@pytest.fixture
def _secret(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WEBHOOK_SECRET", SECRET)


def test_the_blocks_run_one_after_the_other(
    service: Service, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("ATUMPAN_API_KEY", service.sandbox_key)
    monkeypatch.setenv("ATUMPAN_BASE_URL", service.url)
    names: dict[str, Any] = {"__name__": "readme"}
    outputs = []
    for kind, text in BLOCKS:
        if kind:
            continue
        if "delivery_logs" in text:
            # A key sees the log if it has the scope, and the one of the first block has not.
            key = service.session().api_keys.create(
                name="Log", scopes=["messages:send", "messages:read", "delivery-logs:read"]
            )
            monkeypatch.setenv("ATUMPAN_API_KEY", key.key)
            exec("from atumpan import Atumpan\nclient = Atumpan()", names)
        exec(compile(text, "README.md", "exec"), names)
        outputs.append(capsys.readouterr().out)
    assert outputs[0] == "DELIVERED\n"
    shown = "".join(outputs)
    assert "VALIDATION_ERROR {'to': " in shown
    assert "['Order 4711 is ready.']\n3\nAma\n" in shown


def test_the_first_message_takes_six_lines() -> None:
    lines = [line for line in BLOCKS[0][1].splitlines() if line]
    assert "send" in "".join(lines)
    assert len(lines) <= 6


def test_files_are_imported_and_exported(
    service: Service, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("customers.csv").write_text("First Name;Phone\nEfua;0247700001\n")
    exec(compile(block("files"), "README.md", "exec"), {"client": service.session()})
    assert Path("log.csv").read_bytes()


@pytest.mark.usefixtures("_secret")
def test_flask_receives_events() -> None:
    names: dict[str, Any] = {"__name__": "readme"}
    exec(compile(block("flask"), "README.md", "exec"), names)
    client = names["app"].test_client()
    headers = webhooks.sign(BODY, SECRET)
    assert client.post("/webhooks", data=BODY, headers=headers).status_code == 204
    refused = client.post("/webhooks", data=BODY + b" ", headers=headers)
    assert (refused.status_code, refused.text) == (401, "SIGNATURE")


@pytest.mark.usefixtures("_secret")
def test_fastapi_receives_events() -> None:
    from fastapi.testclient import TestClient

    module = ModuleType("readme_fastapi")
    sys.modules["readme_fastapi"] = module
    exec(compile(block("fastapi"), "README.md", "exec"), module.__dict__)
    client = TestClient(module.app)
    headers = webhooks.sign(BODY, SECRET)
    assert client.post("/webhooks", content=BODY, headers=headers).status_code == 204
    refused = client.post("/webhooks", content=BODY, headers={**headers, "webhook-id": ""})
    assert (refused.status_code, refused.json()) == (401, {"detail": "HEADER_MISSING"})


@pytest.mark.usefixtures("_secret")
def test_django_receives_events() -> None:
    import django
    from django.conf import settings
    from django.test import RequestFactory

    if not settings.configured:
        settings.configure(ALLOWED_HOSTS=["*"], ROOT_URLCONF="")
        django.setup()
    names: dict[str, Any] = {"__name__": "readme"}
    exec(compile(block("django"), "README.md", "exec"), names)
    headers = {
        f"HTTP_{name.upper().replace('-', '_')}": value for name, value in webhooks.sign(BODY, SECRET).items()
    }
    factory = RequestFactory()
    post = factory.post("/webhooks", BODY, content_type="application/json", **headers)
    assert names["receive"](post).status_code == 204
    old = webhooks.sign(BODY, SECRET, timestamp=1)
    late = factory.post(
        "/webhooks",
        BODY,
        content_type="application/json",
        **{f"HTTP_{name.upper().replace('-', '_')}": value for name, value in old.items()},
    )
    assert names["receive"](late).content == b"CLOCK"
