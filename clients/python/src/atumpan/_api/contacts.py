"""The methods of `client.contacts`.

Written by `python -m generator` from docs/openapi.json.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from .._core import Call, Operation
from .._groups import AsyncGroup, Group
from .._helpers import import_file
from .._mapping import OMIT
from .imports import GET_CONTACT_IMPORT, IMPORT_CONTACTS

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from .. import models, params
    from .._core import File
    from .._mapping import Omit
    from .._paging import AsyncPages, Pages
    from .._stream import AsyncStream, Stream

CREATE: Final[Operation[models.Contact]] = Operation(
    "contacts.create", "POST", "/contacts", result="Contact", body="CreateContactRequest", is_keyed=True
)
DELETE: Final[Operation[models.DeletedContact]] = Operation(
    "contacts.delete", "DELETE", "/contacts/{id}", result="DeletedContact"
)
EXPORT: Final[Operation[str]] = Operation("contacts.export", "GET", "/contacts/export", shape="stream")
GET: Final[Operation[models.Contact]] = Operation("contacts.get", "GET", "/contacts/{id}", result="Contact")
LIST: Final[Operation[models.Contact]] = Operation("contacts.list", "GET", "/contacts", result="Contact")
LIST_MESSAGES: Final[Operation[models.DeliveryLog]] = Operation(
    "contacts.list_messages", "GET", "/contacts/{id}/messages", result="DeliveryLog"
)
UPDATE: Final[Operation[models.Contact]] = Operation(
    "contacts.update", "PATCH", "/contacts/{id}", result="Contact", body="UpdateContactRequest"
)


class Contacts(Group):
    """The methods of `client.contacts`."""

    def create(
        self,
        *,
        attributes: Mapping[str, str] | None = None,
        consent: params.ConsentRequest | None = None,
        country_code: str | None = None,
        email: str | None = None,
        fcm_token: str | None = None,
        first_name: str | None = None,
        last_name: str | None = None,
        phone: str | None = None,
        tags: Sequence[str] | None = None,
        idempotency_key: str | None = None,
    ) -> models.Contact:
        """Create a contact. All fields are optional. Without a phone, an email or a device token no
        message reaches the contact.

        attributes: Further attributes: texts of at most 500 characters, by names of at most 64.
        consent: The person's consent to get messages: its time and its source. It replaces the existing
            one as a whole.
        country_code: The country in which `phone` is dialled, if it has no calling code; `GH` if
            absent.
        email: An email address. Unique in the organization.
        fcm_token: The push token of the device.
        phone: A number in E.164, or as dialled in the country. Unique in the organization.
        tags: At most 50 characters each. Of tags that differ in letter case only, the first is kept.
        idempotency_key: within 24 hours the same call with the same key is done once; made by the
            client if absent
        """
        return self._client._call(
            CREATE,
            Call(
                body={
                    "attributes": attributes,
                    "consent": consent,
                    "country_code": country_code,
                    "email": email,
                    "fcm_token": fcm_token,
                    "first_name": first_name,
                    "last_name": last_name,
                    "phone": phone,
                    "tags": tags,
                },
                key=idempotency_key,
            ),
        )

    def delete(self, id: str) -> models.DeletedContact:
        """Delete a contact and erase the person. The contact is deleted at once. A background task
        then processes the organization's delivery log: in every message to the contact's phone,
        email or device, `recipient`, `subject`, `body` and `errorMessage` are replaced by
        `[erased]`; cost and outcome are kept. It begins within two minutes and takes about a
        minute per million messages in the log. A message that is not final by then is erased
        within 15 minutes of its final status, at the latest 4 days after its validity. Webhook
        events about these messages, and about opt-outs, are erased after them; events about a
        message that was still in delivery are deleted with their month, after 61 days at the
        latest. A row for the person in a file that was uploaded before fails, and the erasure
        begins when that file is done. Suppressions are kept, because the wish not to receive
        messages outlives the contact.
        """
        return self._client._call(DELETE, Call(path={"id": id}))

    def export(
        self,
        *,
        search: str | None = None,
        tag: str | None = None,
        segment_id: str | None = None,
        suppressed: bool | None = None,
        is_consented: bool | None = None,
    ) -> Stream:
        """Download contacts. CSV, newest first, with the filters of the list. Contacts that are
        written meanwhile may be exported as they were, and contacts that are created meanwhile
        are not exported. `tags` are separated by semicolons, and `attributes` are JSON. A cell
        that a spreadsheet would read as a formula begins with an apostrophe, except phone
        numbers: a plus and digits are no formula.

        search: Only contacts whose name, phone or email contains this text, in any letter case. `%` and
            `_` are literal. A phone may be written in any format, also without its country: `055 100
            2995`.
        tag: Only contacts with this tag, in any letter case.
        segment_id: Only contacts of this segment.
        suppressed: Only contacts with a suppression of their phone, email or device, on any channel and
            of any category, or only those without.
        is_consented: Only contacts with a recorded consent, or only those without.
        """
        return self._stream(
            EXPORT,
            Call(
                query={
                    "search": search,
                    "tag": tag,
                    "segmentId": segment_id,
                    "suppressed": suppressed,
                    "isConsented": is_consented,
                }
            ),
        )

    def get(self, id: str) -> models.Contact:
        """Get a contact."""
        return self._client._call(GET, Call(path={"id": id}))

    def list(
        self,
        *,
        search: str | None = None,
        tag: str | None = None,
        segment_id: str | None = None,
        suppressed: bool | None = None,
        is_consented: bool | None = None,
        page: int | None = None,
        limit: int | None = None,
        after: str | None = None,
    ) -> Pages[models.Contact]:
        """List contacts. Newest first. Filters can be combined. With a filter at most 1,000 contacts
        are counted and shown on pages; if there may be more, `pagination.isLowerBound` is true,
        and `after` leads to them. Frequent tags, texts and suppressions are found among the
        newest contacts, rare ones by an index. Otherwise the newest 100,000 contacts are
        searched, as for a text without three consecutive letters or digits; a part with `after`
        searches the 100,000 before its place, and may have fewer contacts than `limit`, even
        none, although `nextCursor` leads to more. With `search` alone, if more than 20,000
        contacts match, pages show the newest first if they are among the newest 100,000 contacts.

        search: Only contacts whose name, phone or email contains this text, in any letter case. `%` and
            `_` are literal. A phone may be written in any format, also without its country: `055 100
            2995`.
        tag: Only contacts with this tag, in any letter case.
        segment_id: Only contacts of this segment.
        suppressed: Only contacts with a suppression of their phone, email or device, on any channel and
            of any category, or only those without.
        is_consented: Only contacts with a recorded consent, or only those without.
        page: The number of the page, from 1; 1 if absent.
        limit: The number of items in a page, 1 to 100; 100 if absent.
        after: The `pagination.nextCursor` of the part before; the beginning of the list if empty. The
            answer has no totals then. Not together with `page`.
        """
        return self._pages(
            LIST,
            Call(
                query={
                    "search": search,
                    "tag": tag,
                    "segmentId": segment_id,
                    "suppressed": suppressed,
                    "isConsented": is_consented,
                    "page": page,
                    "limit": limit,
                    "after": after,
                }
            ),
            True,
        )

    def list_messages(
        self, id: str, *, after: str | None = None, limit: int | None = None
    ) -> Pages[models.DeliveryLog]:
        """List the messages to a contact. Newest first, in parts: the delivery logs with the
        contact's phone, email or device as their recipient, whoever they were written for. A part
        may have fewer logs than `limit`, even none, although `nextCursor` leads to more. An API
        key needs the scope `delivery-logs:read`, and sees the messages of its own mode.

        after: The `pagination.nextCursor` of the part before; the beginning of the list if absent or
            empty.
        limit: The number of items in a part, 1 to 100; 20 if absent.
        """
        return self._pages(LIST_MESSAGES, Call(path={"id": id}, query={"after": after, "limit": limit}), True)

    def update(
        self,
        id: str,
        *,
        attributes: Mapping[str, str] | None | Omit = OMIT,
        consent: params.ConsentRequest | None | Omit = OMIT,
        country_code: str | None | Omit = OMIT,
        email: str | None | Omit = OMIT,
        fcm_token: str | None | Omit = OMIT,
        first_name: str | None | Omit = OMIT,
        last_name: str | None | Omit = OMIT,
        phone: str | None | Omit = OMIT,
        tags: Sequence[str] | None | Omit = OMIT,
    ) -> models.Contact:
        """Change a contact. Absent fields keep their values; null clears a value. `tags` and
        `attributes` replace the existing ones. A new `countryCode` does not change an existing
        phone.

        attributes: Further attributes: texts of at most 500 characters, by names of at most 64.
        consent: The person's consent to get messages: its time and its source. It replaces the existing
            one as a whole.
        country_code: The country in which `phone` is dialled, if it has no calling code; `GH` if
            absent.
        email: An email address. Unique in the organization.
        fcm_token: The push token of the device.
        phone: A number in E.164, or as dialled in the country. Unique in the organization.
        tags: At most 50 characters each. Of tags that differ in letter case only, the first is kept.
        """
        return self._client._call(
            UPDATE,
            Call(
                path={"id": id},
                body={
                    "attributes": attributes,
                    "consent": consent,
                    "country_code": country_code,
                    "email": email,
                    "fcm_token": fcm_token,
                    "first_name": first_name,
                    "last_name": last_name,
                    "phone": phone,
                    "tags": tags,
                },
            ),
        )

    def import_(
        self,
        file: File,
        *,
        consent_source: str | None = None,
        dry_run: bool | None = None,
        mapping: Mapping[str, Any] | None = None,
        once: bool | None = None,
        idempotency_key: str | None = None,
        on_progress: Callable[[models.ImportWithErrors], object] | None = None,
        timeout: float = 600.0,
    ) -> models.ImportWithErrors:
        """Import contacts. The part `file` of the form is CSV with comma, semicolon or tab, in UTF-8
        or Windows-1252. The first row names the columns in any order and spelling: `firstName`,
        `lastName`, `name` (both in one), `phone`, `email` (at least one of these two),
        `countryCode` (of numbers without a calling code; `GH` if empty), `tags` (separated by `;`
        or `|`) and `fcmToken`, or the names that exports of spreadsheets, address books and shops
        use for them, such as `Mobile No.`, `Email Address` or `Surname`. If several columns may
        be the phone, one is used: `phone` before `Mobile` before `Telephone` before the rest. All
        other columns are attributes. A part `mapping` before the file can assign columns: a JSON
        object of headers and fields, such as `{"WhatsApp": "phone", "Branch": "attributes.Town",
        "Notes": null}`; null ignores a column. An invalid cell is ignored and reported in
        `errors`; its row is accepted if it has another phone or email. Rows of separators only
        are skipped. A row whose phone or email belongs to an existing contact changes that
        contact: an empty cell keeps the value, tags are replaced. A fixed line is accepted as a
        phone and counted in `fixedLines`. A file that is sent again is a new import, which
        updates the same contacts and names the earlier one in `sameAs`; with a part `once` before
        the file it is refused. A part `consentSource` before the file records the consent of all
        its contacts, as of the upload; a contact that has a consent keeps it. With a part
        `dryRun` before the file nothing is imported: the answer shows how the beginning of the
        file would be understood, without a look at existing contacts.

        file: A CSV file of at most 20 MiB and 100,000 rows.
        consent_source: The occasion or form by which all contacts of the file consented, before the
            file.
        dry_run: True to see how the file would be understood, and to import nothing; before the file.
            Only for contacts.
        mapping: The fields of the columns, before the file: a JSON object of headers and fields; null
            ignores a column.
        once: True to refuse the file if the same bytes were imported within 24 hours; before the file.
        idempotency_key: within 24 hours the same call with the same key is done once; made by the
            client if absent
        on_progress: gets the state of the import each time that it is read
        timeout: seconds to wait until all rows are processed
        """
        return self._client._run(
            import_file(
                self._client,
                IMPORT_CONTACTS,
                GET_CONTACT_IMPORT,
                Call(
                    body={
                        "file": file,
                        "consentSource": consent_source,
                        "dryRun": dry_run,
                        "mapping": mapping,
                        "once": once,
                    },
                    key=idempotency_key,
                ),
                on_progress,
                timeout,
            )
        )


class AsyncContacts(AsyncGroup):
    """The methods of `client.contacts`."""

    async def create(
        self,
        *,
        attributes: Mapping[str, str] | None = None,
        consent: params.ConsentRequest | None = None,
        country_code: str | None = None,
        email: str | None = None,
        fcm_token: str | None = None,
        first_name: str | None = None,
        last_name: str | None = None,
        phone: str | None = None,
        tags: Sequence[str] | None = None,
        idempotency_key: str | None = None,
    ) -> models.Contact:
        """Create a contact. All fields are optional. Without a phone, an email or a device token no
        message reaches the contact.

        attributes: Further attributes: texts of at most 500 characters, by names of at most 64.
        consent: The person's consent to get messages: its time and its source. It replaces the existing
            one as a whole.
        country_code: The country in which `phone` is dialled, if it has no calling code; `GH` if
            absent.
        email: An email address. Unique in the organization.
        fcm_token: The push token of the device.
        phone: A number in E.164, or as dialled in the country. Unique in the organization.
        tags: At most 50 characters each. Of tags that differ in letter case only, the first is kept.
        idempotency_key: within 24 hours the same call with the same key is done once; made by the
            client if absent
        """
        return await self._client._call(
            CREATE,
            Call(
                body={
                    "attributes": attributes,
                    "consent": consent,
                    "country_code": country_code,
                    "email": email,
                    "fcm_token": fcm_token,
                    "first_name": first_name,
                    "last_name": last_name,
                    "phone": phone,
                    "tags": tags,
                },
                key=idempotency_key,
            ),
        )

    async def delete(self, id: str) -> models.DeletedContact:
        """Delete a contact and erase the person. The contact is deleted at once. A background task
        then processes the organization's delivery log: in every message to the contact's phone,
        email or device, `recipient`, `subject`, `body` and `errorMessage` are replaced by
        `[erased]`; cost and outcome are kept. It begins within two minutes and takes about a
        minute per million messages in the log. A message that is not final by then is erased
        within 15 minutes of its final status, at the latest 4 days after its validity. Webhook
        events about these messages, and about opt-outs, are erased after them; events about a
        message that was still in delivery are deleted with their month, after 61 days at the
        latest. A row for the person in a file that was uploaded before fails, and the erasure
        begins when that file is done. Suppressions are kept, because the wish not to receive
        messages outlives the contact.
        """
        return await self._client._call(DELETE, Call(path={"id": id}))

    def export(
        self,
        *,
        search: str | None = None,
        tag: str | None = None,
        segment_id: str | None = None,
        suppressed: bool | None = None,
        is_consented: bool | None = None,
    ) -> AsyncStream:
        """Download contacts. CSV, newest first, with the filters of the list. Contacts that are
        written meanwhile may be exported as they were, and contacts that are created meanwhile
        are not exported. `tags` are separated by semicolons, and `attributes` are JSON. A cell
        that a spreadsheet would read as a formula begins with an apostrophe, except phone
        numbers: a plus and digits are no formula.

        search: Only contacts whose name, phone or email contains this text, in any letter case. `%` and
            `_` are literal. A phone may be written in any format, also without its country: `055 100
            2995`.
        tag: Only contacts with this tag, in any letter case.
        segment_id: Only contacts of this segment.
        suppressed: Only contacts with a suppression of their phone, email or device, on any channel and
            of any category, or only those without.
        is_consented: Only contacts with a recorded consent, or only those without.
        """
        return self._stream(
            EXPORT,
            Call(
                query={
                    "search": search,
                    "tag": tag,
                    "segmentId": segment_id,
                    "suppressed": suppressed,
                    "isConsented": is_consented,
                }
            ),
        )

    async def get(self, id: str) -> models.Contact:
        """Get a contact."""
        return await self._client._call(GET, Call(path={"id": id}))

    def list(
        self,
        *,
        search: str | None = None,
        tag: str | None = None,
        segment_id: str | None = None,
        suppressed: bool | None = None,
        is_consented: bool | None = None,
        page: int | None = None,
        limit: int | None = None,
        after: str | None = None,
    ) -> AsyncPages[models.Contact]:
        """List contacts. Newest first. Filters can be combined. With a filter at most 1,000 contacts
        are counted and shown on pages; if there may be more, `pagination.isLowerBound` is true,
        and `after` leads to them. Frequent tags, texts and suppressions are found among the
        newest contacts, rare ones by an index. Otherwise the newest 100,000 contacts are
        searched, as for a text without three consecutive letters or digits; a part with `after`
        searches the 100,000 before its place, and may have fewer contacts than `limit`, even
        none, although `nextCursor` leads to more. With `search` alone, if more than 20,000
        contacts match, pages show the newest first if they are among the newest 100,000 contacts.

        search: Only contacts whose name, phone or email contains this text, in any letter case. `%` and
            `_` are literal. A phone may be written in any format, also without its country: `055 100
            2995`.
        tag: Only contacts with this tag, in any letter case.
        segment_id: Only contacts of this segment.
        suppressed: Only contacts with a suppression of their phone, email or device, on any channel and
            of any category, or only those without.
        is_consented: Only contacts with a recorded consent, or only those without.
        page: The number of the page, from 1; 1 if absent.
        limit: The number of items in a page, 1 to 100; 100 if absent.
        after: The `pagination.nextCursor` of the part before; the beginning of the list if empty. The
            answer has no totals then. Not together with `page`.
        """
        return self._pages(
            LIST,
            Call(
                query={
                    "search": search,
                    "tag": tag,
                    "segmentId": segment_id,
                    "suppressed": suppressed,
                    "isConsented": is_consented,
                    "page": page,
                    "limit": limit,
                    "after": after,
                }
            ),
            True,
        )

    def list_messages(
        self, id: str, *, after: str | None = None, limit: int | None = None
    ) -> AsyncPages[models.DeliveryLog]:
        """List the messages to a contact. Newest first, in parts: the delivery logs with the
        contact's phone, email or device as their recipient, whoever they were written for. A part
        may have fewer logs than `limit`, even none, although `nextCursor` leads to more. An API
        key needs the scope `delivery-logs:read`, and sees the messages of its own mode.

        after: The `pagination.nextCursor` of the part before; the beginning of the list if absent or
            empty.
        limit: The number of items in a part, 1 to 100; 20 if absent.
        """
        return self._pages(LIST_MESSAGES, Call(path={"id": id}, query={"after": after, "limit": limit}), True)

    async def update(
        self,
        id: str,
        *,
        attributes: Mapping[str, str] | None | Omit = OMIT,
        consent: params.ConsentRequest | None | Omit = OMIT,
        country_code: str | None | Omit = OMIT,
        email: str | None | Omit = OMIT,
        fcm_token: str | None | Omit = OMIT,
        first_name: str | None | Omit = OMIT,
        last_name: str | None | Omit = OMIT,
        phone: str | None | Omit = OMIT,
        tags: Sequence[str] | None | Omit = OMIT,
    ) -> models.Contact:
        """Change a contact. Absent fields keep their values; null clears a value. `tags` and
        `attributes` replace the existing ones. A new `countryCode` does not change an existing
        phone.

        attributes: Further attributes: texts of at most 500 characters, by names of at most 64.
        consent: The person's consent to get messages: its time and its source. It replaces the existing
            one as a whole.
        country_code: The country in which `phone` is dialled, if it has no calling code; `GH` if
            absent.
        email: An email address. Unique in the organization.
        fcm_token: The push token of the device.
        phone: A number in E.164, or as dialled in the country. Unique in the organization.
        tags: At most 50 characters each. Of tags that differ in letter case only, the first is kept.
        """
        return await self._client._call(
            UPDATE,
            Call(
                path={"id": id},
                body={
                    "attributes": attributes,
                    "consent": consent,
                    "country_code": country_code,
                    "email": email,
                    "fcm_token": fcm_token,
                    "first_name": first_name,
                    "last_name": last_name,
                    "phone": phone,
                    "tags": tags,
                },
            ),
        )

    async def import_(
        self,
        file: File,
        *,
        consent_source: str | None = None,
        dry_run: bool | None = None,
        mapping: Mapping[str, Any] | None = None,
        once: bool | None = None,
        idempotency_key: str | None = None,
        on_progress: Callable[[models.ImportWithErrors], object] | None = None,
        timeout: float = 600.0,
    ) -> models.ImportWithErrors:
        """Import contacts. The part `file` of the form is CSV with comma, semicolon or tab, in UTF-8
        or Windows-1252. The first row names the columns in any order and spelling: `firstName`,
        `lastName`, `name` (both in one), `phone`, `email` (at least one of these two),
        `countryCode` (of numbers without a calling code; `GH` if empty), `tags` (separated by `;`
        or `|`) and `fcmToken`, or the names that exports of spreadsheets, address books and shops
        use for them, such as `Mobile No.`, `Email Address` or `Surname`. If several columns may
        be the phone, one is used: `phone` before `Mobile` before `Telephone` before the rest. All
        other columns are attributes. A part `mapping` before the file can assign columns: a JSON
        object of headers and fields, such as `{"WhatsApp": "phone", "Branch": "attributes.Town",
        "Notes": null}`; null ignores a column. An invalid cell is ignored and reported in
        `errors`; its row is accepted if it has another phone or email. Rows of separators only
        are skipped. A row whose phone or email belongs to an existing contact changes that
        contact: an empty cell keeps the value, tags are replaced. A fixed line is accepted as a
        phone and counted in `fixedLines`. A file that is sent again is a new import, which
        updates the same contacts and names the earlier one in `sameAs`; with a part `once` before
        the file it is refused. A part `consentSource` before the file records the consent of all
        its contacts, as of the upload; a contact that has a consent keeps it. With a part
        `dryRun` before the file nothing is imported: the answer shows how the beginning of the
        file would be understood, without a look at existing contacts.

        file: A CSV file of at most 20 MiB and 100,000 rows.
        consent_source: The occasion or form by which all contacts of the file consented, before the
            file.
        dry_run: True to see how the file would be understood, and to import nothing; before the file.
            Only for contacts.
        mapping: The fields of the columns, before the file: a JSON object of headers and fields; null
            ignores a column.
        once: True to refuse the file if the same bytes were imported within 24 hours; before the file.
        idempotency_key: within 24 hours the same call with the same key is done once; made by the
            client if absent
        on_progress: gets the state of the import each time that it is read
        timeout: seconds to wait until all rows are processed
        """
        return await self._client._run(
            import_file(
                self._client,
                IMPORT_CONTACTS,
                GET_CONTACT_IMPORT,
                Call(
                    body={
                        "file": file,
                        "consentSource": consent_source,
                        "dryRun": dry_run,
                        "mapping": mapping,
                        "once": once,
                    },
                    key=idempotency_key,
                ),
                on_progress,
                timeout,
            )
        )
