"""The PHP client against the real service and over a line that breaks connections.

Service and line are those of the Python client: run it with the environment of clients/python.
"""

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

FOLDER = Path(__file__).parents[1]
sys.path[:0] = [str(FOLDER.parent / "python" / "tests"), str(FOLDER.parent / "python" / "src")]

from support.line import FAULTS, Line, after_the_request, answered, status  # noqa: E402
from support.service import Service, started  # noqa: E402

pytestmark = pytest.mark.skipif(
    shutil.which("php") is None and "CI" not in os.environ, reason="php is not installed"
)
SEND = "return $client->messages->send(channel: 'SMS', to: '0241234567', body: '{}');"


@pytest.fixture(scope="session")
def service() -> Iterator[Service]:
    with started() as running:
        yield running


def php(url: str, code: str, **settings: str) -> Any:
    """Runs code with a client, and returns its result."""
    environment = {"PATH": os.environ["PATH"], "ATUMPAN_BASE_URL": url, **settings}
    command = ["php", "-d", "error_reporting=-1", str(FOLDER / "tests" / "run.php"), code]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stdout + done.stderr
    return json.loads(done.stdout)


def php_over(line: Line, code: str, **settings: str) -> Any:
    """Runs code with a client that soon gives up a connection."""
    return php(line.url, code, TIMEOUT="0.7", **settings)


def session(service: Service) -> dict[str, str]:
    return {"TOKEN": service.token, "ORGANIZATION": service.organization_id}


def made(service: Service, body: str) -> int:
    with service.session() as client:
        return sum(log.body == body for log in client.delivery_logs.list(limit=100).page().data)


