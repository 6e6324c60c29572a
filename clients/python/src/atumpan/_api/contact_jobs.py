"""The methods of `client.contact_jobs`.

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

DELETE_CONTACTS: Final[Operation[models.SelectedContacts | models.BegunContactJob]] = Operation(
    "contact_jobs.delete_contacts",
    "POST",
    "/contacts/delete",
    result="SelectedContacts | BegunContactJob",
    body="DeleteContactsRequest",
    is_keyed=True,
)
GET: Final[Operation[models.ContactJob]] = Operation(
    "contact_jobs.get", "GET", "/contacts/jobs/{id}", result="ContactJob"
)
LIST: Final[Operation[models.ContactJob]] = Operation(
    "contact_jobs.list", "GET", "/contacts/jobs", result="ContactJob"
)
TAG_CONTACTS: Final[Operation[models.SelectedContacts | models.BegunContactJob]] = Operation(
    "contact_jobs.tag_contacts",
    "POST",
    "/contacts/tags",
    result="SelectedContacts | BegunContactJob",
    body="TagContactsRequest",
    is_keyed=True,
)


class ContactJobs(Group):
    """The methods of `client.contact_jobs`."""

    def delete_contacts(
        self,
        *,
        all: bool | None = None,
        dry_run: bool | None = None,
        filter: params.ContactFilterRequest | None = None,
        idempotency_key: str | None = None,
    ) -> models.SelectedContacts | models.BegunContactJob:
        """Delete many contacts and erase the people. Takes the contacts that fit all conditions of
        the filter at this moment; contacts that are made or changed later are not selected anew.
        With `dryRun` they are only counted. Otherwise each of them is deleted as `DELETE
        /contacts/{id}` does it, some hundred at a time. A filter that cannot be evaluated within
        five seconds is a fault of the field `filter`.

        all: True to select all contacts; then the filter must be absent or empty.
        dry_run: True to count the contacts and change nothing.
        filter: The conditions, all of which must fit.
        idempotency_key: within 24 hours the same call with the same key is done once; made by the
            client if absent
        """
        return self._client._call(
            DELETE_CONTACTS,
            Call(body={"all": all, "dry_run": dry_run, "filter": filter}, key=idempotency_key),
        )

    def get(self, id: str) -> models.ContactJob:
        """Get a job on many contacts."""
        return self._client._call(GET, Call(path={"id": id}))

    def list(self, *, after: str | None = None, limit: int | None = None) -> Pages[models.ContactJob]:
        """List jobs on many contacts. Newest first. A job is kept for 30 days after its end.

        after: The `pagination.nextCursor` of the part before; the beginning of the list if absent or
            empty.
        limit: The number of items in a part, 1 to 100; 20 if absent.
        """
        return self._pages(LIST, Call(query={"after": after, "limit": limit}), True)

    def tag_contacts(
        self,
        *,
        add: Sequence[str] | None = None,
        all: bool | None = None,
        dry_run: bool | None = None,
        filter: params.ContactFilterRequest | None = None,
        remove: Sequence[str] | None = None,
        idempotency_key: str | None = None,
    ) -> models.SelectedContacts | models.BegunContactJob:
        """Change the tags of many contacts. Selects the contacts as `POST /contacts/delete` does.
        Tags are compared without letter case. A contact that would have more than 50 tags keeps
        those that it has.

        add: Tags that each of the contacts gets.
        all: True to select all contacts; then the filter must be absent or empty.
        dry_run: True to count the contacts and change nothing.
        filter: The conditions, all of which must fit.
        remove: Tags that each of them loses.
        idempotency_key: within 24 hours the same call with the same key is done once; made by the
            client if absent
        """
        return self._client._call(
            TAG_CONTACTS,
            Call(
                body={"add": add, "all": all, "dry_run": dry_run, "filter": filter, "remove": remove},
                key=idempotency_key,
            ),
        )


class AsyncContactJobs(AsyncGroup):
    """The methods of `client.contact_jobs`."""

    async def delete_contacts(
        self,
        *,
        all: bool | None = None,
        dry_run: bool | None = None,
        filter: params.ContactFilterRequest | None = None,
        idempotency_key: str | None = None,
    ) -> models.SelectedContacts | models.BegunContactJob:
        """Delete many contacts and erase the people. Takes the contacts that fit all conditions of
        the filter at this moment; contacts that are made or changed later are not selected anew.
        With `dryRun` they are only counted. Otherwise each of them is deleted as `DELETE
        /contacts/{id}` does it, some hundred at a time. A filter that cannot be evaluated within
        five seconds is a fault of the field `filter`.

        all: True to select all contacts; then the filter must be absent or empty.
        dry_run: True to count the contacts and change nothing.
        filter: The conditions, all of which must fit.
        idempotency_key: within 24 hours the same call with the same key is done once; made by the
            client if absent
        """
        return await self._client._call(
            DELETE_CONTACTS,
            Call(body={"all": all, "dry_run": dry_run, "filter": filter}, key=idempotency_key),
        )

    async def get(self, id: str) -> models.ContactJob:
        """Get a job on many contacts."""
        return await self._client._call(GET, Call(path={"id": id}))

    def list(self, *, after: str | None = None, limit: int | None = None) -> AsyncPages[models.ContactJob]:
        """List jobs on many contacts. Newest first. A job is kept for 30 days after its end.

        after: The `pagination.nextCursor` of the part before; the beginning of the list if absent or
            empty.
        limit: The number of items in a part, 1 to 100; 20 if absent.
        """
        return self._pages(LIST, Call(query={"after": after, "limit": limit}), True)

    async def tag_contacts(
        self,
        *,
        add: Sequence[str] | None = None,
        all: bool | None = None,
        dry_run: bool | None = None,
        filter: params.ContactFilterRequest | None = None,
        remove: Sequence[str] | None = None,
        idempotency_key: str | None = None,
    ) -> models.SelectedContacts | models.BegunContactJob:
        """Change the tags of many contacts. Selects the contacts as `POST /contacts/delete` does.
        Tags are compared without letter case. A contact that would have more than 50 tags keeps
        those that it has.

        add: Tags that each of the contacts gets.
        all: True to select all contacts; then the filter must be absent or empty.
        dry_run: True to count the contacts and change nothing.
        filter: The conditions, all of which must fit.
        remove: Tags that each of them loses.
        idempotency_key: within 24 hours the same call with the same key is done once; made by the
            client if absent
        """
        return await self._client._call(
            TAG_CONTACTS,
            Call(
                body={"add": add, "all": all, "dry_run": dry_run, "filter": filter, "remove": remove},
                key=idempotency_key,
            ),
        )
