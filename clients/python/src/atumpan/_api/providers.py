"""The methods of `client.providers`.

Written by `python -m generator` from docs/openapi.json.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from .._core import Call, Operation
from .._groups import AsyncGroup, Group

if TYPE_CHECKING:
    from .. import models
    from .._paging import AsyncPages, Pages

CHECK: Final[Operation[models.ProviderHealth]] = Operation(
    "providers.check", "POST", "/providers/{id}/health-check", result="ProviderHealth"
)
GET: Final[Operation[models.ProviderDetail]] = Operation(
    "providers.get", "GET", "/providers/{id}", result="ProviderDetail"
)
LIST: Final[Operation[models.Provider]] = Operation("providers.list", "GET", "/providers", result="Provider")


class Providers(Group):
    """The methods of `client.providers`."""

    def check(self, id: str) -> models.ProviderHealth:
        """Check a provider's account now. Nothing is sent. The result is stored in the provider's
        history, and returned to all requests within ten seconds. Platform administrators get more
        details.
        """
        return self._client._call(CHECK, Call(path={"id": id}))

    def get(self, id: str) -> models.ProviderDetail:
        """Get a provider, with its history."""
        return self._client._call(GET, Call(path={"id": id}))

    def list(self, *, page: int | None = None, limit: int | None = None) -> Pages[models.Provider]:
        """List the providers.

        page: The number of the page, from 1; 1 if absent.
        limit: The number of items in a page, 1 to 100; 100 if absent.
        """
        return self._pages(LIST, Call(query={"page": page, "limit": limit}), False)


class AsyncProviders(AsyncGroup):
    """The methods of `client.providers`."""

    async def check(self, id: str) -> models.ProviderHealth:
        """Check a provider's account now. Nothing is sent. The result is stored in the provider's
        history, and returned to all requests within ten seconds. Platform administrators get more
        details.
        """
        return await self._client._call(CHECK, Call(path={"id": id}))

    async def get(self, id: str) -> models.ProviderDetail:
        """Get a provider, with its history."""
        return await self._client._call(GET, Call(path={"id": id}))

    def list(self, *, page: int | None = None, limit: int | None = None) -> AsyncPages[models.Provider]:
        """List the providers.

        page: The number of the page, from 1; 1 if absent.
        limit: The number of items in a page, 1 to 100; 100 if absent.
        """
        return self._pages(LIST, Call(query={"page": page, "limit": limit}), False)
