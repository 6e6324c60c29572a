"""The programs of pages: each of an account of its own, and many at the same time."""

import os
import shutil
import subprocess
import sys
from collections.abc import Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

from atumpan import Atumpan, params
from support.guides import Page
from support.service import ROOT, Service, free_port, sign_up, started

NODE = ROOT / "clients" / "node"
NEEDS = {"sh": ["bash", "curl", "jq"], "js": ["node"], "python": []}
# The programs wait for the service more than they compute.
AT_ONCE = 8
# What these pages do changes live data.
WITH_LIVE_KEY = {"contacts", "texts", "events", "campaigns", "money", "webhooks"}
SCOPES: list[params.Scope] = [
    "messages:send",
    "messages:read",
    "templates:read",
    "templates:write",
    "events:read",
    "events:write",
    "events:trigger",
    "contacts:read",
    "contacts:write",
    "segments:read",
    "segments:write",
    "campaigns:read",
    "campaigns:write",
    "suppressions:read",
    "suppressions:write",
    "webhooks:read",
    "webhooks:write",
    "analytics:read",
    "billing:read",
    "delivery-logs:read",
]
ADMINISTRATOR = {
    "ATUMPAN_ADMIN_EMAIL": "admin@example.com",
    "ATUMPAN_ADMIN_PASSWORD": "correct horse battery",
}
# The usual limits, but for guests: each program has an account that registers from this address.
LIMITS = {
    "ATUMPAN_RATE_LIMITS": "on",
    "ATUMPAN_LIMIT_REGISTRATIONS": "1000",
    "ATUMPAN_LIMIT_GUESTS": "1000/10000",
}

Program = tuple[Page, str]
Ended = subprocess.CompletedProcess[str]


@dataclass(frozen=True)
class Stage:
    """A service for the programs, with the session of its administrator."""

    service: Service
    admin_token: str

    def run(self, page: Page, language: str, folder: Path) -> Ended:
        """Runs all blocks of a language on a page in a folder."""
        run = command(language, page.program(language), folder)
        account = sign_up(self.service.url, f"{page.name}.{language}@example.com", SCOPES)
        environment = {
            "PATH": os.environ["PATH"],
            "HOME": str(folder),
            "ATUMPAN_BASE_URL": account.url,
            "ATUMPAN_API_KEY": account.live_key if page.name in WITH_LIVE_KEY else account.sandbox_key,
            "ATUMPAN_TOKEN": account.token,
            "ATUMPAN_ORGANIZATION": account.organization_id,
            "ATUMPAN_ADMIN_TOKEN": self.admin_token,
        }
        if page.name == "README":
            del environment["ATUMPAN_API_KEY"]
        with port(language) as number:
            environment["PORT"] = str(number)
            return subprocess.run(
                run, cwd=folder, env=environment, capture_output=True, text=True, timeout=120
            )


@contextmanager
def stage() -> Iterator[Stage]:
    """Starts a service with the usual limits, which one of the pages reaches."""
    with started(**LIMITS, **ADMINISTRATOR) as service:
        with Atumpan(base_url=service.url) as guest:
            session = guest.authentication.login(
                email=ADMINISTRATOR["ATUMPAN_ADMIN_EMAIL"], password=ADMINISTRATOR["ATUMPAN_ADMIN_PASSWORD"]
            )
        yield Stage(service, session.token)


@contextmanager
def together(programs: Iterable[tuple[Program, Path]]) -> Iterator[dict[tuple[str, str], Future[Ended]]]:
    """Starts programs in their folders, and returns the ends of them by page and language."""
    with stage() as running, ThreadPoolExecutor(AT_ONCE) as pool:
        yield {
            (page.name, language): pool.submit(running.run, page, language, folder)
            for (page, language), folder in programs
        }


def missing(language: str) -> list[str]:
    """Returns what a program needs and this machine lacks."""
    absent = [name for name in NEEDS[language] if shutil.which(name) is None]
    if language == "js" and not (NODE / "dist" / "index.mjs").exists():
        absent.append("a build of clients/node")
    return absent


def command(language: str, program: str, folder: Path) -> list[str]:
    """Writes the program, and returns the command that runs it."""
    match language:
        case "sh":
            return ["bash", "-euo", "pipefail", "-c", program]
        case "js":
            (folder / "node_modules").mkdir()
            (folder / "node_modules" / "atumpan").symlink_to(NODE)
            (folder / "program.mjs").write_text(program)
            return ["node", "program.mjs"]
        case _:
            (folder / "program.py").write_text(program)
            return [sys.executable, "program.py"]


class Receiver(BaseHTTPRequestHandler):
    """Somebody who takes every webhook."""

    def do_POST(self) -> None:
        self.rfile.read(int(self.headers["content-length"]))
        self.send_response(204)
        self.end_headers()

    def log_message(self, *_: object) -> None:
        """Prints nothing."""


@contextmanager
def port(language: str) -> Iterator[int]:
    """A port for webhooks. Programs of curl receive nothing, so somebody takes them; the others do it themselves."""
    if language != "sh":
        yield free_port()
        return
    with ThreadingHTTPServer(("127.0.0.1", 0), Receiver) as receiver:
        Thread(target=receiver.serve_forever).start()
        try:
            yield receiver.server_port
        finally:
            receiver.shutdown()
