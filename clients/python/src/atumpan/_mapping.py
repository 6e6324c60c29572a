"""Conversion between JSON of the wire and types of Python."""

import functools
import types
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from typing import Any, Final, Literal, NamedTuple, Union, get_args, get_origin, get_type_hints, is_typeddict

from ._model import Model


class Omit:
    """Stands for a field that is not sent, where `None` would clear it."""

    def __repr__(self) -> str:
        return "OMIT"

    def __bool__(self) -> Literal[False]:
        return False


OMIT: Final = Omit()


class Field(NamedTuple):
    """A field of a result."""

    wire: str
    name: str
    convert: Callable[[Any], Any]


def camel(name: str) -> str:
    """Returns the name on the wire."""
    first, *rest = name.rstrip("_").split("_")
    return first + "".join(word.capitalize() for word in rest)


def unchanged(value: Any) -> Any:
    """Returns the value."""
    return value


def _time(value: Any) -> Any:
    try:
        return datetime.fromisoformat(value)
    except (TypeError, ValueError):
        return value


@functools.cache
def _decoder(hint: Any) -> Callable[[Any], Any]:
    """Returns the function that makes values of a type; what does not fit it stays as it is."""
    if hint is datetime:
        return _time
    if isinstance(hint, type) and issubclass(hint, Model):
        return functools.partial(_model, hint)
    origin, arguments = get_origin(hint), get_args(hint)
    if origin in (Union, types.UnionType):
        models = [one for one in arguments if isinstance(one, type) and issubclass(one, Model)]
        if len(models) > 1:
            return functools.partial(_closest, models)
        decoders = (_decoder(argument) for argument in arguments)
        return next((decoder for decoder in decoders if decoder is not unchanged), unchanged)
    if origin in (list, dict):
        item = _decoder(arguments[-1])
        if item is not unchanged:
            return functools.partial(_items if origin is list else _values, item)
    return unchanged


def _items(item: Callable[[Any], Any], value: Any) -> Any:
    return [item(each) for each in value] if isinstance(value, list) else value


def _values(item: Callable[[Any], Any], value: Any) -> Any:
    return {key: item(each) for key, each in value.items()} if isinstance(value, dict) else value


@functools.cache
def _fields(cls: Any) -> dict[str, Field]:
    fields = {}
    for name, hint in get_type_hints(cls).items():
        if not name.startswith("_"):
            fields[camel(name)] = Field(camel(name), name, _decoder(hint))
    return fields


def _model(cls: Any, value: Any) -> Any:
    if not isinstance(value, dict):
        return value
    fields = _fields(cls)
    known: dict[str, Any] = {}
    for field in fields.values():
        item = value.get(field.wire, value.get(field.name))
        known[field.name] = None if item is None else field.convert(item)
    extra = {key: item for key, item in value.items() if key not in fields and key not in known}
    if extra:
        known["_extra"] = types.MappingProxyType(extra)
    result = cls.__new__(cls)
    result.__dict__.update(known)
    return result


def _closest(models: list[Any], value: Any) -> Any:
    """Returns a value as the model that leaves the fewest of its fields over, and misses the fewest."""
    if not isinstance(value, dict):
        return value

    def distance(model: Any) -> tuple[int, int]:
        known = _fields(model).keys()
        return len(value.keys() - known), len(known - value.keys())

    return _model(min(models, key=distance), value)


def decode(hint: Any, value: Any) -> Any:
    """Returns JSON as a value of a type."""
    return _decoder(hint)(value)


@functools.cache
def _hints(cls: Any) -> dict[str, Any]:
    return get_type_hints(cls)


def _allows_none(hint: Any) -> bool:
    return hint is Any or hint is type(None) or type(None) in get_args(hint)


def encode(hint: Any, value: Any) -> Any:
    """Returns a value of a type as JSON; names inside free maps are left alone."""
    if isinstance(value, datetime):
        return encode_time(value)
    if isinstance(value, Model):
        value = {name: item for name, item in value.__dict__.items() if name != "_extra"}
    if isinstance(value, Mapping):
        inner = _inner(hint, is_typeddict)
        if inner is None:
            values = _inner(hint, _is_map)
            item_hint = get_args(values)[-1] if values else Any
            return {key: encode(item_hint, item) for key, item in value.items()}
        return _encode_fields(_hints(inner), value)
    if isinstance(value, (list, tuple)):
        items = _inner(hint, _is_list)
        item_hint = get_args(items)[0] if items else Any
        return [encode(item_hint, item) for item in value]
    return value


def _encode_fields(hints: dict[str, Any], value: Mapping[str, Any]) -> dict[str, Any]:
    fields = {}
    for name, item in value.items():
        hint = hints.get(name, Any)
        if item is not OMIT and (item is not None or _allows_none(hint)):
            fields[camel(name)] = encode(hint, item)
    return fields


def encode_time(value: datetime) -> str:
    """Returns a time as the wire has it."""
    if value.tzinfo is None:
        raise ValueError("a time needs a time zone, such as datetime.now(UTC)")
    return value.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def _is_list(hint: Any) -> bool:
    return get_origin(hint) is list


def _is_map(hint: Any) -> bool:
    return get_origin(hint) is dict


def _inner(hint: Any, wanted: Callable[[Any], bool]) -> Any:
    """Returns the part of a type, or of a union, that is wanted."""
    arms = get_args(hint) if get_origin(hint) in (Union, types.UnionType) else (hint,)
    return next((arm for arm in arms if wanted(arm)), None)
