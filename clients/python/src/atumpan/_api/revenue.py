"""The methods of `client.revenue`.

Written by `python -m generator` from docs/openapi.json.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from .._core import Call, Operation
from .._groups import AsyncGroup, Group

if TYPE_CHECKING:
    from .. import models

GET: Final[Operation[models.Revenue]] = Operation("revenue.get", "GET", "/admin/revenue", result="Revenue")


class Revenue(Group):
    """The methods of `client.revenue`."""

    def get(self) -> models.Revenue:
        """Get the revenue, and the balances of organizations. For platform administrators. Live
        messages count in the month in which they were accepted, with their costs. A failed
        message is refunded, and its cost is subtracted from the same month. The service's own
        mails do not count.
        """
        return self._client._call(GET, Call())


class AsyncRevenue(AsyncGroup):
    """The methods of `client.revenue`."""

    async def get(self) -> models.Revenue:
        """Get the revenue, and the balances of organizations. For platform administrators. Live
        messages count in the month in which they were accepted, with their costs. A failed
        message is refunded, and its cost is subtracted from the same month. The service's own
        mails do not count.
        """
        return await self._client._call(GET, Call())