def test_what_needs_no_service() -> None:
    done = subprocess.run(["php", str(FOLDER / "tests" / "unit.php")], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    from standardwebhooks.webhooks import Webhook

    signed = json.loads(done.stdout)
    assert Webhook(signed["secret"]).verify(signed["body"], signed["headers"])


@pytest.mark.parametrize("name", FAULTS)
def test_one_send_is_one_message(service: Service, name: str) -> None:
    body = f"php: {name}"
    with Line(service.url, FAULTS[name]) as line:
        message = php_over(line, SEND.format(body), KEY=service.sandbox_key)
    assert message.get("body") == body
    assert made(service, body) == 1
    assert len({request.headers["idempotency-key"] for request in line.requests}) == 1
    assert line.connections == 2
    print(f"{body:60}{line.connections:>6}{len(line.done):>6}{made(service, body):>6}")


@pytest.mark.parametrize("code", [302, 307])
def test_another_host_gets_neither_request_nor_key(service: Service, code: int) -> None:
    with Line(service.url, after_the_request, times=99) as other:
        elsewhere = answered(status(code, f"location: {other.url}/messages/send"))
        with Line(service.url, elsewhere) as line:
            error = php_over(line, SEND.format("redirected"), KEY=service.sandbox_key)
    assert error["class"] == "Atumpan\\ServerError"
    assert (line.connections, other.connections) == (1, 0)


def test_no_retries_are_one_call(service: Service) -> None:
    with Line(service.url, answered(status(503)), times=9) as line:
        error = php_over(line, SEND.format("once"), KEY=service.sandbox_key, RETRIES="0")
    assert (len(line.requests), error["status"]) == (1, 503)


def test_a_long_retry_after_is_not_waited_for(service: Service) -> None:
    with Line(service.url, answered(status(429, "retry-after: 61", error="RATE_LIMITED")), times=9) as line:
        error = php_over(line, SEND.format("many"), KEY=service.sandbox_key)
    assert (error["class"], error["retryAfter"], len(line.requests)) == ("Atumpan\\RateLimitedError", 61, 1)


@pytest.mark.parametrize("name", ["closed after the request, not forwarded", "503"])
def test_what_is_neither_safe_nor_keyed_is_not_repeated(service: Service, name: str) -> None:
    with Line(service.url, FAULTS[name], times=9) as line:
        php_over(line, "return $client->request('DELETE', '/contacts/1');", **session(service))
        php_over(line, "return $client->request('PATCH', '/contacts/1', [], ['firstName' => 'Kofi']);", **session(service))
    assert [request.verb for request in line.requests] == ["DELETE", "PATCH"]


def test_a_message_is_followed_to_its_end(service: Service) -> None:
    code = "return $client->messages->waitUntilFinal($client->messages->send(['channel' => 'SMS', "
    final = php(service.url, code + "'to' => '0241234567', 'body' => 'Akwaaba!'])['id'], 10);", KEY=service.sandbox_key)
    assert (final["status"], final["recipient"]) == ("DELIVERED", "+233241234567")
    code = "return $client->messages->waitUntilFinal($client->messages->send(channel: 'SMS', "
    late = php(service.url, code + "to: '0241230001', body: 'x')['id'], 1);", KEY=service.sandbox_key)
    assert late["class"] == "Atumpan\\TimeoutError"


def test_faults_are_told_by_field(service: Service) -> None:
    code = "return $client->messages->send(channel: 'SMS', to: '12');"
    error = php(service.url, code, KEY=service.sandbox_key)
    assert error["class"] == "Atumpan\\ValidationError"
    assert set(error["fieldErrors"]) == {"to", "body"}
    assert php(service.url, code, KEY="ak_wrong")["class"] == "Atumpan\\AuthenticationError"


def test_bulk_is_cut_into_hundreds(service: Service) -> None:
    code = """
        $to = fn (int $n): string => $n === 120 ? 'nobody' : sprintf('0245%06d', $n);
        $one = fn (int $n): array => ['channel' => 'SMS', 'to' => $to($n), 'body' => 'Sale'];
        $result = $client->messages->sendBulk(array_map($one, range(0, 249)), async: true);
        $messages = array_map(fn (?array $log): ?string => $log['recipient'] ?? null, $result['messages']);
        return ['messages' => $messages, 'failures' => array_keys($result['failures'])];
    """
    result = php(service.url, code, KEY=service.sandbox_key)
    assert result["failures"] == list(range(100, 200))
    assert result["messages"][:100] == [f"+233245{number:06}" for number in range(100)]
    assert result["messages"][200:] == [f"+233245{number:06}" for number in range(200, 250)]
    assert not any(result["messages"][100:200])


def test_lists_go_through_all_pages(service: Service) -> None:
    for _ in range(5):
        service.sandbox().messages.send(channel="SMS", to="0249999999", body="Listed")
    code = """
        $ids = [];
        foreach ($client->deliveryLogs->list(limit: 2, recipient: '0249999999') as $log) {
            $ids[] = $log['id'];
        }
        foreach ($client->list('/delivery-logs', limit: 2, recipient: '0249999999') as $log) {
            $ids[] = $log['id'];
        }
        return [$ids, count($client->deliveryLogs->list(limit: 2)->page()['data'])];
    """
    ids, size = php(service.url, code, **session(service))
    assert (len(ids), len(set(ids)), size) == (10, 5, 2)


def test_a_shop_keeps_its_customers(service: Service) -> None:
    code = """
        $kofi = $client->contacts->create(firstName: 'Kofi', phone: '0249876543', tags: ['shop']);
        $client->contacts->update($kofi['id'], tags: ['shop', 'vip']);
        $found = iterator_to_array($client->contacts->list(search: '0249876543'), false);
        $entry = $client->suppression->create(phone: '0249876544', reason: 'asked for it');
        $count = count(iterator_to_array($client->suppression->list(), false));
        $client->suppression->delete($entry['id']);
        $text = $client->templates->create(name: 'Ready', channel: 'SMS', body: 'Order {{order}} is ready.');
        $changed = $client->templates->update($text['id'], body: 'Order {{order}} is here.');
        $read = $client->templates->get($text['id']);
        $names = array_column(iterator_to_array($client->templates->list(), false), 'name');
        $client->contacts->delete($kofi['id']);
        try {
            $client->contacts->get($kofi['id']);
        } catch (Atumpan\\NotFoundError) {
            return [$found[0]['tags'], $count, $changed['version'], $read['body'], $names];
        }
    """
    expected = [["shop", "vip"], 1, 2, "Order {{order}} is here.", ["Ready"]]
    assert php(service.url, code, **session(service)) == expected


def test_the_readme_runs(service: Service) -> None:
    blocks = re.findall(r"^```php\n(.*?)^```$", (FOLDER / "README.md").read_text(), re.DOTALL | re.MULTILINE)
    key = service.session().api_keys.create(name="Log", scopes=["messages:send", "messages:read", "delivery-logs:read"])
    code = "\n".join(block.replace("<?php\n", "").replace("require 'vendor/autoload.php';", "") for block in blocks)
    head = f"<?php\ndeclare(strict_types=1);\nrequire '{FOLDER}/autoload.php';\n"
    environment = {"PATH": os.environ["PATH"], "ATUMPAN_BASE_URL": service.url, "ATUMPAN_API_KEY": key.key}
    done = subprocess.run(["php"], input=head + code, env=environment, capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.startswith("DELIVERED\n")
    assert "VALIDATION_ERROR" in done.stdout
    assert "HEADER_MISSING\n" in done.stdout
    assert done.stdout.endswith("1 message, 2 requests\ntop up the wallet\n")
