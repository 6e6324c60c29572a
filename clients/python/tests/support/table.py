"""The table of faults, shown after the tests."""

ROWS: list[tuple[str, int, int, int]] = []


def lines() -> list[str]:
    """Returns a line for each fault: attempts, requests that reached the service, and messages made."""
    return [f"{name:60}" + "".join(f"{count:>6}" for count in counts) for name, *counts in ROWS]
