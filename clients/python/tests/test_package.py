"""The package: types, and the time of an import."""

import subprocess
import sys
from pathlib import Path

import pytest

FOLDER = Path(__file__).parents[1]
IMPORT = "import time; began = time.perf_counter(); import {module}; print(time.perf_counter() - began)"


@pytest.mark.parametrize("checker", [["mypy"], ["pyright", "--pythonpath", sys.executable]])
def test_types_are_right(checker: list[str]) -> None:
    done = subprocess.run([sys.executable, "-m", *checker], cwd=FOLDER, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr


def import_seconds(module: str) -> float:
    code = IMPORT.format(module=module)
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return float(done.stdout)


def test_the_import_takes_at_most_twice_as_long_as_that_of_asyncio() -> None:
    # In turn, for the machine may be slower for a while.
    times = [(import_seconds("atumpan"), import_seconds("asyncio")) for _ in range(7)]
    own, asyncio = (min(column) for column in zip(*times, strict=True))
    assert own < 2 * asyncio


def test_httpx_is_imported_with_the_first_client_only() -> None:
    code = "import sys, atumpan; print('httpx2' in sys.modules, 'dataclasses' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.startswith("False")
