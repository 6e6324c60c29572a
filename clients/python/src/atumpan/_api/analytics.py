"""The methods of `client.analytics`.

Written by `python -m generator` from docs/openapi.json.
"""

from __future__ import annotations

import builtins
from typing import TYPE_CHECKING, Final

from .._core import Call, Operation
from .._groups import AsyncGroup, Group

if TYPE_CHECKING:
    from .. import models

GET_OVERVIEW: Final[Operation[models.AnalyticsOverview]] = Operation(
    "analytics.get_overview", "GET", "/analytics/overview", result="AnalyticsOverview"
)
LIST_COSTS: Final[Operation[list[models.Usage]]] = Operation(
    "analytics.list_costs", "GET", "/analytics/costs", result="Usage", shape="list"
)
LIST_FAILURES: Final[Operation[list[models.DeliveryLog]]] = Operation(
    "analytics.list_failures", "GET", "/analytics/failures", result="DeliveryLog", shape="list"
)
LIST_RECOMMENDATIONS: Final[Operation[list[models.Recommendation]]] = Operation(
    "analytics.list_recommendations",
    "GET",
    "/analytics/recommendations",
    result="Recommendation",
    shape="list",
)


class Analytics(Group):
    """The methods of `client.analytics`."""

    def get_overview(self) -> models.AnalyticsOverview:
        """Get the figures of the last thirty days. Live messages count on the day of their
        acceptance (UTC), today included. A failed message was refunded, and is not part of
        `spend`.
        """
        return self._client._call(GET_OVERVIEW, Call())

    def list_costs(self, *, months: int | None = None) -> builtins.list[models.Usage]:
        """Get usage and cost by channel and month. Newest month first. Live messages count in the
        month of their acceptance (UTC), the current month included. A failed message was
        refunded: it counts as a message with its segments, and is not part of `cost`.

        months: The number of calendar months; 3 if absent.
        """
        return self._client._call(LIST_COSTS, Call(query={"months": months}))

    def list_failures(self) -> builtins.list[models.DeliveryLog]:
        """List the last 50 messages that failed. Newest first, including those of the sandbox, which
        have `isSandbox`.
        """
        return self._client._call(LIST_FAILURES, Call())

    def list_recommendations(self) -> builtins.list[models.Recommendation]:
        """List recommendations. At most four, the most valuable one first. They are based on the
        figures of the last 30 days, the newest 1,000 messages of these, the events, the keys and
        the wallet. They are evaluated at the first request in an hour, and do not change within
        it.
        """
        return self._client._call(LIST_RECOMMENDATIONS, Call())


class AsyncAnalytics(AsyncGroup):
    """The methods of `client.analytics`."""

    async def get_overview(self) -> models.AnalyticsOverview:
        """Get the figures of the last thirty days. Live messages count on the day of their
        acceptance (UTC), today included. A failed message was refunded, and is not part of
        `spend`.
        """
        return await self._client._call(GET_OVERVIEW, Call())

    async def list_costs(self, *, months: int | None = None) -> builtins.list[models.Usage]:
        """Get usage and cost by channel and month. Newest month first. Live messages count in the
        month of their acceptance (UTC), the current month included. A failed message was
        refunded: it counts as a message with its segments, and is not part of `cost`.

        months: The number of calendar months; 3 if absent.
        """
        return await self._client._call(LIST_COSTS, Call(query={"months": months}))

    async def list_failures(self) -> builtins.list[models.DeliveryLog]:
        """List the last 50 messages that failed. Newest first, including those of the sandbox, which
        have `isSandbox`.
        """
        return await self._client._call(LIST_FAILURES, Call())

    async def list_recommendations(self) -> builtins.list[models.Recommendation]:
        """List recommendations. At most four, the most valuable one first. They are based on the
        figures of the last 30 days, the newest 1,000 messages of these, the events, the keys and
        the wallet. They are evaluated at the first request in an hour, and do not change within
        it.
        """
        return await self._client._call(LIST_RECOMMENDATIONS, Call())
