"""A service for the tests, started from the built program."""

from collections.abc import Iterator

import pytest
from support.service import Service, started
from support.table import ROWS, lines


@pytest.fixture(scope="session")
def service() -> Iterator[Service]:
    with started() as running:
        yield running


@pytest.fixture(autouse=True)
def _no_settings(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("ATUMPAN_API_KEY", raising=False)
    monkeypatch.delenv("ATUMPAN_BASE_URL", raising=False)


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    if ROWS:
        terminalreporter.section("faults: attempts, requests at the service, messages")
        for line in lines():
            terminalreporter.write_line(line)
