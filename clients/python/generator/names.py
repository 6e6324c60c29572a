"""Names of Python for those of the document."""

import keyword
import re


def snake(name: str) -> str:
    """Returns a name of the document in snake case, as attributes and parameters have it."""
    words = re.sub(r"([a-z0-9])([A-Z])", r"\1_\2", name.replace("-", "_")).lower()
    return words + "_" if keyword.iskeyword(words) else words


def camel(name: str) -> str:
    """Returns the name of the document for one in snake case."""
    first, *rest = name.rstrip("_").split("_")
    return first + "".join(word.capitalize() for word in rest)


def pascal(name: str) -> str:
    """Returns a name for a class."""
    return name[0].upper() + name[1:]


def assert_reversible(names: set[str], may_be_snake: bool) -> None:
    """Refuses names that do not survive the way to snake case and back.

    Results are also read under names in snake case.
    """
    broken = sorted(name for name in names if camel(snake(name)) != name)
    if may_be_snake:
        broken = [name for name in broken if snake(name) != name]
    if broken:
        raise SystemExit(f"names that are not in camel case: {', '.join(broken)}")
