"""Lists that are read page by page."""

import json
from collections.abc import AsyncIterator, Generator, Iterator
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from ._core import Answer, Call, Operation
from ._mapping import decode
from ._model import Model, dataclass

if TYPE_CHECKING:
    from . import models
    from ._client import AsyncAtumpan, Atumpan

T = TypeVar("T")


@dataclass(frozen=True, kw_only=True)
class Page(Model, Generic[T]):
    """One page of a list."""

    data: list[T]
    total: int | None
    """Number of items in all pages, where they are counted."""
    total_pages: int | None
    next_cursor: str | None
    """The value of `after` for the next page, where the list has cursors."""
    pagination: "models.Pagination | models.CursorPagination"


def page_of(operation: Operation[Any], answer: Answer) -> Page[Any]:
    """Returns the page that an answer holds."""
    from . import models

    whole = json.loads(answer.content)
    about = whole["pagination"]
    hint: Any = getattr(models, str(operation.result))
    return Page(
        data=decode(list[hint], whole["data"]),
        total=about.get("total"),
        total_pages=about.get("totalPages"),
        next_cursor=about.get("nextCursor"),
        pagination=decode(models.CursorPagination if "nextCursor" in about else models.Pagination, about),
    )


def calls(call: Call, has_cursor: bool) -> Generator[Call, Page[Any], None]:
    """Yields the call of each page, and is sent the page."""
    by_cursor = has_cursor and call.query.get("page") is None
    number = call.query.get("page") or 1
    position: dict[str, Any] = {"after": call.query.get("after") or ""} if by_cursor else {"page": number}
    while True:
        page = yield call._replace(query={**call.query, **position})
        if by_cursor:
            if not page.next_cursor:
                return
            position = {"after": page.next_cursor}
        else:
            number += 1
            if not page.data or number > (page.total_pages or 0):
                return
            position = {"page": number}


class Pages(Generic[T]):
    """A list. Iterating goes through all of its pages; `page` reads one."""

    def __init__(self, client: "Atumpan", operation: Operation[T], call: Call, has_cursor: bool) -> None:
        self._client, self._operation, self._call, self._has_cursor = client, operation, call, has_cursor

    def page(self) -> Page[T]:
        """Reads the page that the parameters select."""
        return page_of(self._operation, self._client._answer(self._operation, self._call))

    def __iter__(self) -> Iterator[T]:
        for page in self.pages():
            yield from page.data

    def pages(self) -> Iterator[Page[T]]:
        """Reads all pages, one after the other."""
        steps = calls(self._call, self._has_cursor)
        call = next(steps, None)
        while call is not None:
            page: Page[T] = page_of(self._operation, self._client._answer(self._operation, call))
            yield page
            try:
                call = steps.send(page)
            except StopIteration:
                return


class AsyncPages(Generic[T]):
    """A list. Iterating goes through all of its pages; `page` reads one."""

    def __init__(self, client: "AsyncAtumpan", operation: Operation[T], call: Call, has_cursor: bool) -> None:
        self._client, self._operation, self._call, self._has_cursor = client, operation, call, has_cursor

    async def page(self) -> Page[T]:
        """Reads the page that the parameters select."""
        return page_of(self._operation, await self._client._answer(self._operation, self._call))

    async def __aiter__(self) -> AsyncIterator[T]:
        async for page in self.pages():
            for item in page.data:
                yield item

    async def pages(self) -> AsyncIterator[Page[T]]:
        """Reads all pages, one after the other."""
        steps = calls(self._call, self._has_cursor)
        call = next(steps, None)
        while call is not None:
            page: Page[T] = page_of(self._operation, await self._client._answer(self._operation, call))
            yield page
            try:
                call = steps.send(page)
            except StopIteration:
                return
