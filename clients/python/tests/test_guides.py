"""The guide: the blocks of each language on a page are one program, which prints what the page says."""

import os
import re
from collections.abc import Iterator
from concurrent.futures import Future

import pytest
from support.guides import GUIDE, PROMISE, README, SHOWN, Page
from support.programs import NEEDS, Ended, missing, together

PAGES = {**GUIDE, README.name: README}
Ends = dict[tuple[str, str], "Future[Ended]"]


@pytest.fixture(scope="module")
def ends(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Ends]:
    """The ends of all programs that were selected, which run while the tests wait for them in turn."""
    selected = [
        (item.callspec.params.get("page", README), item.callspec.params["language"])
        for item in request.session.items
        if isinstance(item, pytest.Function) and "ends" in item.fixturenames
    ]
    programs = [
        ((page, language), tmp_path_factory.mktemp(f"{page.name}-{language}-"))
        for page, language in selected
        if not missing(language)
    ]
    with together(programs) as running:
        yield running


def prints_what_it_says(ends: Ends, page: Page, language: str) -> None:
    if absent := missing(language):
        assert "CI" not in os.environ, absent
        pytest.skip(f"there is no {' and no '.join(absent)}")
    done = ends[page.name, language].result()
    assert done.returncode == 0, done.stdout + done.stderr
    expected = page.output(language)
    assert expected.fullmatch(done.stdout), f"{expected.pattern}\nis not\n{done.stdout}{done.stderr}"


@pytest.mark.parametrize("language", NEEDS)
@pytest.mark.parametrize("page", GUIDE.values(), ids=GUIDE)
def test_a_page_prints_what_it_says(ends: Ends, page: Page, language: str) -> None:
    prints_what_it_says(ends, page, language)


@pytest.mark.parametrize("language", NEEDS)
def test_readme_of_the_project(ends: Ends, language: str) -> None:
    prints_what_it_says(ends, README, language)


@pytest.mark.parametrize("page", PAGES.values(), ids=PAGES)
def test_a_page_says_everything_in_each_language(page: Page) -> None:
    kinds = [kind for kind, _ in page.blocks if kind not in SHOWN]
    order = "".join({"sh": "s", "js": "j", "python": "p"}[kind] for kind in kinds)
    # What receives a request is no curl.
    assert re.fullmatch("(s?jp)+", order), order
    assert page.text.count("```") == 2 * len(page.blocks)
    for kind in PROMISE:
        assert page.output(kind).pattern, f"{kind} promises nothing"


@pytest.mark.parametrize("page", PAGES.values(), ids=PAGES)
def test_a_page_sleeps_only_until_something_has_happened(page: Page) -> None:
    # What stands in a loop is indented.
    sleep = re.compile(r"^(?:sleep|(?:await |time\.)+sleep\().*$", re.MULTILINE)
    assert [line for kind in PROMISE for line in sleep.findall(page.program(kind))] == []


def test_the_index_names_each_page() -> None:
    index = GUIDE["README"].text
    assert [name for name in GUIDE if name != "README" and f"({name}.md)" not in index] == []
