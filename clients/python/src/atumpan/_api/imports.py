"""The methods of `client.imports`.

Written by `python -m generator` from docs/openapi.json.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from .._core import Call, Operation
from .._groups import AsyncGroup, Group

if TYPE_CHECKING:
    from collections.abc import Mapping

    from .. import models
    from .._core import File
    from .._paging import AsyncPages, Pages
    from .._stream import AsyncStream, Stream

GET_CONTACT_IMPORT: Final[Operation[models.ImportWithErrors]] = Operation(
    "imports.get_contact_import", "GET", "/contacts/imports/{id}", result="ImportWithErrors"
)
GET_SUPPRESSION_IMPORT: Final[Operation[models.ImportWithErrors]] = Operation(
    "imports.get_suppression_import", "GET", "/compliance/suppression/imports/{id}", result="ImportWithErrors"
)
IMPORT_CONTACTS: Final[Operation[models.ImportPreview | models.ImportWithErrors]] = Operation(
    "imports.import_contacts",
    "POST",
    "/contacts/import",
    result="ImportPreview | ImportWithErrors",
    form="multipart",
    is_keyed=True,
)
IMPORT_SUPPRESSIONS: Final[Operation[models.ImportWithErrors]] = Operation(
    "imports.import_suppressions",
    "POST",
    "/compliance/suppression/import",
    result="ImportWithErrors",
    form="multipart",
    is_keyed=True,
)
LIST_CONTACT_IMPORT_ERRORS: Final[Operation[str]] = Operation(
    "imports.list_contact_import_errors", "GET", "/contacts/imports/{id}/errors", shape="stream"
)
LIST_CONTACT_IMPORTS: Final[Operation[models.Import]] = Operation(
    "imports.list_contact_imports", "GET", "/contacts/imports", result="Import"
)
LIST_SUPPRESSION_IMPORT_ERRORS: Final[Operation[str]] = Operation(
    "imports.list_suppression_import_errors",
    "GET",
    "/compliance/suppression/imports/{id}/errors",
    shape="stream",
)
LIST_SUPPRESSION_IMPORTS: Final[Operation[models.Import]] = Operation(
    "imports.list_suppression_imports", "GET", "/compliance/suppression/imports", result="Import"
)
UNDO_CONTACT_IMPORT: Final[Operation[models.Import]] = Operation(
    "imports.undo_contact_import", "POST", "/contacts/imports/{id}/undo", result="Import"
)


class Imports(Group):
    """The methods of `client.imports`."""

    def get_contact_import(self, id: str) -> models.ImportWithErrors:
        """Get an import of contacts."""
        return self._client._call(GET_CONTACT_IMPORT, Call(path={"id": id}))

    def get_suppression_import(self, id: str) -> models.ImportWithErrors:
        """Get an import of suppressions."""
        return self._client._call(GET_SUPPRESSION_IMPORT, Call(path={"id": id}))

    def import_contacts(
        self,
        file: File,
        *,
        consent_source: str | None = None,
        dry_run: bool | None = None,
        mapping: Mapping[str, Any] | None = None,
        once: bool | None = None,
        idempotency_key: str | None = None,
    ) -> models.ImportPreview | models.ImportWithErrors:
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
        """
        return self._client._call(
            IMPORT_CONTACTS,
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
        )

    def import_suppressions(
        self,
        file: File,
        *,
        consent_source: str | None = None,
        dry_run: bool | None = None,
        mapping: Mapping[str, Any] | None = None,
        once: bool | None = None,
        idempotency_key: str | None = None,
    ) -> models.ImportWithErrors:
        """Import suppressions. Like the import of contacts, with the columns `phone`, `email` (at
        least one of these two), `channel`, `category` and `reason`. Any other column must be
        excluded by `mapping`. An existing entry keeps its reason unless the row gives one.

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
        """
        return self._client._call(
            IMPORT_SUPPRESSIONS,
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
        )

    def list_contact_import_errors(self, id: str) -> Stream:
        """Download the failed rows of an import of contacts. CSV, in the order of the file. Rows are
        numbered as in a spreadsheet: the header is row 1. If the row as a whole is invalid,
        `column` is empty.
        """
        return self._stream(LIST_CONTACT_IMPORT_ERRORS, Call(path={"id": id}))

    def list_contact_imports(
        self, *, page: int | None = None, limit: int | None = None
    ) -> Pages[models.Import]:
        """List imports of contacts. Newest first, without their errors. Imports are kept for 30
        days.

        page: The number of the page, from 1; 1 if absent.
        limit: The number of items in a page, 1 to 100; 100 if absent.
        """
        return self._pages(LIST_CONTACT_IMPORTS, Call(query={"page": page, "limit": limit}), False)

    def list_suppression_import_errors(self, id: str) -> Stream:
        """Download the failed rows of an import of suppressions. CSV, in the order of the file. Rows
        are numbered as in a spreadsheet: the header is row 1. If the row as a whole is invalid,
        `column` is empty.
        """
        return self._stream(LIST_SUPPRESSION_IMPORT_ERRORS, Call(path={"id": id}))

    def list_suppression_imports(
        self, *, page: int | None = None, limit: int | None = None
    ) -> Pages[models.Import]:
        """List imports of suppressions. Newest first, without their errors. Imports are kept for 30
        days.

        page: The number of the page, from 1; 1 if absent.
        limit: The number of items in a page, 1 to 100; 100 if absent.
        """
        return self._pages(LIST_SUPPRESSION_IMPORTS, Call(query={"page": page, "limit": limit}), False)

    def undo_contact_import(self, id: str) -> models.Import:
        """Undo an import of contacts. Possible once, for a day after the end of the import. Deletes
        the contacts that the import created and that no request and no other file changed since.
        Contacts that were there before keep what the import changed. Messages that were sent
        meanwhile stay in the log; deleting a contact by itself erases them. It works in the
        background: `undoStatus` and `undone` of the import show how far it is. It is recorded in
        the audit log.
        """
        return self._client._call(UNDO_CONTACT_IMPORT, Call(path={"id": id}))


