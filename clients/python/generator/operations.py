"""The operations of the document, as methods of groups."""

import re
from dataclasses import dataclass, field

from .names import snake
from .schemas import REFERENCE, Json, Schemas, name_of

# `atumpan.webhooks` verifies what comes; the group that manages endpoints has a name of its own.
RENAMED = {"webhooks": ("webhookEndpoints", re.compile(r"(?<=.)Endpoints?$"))}
KEY = "Idempotency-Key"
# Stands for results without a type of their own.
ANY = "Any"


@dataclass(frozen=True)
class Parameter:
    """A parameter of a method."""

    wire: str
    type: str
    place: str
    is_required: bool
    is_nullable: bool = False
    description: str = ""

    @property
    def name(self) -> str:
        return snake(self.wire)

    @property
    def declaration(self) -> str:
        if self.is_required:
            return f"{self.name}: {self.type}"
        if self.is_nullable:
            return f"{self.name}: {self.type} | Omit = OMIT"
        return f"{self.name}: {self.type} | None = None"


@dataclass(frozen=True)
class Method:
    """A method of a group, made of an operation."""

    group: str
    name: str
    verb: str
    path: str
    about: str
    parameters: list[Parameter]
    shape: str
    result: str | None
    may_be_empty: bool
    body: str | None
    form: str
    is_keyed: bool
    is_public: bool
    has_cursor: bool = field(default=False)

    @property
    def constant(self) -> str:
        return self.name.upper().rstrip("_")

    @property
    def wire_name(self) -> str:
        return f"{snake(self.group)}.{self.name}"


def methods_of(document: Json) -> list[Method]:
    """Returns a method for each operation, in the order of their names."""
    methods = [
        method_of(Schemas(document), path, verb, operation)
        for path, item in document["paths"].items()
        for verb, operation in item.items()
        if isinstance(operation, dict) and "operationId" in operation
    ]
    names = [method.wire_name for method in methods]
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice:
        raise SystemExit(f"two operations have one method: {', '.join(twice)}")
    return sorted(methods, key=lambda method: method.wire_name)


def group_and_name(operation: Json) -> tuple[str, str]:
    """Returns the names of the group and the method of an operation."""
    group, name = operation["x-method"].split(".")
    if group in RENAMED:
        group, cut = RENAMED[group]
        name = cut.sub("", name)
    return group, name


def method_of(schemas: Schemas, path: str, verb: str, operation: Json) -> Method:
    """Returns the method of an operation."""
    group, name = group_and_name(operation)
    parameters = [parameter_of(one) for one in operation.get("parameters", []) if one["name"] != KEY]
    content = (operation.get("requestBody") or {}).get("content", {})
    form, body, fields = body_of(schemas, content)
    fields = [one for one in fields if not (one.wire == "idempotencyKey" and is_keyed(operation))]
    in_body = {one.wire for one in fields}
    parameters = [one for one in parameters if one.place != "query" or one.wire not in in_body]
    shape, result, may_be_empty = answer_of(schemas, operation)
    names = [one.name for one in [*parameters, *fields]]
    if len(set(names)) < len(names):
        raise SystemExit(f"{operation['x-method']}: two parameters have one name: {names}")
    text = " ".join([operation.get("summary", ""), operation.get("description", "")]).strip()
    ordered = sorted([*parameters, *fields], key=lambda one: not one.is_required)
    return Method(
        group,
        snake(name),
        verb.upper(),
        path,
        text,
        ordered,
        shape,
        result,
        may_be_empty,
        body,
        form,
        is_keyed(operation),
        is_public(operation),
        any(one.wire == "after" and one.place == "query" for one in parameters),
    )


def is_keyed(operation: Json) -> bool:
    """Says if an operation takes an idempotency key."""
    return any(one["name"] == KEY and one["in"] == "header" for one in operation.get("parameters", []))


def is_public(operation: Json) -> bool:
    """Says if an operation can be called without credentials."""
    security = operation.get("security", [])
    return not security or {} in security


