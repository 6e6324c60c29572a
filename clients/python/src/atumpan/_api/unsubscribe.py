"""The methods of `client.unsubscribe`.

Written by `python -m generator` from docs/openapi.json.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from .._core import Call, Operation
from .._groups import AsyncGroup, Group

if TYPE_CHECKING:
    from .. import models

SHOW: Final[Operation[str]] = Operation(
    "unsubscribe.show", "GET", "/unsubscribe/{token}", shape="text", is_public=True
)
SHOW_SHORT_UNSUBSCRIBE: Final[Operation[str]] = Operation(
    "unsubscribe.show_short_unsubscribe", "GET", "/u/{code}", shape="text", is_public=True
)
UNSUBSCRIBE: Final[Operation[models.Unsubscribed]] = Operation(
    "unsubscribe.unsubscribe",
    "POST",
    "/unsubscribe/{token}",
    result="Unsubscribed",
    form="raw",
    is_public=True,
)
UNSUBSCRIBE_SHORT: Final[Operation[models.Unsubscribed]] = Operation(
    "unsubscribe.unsubscribe_short", "POST", "/u/{code}", result="Unsubscribed", form="raw", is_public=True
)


class Unsubscribe(Group):
    """The methods of `client.unsubscribe`."""

    def show(self, token: str) -> str:
        """Show the page behind an unsubscribe link. The page asks for a click, because mail scanners
        follow links.
        """
        return self._client._call(SHOW, Call(path={"token": token}))

    def show_short_unsubscribe(self, code: str) -> str:
        """Show the page behind an unsubscribe link. The page asks for a click, because mail scanners
        follow links.
        """
        return self._client._call(SHOW_SHORT_UNSUBSCRIBE, Call(path={"code": code}))

    def unsubscribe(self, token: str, *, body: Any | None = None) -> models.Unsubscribed:
        """Unsubscribe. Unsubscribes the recipient from `MARKETING` on the channel of the message
        only. The body is ignored: mail programs post `List-Unsubscribe=One-Click` (RFC 8058), the
        page an empty form. Repeating the request changes nothing. Browsers get a page.
        """
        return self._client._call(UNSUBSCRIBE, Call(path={"token": token}, body={} if body is None else body))

    def unsubscribe_short(self, code: str, *, body: Any | None = None) -> models.Unsubscribed:
        """Unsubscribe. Unsubscribes the recipient from `MARKETING` on the channel of the message
        only. The body is ignored: mail programs post `List-Unsubscribe=One-Click` (RFC 8058), the
        page an empty form. Repeating the request changes nothing. Browsers get a page.
        """
        return self._client._call(
            UNSUBSCRIBE_SHORT, Call(path={"code": code}, body={} if body is None else body)
        )


class AsyncUnsubscribe(AsyncGroup):
    """The methods of `client.unsubscribe`."""

    async def show(self, token: str) -> str:
        """Show the page behind an unsubscribe link. The page asks for a click, because mail scanners
        follow links.
        """
        return await self._client._call(SHOW, Call(path={"token": token}))

    async def show_short_unsubscribe(self, code: str) -> str:
        """Show the page behind an unsubscribe link. The page asks for a click, because mail scanners
        follow links.
        """
        return await self._client._call(SHOW_SHORT_UNSUBSCRIBE, Call(path={"code": code}))

    async def unsubscribe(self, token: str, *, body: Any | None = None) -> models.Unsubscribed:
        """Unsubscribe. Unsubscribes the recipient from `MARKETING` on the channel of the message
        only. The body is ignored: mail programs post `List-Unsubscribe=One-Click` (RFC 8058), the
        page an empty form. Repeating the request changes nothing. Browsers get a page.
        """
        return await self._client._call(
            UNSUBSCRIBE, Call(path={"token": token}, body={} if body is None else body)
        )

    async def unsubscribe_short(self, code: str, *, body: Any | None = None) -> models.Unsubscribed:
        """Unsubscribe. Unsubscribes the recipient from `MARKETING` on the channel of the message
        only. The body is ignored: mail programs post `List-Unsubscribe=One-Click` (RFC 8058), the
        page an empty form. Repeating the request changes nothing. Browsers get a page.
        """
        return await self._client._call(
            UNSUBSCRIBE_SHORT, Call(path={"code": code}, body={} if body is None else body)
        )
