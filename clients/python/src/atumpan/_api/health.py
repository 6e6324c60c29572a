"""The methods of `client.health`.

Written by `python -m generator` from docs/openapi.json.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from .._core import Call, Operation
from .._groups import AsyncGroup, Group

if TYPE_CHECKING:
    from .. import models

GET: Final[Operation[models.Health]] = Operation(
    "health.get", "GET", "/health", result="Health", shape="bare", is_public=True
)
GET_LIVENESS: Final[Operation[models.Liveness]] = Operation(
    "health.get_liveness", "GET", "/health/live", result="Liveness", shape="bare", is_public=True
)
GET_METRICS: Final[Operation[str]] = Operation(
    "health.get_metrics", "GET", "/metrics", shape="text", is_public=True
)
GET_READINESS: Final[Operation[models.Readiness]] = Operation(
    "health.get_readiness", "GET", "/health/ready", result="Readiness", shape="bare", is_public=True
)


class Health(Group):
    """The methods of `client.health`."""

    def get(self) -> models.Health:
        """Get the health of the service. Checks the database, Redis and the waiting time of
        messages. The answer has no envelope.
        """
        return self._client._call(GET, Call())

    def get_liveness(self) -> models.Liveness:
        """Check that the process answers. Checks nothing else, so that an outage of a dependency
        restarts no instance.
        """
        return self._client._call(GET_LIVENESS, Call())

    def get_metrics(self) -> str:
        """Get the metrics of this instance. Metrics in the text format of Prometheus. In production
        they are served on a separate address, and not here.
        """
        return self._client._call(GET_METRICS, Call())

    def get_readiness(self) -> models.Readiness:
        """Check that this instance is ready for requests. For load balancers: unlike `/health` it
        reports on this instance only. An instance is not ready while it shuts down, and while the
        database has too few connections for it. An unavailable database affects all instances,
        which stay ready: their answers state the time of a retry.
        """
        return self._client._call(GET_READINESS, Call())


class AsyncHealth(AsyncGroup):
    """The methods of `client.health`."""

    async def get(self) -> models.Health:
        """Get the health of the service. Checks the database, Redis and the waiting time of
        messages. The answer has no envelope.
        """
        return await self._client._call(GET, Call())

    async def get_liveness(self) -> models.Liveness:
        """Check that the process answers. Checks nothing else, so that an outage of a dependency
        restarts no instance.
        """
        return await self._client._call(GET_LIVENESS, Call())

    async def get_metrics(self) -> str:
        """Get the metrics of this instance. Metrics in the text format of Prometheus. In production
        they are served on a separate address, and not here.
        """
        return await self._client._call(GET_METRICS, Call())

    async def get_readiness(self) -> models.Readiness:
        """Check that this instance is ready for requests. For load balancers: unlike `/health` it
        reports on this instance only. An instance is not ready while it shuts down, and while the
        database has too few connections for it. An unavailable database affects all instances,
        which stay ready: their answers state the time of a retry.
        """
        return await self._client._call(GET_READINESS, Call())
