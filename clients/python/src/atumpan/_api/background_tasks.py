"""The methods of `client.background_tasks`.

Written by `python -m generator` from docs/openapi.json.
"""

from __future__ import annotations

import builtins
from typing import TYPE_CHECKING, Final

from .._core import Call, Operation
from .._groups import AsyncGroup, Group

if TYPE_CHECKING:
    from .. import models

LIST: Final[Operation[list[models.BackgroundTask]]] = Operation(
    "background_tasks.list", "GET", "/admin/background-tasks", result="BackgroundTask", shape="list"
)


class BackgroundTasks(Group):
    """The methods of `client.background_tasks`."""

    def list(self) -> builtins.list[models.BackgroundTask]:
        """List the background tasks of this instance. For platform administrators. Each instance
        runs all tasks and reports its own, since it started, ordered by their names. A task that
        fails is tried again.
        """
        return self._client._call(LIST, Call())


class AsyncBackgroundTasks(AsyncGroup):
    """The methods of `client.background_tasks`."""

    async def list(self) -> builtins.list[models.BackgroundTask]:
        """List the background tasks of this instance. For platform administrators. Each instance
        runs all tasks and reports its own, since it started, ordered by their names. A task that
        fails is tried again.
        """
        return await self._client._call(LIST, Call())
