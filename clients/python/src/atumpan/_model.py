"""Base of results: frozen dataclasses that are completed at their first use, to import fast."""

import threading
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, TypeVar

C = TypeVar("C", bound=type)
# Fields whose values a `repr` hides.
SECRETS = frozenset({"key", "secret", "token", "password", "recovery_codes", "uri", "checkout_url"})
_lock = threading.RLock()


if TYPE_CHECKING:
    from dataclasses import dataclass as dataclass
else:

    def dataclass(**_: bool) -> Callable[[C], C]:
        """Leaves a class as it is; `Model` makes a dataclass of it when that is needed."""
        return _unchanged

    def _unchanged(cls: C) -> C:
        return cls


def _complete(cls: type) -> None:
    with _lock:
        if "__dataclass_fields__" not in cls.__dict__:
            import dataclasses

            dataclasses.dataclass(frozen=True, kw_only=True, eq=False, repr=False)(cls)


class _Fields:
    def __get__(self, instance: object, owner: type) -> Any:
        if owner is Model:
            raise AttributeError("__dataclass_fields__")
        _complete(owner)
        return owner.__dict__["__dataclass_fields__"]


class Model:
    """A result. Fields that the library does not know are in `extra`, named as on the wire."""

    __dataclass_fields__: Any = _Fields()

    def __init__(self, **fields: Any) -> None:
        _complete(type(self))
        type(self).__init__(self, **fields)

    @property
    def extra(self) -> Mapping[str, Any]:
        """Fields of a newer service."""
        extra: Mapping[str, Any] = self.__dict__.get("_extra", {})
        return extra

    def __setattr__(self, name: str, value: object) -> None:
        from dataclasses import FrozenInstanceError

        raise FrozenInstanceError(f"cannot assign to field {name!r}")

    def __delattr__(self, name: str) -> None:
        from dataclasses import FrozenInstanceError

        raise FrozenInstanceError(f"cannot delete field {name!r}")

    def __eq__(self, other: object) -> bool:
        return type(self) is type(other) and self.__dict__ == other.__dict__

    def __hash__(self) -> int:
        return hash((type(self), self.__dict__.get("id")))

    def __repr__(self) -> str:
        shown = (
            f"{name}={'***' if name in SECRETS and value else repr(value)}"
            for name, value in self.__dict__.items()
            if name != "_extra"
        )
        return f"{type(self).__name__}({', '.join(shown)})"
