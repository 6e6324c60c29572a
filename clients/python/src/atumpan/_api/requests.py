"""The methods of `client.requests`.

Written by `python -m generator` from docs/openapi.json.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from .._core import Call, Operation
from .._groups import AsyncGroup, Group

if TYPE_CHECKING:
    from .. import models
    from .._paging import AsyncPages, Pages

LIST_REFUSED_REQUESTS: Final[Operation[models.RefusedRequest]] = Operation(
    "requests.list_refused_requests", "GET", "/requests", result="RefusedRequest"
)


class Requests(Group):
    """The methods of `client.requests`."""

    def list_refused_requests(
        self,
        *,
        status: str | None = None,
        code: str | None = None,
        api_key_id: str | None = None,
        id: str | None = None,
        after: str | None = None,
        limit: int | None = None,
    ) -> Pages[models.RefusedRequest]:
        """List requests that were answered with an error. Requests of the last seven days whose
        caller was authenticated in the organization, newest first. They appear within some
        seconds, and may be lost if an instance of the service crashes. Beyond 1,000 in an hour,
        each instance keeps one of ten, and ever fewer: `sampled` is true for those. For owners,
        administrators and developers.

        status: Only requests with this status.
        code: Only requests with this code of the error.
        api_key_id: Only requests with this API key.
        id: Only the requests with this identifier.
        after: The `pagination.nextCursor` of the part before; the beginning of the list if absent or
            empty.
        limit: The number of items in a part, 1 to 100; 20 if absent.
        """
        return self._pages(
            LIST_REFUSED_REQUESTS,
            Call(
                query={
                    "status": status,
                    "code": code,
                    "apiKeyId": api_key_id,
                    "id": id,
                    "after": after,
                    "limit": limit,
                }
            ),
            True,
        )


class AsyncRequests(AsyncGroup):
    """The methods of `client.requests`."""

    def list_refused_requests(
        self,
        *,
        status: str | None = None,
        code: str | None = None,
        api_key_id: str | None = None,
        id: str | None = None,
        after: str | None = None,
        limit: int | None = None,
    ) -> AsyncPages[models.RefusedRequest]:
        """List requests that were answered with an error. Requests of the last seven days whose
        caller was authenticated in the organization, newest first. They appear within some
        seconds, and may be lost if an instance of the service crashes. Beyond 1,000 in an hour,
        each instance keeps one of ten, and ever fewer: `sampled` is true for those. For owners,
        administrators and developers.

        status: Only requests with this status.
        code: Only requests with this code of the error.
        api_key_id: Only requests with this API key.
        id: Only the requests with this identifier.
        after: The `pagination.nextCursor` of the part before; the beginning of the list if absent or
            empty.
        limit: The number of items in a part, 1 to 100; 20 if absent.
        """
        return self._pages(
            LIST_REFUSED_REQUESTS,
            Call(
                query={
                    "status": status,
                    "code": code,
                    "apiKeyId": api_key_id,
                    "id": id,
                    "after": after,
                    "limit": limit,
                }
            ),
            True,
        )
