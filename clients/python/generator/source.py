"""The source of the methods."""

import re
import textwrap
from itertools import groupby

from .names import pascal, snake
from .operations import ANY, Method, Parameter

HEAD = '"""{about}\n\nWritten by `python -m generator` from docs/openapi.json.\n"""\n\n'
# Methods that take several calls: their line of code, and their result.
BY_HAND = {"messages.send_bulk": ("_send_bulk", "BulkOutcome")}
ABOUT = {
    "messages.send_bulk": "Sends any number of messages, in hundreds, of which at most four are on their "
    "way. Each hundred is accepted or refused as a whole, under a key made of `idempotency_key`. The "
    "result has a log in the place of each message that was accepted, and says what failed. If nothing "
    "was accepted, the first error is raised."
}
KEY_ABOUT = "within 24 hours the same call with the same key is done once; made by the client if absent"
# A method of another group uploads as this one does, and waits for the end of the import.
IMPORT, IMPORT_STATE = "imports.import_contacts", "GET_CONTACT_IMPORT"
WAITING_PARAMETERS = [
    "on_progress: Callable[[models.ImportWithErrors], object] | None = None",
    "timeout: float = 600.0",
]
WAITING = """
        on_progress: gets the state of the import each time that it is read
        timeout: seconds to wait until all rows are processed
        \"""
"""


def operation(method: Method) -> str:
    """Returns the source of the constant that describes an operation."""
    facts = {
        "result": method.result,
        "shape": "one" if method.shape == "page" else method.shape,
        "body": method.body,
        "form": method.form,
        "is_keyed": method.is_keyed,
        "is_public": method.is_public,
    }
    named = "".join(f", {key}={value!r}" for key, value in facts.items() if value != DEFAULTS[key])
    return (
        f"{method.constant}: Final[Operation[{item_type(method)}]] = Operation(\n"
        f"    {method.wire_name!r}, {method.verb!r}, {method.path!r}{named}\n)\n"
    )


def item_type(method: Method) -> str:
    """Returns the type of what an operation answers; of a list with pages, that of an item."""
    if method.shape in ("text", "stream"):
        return "str"
    if method.result is None:
        return "None"
    names = method.result.split(" | ")
    one = " | ".join("Any" if name == ANY else f"models.{name}" for name in names)
    if method.shape == "list":
        return f"list[{one}]"
    return f"{one} | None" if method.may_be_empty else one


def modules(methods: list[Method]) -> dict[str, str]:
    """Returns the source of a module for each group, and of the package that holds them."""
    groups = {name: list(items) for name, items in groupby(methods, key=lambda one: one.group)}
    upload = next(one for one in methods if one.wire_name == IMPORT)
    sources = {
        "__init__": HEAD.format(about="The groups of methods, each loaded at its first use.") + HOLDER_IMPORTS
    }
    sources["__init__"] = sources["__init__"].replace("@", ", ".join(snake(name) for name in groups))
    for is_async in (False, True):
        sources["__init__"] += holder(list(groups), is_async)
    for name, items in groups.items():
        about = f"The methods of `client.{snake(name)}`."
        source = HEAD.format(about=about) + imports(name) + "".join(operation(one) for one in items)
        for is_async in (False, True):
            source += group_class(name, items, is_async)
            if name == "contacts":
                source += import_source(upload, is_async)
        sources[snake(name)] = source
    return sources


IMPORTS = """from __future__ import annotations

import builtins
from typing import TYPE_CHECKING, Any, Final, Literal

from .._core import Call, Operation
from .._groups import AsyncGroup, AsyncMessagesBase, Group, MessagesBase
from .._helpers import import_file
from .._mapping import OMIT
@
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from datetime import datetime

    from .. import models, params
    from .._core import File
    from .._helpers import BulkOutcome
    from .._mapping import Omit
    from .._paging import AsyncPages, Pages
    from .._stream import AsyncStream, Stream

"""
HOLDER_IMPORTS = """from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from . import (@)

"""
DEFAULTS = {
    "result": None,
    "shape": "one",
    "body": None,
    "form": "json",
    "is_keyed": False,
    "is_public": False,
}
BASES = {"messages": "MessagesBase"}


def imports(group: str) -> str:
    """Returns the imports of the module of a group."""
    line = f"from .imports import {IMPORT_STATE}, IMPORT_CONTACTS\n" if group == "contacts" else ""
    return IMPORTS.replace("@\n", line + "\n")


def group_class(name: str, methods: list[Method], is_async: bool) -> str:
    """Returns the source of a group."""
    prefix = "Async" if is_async else ""
    base = prefix + BASES.get(name, "Group")
    head = f'\nclass {prefix}{pascal(name)}({base}):\n    """The methods of `client.{snake(name)}`."""\n'
    return head + "".join(method_source(method, is_async) for method in methods)


def method_source(method: Method, is_async: bool) -> str:
    """Returns the source of a method."""
    returned, line = code(method, is_async)
    is_coroutine = is_async and method.shape not in ("page", "stream")
    return definition(method.name, parameters(method), returned, docstring(method), line, is_coroutine)


