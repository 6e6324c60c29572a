"""Starts the service with an organization and its keys."""

import os
import socket
import subprocess
import tempfile
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest

from atumpan import Atumpan, params

ROOT = Path(__file__).parents[4]


@dataclass(frozen=True)
class Service:
    """A running service."""

    url: str
    organization_id: str
    token: str
    sandbox_key: str
    live_key: str

    def sandbox(self) -> Atumpan:
        return Atumpan(api_key=self.sandbox_key, base_url=self.url)

    def session(self) -> Atumpan:
        return Atumpan(token=self.token, organization_id=self.organization_id, base_url=self.url)


def program() -> Path:
    """Returns the program that is tested; skips the test where there is none."""
    given = os.environ.get("ATUMPAN_PROGRAM")
    built = [ROOT / "target" / profile / "atumpan" for profile in ("debug", "release")]
    found = [Path(given)] if given else sorted((one for one in built if one.exists()), key=_age)
    if not found:
        pytest.skip("the service is not built: set ATUMPAN_PROGRAM")
    return found[-1]


def _age(path: Path) -> float:
    return path.stat().st_mtime


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@contextmanager
def started(**more: str) -> Iterator[Service]:
    """Starts the service on a free port, with more settings, and ends it."""
    url = f"http://127.0.0.1:{free_port()}"
    with tempfile.TemporaryDirectory(prefix="atumpan-python-") as folder:
        Path(folder).chmod(0o755)
        settings = {
            "ATUMPAN_LISTEN": url.removeprefix("http://"),
            "ATUMPAN_DATA_DIR": f"{folder}/data",
            "ATUMPAN_RATE_LIMITS": "off",
            "RUST_LOG": "warn",
        }
        environment = {name: os.environ[name] for name in ("PATH", "HOME", "LANG") if name in os.environ}
        with open(f"{folder}/log", "wb") as log:
            process = subprocess.Popen(
                [program()], cwd=folder, env=environment | settings | more, stdout=log, stderr=log
            )
        try:
            _wait(process, url, Path(folder, "log"))
            yield sign_up(url)
        finally:
            process.terminate()
            process.wait(30)


def _wait(process: subprocess.Popen[bytes], url: str, log: Path) -> None:
    end = time.monotonic() + 120
    while time.monotonic() < end and process.poll() is None:
        try:
            urllib.request.urlopen(f"{url}/health/ready", timeout=2).close()
        except (urllib.error.URLError, OSError):
            time.sleep(0.1)
        else:
            return
    raise AssertionError(f"the service did not start: {log.read_text()}")


def sign_up(url: str, email: str = "ama@example.com", scopes: list[params.Scope] | None = None) -> Service:
    """Registers a user with an organization, and returns the service as they see it."""
    with Atumpan(base_url=url) as guest:
        registration = guest.authentication.register(
            email=email,
            password="correct horse battery",
            first_name="Ama",
            last_name="Mensah",
            organization_name="Kente Online",
        )
    assert registration.organization is not None
    organization_id = registration.organization.id
    with Atumpan(token=registration.token, organization_id=organization_id, base_url=url) as client:
        more = {"scopes": scopes} if scopes else {}
        keys = [
            client.api_keys.create(name="Tests", is_sandbox=sandbox, **more).key for sandbox in (True, False)
        ]
    return Service(url, organization_id, registration.token, *keys)