class AsyncImports(AsyncGroup):
    """The methods of `client.imports`."""

    async def get_contact_import(self, id: str) -> models.ImportWithErrors:
        """Get an import of contacts."""
        return await self._client._call(GET_CONTACT_IMPORT, Call(path={"id": id}))

    async def get_suppression_import(self, id: str) -> models.ImportWithErrors:
        """Get an import of suppressions."""
        return await self._client._call(GET_SUPPRESSION_IMPORT, Call(path={"id": id}))

    async def import_contacts(
        self,
        file: File,
        *,
        consent_source: str | None = None,
        dry_run: bool | None = None,
        mapping: Mapping[str, Any] | None = None,
        once: bool | None = None,
        idempotency_key: str | None = None,
    ) -> models.ImportPreview | models.ImportWithErrors:
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
        """
        return await self._client._call(
            IMPORT_CONTACTS,
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
        )

    async def import_suppressions(
        self,
        file: File,
        *,
        consent_source: str | None = None,
        dry_run: bool | None = None,
        mapping: Mapping[str, Any] | None = None,
        once: bool | None = None,
        idempotency_key: str | None = None,
    ) -> models.ImportWithErrors:
        """Import suppressions. Like the import of contacts, with the columns `phone`, `email` (at
        least one of these two), `channel`, `category` and `reason`. Any other column must be
        excluded by `mapping`. An existing entry keeps its reason unless the row gives one.

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
        """
        return await self._client._call(
            IMPORT_SUPPRESSIONS,
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
        )

    def list_contact_import_errors(self, id: str) -> AsyncStream:
        """Download the failed rows of an import of contacts. CSV, in the order of the file. Rows are
        numbered as in a spreadsheet: the header is row 1. If the row as a whole is invalid,
        `column` is empty.
        """
        return self._stream(LIST_CONTACT_IMPORT_ERRORS, Call(path={"id": id}))

    def list_contact_imports(
        self, *, page: int | None = None, limit: int | None = None
    ) -> AsyncPages[models.Import]:
        """List imports of contacts. Newest first, without their errors. Imports are kept for 30
        days.

        page: The number of the page, from 1; 1 if absent.
        limit: The number of items in a page, 1 to 100; 100 if absent.
        """
        return self._pages(LIST_CONTACT_IMPORTS, Call(query={"page": page, "limit": limit}), False)

    def list_suppression_import_errors(self, id: str) -> AsyncStream:
        """Download the failed rows of an import of suppressions. CSV, in the order of the file. Rows
        are numbered as in a spreadsheet: the header is row 1. If the row as a whole is invalid,
        `column` is empty.
        """
        return self._stream(LIST_SUPPRESSION_IMPORT_ERRORS, Call(path={"id": id}))

    def list_suppression_imports(
        self, *, page: int | None = None, limit: int | None = None
    ) -> AsyncPages[models.Import]:
        """List imports of suppressions. Newest first, without their errors. Imports are kept for 30
        days.

        page: The number of the page, from 1; 1 if absent.
        limit: The number of items in a page, 1 to 100; 100 if absent.
        """
        return self._pages(LIST_SUPPRESSION_IMPORTS, Call(query={"page": page, "limit": limit}), False)

    async def undo_contact_import(self, id: str) -> models.Import:
        """Undo an import of contacts. Possible once, for a day after the end of the import. Deletes
        the contacts that the import created and that no request and no other file changed since.
        Contacts that were there before keep what the import changed. Messages that were sent
        meanwhile stay in the log; deleting a contact by itself erases them. It works in the
        background: `undoStatus` and `undone` of the import show how far it is. It is recorded in
        the audit log.
        """
        return await self._client._call(UNDO_CONTACT_IMPORT, Call(path={"id": id}))
