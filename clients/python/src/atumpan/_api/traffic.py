"""The methods of `client.traffic`.

Written by `python -m generator` from docs/openapi.json.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from .._core import Call, Operation
from .._groups import AsyncGroup, Group

if TYPE_CHECKING:
    from .. import models
    from .._paging import AsyncPages, Pages

LIFT_STOP: Final[Operation[models.TrafficAlert]] = Operation(
    "traffic.lift_stop", "POST", "/organizations/traffic-alerts/{id}/lift", result="TrafficAlert"
)
LIST_ALERTS: Final[Operation[models.TrafficAlert]] = Operation(
    "traffic.list_alerts", "GET", "/organizations/traffic-alerts", result="TrafficAlert"
)


class Traffic(Group):
    """The methods of `client.traffic`."""

    def lift_stop(self, id: str) -> models.TrafficAlert:
        """Lift a stop of codes. For owners and administrators. Codes to this range are not stopped
        again for 24 hours. An alert that stops nothing does not change.
        """
        return self._client._call(LIFT_STOP, Call(path={"id": id}))

    def list_alerts(self, *, page: int | None = None, limit: int | None = None) -> Pages[models.TrafficAlert]:
        """List alerts about codes. Newest first: one for each day and range of numbers in which far
        fewer of the organization's codes arrived than usual. If the codes of others arrived as
        usual, its codes to the range are stopped for an hour: they fail with `TRAFFIC_STOPPED`,
        at no cost. Alerts are kept for 90 days.

        page: The number of the page, from 1; 1 if absent.
        limit: The number of items in a page, 1 to 100; 100 if absent.
        """
        return self._pages(LIST_ALERTS, Call(query={"page": page, "limit": limit}), False)


class AsyncTraffic(AsyncGroup):
    """The methods of `client.traffic`."""

    async def lift_stop(self, id: str) -> models.TrafficAlert:
        """Lift a stop of codes. For owners and administrators. Codes to this range are not stopped
        again for 24 hours. An alert that stops nothing does not change.
        """
        return await self._client._call(LIFT_STOP, Call(path={"id": id}))

    def list_alerts(
        self, *, page: int | None = None, limit: int | None = None
    ) -> AsyncPages[models.TrafficAlert]:
        """List alerts about codes. Newest first: one for each day and range of numbers in which far
        fewer of the organization's codes arrived than usual. If the codes of others arrived as
        usual, its codes to the range are stopped for an hour: they fail with `TRAFFIC_STOPPED`,
        at no cost. Alerts are kept for 90 days.

        page: The number of the page, from 1; 1 if absent.
        limit: The number of items in a page, 1 to 100; 100 if absent.
        """
        return self._pages(LIST_ALERTS, Call(query={"page": page, "limit": limit}), False)