def parameter_of(parameter: Json) -> Parameter:
    """Returns a parameter of the path, the query or the headers."""
    schema = parameter["schema"]
    return Parameter(
        parameter["name"],
        type_of(schema),
        parameter["in"],
        bool(parameter.get("required")),
        description=parameter.get("description", ""),
    )


def body_of(schemas: Schemas, content: Json) -> tuple[str, str | None, list[Parameter]]:
    """Returns the form of a body, its type, and its fields as parameters."""
    if not content:
        return "json", None, []
    if "multipart/form-data" in content:
        return "multipart", None, fields_of(schemas, content["multipart/form-data"]["schema"])
    schema = content["application/json"]["schema"]
    name = name_of(schema)
    if name is None:
        return "raw", None, [Parameter("body", "Any", "raw", is_required=False)]
    return "json", name, fields_of(schemas, schema)


def fields_of(schemas: Schemas, schema: Json) -> list[Parameter]:
    """Returns the fields of a schema as parameters."""
    whole = schemas.resolved(schema)
    required = whole.get("required", [])
    fields = [
        Parameter(
            name, type_of(item), "body", name in required, is_nullable(item), item.get("description", "")
        )
        for name, item in whole.get("properties", {}).items()
    ]
    if not fields or "allOf" in whole or "oneOf" in whole:
        raise SystemExit(f"a body is not a plain object: {schema}")
    return fields


def is_nullable(schema: Json) -> bool:
    """Says if null is a value of a schema."""
    types = schema.get("type")
    if isinstance(types, list):
        return "null" in types
    return any(is_null(one) for one in schema.get("oneOf", []))


def is_null(schema: Json) -> bool:
    return bool(schema.get("type") == "null")


def type_of(schema: Json) -> str:
    """Returns the type of a parameter."""
    if "$ref" in schema:
        name = schema["$ref"].removeprefix(REFERENCE)
        return "datetime | str" if name == "Timestamp" else f"params.{name}"
    if "oneOf" in schema:
        return " | ".join(type_of(one) for one in schema["oneOf"])
    types = schema.get("type")
    if isinstance(types, list):
        return " | ".join(type_of({**schema, "type": one}) for one in types)
    if "enum" in schema and types != "null":
        return f"Literal[{', '.join(repr(value) for value in schema['enum'])}]"
    match types:
        case "string":
            return text_type(schema)
        case "array":
            return f"Sequence[{type_of(schema['items'])}]"
        case "object":
            values = schema.get("additionalProperties")
            return f"Mapping[str, {type_of(values) if isinstance(values, dict) and values else 'Any'}]"
        case "null":
            return "None"
        case _:
            return {"integer": "int", "number": "float", "boolean": "bool"}.get(str(types), "Any")


def text_type(schema: Json) -> str:
    """Returns the type of a text."""
    if schema.get("format") == "binary":
        return "File"
    if schema.get("contentMediaType") == "application/json":
        return "Mapping[str, Any]"
    return "datetime | str" if schema.get("format") == "date-time" else "str"


def answer_of(schemas: Schemas, operation: Json) -> tuple[str, str | None, bool]:
    """Returns the shape of an answer, the type of its payload, and if it may be empty."""
    answers = [answer for status, answer in operation["responses"].items() if status.startswith("2")]
    contents = [answer.get("content") or {} for answer in answers]
    found = [one["application/json"]["schema"] for one in contents if "application/json" in one]
    may_be_empty = any(not content for content in contents)
    if not found:
        types = {name for content in contents for name in content}
        return ("stream" if "text/csv" in types else "text" if types else "one"), None, may_be_empty
    payloads = [payload_of(schemas, schema) for schema in found]
    names = list(dict.fromkeys(name for _, name in payloads))
    return payloads[0][0], " | ".join(names), may_be_empty


def payload_of(schemas: Schemas, schema: Json) -> tuple[str, str]:
    """Returns the shape of an answer in JSON, and the type of its payload."""
    whole = schemas.resolved(schema).get("properties", {})
    if "success" not in whole:
        return "bare", name_of(schema) or ANY
    data = whole["data"]
    if data.get("type") == "array":
        return ("page" if "pagination" in whole else "list"), name_of(data["items"]) or ANY
    return "one", name_of(data) or ANY
