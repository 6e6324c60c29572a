"""The guides: the blocks of each language on a page are one program, which prints what the page says."""

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from support.guides import FOLDER, PAGES, Page
from support.service import Service, free_port, sign_up, started

from atumpan import params

NODE = FOLDER.parents[1] / "clients" / "node"
PROGRAMS = {"sh": ["bash", "curl", "jq"], "js": ["node"], "python": []}
# What these pages do changes live data.
WITH_LIVE_KEY = {"templates", "events", "campaigns", "webhooks"}
SCOPES: list[params.Scope] = [
    "messages:send",
    "messages:read",
    "templates:write",
    "events:read",
    "events:write",
    "events:trigger",
    "contacts:write",
    "segments:write",
    "campaigns:read",
    "campaigns:write",
    "webhooks:read",
    "webhooks:write",
]
RECEIVER = """
import http.server, sys
class Receiver(http.server.BaseHTTPRequestHandler):
    def do_POST(self):
        self.rfile.read(int(self.headers["content-length"]))
        self.send_response(204)
        self.end_headers()
with http.server.HTTPServer(("127.0.0.1", int(sys.argv[1])), Receiver) as server:
    print("listening", flush=True)
    server.serve_forever()
"""


@pytest.fixture(scope="module")
def limited() -> Iterator[Service]:
    """A service with the usual limits, which one of the pages reaches."""
    guests = {"ATUMPAN_LIMIT_REGISTRATIONS": "1000", "ATUMPAN_LIMIT_GUESTS": "1000/10000"}
    with started(ATUMPAN_RATE_LIMITS="on", **guests) as running:
        yield running


@pytest.fixture
def receiver() -> Iterator[str]:
    """A port on which somebody takes every webhook."""
    port = str(free_port())
    with subprocess.Popen([sys.executable, "-c", RECEIVER, port], stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        process.stdout.readline()
        yield port
        process.kill()


def command(language: str, program: str, folder: Path) -> list[str]:
    """Writes the program, and returns the command that runs it."""
    missing = [name for name in PROGRAMS[language] if shutil.which(name) is None]
    if language == "js" and not (NODE / "dist" / "index.mjs").exists():
        missing.append("a build of clients/node")
    if missing:
        assert "CI" not in os.environ, missing
        pytest.skip(f"there is no {' and no '.join(missing)}")
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


@pytest.mark.parametrize("language", PROGRAMS)
@pytest.mark.parametrize("page", PAGES.values(), ids=PAGES)
def test_a_page_prints_what_it_says(
    limited: Service, receiver: str, tmp_path: Path, page: Page, language: str
) -> None:
    run = command(language, page.program(language), tmp_path)
    account = sign_up(limited.url, f"{page.name}.{language}@example.com", SCOPES)
    environment = {
        "PATH": os.environ["PATH"],
        "HOME": str(tmp_path),
        "ATUMPAN_BASE_URL": limited.url,
        "ATUMPAN_API_KEY": account.live_key if page.name in WITH_LIVE_KEY else account.sandbox_key,
        "ATUMPAN_TOKEN": account.token,
        "ATUMPAN_ORGANIZATION": account.organization_id,
        # The other programs of that page have a receiver of their own.
        "PORT": receiver if language == "sh" else str(free_port()),
    }
    if page.name == "README":
        del environment["ATUMPAN_API_KEY"]
    done = subprocess.run(run, cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stdout + done.stderr
    expected = page.output(language)
    assert expected.fullmatch(done.stdout), f"{expected.pattern}\nis not\n{done.stdout}{done.stderr}"


@pytest.mark.parametrize("page", PAGES.values(), ids=PAGES)
def test_a_page_says_everything_in_each_language(page: Page) -> None:
    order = "".join({"sh": "s", "js": "j", "python": "p"}[kind] for kind, _ in page.blocks)
    # What receives a request is no curl.
    assert re.fullmatch("(s?jp)+", order), order
    assert page.text.count("```") == 2 * len(page.blocks)
    for kind in PROGRAMS:
        assert page.output(kind).pattern, f"{kind} promises nothing"


def test_the_index_names_each_page() -> None:
    index = PAGES["README"].text
    assert [name for name in PAGES if name != "README" and f"({name}.md)" not in index] == []
