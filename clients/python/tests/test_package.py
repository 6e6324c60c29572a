"""The package: types, and the time of an import."""

import subprocess
import sys
from pathlib import Path

import pytest

FOLDER = Path(__file__).parents[1]
IMPORT = "import time; began = time.perf_counter(); import atumpan; print(time.perf_counter() - began)"


@pytest.mark.parametrize("checker", [["mypy"], ["pyright", "--pythonpath", sys.executable]])
def test_types_are_right(checker: list[str]) -> None:
    done = subprocess.run([sys.executable, "-m", *checker], cwd=FOLDER, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr


def test_the_import_is_fast() -> None:
    times = [
        float(
            subprocess.run([sys.executable, "-c", IMPORT], capture_output=True, text=True, check=True).stdout
        )
        for _ in range(7)
    ]
    assert min(times) < 0.1


def test_httpx_is_imported_with_the_first_client_only() -> None:
    code = "import sys, atumpan; print('httpx2' in sys.modules, 'dataclasses' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.startswith("False")
