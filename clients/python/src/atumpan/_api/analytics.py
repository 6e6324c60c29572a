"""The methods of `client.analytics`.

Written by `python -m generator` from docs/openapi.json.
"""

from __future__ import annotations

import builtins
from typing import TYPE_CHECKING, Final

from .._core import Call, Operation
from .._groups import AsyncGroup, Group

if TYPE_CHECKING:
    from .. import models, params

GET_MESSAGES: Final[Operation[models.MessageFigures]] = Operation(
    "analytics.get_messages", "GET", "/analytics/messages", result="MessageFigures"
)
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

    def get_messages(
        self,
        *,
        from_: str | None = None,
        to: str | None = None,
        interval: params.FigureInterval | None = None,
        by: params.FigureDimension | None = None,
    ) -> models.MessageFigures:
        """Get numbers of messages by day or hour and one property. Live messages count in the hour
        and on the day of their acceptance. Days and hours are those of UTC, whatever the
        organization's time zone. A message counts in its present state: one that fails later
        moves, and its refund reduces `cost`. A message counts for the provider that has it, or
        had it last, and before that with the value null. Messages without a campaign, event,
        template, error or country are left out. The 100 values with the most messages have rows
        of their own, in a long period fewer, so that there are at most 10,000 rows; all other
        values share one row for each day or hour, with `isOther`. A day or hour without messages
        has no row.

        from_: The first day (UTC), such as `2026-01-01`, or a time with an offset; if absent, 30 days
            before `to`, or for hours one day. At most 400 days before `to`, and for hours at most 14
            days ago.
        to: The last day (UTC), or the time before which messages were accepted; the present if absent.
            The period is extended to whole days or hours.
        interval: The parts of the period; `day` if absent.
        by: The property to count by; `channel` if absent.
        """
        return self._client._call(
            GET_MESSAGES, Call(query={"from": from_, "to": to, "interval": interval, "by": by})
        )

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

    async def get_messages(
        self,
        *,
        from_: str | None = None,
        to: str | None = None,
        interval: params.FigureInterval | None = None,
        by: params.FigureDimension | None = None,
    ) -> models.MessageFigures:
        """Get numbers of messages by day or hour and one property. Live messages count in the hour
        and on the day of their acceptance. Days and hours are those of UTC, whatever the
        organization's time zone. A message counts in its present state: one that fails later
        moves, and its refund reduces `cost`. A message counts for the provider that has it, or
        had it last, and before that with the value null. Messages without a campaign, event,
        template, error or country are left out. The 100 values with the most messages have rows
        of their own, in a long period fewer, so that there are at most 10,000 rows; all other
        values share one row for each day or hour, with `isOther`. A day or hour without messages
        has no row.

        from_: The first day (UTC), such as `2026-01-01`, or a time with an offset; if absent, 30 days
            before `to`, or for hours one day. At most 400 days before `to`, and for hours at most 14
            days ago.
        to: The last day (UTC), or the time before which messages were accepted; the present if absent.
            The period is extended to whole days or hours.
        interval: The parts of the period; `day` if absent.
        by: The property to count by; `channel` if absent.
        """
        return await self._client._call(
            GET_MESSAGES, Call(query={"from": from_, "to": to, "interval": interval, "by": by})
        )

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
