"""The schemas of the document in the form in which they become types of Python."""

import copy
import json
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from .names import assert_reversible, snake

Json = dict[str, Any]
REFERENCE = "#/components/schemas/"
# Formats that stay text: identifiers and addresses are compared and passed on as they are.
TEXT_FORMATS = {"uuid", "email", "uri", "binary", "password", "date"}
CHECKS = {
    "minimum",
    "maximum",
    "minLength",
    "maxLength",
    "pattern",
    "minItems",
    "maxItems",
    "maxProperties",
    "propertyNames",
    "exclusiveMinimum",
    "example",
    "examples",
    "x-errors",
    "x-atumpan-extension",
}


def name_of(schema: Json) -> str | None:
    """Returns the name of the schema that a reference refers to."""
    reference = schema.get("$ref")
    return reference.removeprefix(REFERENCE) if reference else None


class Schemas:
    """Named schemas of the document."""

    def __init__(self, document: Json) -> None:
        self.all: Json = document["components"]["schemas"]

    def payload(self, schema: Json) -> Json:
        """Returns what is inside the envelope of an answer."""
        whole = self.resolved(schema)
        properties = whole.get("properties", {})
        return properties["data"] if "success" in properties else schema

    def resolved(self, schema: Json) -> Json:
        """Returns a schema without reference at its top."""
        name = name_of(schema)
        return self.resolved(self.all[name]) if name else schema

    def reachable(self, roots: list[Json]) -> set[str]:
        """Returns the names of all schemas that some schemas refer to, directly or not."""
        names: set[str] = set()
        waiting: list[Any] = list(roots)
        while waiting:
            item = waiting.pop()
            if isinstance(item, dict):
                name = name_of(item)
                if name and name not in names:
                    names.add(name)
                    waiting.append(self.all[name])
                waiting.extend(item.values())
            elif isinstance(item, list):
                waiting.extend(item)
        return names

    def types(self, names: set[str], kind: str) -> str:
        """Returns the source of types, made by datamodel-code-generator."""
        results = kind == "results"
        fields: set[str] = set()
        schemas = {name: adapted(self.all[name], results, fields) for name in sorted(names)}
        assert_reversible(fields, may_be_snake=results)
        document = {
            "openapi": "3.1.0",
            "info": {"title": "types", "version": "1"},
            "paths": {},
            "components": {"schemas": schemas},
        }
        return generated(document, results)


def adapted(schema: Any, open_enumerations: bool, fields: set[str]) -> Any:
    """Returns a schema with names in snake case and without what types do not express."""
    if isinstance(schema, list):
        return [adapted(item, open_enumerations, fields) for item in schema]
    if not isinstance(schema, dict):
        return schema
    new: Json = {}
    for key, value in schema.items():
        if key == "properties":
            fields |= set(value)
            new[key] = {snake(name): adapted(item, open_enumerations, fields) for name, item in value.items()}
        elif key == "required":
            new[key] = [snake(name) for name in value]
        elif key in ("enum", "const", "description"):
            new[key] = copy.deepcopy(value)
        elif key == "format" and value in TEXT_FORMATS:
            continue
        elif key not in CHECKS:
            new[key] = adapted(value, open_enumerations, fields)
    if new.get("type") == "object" and "properties" in new:
        new.pop("additionalProperties", None)
    elif new.get("additionalProperties") == {} or new.get("type") == "object":
        new.setdefault("additionalProperties", True)
    if open_enumerations and "enum" in new:
        values = {"type": "string", "enum": new.pop("enum")}
        new.pop("type", None)
        new["anyOf"] = [values, {"type": "string"}]
    return new


def generated(document: Json, results: bool) -> str:
    """Returns the source that datamodel-code-generator makes of a document."""
    kind = "dataclasses.dataclass" if results else "typing.TypedDict"
    options = ["--frozen-dataclasses", "--keyword-only"] if results else []
    with tempfile.TemporaryDirectory() as folder:
        source, target = Path(folder, "document.json"), Path(folder, "types.py")
        source.write_text(json.dumps(document))
        subprocess.run(
            [
                sys.executable,
                "-m",
                "datamodel_code_generator",
                "--input",
                source,
                "--output",
                target,
                "--input-file-type",
                "openapi",
                "--output-model-type",
                kind,
                *options,
                "--target-python-version",
                "3.11",
                "--enum-field-as-literal",
                "all",
                "--use-union-operator",
                "--use-standard-collections",
                "--disable-timestamp",
                "--use-schema-description",
                "--use-field-description",
                "--output-datetime-class",
                "datetime",
                "--formatters",
                "builtin",
                "--disable-future-imports",
            ],
            check=True,
        )
        return target.read_text()
