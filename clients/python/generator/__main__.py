"""Writes the generated files anew; with `--check` it fails where they differ from the document."""

import json
import os
import subprocess
import sys
from pathlib import Path

from . import source
from .operations import Method, methods_of
from .schemas import Json, Schemas, name_of

FOLDER = Path(__file__).parent.parent
DOCUMENT = Path(os.environ.get("ATUMPAN_DOCUMENT", FOLDER.parent.parent / "docs" / "openapi.json"))
TARGET = FOLDER / "src" / "atumpan"


def operations_of(document: Json) -> list[Json]:
    return [one for item in document["paths"].values() for one in item.values() if isinstance(one, dict)]


def results_of(document: Json, schemas: Schemas) -> set[str]:
    """Returns the names of all types that answers and webhooks hold."""
    roots: list[Json] = [
        {"$ref": f"#/components/schemas/{name}"} for name in ("Pagination", "CursorPagination")
    ]
    for operation in operations_of(document):
        for status, answer in operation["responses"].items():
            if status.startswith("2"):
                contents = (answer.get("content") or {}).values()
                roots.extend(schemas.payload(content["schema"]) for content in contents)
    return schemas.reachable([*roots, document["webhooks"]])


def requests_of(document: Json, schemas: Schemas) -> set[str]:
    """Returns the names of all types that requests hold."""
    roots: list[Json] = []
    for operation in operations_of(document):
        contents = (operation.get("requestBody") or {}).get("content", {})
        roots.extend(content["schema"] for content in contents.values())
        roots.extend(parameter["schema"] for parameter in operation.get("parameters", []))
    return schemas.reachable(roots)


def events_of(document: Json) -> dict[str, str]:
    """Returns the types of webhooks by their events."""
    events = {}
    for event, item in document["webhooks"].items():
        schema = item["post"]["requestBody"]["content"]["application/json"]["schema"]
        events[event] = str(name_of(schema))
    return events


def models(document: Json, schemas: Schemas) -> str:
    """Returns the source of the types of results."""
    types = schemas.types(results_of(document, schemas), "results")
    types = types.replace("from dataclasses import dataclass\n", "")
    head = source.HEAD.format(about="Results.") + "from __future__ import annotations\n\n"
    body = types[types.index("from datetime") :].replace(
        "from typing import Any, Literal, TypeAlias\n",
        "from typing import Any, Literal, TypeAlias\n\nfrom ._model import Model, dataclass\n",
    )
    lines = [
        line[:-1] + "(Model):" if line.startswith("class ") and "(" not in line else line
        for line in body.splitlines()
    ]
    events = events_of(document)
    union = " | ".join(sorted(set(events.values())))
    pairs = "".join(f"    {event!r}: {name},\n" for event, name in sorted(events.items()))
    return (
        head + "\n".join(lines) + f"\n\nWebhookEvents: TypeAlias = {union}\n"
        f"EVENTS: dict[str, type[Model]] = {{\n{pairs}}}\n"
    )


def params(document: Json, schemas: Schemas) -> str:
    """Returns the source of the types of requests."""
    types = schemas.types(requests_of(document, schemas), "requests")
    start = min(types.index(line) for line in ("from datetime", "from typing") if line in types)
    return source.HEAD.format(about="Parts of requests.") + types[start:]


def files() -> dict[str, str]:
    """Returns the generated files by their names."""
    document = json.loads(DOCUMENT.read_text())
    schemas = Schemas(document)
    methods: list[Method] = methods_of(document)
    sources = {
        "models.py": models(document, schemas),
        "params.py": params(document, schemas),
    }
    for name, text in source.modules(methods).items():
        sources[f"_api/{name}.py"] = text
    return {name: formatted(text) for name, text in sources.items()}


def formatted(text: str) -> str:
    """Returns source in the format of the project."""
    command = [sys.executable, "-m", "ruff"]
    options = ["--config", str(FOLDER / "pyproject.toml"), "--stdin-filename", "source.py", "-"]
    for work in (["check", "--select", "I,F401", "--fix", "--quiet"], ["format"]):
        done = subprocess.run(
            [*command, *work, *options], input=text, capture_output=True, text=True, check=True
        )
        text = done.stdout
    return text


def main() -> None:
    differing = []
    new = files()
    (TARGET / "_api").mkdir(exist_ok=True)
    for path in TARGET.glob("_api/*.py"):
        if f"_api/{path.name}" not in new:
            differing.append(f"_api/{path.name}")
            if "--check" not in sys.argv:
                path.unlink()
    for name, text in new.items():
        path = TARGET / name
        if not path.exists() or path.read_text() != text:
            differing.append(name)
            if "--check" not in sys.argv:
                path.write_text(text)
    if differing:
        print("differ from the document:" if "--check" in sys.argv else "written:", ", ".join(differing))
    if differing and "--check" in sys.argv:
        raise SystemExit(1)


if __name__ == "__main__":
    main()
