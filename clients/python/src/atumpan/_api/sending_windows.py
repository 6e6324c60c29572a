"""The methods of `client.sending_windows`.

Written by `python -m generator` from docs/openapi.json.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from .._core import Call, Operation
from .._groups import AsyncGroup, Group

if TYPE_CHECKING:
    from collections.abc import Sequence

    from .. import models, params
    from .._paging import AsyncPages, Pages

CREATE: Final[Operation[models.SendingWindow]] = Operation(
    "sending_windows.create",
    "POST",
    "/admin/sending-windows",
    result="SendingWindow",
    body="CreateSendingWindowRequest",
    is_keyed=True,
)
DELETE: Final[Operation[models.DeletedSendingWindow]] = Operation(
    "sending_windows.delete", "DELETE", "/admin/sending-windows/{id}", result="DeletedSendingWindow"
)
LIST: Final[Operation[models.SendingWindow]] = Operation(
    "sending_windows.list", "GET", "/admin/sending-windows", result="SendingWindow"
)
UPDATE: Final[Operation[models.SendingWindow]] = Operation(
    "sending_windows.update",
    "PATCH",
    "/admin/sending-windows/{id}",
    result="SendingWindow",
    body="UpdateSendingWindowRequest",
)


class SendingWindows(Group):
    """The methods of `client.sending_windows`."""

    def create(
        self,
        *,
        category: params.Category,
        closes: str,
        country_code: str,
        opens: str,
        source: str,
        weekdays: Sequence[params.Weekday],
        is_active: bool | None = None,
        utc_offset: str | None = None,
        idempotency_key: str | None = None,
    ) -> models.SendingWindow:
        """Create a sending window. If windows of a country and category are active, messages are
        sent in one of them only. A message at another time is not refused: it waits, `QUEUED`,
        until the next window opens, and its validity begins then. Without an active window
        messages are sent at once. Windows do not apply to the sandbox. A window takes effect on
        every instance within seconds, and is recorded in the audit log.

        category: The category of the messages; not `OTP` or `ALERT`.
        closes: The closing time, such as `19:00`: on the next day, if it is not after `opens`.
        country_code: The recipients' country.
        opens: The opening time, such as `08:00`.
        source: The regulation on which it is based.
        weekdays: The days on which it opens. It is closed on all others.
        is_active: True if it is in force.
        utc_offset: The country's offset from UTC, such as `+01:00`. For countries with daylight saving
            time or several time zones, choose hours that suit all of them.
        idempotency_key: within 24 hours the same call with the same key is done once; made by the
            client if absent
        """
        return self._client._call(
            CREATE,
            Call(
                body={
                    "category": category,
                    "closes": closes,
                    "country_code": country_code,
                    "opens": opens,
                    "source": source,
                    "weekdays": weekdays,
                    "is_active": is_active,
                    "utc_offset": utc_offset,
                },
                key=idempotency_key,
            ),
        )

    def delete(self, id: str) -> models.DeletedSendingWindow:
        """Delete a sending window."""
        return self._client._call(DELETE, Call(path={"id": id}))

    def list(self, *, page: int | None = None, limit: int | None = None) -> Pages[models.SendingWindow]:
        """List sending windows. Newest first.

        page: The number of the page, from 1; 1 if absent.
        limit: The number of items in a page, 1 to 100; 100 if absent.
        """
        return self._pages(LIST, Call(query={"page": page, "limit": limit}), False)

    def update(
        self,
        id: str,
        *,
        category: params.Category | None = None,
        closes: str | None = None,
        country_code: str | None = None,
        is_active: bool | None = None,
        opens: str | None = None,
        source: str | None = None,
        utc_offset: str | None = None,
        weekdays: Sequence[params.Weekday] | None = None,
    ) -> models.SendingWindow:
        """Change a sending window. A message that is already waiting is checked again at the time at
        which the window would have opened before the change.

        category: The category of the messages; not `OTP` or `ALERT`.
        closes: The closing time, such as `19:00`: on the next day, if it is not after `opens`.
        country_code: The recipients' country.
        is_active: True if it is in force.
        opens: The opening time, such as `08:00`.
        source: The regulation on which it is based.
        utc_offset: The country's offset from UTC, such as `+01:00`. For countries with daylight saving
            time or several time zones, choose hours that suit all of them.
        weekdays: The days on which it opens. It is closed on all others.
        """
        return self._client._call(
            UPDATE,
            Call(
                path={"id": id},
                body={
                    "category": category,
                    "closes": closes,
                    "country_code": country_code,
                    "is_active": is_active,
                    "opens": opens,
                    "source": source,
                    "utc_offset": utc_offset,
                    "weekdays": weekdays,
                },
            ),
        )


class AsyncSendingWindows(AsyncGroup):
    """The methods of `client.sending_windows`."""

    async def create(
        self,
        *,
        category: params.Category,
        closes: str,
        country_code: str,
        opens: str,
        source: str,
        weekdays: Sequence[params.Weekday],
        is_active: bool | None = None,
        utc_offset: str | None = None,
        idempotency_key: str | None = None,
    ) -> models.SendingWindow:
        """Create a sending window. If windows of a country and category are active, messages are
        sent in one of them only. A message at another time is not refused: it waits, `QUEUED`,
        until the next window opens, and its validity begins then. Without an active window
        messages are sent at once. Windows do not apply to the sandbox. A window takes effect on
        every instance within seconds, and is recorded in the audit log.

        category: The category of the messages; not `OTP` or `ALERT`.
        closes: The closing time, such as `19:00`: on the next day, if it is not after `opens`.
        country_code: The recipients' country.
        opens: The opening time, such as `08:00`.
        source: The regulation on which it is based.
        weekdays: The days on which it opens. It is closed on all others.
        is_active: True if it is in force.
        utc_offset: The country's offset from UTC, such as `+01:00`. For countries with daylight saving
            time or several time zones, choose hours that suit all of them.
        idempotency_key: within 24 hours the same call with the same key is done once; made by the
            client if absent
        """
        return await self._client._call(
            CREATE,
            Call(
                body={
                    "category": category,
                    "closes": closes,
                    "country_code": country_code,
                    "opens": opens,
                    "source": source,
                    "weekdays": weekdays,
                    "is_active": is_active,
                    "utc_offset": utc_offset,
                },
                key=idempotency_key,
            ),
        )

    async def delete(self, id: str) -> models.DeletedSendingWindow:
        """Delete a sending window."""
        return await self._client._call(DELETE, Call(path={"id": id}))

    def list(self, *, page: int | None = None, limit: int | None = None) -> AsyncPages[models.SendingWindow]:
        """List sending windows. Newest first.

        page: The number of the page, from 1; 1 if absent.
        limit: The number of items in a page, 1 to 100; 100 if absent.
        """
        return self._pages(LIST, Call(query={"page": page, "limit": limit}), False)

    async def update(
        self,
        id: str,
        *,
        category: params.Category | None = None,
        closes: str | None = None,
        country_code: str | None = None,
        is_active: bool | None = None,
        opens: str | None = None,
        source: str | None = None,
        utc_offset: str | None = None,
        weekdays: Sequence[params.Weekday] | None = None,
    ) -> models.SendingWindow:
        """Change a sending window. A message that is already waiting is checked again at the time at
        which the window would have opened before the change.

        category: The category of the messages; not `OTP` or `ALERT`.
        closes: The closing time, such as `19:00`: on the next day, if it is not after `opens`.
        country_code: The recipients' country.
        is_active: True if it is in force.
        opens: The opening time, such as `08:00`.
        source: The regulation on which it is based.
        utc_offset: The country's offset from UTC, such as `+01:00`. For countries with daylight saving
            time or several time zones, choose hours that suit all of them.
        weekdays: The days on which it opens. It is closed on all others.
        """
        return await self._client._call(
            UPDATE,
            Call(
                path={"id": id},
                body={
                    "category": category,
                    "closes": closes,
                    "country_code": country_code,
                    "is_active": is_active,
                    "opens": opens,
                    "source": source,
                    "utc_offset": utc_offset,
                    "weekdays": weekdays,
                },
            ),
        )
