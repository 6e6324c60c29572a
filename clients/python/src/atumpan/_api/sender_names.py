"""The methods of `client.sender_names`.

Written by `python -m generator` from docs/openapi.json.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from .._core import Call, Operation
from .._groups import AsyncGroup, Group

if TYPE_CHECKING:
    from .. import models, params
    from .._paging import AsyncPages, Pages

DELETE: Final[Operation[models.DeletedSenderName]] = Operation(
    "sender_names.delete", "DELETE", "/sender-names/{id}", result="DeletedSenderName"
)
LIST: Final[Operation[models.SenderName]] = Operation(
    "sender_names.list", "GET", "/sender-names", result="SenderName"
)
REQUEST: Final[Operation[models.SenderName]] = Operation(
    "sender_names.request",
    "POST",
    "/sender-names",
    result="SenderName",
    body="SenderNameRequest",
    is_keyed=True,
)


class SenderNames(Group):
    """The methods of `client.sender_names`."""

    def delete(self, id: str) -> models.DeletedSenderName:
        """Delete a sender name. Within a second, messages with it are refused, and other
        organizations may request it.
        """
        return self._client._call(DELETE, Call(path={"id": id}))

    def list(
        self,
        *,
        status: params.SenderNameStatus | None = None,
        page: int | None = None,
        limit: int | None = None,
    ) -> Pages[models.SenderName]:
        """List sender names. Newest first, with any status.

        status: Only sender names with this status.
        page: The number of the page, from 1; 1 if absent.
        limit: The number of items in a page, 1 to 100; 100 if absent.
        """
        return self._pages(LIST, Call(query={"status": status, "page": page, "limit": limit}), False)

    def request(
        self,
        *,
        channel: params.Channel,
        name: str,
        country_code: str | None = None,
        idempotency_key: str | None = None,
    ) -> models.SenderName:
        """Request a sender name. A platform administrator decides about the request. A name belongs
        to one organization, regardless of letter case, channel and country; a short code belongs
        to one organization in each country. If the same name was requested before and not
        rejected, that request is returned. For owners, administrators and campaign managers.

        channel: `SMS`, `WHATSAPP` or `VOICE`.
        name: For SMS a name of 1 to 11 letters, digits and spaces, or a number; for `WHATSAPP` and
            `VOICE` a number. A short code has 3 to 6 digits.
        country_code: The country of the recipients who are to see it; `GH` if absent.
        idempotency_key: within 24 hours the same call with the same key is done once; made by the
            client if absent
        """
        return self._client._call(
            REQUEST,
            Call(body={"channel": channel, "name": name, "country_code": country_code}, key=idempotency_key),
        )


class AsyncSenderNames(AsyncGroup):
    """The methods of `client.sender_names`."""

    async def delete(self, id: str) -> models.DeletedSenderName:
        """Delete a sender name. Within a second, messages with it are refused, and other
        organizations may request it.
        """
        return await self._client._call(DELETE, Call(path={"id": id}))

    def list(
        self,
        *,
        status: params.SenderNameStatus | None = None,
        page: int | None = None,
        limit: int | None = None,
    ) -> AsyncPages[models.SenderName]:
        """List sender names. Newest first, with any status.

        status: Only sender names with this status.
        page: The number of the page, from 1; 1 if absent.
        limit: The number of items in a page, 1 to 100; 100 if absent.
        """
        return self._pages(LIST, Call(query={"status": status, "page": page, "limit": limit}), False)

    async def request(
        self,
        *,
        channel: params.Channel,
        name: str,
        country_code: str | None = None,
        idempotency_key: str | None = None,
    ) -> models.SenderName:
        """Request a sender name. A platform administrator decides about the request. A name belongs
        to one organization, regardless of letter case, channel and country; a short code belongs
        to one organization in each country. If the same name was requested before and not
        rejected, that request is returned. For owners, administrators and campaign managers.

        channel: `SMS`, `WHATSAPP` or `VOICE`.
        name: For SMS a name of 1 to 11 letters, digits and spaces, or a number; for `WHATSAPP` and
            `VOICE` a number. A short code has 3 to 6 digits.
        country_code: The country of the recipients who are to see it; `GH` if absent.
        idempotency_key: within 24 hours the same call with the same key is done once; made by the
            client if absent
        """
        return await self._client._call(
            REQUEST,
            Call(body={"channel": channel, "name": name, "country_code": country_code}, key=idempotency_key),
        )