def import_source(method: Method, is_async: bool) -> str:
    """Returns the source of the method that imports contacts and waits for the end."""
    wait = "await " if is_async else ""
    line = (
        f"return {wait}self._client._run(import_file(self._client, {method.constant}, "
        f"{IMPORT_STATE}, {call_source(method)}, on_progress, timeout))"
    )
    first, rest = parameters(method)
    about = docstring(method).rstrip().removesuffix('"""').rstrip() + WAITING
    return definition(
        "import_", (first, [*rest, *WAITING_PARAMETERS]), "models.ImportWithErrors", about, line, is_async
    )


def definition(
    name: str,
    parameters: tuple[list[str], list[str]],
    returned: str,
    about: str,
    line: str,
    is_coroutine: bool,
) -> str:
    """Returns the source of a function."""
    first, rest = parameters
    arguments = ", ".join(first + (["*", *rest] if rest else []))
    keyword = "async def" if is_coroutine else "def"
    return f"\n    {keyword} {name}(\n        {arguments}\n    ) -> {returned}:\n{about}        {line}\n"


def parameters(method: Method) -> tuple[list[str], list[str]]:
    """Returns the parameters of a method: those with a place, and those with a name."""
    first = ["self", *(one.declaration for one in method.parameters if one.place == "path")]
    rest = []
    for one in method.parameters:
        if method.wire_name in BY_HAND and one.wire == "messages":
            first.append(one.declaration.replace("Sequence", "Iterable"))
        elif one.type == "File":
            first.append(one.declaration)
        elif one.place != "path":
            rest.append(one.declaration)
    if method.is_keyed:
        rest.append("idempotency_key: str | None = None")
    return first, rest


def code(method: Method, is_async: bool) -> tuple[str, str]:
    """Returns the type that a method returns, and its line of code."""
    constant, prefix, wait = (
        method.constant,
        "Async" if is_async else "",
        "await " if is_async else "",
    )
    call = call_source(method)
    if method.wire_name in BY_HAND:
        helper, returned = BY_HAND[method.wire_name]
        return returned, f"return {wait}self._client.{helper}({constant}, messages, {call})"
    if method.shape == "page":
        return (
            f"{prefix}Pages[models.{method.result}]",
            f"return self._pages({constant}, {call}, {method.has_cursor})",
        )
    if method.shape == "stream":
        return f"{prefix}Stream", f"return self._stream({constant}, {call})"
    returned = item_type(method).replace("list[", "builtins.list[")
    keyword = "" if returned == "None" else "return "
    return returned, f"{keyword}{wait}self._client._call({constant}, {call})"


def call_source(method: Method) -> str:
    """Returns the source of the arguments of a call."""
    parts = []
    for place, name in (("path", "path"), ("query", "query"), ("header", "headers")):
        pairs = [one for one in method.parameters if one.place == place]
        if pairs:
            parts.append(f"{name}={{{', '.join(f'{one.wire!r}: {one.name}' for one in pairs)}}}")
    body = [one for one in method.parameters if one.place == "body"]
    if method.form == "raw":
        parts.append("body={} if body is None else body")
    elif body:
        fields = [one for one in body if not (method.wire_name in BY_HAND and one.wire == "messages")]
        parts.append(f"body={{{', '.join(body_pair(method, one) for one in fields)}}}")
    if method.is_keyed:
        parts.append("key=idempotency_key")
    return f"Call({', '.join(parts)})"


def body_pair(method: Method, parameter: Parameter) -> str:
    name = parameter.wire if method.form == "multipart" else parameter.name
    return f"{name!r}: {parameter.name}"


def docstring(method: Method) -> str:
    """Returns the documentation of a method."""
    text = (
        re.sub(r"\n{2,}", "\n", ABOUT.get(method.wire_name, method.about))
        .replace("\\", "\\\\")
        .replace('"""', "'''")
    )
    lines = [method.about.split("\n")[0]] if not text else text.split("\n")
    wrapped = "\n".join(textwrap.fill(line, 90) for line in lines)
    described = [
        (one.name, one.description.split("\n\n")[0].replace("\n", " ").replace("\\", "\\\\"))
        for one in method.parameters
        if one.description and one.place != "path"
    ]
    if method.is_keyed:
        described.append(("idempotency_key", KEY_ABOUT))
    fields = "".join(
        "\n" + textwrap.fill(f"{name}: {text}", 96, subsequent_indent="    ") for name, text in described
    )
    whole = wrapped + ("\n" + fields if fields else "")
    indented = textwrap.indent(whole, "        ", lambda line: bool(line.strip()))
    return f'        """{indented.strip()}\n        """\n' if "\n" in whole else f'        """{whole}"""\n'


def holder(groups: list[str], is_async: bool) -> str:
    """Returns the source of a class that holds the groups."""
    prefix = "Async" if is_async else ""
    lines = [f'\n\nclass {prefix}Groups:\n    """The groups of methods."""\n']
    for group in groups:
        name, cls = snake(group), prefix + pascal(group)
        lines.append(
            f"\n    @cached_property\n    def {name}(self) -> {name}.{cls}:\n"
            f"        from .{name} import {cls}\n\n        return {cls}(self)\n"
        )
    return "".join(lines)
