"""The library against the OpenAPI document."""

import contextlib
import inspect
import json
import subprocess
import sys
from typing import Any

import httpx2
import pytest

from atumpan import AsyncAtumpan, Atumpan, AtumpanError, models
from atumpan._core import Operation
from generator.__main__ import DOCUMENT, FOLDER, operations_of
from generator.names import snake
from generator.operations import group_and_name

DOCUMENTED = operations_of(json.loads(DOCUMENT.read_text()))


def test_the_generated_files_are_those_of_the_document() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "generator", "--check"], cwd=FOLDER, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize("client", [Atumpan, AsyncAtumpan])
def test_each_operation_has_a_method(client: Any) -> None:
    instance = client(api_key="ak_x", base_url="http://localhost")
    missing = []
    for operation in DOCUMENTED:
        group, name = group_and_name(operation)
        if not callable(getattr(getattr(instance, snake(group), None), snake(name), None)):
            missing.append(operation["x-method"])
    assert missing == []


def test_operations_that_send_or_create_have_a_key() -> None:
    import importlib
    import pkgutil

    from atumpan import _api

    keyed = set()
    for module in pkgutil.iter_modules(_api.__path__):
        for one in vars(importlib.import_module(f"atumpan._api.{module.name}")).values():
            if isinstance(one, Operation) and one.is_keyed:
                keyed.add(one.name)
    documented = {
        ".".join(snake(part) for part in group_and_name(operation))
        for operation in DOCUMENTED
        if any(parameter["name"] == "Idempotency-Key" for parameter in operation.get("parameters", []))
    }
    assert keyed == documented
    assert keyed >= {"messages.send", "messages.send_bulk", "events.trigger"}


def test_methods_take_parameters_in_snake_case() -> None:
    signature = inspect.signature(Atumpan(api_key="a", base_url="http://localhost").messages.send)
    assert list(signature.parameters)[:2] == ["channel", "to"]
    assert {"template_id", "async_", "idempotency_key"} <= set(signature.parameters)


def test_each_webhook_has_a_type() -> None:
    document = json.loads(DOCUMENT.read_text())
    assert set(models.EVENTS) == set(document["webhooks"])


def test_no_field_hides_the_unknown_ones() -> None:
    classes = [one for one in vars(models).values() if inspect.isclass(one) and issubclass(one, models.Model)]
    assert len(classes) > 100
    assert not [one.__name__ for one in classes if "extra" in inspect.get_annotations(one)]


def test_a_parameter_that_is_left_out_is_not_sent() -> None:
    bodies: list[dict[str, Any]] = []

    def respond(request: httpx2.Request) -> httpx2.Response:
        if request.headers.get("content-type") == "application/json":
            bodies.append(json.loads(request.content))
        return httpx2.Response(500)

    http = httpx2.Client(transport=httpx2.MockTransport(respond))
    client = Atumpan(api_key="ak_x", base_url="http://localhost", http_client=http, max_retries=0)
    for operation in DOCUMENTED:
        group, name = group_and_name(operation)
        method = getattr(getattr(client, snake(group)), snake(name))
        parameters = inspect.signature(method).parameters.values()
        required = [one.name for one in parameters if one.default is inspect.Parameter.empty]
        with contextlib.suppress(AtumpanError):
            method(**{name: b"1" if name == "file" else "1" for name in required})
    assert len(bodies) > 50
    assert [body for body in bodies if None in body.values()] == []
