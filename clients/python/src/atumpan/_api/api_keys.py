"""The methods of `client.api_keys`.

Written by `python -m generator` from docs/openapi.json.
"""

from __future__ import annotations

import builtins
from typing import TYPE_CHECKING, Final

from .._core import Call, Operation
from .._groups import AsyncGroup, Group

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    from .. import models, params
    from .._paging import AsyncPages, Pages

CREATE: Final[Operation[models.NewApiKey]] = Operation(
    "api_keys.create", "POST", "/api-keys", result="NewApiKey", body="CreateApiKeyRequest", is_keyed=True
)
GET_CURRENT_API_KEY: Final[Operation[models.CurrentApiKey]] = Operation(
    "api_keys.get_current_api_key", "GET", "/api-keys/current", result="CurrentApiKey"
)
GET_USAGE: Final[Operation[list[models.ApiKeyDay]]] = Operation(
    "api_keys.get_usage", "GET", "/api-keys/{id}/usage", result="ApiKeyDay", shape="list"
)
LIST: Final[Operation[models.ApiKey]] = Operation("api_keys.list", "GET", "/api-keys", result="ApiKey")
REVOKE: Final[Operation[models.RevokedApiKey]] = Operation(
    "api_keys.revoke", "DELETE", "/api-keys/{id}", result="RevokedApiKey"
)
ROTATE: Final[Operation[models.NewApiKey]] = Operation(
    "api_keys.rotate",
    "POST",
    "/api-keys/{id}/rotate",
    result="NewApiKey",
    body="RotateApiKeyRequest",
    is_keyed=True,
)


class ApiKeys(Group):
    """The methods of `client.api_keys`."""

    def create(
        self,
        *,
        name: str,
        expires_at: datetime | str | None = None,
        is_sandbox: bool | None = None,
        scopes: Sequence[params.Scope] | None = None,
        idempotency_key: str | None = None,
    ) -> models.NewApiKey:
        """Create an API key. The full key is in this answer only. A member can give only scopes that
        the own role allows. What the key writes counts as written by that member.

        name: A name for people.
        expires_at: The time at which it expires; never if absent.
        is_sandbox: True for a sandbox key, whose messages are only simulated. True if absent.
        scopes: The permissions of the key. Default: `messages:send`, `messages:read`, `events:read` and
            `events:trigger`. All others open endpoints for sessions to the key; those that end in
            `:write` are of no use to a sandbox key.
        idempotency_key: within 24 hours the same call with the same key is done once; made by the
            client if absent
        """
        return self._client._call(
            CREATE,
            Call(
                body={"name": name, "expires_at": expires_at, "is_sandbox": is_sandbox, "scopes": scopes},
                key=idempotency_key,
            ),
        )

    def get_current_api_key(self) -> models.CurrentApiKey:
        """Get the API key of the request. For API keys only, whatever their scopes."""
        return self._client._call(GET_CURRENT_API_KEY, Call())

    def get_usage(self, id: str) -> builtins.list[models.ApiKeyDay]:
        """Get the calls made with an API key. Each of the last 30 days in UTC, oldest first. Calls
        are counted within some seconds of their answers. For owners, administrators and
        developers.
        """
        return self._client._call(GET_USAGE, Call(path={"id": id}))

    def list(self, *, page: int | None = None, limit: int | None = None) -> Pages[models.ApiKey]:
        """List API keys. Newest first, with prefixes only. For owners, administrators and
        developers.

        page: The number of the page, from 1; 1 if absent.
        limit: The number of items in a page, 1 to 100; 100 if absent.
        """
        return self._pages(LIST, Call(query={"page": page, "limit": limit}), False)

    def revoke(self, id: str) -> models.RevokedApiKey:
        """Revoke an API key. The key stops working at once, on every instance within a second."""
        return self._client._call(REVOKE, Call(path={"id": id}))

    def rotate(
        self, id: str, *, overlap_hours: int | None = None, idempotency_key: str | None = None
    ) -> models.NewApiKey:
        """Replace an API key. Creates a key with the same name, mode and scopes. If the present key
        expires, the new one does so after the same lifetime. The present key remains valid for
        `overlapHours`, but not beyond its expiry.

        overlap_hours: The number of hours for which the present key remains valid; 24 if absent. With 0
            it stops working at once, on every instance within a second.
        idempotency_key: within 24 hours the same call with the same key is done once; made by the
            client if absent
        """
        return self._client._call(
            ROTATE, Call(path={"id": id}, body={"overlap_hours": overlap_hours}, key=idempotency_key)
        )


class AsyncApiKeys(AsyncGroup):
    """The methods of `client.api_keys`."""

    async def create(
        self,
        *,
        name: str,
        expires_at: datetime | str | None = None,
        is_sandbox: bool | None = None,
        scopes: Sequence[params.Scope] | None = None,
        idempotency_key: str | None = None,
    ) -> models.NewApiKey:
        """Create an API key. The full key is in this answer only. A member can give only scopes that
        the own role allows. What the key writes counts as written by that member.

        name: A name for people.
        expires_at: The time at which it expires; never if absent.
        is_sandbox: True for a sandbox key, whose messages are only simulated. True if absent.
        scopes: The permissions of the key. Default: `messages:send`, `messages:read`, `events:read` and
            `events:trigger`. All others open endpoints for sessions to the key; those that end in
            `:write` are of no use to a sandbox key.
        idempotency_key: within 24 hours the same call with the same key is done once; made by the
            client if absent
        """
        return await self._client._call(
            CREATE,
            Call(
                body={"name": name, "expires_at": expires_at, "is_sandbox": is_sandbox, "scopes": scopes},
                key=idempotency_key,
            ),
        )

    async def get_current_api_key(self) -> models.CurrentApiKey:
        """Get the API key of the request. For API keys only, whatever their scopes."""
        return await self._client._call(GET_CURRENT_API_KEY, Call())

    async def get_usage(self, id: str) -> builtins.list[models.ApiKeyDay]:
        """Get the calls made with an API key. Each of the last 30 days in UTC, oldest first. Calls
        are counted within some seconds of their answers. For owners, administrators and
        developers.
        """
        return await self._client._call(GET_USAGE, Call(path={"id": id}))

    def list(self, *, page: int | None = None, limit: int | None = None) -> AsyncPages[models.ApiKey]:
        """List API keys. Newest first, with prefixes only. For owners, administrators and
        developers.

        page: The number of the page, from 1; 1 if absent.
        limit: The number of items in a page, 1 to 100; 100 if absent.
        """
        return self._pages(LIST, Call(query={"page": page, "limit": limit}), False)

    async def revoke(self, id: str) -> models.RevokedApiKey:
        """Revoke an API key. The key stops working at once, on every instance within a second."""
        return await self._client._call(REVOKE, Call(path={"id": id}))

    async def rotate(
        self, id: str, *, overlap_hours: int | None = None, idempotency_key: str | None = None
    ) -> models.NewApiKey:
        """Replace an API key. Creates a key with the same name, mode and scopes. If the present key
        expires, the new one does so after the same lifetime. The present key remains valid for
        `overlapHours`, but not beyond its expiry.

        overlap_hours: The number of hours for which the present key remains valid; 24 if absent. With 0
            it stops working at once, on every instance within a second.
        idempotency_key: within 24 hours the same call with the same key is done once; made by the
            client if absent
        """
        return await self._client._call(
            ROTATE, Call(path={"id": id}, body={"overlap_hours": overlap_hours}, key=idempotency_key)
        )
