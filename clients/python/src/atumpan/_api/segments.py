"""The methods of `client.segments`.

Written by `python -m generator` from docs/openapi.json.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from .._core import Call, Operation
from .._groups import AsyncGroup, Group
from .._mapping import OMIT

if TYPE_CHECKING:
    from .. import models, params
    from .._mapping import Omit
    from .._paging import AsyncPages, Pages

CREATE: Final[Operation[models.Segment]] = Operation(
    "segments.create", "POST", "/segments", result="Segment", body="CreateSegmentRequest", is_keyed=True
)
DELETE: Final[Operation[models.DeletedSegment]] = Operation(
    "segments.delete", "DELETE", "/segments/{id}", result="DeletedSegment"
)
GET: Final[Operation[models.Segment]] = Operation("segments.get", "GET", "/segments/{id}", result="Segment")
LIST: Final[Operation[models.Segment]] = Operation("segments.list", "GET", "/segments", result="Segment")
LIST_CONTACTS: Final[Operation[models.Contact]] = Operation(
    "segments.list_contacts", "GET", "/segments/{id}/contacts", result="Contact"
)
PREVIEW: Final[Operation[models.SegmentPreview]] = Operation(
    "segments.preview", "POST", "/segments/preview", result="SegmentPreview", body="PreviewSegmentRequest"
)
UPDATE: Final[Operation[models.Segment]] = Operation(
    "segments.update", "PATCH", "/segments/{id}", result="Segment", body="UpdateSegmentRequest"
)


class Segments(Group):
    """The methods of `client.segments`."""

    def create(
        self,
        *,
        name: str,
        rules: params.SegmentRules,
        description: str | None = None,
        is_dynamic: bool | None = None,
        idempotency_key: str | None = None,
    ) -> models.Segment:
        """Create a segment. A dynamic segment always contains the contacts that match the rules.
        With `isDynamic` false, the contacts that match now are its members until they are
        deleted. A key of the rules that looks like a field but is none, an attribute that
        contacts have in another letter case only, and a name that another segment has are
        accepted and reported in `warnings`.

        description: The purpose of the segment.
        is_dynamic: True if contacts join and leave as they match the rules; false for fixed members.
            True if absent.
        idempotency_key: within 24 hours the same call with the same key is done once; made by the
            client if absent
        """
        return self._client._call(
            CREATE,
            Call(
                body={"name": name, "rules": rules, "description": description, "is_dynamic": is_dynamic},
                key=idempotency_key,
            ),
        )

    def delete(self, id: str) -> models.DeletedSegment:
        """Delete a segment. The contacts are kept."""
        return self._client._call(DELETE, Call(path={"id": id}))

    def get(self, id: str) -> models.Segment:
        """Get a segment."""
        return self._client._call(GET, Call(path={"id": id}))

    def list(self, *, page: int | None = None, limit: int | None = None) -> Pages[models.Segment]:
        """List segments. Newest first, each with the number of its contacts. The number is current;
        with more than 100,000 contacts it may be up to a minute old, or older if counting takes
        more than two seconds. `countedAt` is the time of the count.

        page: The number of the page, from 1; 1 if absent.
        limit: The number of items in a page, 1 to 100; 100 if absent.
        """
        return self._pages(LIST, Call(query={"page": page, "limit": limit}), False)

    def list_contacts(
        self, id: str, *, after: str | None = None, limit: int | None = None
    ) -> Pages[models.Contact]:
        """List the contacts of a segment. Newest first, in parts. A part comes of a look at 100,000
        contacts, and may have fewer contacts than `limit`, even none, although `nextCursor` leads
        to more. Rare tags and the members of a segment that is not dynamic are found at once.

        after: The `pagination.nextCursor` of the part before; the beginning of the list if absent or
            empty.
        limit: The number of items in a part, 1 to 100; 100 if absent.
        """
        return self._pages(LIST_CONTACTS, Call(path={"id": id}, query={"after": after, "limit": limit}), True)

    def preview(self, *, rules: params.SegmentRules) -> models.SegmentPreview:
        """Preview rules. Returns the number of contacts that match, and the newest ten of them.
        Rules that cannot be evaluated within five seconds are a fault of the field `rules`.
        """
        return self._client._call(PREVIEW, Call(body={"rules": rules}))

    def update(
        self,
        id: str,
        *,
        description: str | None | Omit = OMIT,
        name: str | None = None,
        rules: params.SegmentRules | None = None,
    ) -> models.Segment:
        """Change a segment. Absent fields keep their values; null clears the description. The rules
        of a segment that is not dynamic cannot be changed.

        description: The purpose of the segment.
        """
        return self._client._call(
            UPDATE, Call(path={"id": id}, body={"description": description, "name": name, "rules": rules})
        )


class AsyncSegments(AsyncGroup):
    """The methods of `client.segments`."""

    async def create(
        self,
        *,
        name: str,
        rules: params.SegmentRules,
        description: str | None = None,
        is_dynamic: bool | None = None,
        idempotency_key: str | None = None,
    ) -> models.Segment:
        """Create a segment. A dynamic segment always contains the contacts that match the rules.
        With `isDynamic` false, the contacts that match now are its members until they are
        deleted. A key of the rules that looks like a field but is none, an attribute that
        contacts have in another letter case only, and a name that another segment has are
        accepted and reported in `warnings`.

        description: The purpose of the segment.
        is_dynamic: True if contacts join and leave as they match the rules; false for fixed members.
            True if absent.
        idempotency_key: within 24 hours the same call with the same key is done once; made by the
            client if absent
        """
        return await self._client._call(
            CREATE,
            Call(
                body={"name": name, "rules": rules, "description": description, "is_dynamic": is_dynamic},
                key=idempotency_key,
            ),
        )

    async def delete(self, id: str) -> models.DeletedSegment:
        """Delete a segment. The contacts are kept."""
        return await self._client._call(DELETE, Call(path={"id": id}))

    async def get(self, id: str) -> models.Segment:
        """Get a segment."""
        return await self._client._call(GET, Call(path={"id": id}))

    def list(self, *, page: int | None = None, limit: int | None = None) -> AsyncPages[models.Segment]:
        """List segments. Newest first, each with the number of its contacts. The number is current;
        with more than 100,000 contacts it may be up to a minute old, or older if counting takes
        more than two seconds. `countedAt` is the time of the count.

        page: The number of the page, from 1; 1 if absent.
        limit: The number of items in a page, 1 to 100; 100 if absent.
        """
        return self._pages(LIST, Call(query={"page": page, "limit": limit}), False)

    def list_contacts(
        self, id: str, *, after: str | None = None, limit: int | None = None
    ) -> AsyncPages[models.Contact]:
        """List the contacts of a segment. Newest first, in parts. A part comes of a look at 100,000
        contacts, and may have fewer contacts than `limit`, even none, although `nextCursor` leads
        to more. Rare tags and the members of a segment that is not dynamic are found at once.

        after: The `pagination.nextCursor` of the part before; the beginning of the list if absent or
            empty.
        limit: The number of items in a part, 1 to 100; 100 if absent.
        """
        return self._pages(LIST_CONTACTS, Call(path={"id": id}, query={"after": after, "limit": limit}), True)

    async def preview(self, *, rules: params.SegmentRules) -> models.SegmentPreview:
        """Preview rules. Returns the number of contacts that match, and the newest ten of them.
        Rules that cannot be evaluated within five seconds are a fault of the field `rules`.
        """
        return await self._client._call(PREVIEW, Call(body={"rules": rules}))

    async def update(
        self,
        id: str,
        *,
        description: str | None | Omit = OMIT,
        name: str | None = None,
        rules: params.SegmentRules | None = None,
    ) -> models.Segment:
        """Change a segment. Absent fields keep their values; null clears the description. The rules
        of a segment that is not dynamic cannot be changed.

        description: The purpose of the segment.
        """
        return await self._client._call(
            UPDATE, Call(path={"id": id}, body={"description": description, "name": name, "rules": rules})
        )
