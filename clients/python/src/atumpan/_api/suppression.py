"""The methods of `client.suppression`.

Written by `python -m generator` from docs/openapi.json.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from .._core import Call, Operation
from .._groups import AsyncGroup, Group

if TYPE_CHECKING:
    from .. import models, params
    from .._paging import AsyncPages, Pages

CREATE: Final[Operation[models.Suppression]] = Operation(
    "suppression.create",
    "POST",
    "/compliance/suppression",
    result="Suppression",
    body="CreateSuppressionRequest",
    is_keyed=True,
)
DELETE: Final[Operation[models.DeletedSuppression]] = Operation(
    "suppression.delete", "DELETE", "/compliance/suppression/{id}", result="DeletedSuppression"
)
LIST: Final[Operation[models.Suppression]] = Operation(
    "suppression.list", "GET", "/compliance/suppression", result="Suppression"
)


class Suppression(Group):
    """The methods of `client.suppression`."""

    def create(
        self,
        *,
        category: params.Category | None = None,
        channel: params.Channel | None = None,
        email: str | None = None,
        phone: str | None = None,
        reason: str | None = None,
        idempotency_key: str | None = None,
    ) -> models.Suppression:
        """Suppress an address. Messages to it are accepted, cost nothing and fail with
        `RECIPIENT_SUPPRESSED`. On the channel `PUSH` the entry applies to the devices of the
        contacts with the phone or the email. On a channel that does not use the given address, it
        applies to the address that the contact has there: `EMAIL` with a phone, to the email of
        the contact with that phone; `SMS`, `WHATSAPP` or `VOICE` with an email, to the phone of
        the contact with that email. If the list already has the entry, the existing one is
        returned.

        category: The only category to which the entry applies; all if absent.
        channel: The only channel to which the entry applies; all if absent. If the channel does not use
            the given address, the entry applies to the address that the contact has on the channel.
        email: An email address.
        phone: A number, as for a message. Without a country code it is a number of Ghana.
        reason: The reason.
        idempotency_key: within 24 hours the same call with the same key is done once; made by the
            client if absent
        """
        return self._client._call(
            CREATE,
            Call(
                body={
                    "category": category,
                    "channel": channel,
                    "email": email,
                    "phone": phone,
                    "reason": reason,
                },
                key=idempotency_key,
            ),
        )

    def delete(self, id: str) -> models.DeletedSuppression:
        """Delete a suppression."""
        return self._client._call(DELETE, Call(path={"id": id}))

    def list(
        self, *, search: str | None = None, page: int | None = None, limit: int | None = None
    ) -> Pages[models.Suppression]:
        """List suppressions. Newest first. With `search` at most 1,000 entries are counted and
        shown; if there are more, `pagination.isLowerBound` is true. A text without three
        consecutive letters or digits is searched for in the newest 100,000 entries only, and
        `isLowerBound` is true if there are others. If more than 20,000 entries match, the newest
        are shown first if they are among the newest 20,000.

        search: Only entries whose address or reason contains this text, in any letter case. A phone may
            be written in any format, also without its country: `055 100 2995`.
        page: The number of the page, from 1; 1 if absent.
        limit: The number of items in a page, 1 to 100; 100 if absent.
        """
        return self._pages(LIST, Call(query={"search": search, "page": page, "limit": limit}), False)


class AsyncSuppression(AsyncGroup):
    """The methods of `client.suppression`."""

    async def create(
        self,
        *,
        category: params.Category | None = None,
        channel: params.Channel | None = None,
        email: str | None = None,
        phone: str | None = None,
        reason: str | None = None,
        idempotency_key: str | None = None,
    ) -> models.Suppression:
        """Suppress an address. Messages to it are accepted, cost nothing and fail with
        `RECIPIENT_SUPPRESSED`. On the channel `PUSH` the entry applies to the devices of the
        contacts with the phone or the email. On a channel that does not use the given address, it
        applies to the address that the contact has there: `EMAIL` with a phone, to the email of
        the contact with that phone; `SMS`, `WHATSAPP` or `VOICE` with an email, to the phone of
        the contact with that email. If the list already has the entry, the existing one is
        returned.

        category: The only category to which the entry applies; all if absent.
        channel: The only channel to which the entry applies; all if absent. If the channel does not use
            the given address, the entry applies to the address that the contact has on the channel.
        email: An email address.
        phone: A number, as for a message. Without a country code it is a number of Ghana.
        reason: The reason.
        idempotency_key: within 24 hours the same call with the same key is done once; made by the
            client if absent
        """
        return await self._client._call(
            CREATE,
            Call(
                body={
                    "category": category,
                    "channel": channel,
                    "email": email,
                    "phone": phone,
                    "reason": reason,
                },
                key=idempotency_key,
            ),
        )

    async def delete(self, id: str) -> models.DeletedSuppression:
        """Delete a suppression."""
        return await self._client._call(DELETE, Call(path={"id": id}))

    def list(
        self, *, search: str | None = None, page: int | None = None, limit: int | None = None
    ) -> AsyncPages[models.Suppression]:
        """List suppressions. Newest first. With `search` at most 1,000 entries are counted and
        shown; if there are more, `pagination.isLowerBound` is true. A text without three
        consecutive letters or digits is searched for in the newest 100,000 entries only, and
        `isLowerBound` is true if there are others. If more than 20,000 entries match, the newest
        are shown first if they are among the newest 20,000.

        search: Only entries whose address or reason contains this text, in any letter case. A phone may
            be written in any format, also without its country: `055 100 2995`.
        page: The number of the page, from 1; 1 if absent.
        limit: The number of items in a page, 1 to 100; 100 if absent.
        """
        return self._pages(LIST, Call(query={"search": search, "page": page, "limit": limit}), False)
