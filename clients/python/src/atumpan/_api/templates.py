"""The methods of `client.templates`.

Written by `python -m generator` from docs/openapi.json.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from .._core import Call, Operation
from .._groups import AsyncGroup, Group
from .._mapping import OMIT

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from .. import models, params
    from .._mapping import Omit
    from .._paging import AsyncPages, Pages

CREATE: Final[Operation[models.Template]] = Operation(
    "templates.create", "POST", "/templates", result="Template", body="CreateTemplateRequest", is_keyed=True
)
DELETE: Final[Operation[None]] = Operation("templates.delete", "DELETE", "/templates/{id}")
GET: Final[Operation[models.TemplateDetail]] = Operation(
    "templates.get", "GET", "/templates/{id}", result="TemplateDetail"
)
LIST: Final[Operation[models.Template]] = Operation("templates.list", "GET", "/templates", result="Template")
RENDER: Final[Operation[models.RenderedTemplate]] = Operation(
    "templates.render",
    "POST",
    "/templates/{id}/render",
    result="RenderedTemplate",
    body="RenderTemplateRequest",
)
UPDATE: Final[Operation[models.Template]] = Operation(
    "templates.update", "PATCH", "/templates/{id}", result="Template", body="UpdateTemplateRequest"
)


class Templates(Group):
    """The methods of `client.templates`."""

    def create(
        self,
        *,
        body: str,
        channel: params.TemplateChannel,
        name: str,
        category: params.Category | None = None,
        country_code: str | None = None,
        format: params.TextFormat | None = None,
        language: str | None = None,
        long_variables: bool | None = None,
        short_variables: Sequence[str] | None = None,
        subject: str | None = None,
        variables: Sequence[str] | None = None,
        vendor_template: params.VendorTemplateRequest | None = None,
        idempotency_key: str | None = None,
    ) -> models.Template:
        """Create a template. The template can be sent at once, unless it requires approval by the
        platform: templates of the categories `HEALTHCARE`, `INSURANCE` and `FINTECH`, those with
        a risk score of 30 or more, and those with a `vendorTemplate` do.

        body: The text. `{{name}}` is a placeholder for a value. The text before filling may be as long
            as the channel allows.
        name: A name for people.
        category: `TRANSACTIONAL` if absent.
        country_code: `GH` if absent.
        format: The format of the text, only for `EMAIL`; detected if absent (see `sendMessage`).
        language: `en` if absent.
        long_variables: True if values may have more than 160 characters although the category is
            `HEALTHCARE`, `INSURANCE` or `FINTECH`. Shown to the administrator who approves the
            template.
        short_variables: The placeholders whose values are one line of at most 40 characters without a
            link. If absent, all placeholders of a template of the category `OTP`, and none of others. A
            text with fewer than 20 characters of its own and a placeholder that is not short is scored
            at each send, with its values.
        subject: The subject line.
        variables: The names of the placeholders: all that the texts use, and others for later use.
            Taken from the texts if absent.
        vendor_template: Only for `WHATSAPP`: the template that the vendor has approved. It requires
            approval by the platform.
        idempotency_key: within 24 hours the same call with the same key is done once; made by the
            client if absent
        """
        return self._client._call(
            CREATE,
            Call(
                body={
                    "body": body,
                    "channel": channel,
                    "name": name,
                    "category": category,
                    "country_code": country_code,
                    "format": format,
                    "language": language,
                    "long_variables": long_variables,
                    "short_variables": short_variables,
                    "subject": subject,
                    "variables": variables,
                    "vendor_template": vendor_template,
                },
                key=idempotency_key,
            ),
        )

    def delete(self, id: str) -> None:
        """Delete a template. Its versions are deleted, and its pending approval is withdrawn.
        Messages that were accepted keep their texts, also those that wait for their time, and
        figures keep its name. `details` of `TEMPLATE_IN_USE` name the newest ten `events` and
        `campaigns` that need it, each by `id` and `name`: campaigns that are `DRAFT`, `SCHEDULED`
        or `PENDING_APPROVAL`.
        """
        self._client._call(DELETE, Call(path={"id": id}))

    def get(self, id: str) -> models.TemplateDetail:
        """Get a template, with its versions. The last 20 versions are kept."""
        return self._client._call(GET, Call(path={"id": id}))

    def list(
        self,
        *,
        search: str | None = None,
        status: params.TemplateStatus | None = None,
        channel: params.TemplateChannel | None = None,
        category: params.Category | None = None,
        page: int | None = None,
        limit: int | None = None,
    ) -> Pages[models.Template]:
        """List templates. Newest first. Filters can be combined. With a filter at most 1,000
        templates are counted and shown; if there are more, `pagination.isLowerBound` is true.

        search: Only templates whose name contains this text, in any letter case.
        status: Only templates in this state.
        channel: Only templates for this channel.
        category: Only templates of this category.
        page: The number of the page, from 1; 1 if absent.
        limit: The number of items in a page, 1 to 100; 100 if absent.
        """
        return self._pages(
            LIST,
            Call(
                query={
                    "search": search,
                    "status": status,
                    "channel": channel,
                    "category": category,
                    "page": page,
                    "limit": limit,
                }
            ),
            False,
        )

    def render(
        self, id: str, *, channel: params.Channel | None = None, variables: Mapping[str, str] | None = None
    ) -> models.RenderedTemplate:
        """Fill the texts of a template. Shows them as a message would have them, and sends nothing.
        The template may still wait for its approval. `variables` may name more than the texts
        use. A placeholder without a value stays as it is, and is named in `missing`; campaigns
        fill `{{unsubscribe}}` and the fields of contacts themselves.

        channel: The channel to show, for a template of `IN_APP`. For any other template it is the
            channel of the template, or absent.
        variables: Values for the placeholders, with the rules of messages: at most 10,000 characters
            each and 100,000 in total. They are escaped in an HTML body.
        """
        return self._client._call(
            RENDER, Call(path={"id": id}, body={"channel": channel, "variables": variables})
        )

    def update(
        self,
        id: str,
        *,
        body: str | None = None,
        category: params.Category | None = None,
        country_code: str | None = None,
        format: params.TextFormat | None | Omit = OMIT,
        language: str | None = None,
        long_variables: bool | None = None,
        name: str | None = None,
        short_variables: Sequence[str] | None | Omit = OMIT,
        subject: str | None | Omit = OMIT,
        variables: Sequence[str] | None | Omit = OMIT,
        vendor_template: params.VendorTemplateRequest | None | Omit = OMIT,
    ) -> models.Template:
        """Change a template. A change of the content creates a new version. It requires approval
        like a new template: the approval of the old version does not apply to it.

        body: The text. `{{name}}` is a placeholder for a value. The text before filling may be as long
            as the channel allows.
        category: The category of the content.
        country_code: The country of the recipients.
        format: The format of the text, only for `EMAIL`; detected if absent (see `sendMessage`).
        language: The code of the language.
        long_variables: True if values may have more than 160 characters although the category is
            `HEALTHCARE`, `INSURANCE` or `FINTECH`. Shown to the administrator who approves the
            template.
        name: A name for people.
        short_variables: The placeholders whose values are one line of at most 40 characters without a
            link. If absent, all placeholders of a template of the category `OTP`, and none of others. A
            text with fewer than 20 characters of its own and a placeholder that is not short is scored
            at each send, with its values.
        subject: The subject line.
        variables: The names of the placeholders: all that the texts use, and others for later use.
            Taken from the texts if absent.
        vendor_template: Only for `WHATSAPP`: the template that the vendor has approved. It requires
            approval by the platform.
        """
        return self._client._call(
            UPDATE,
            Call(
                path={"id": id},
                body={
                    "body": body,
                    "category": category,
                    "country_code": country_code,
                    "format": format,
                    "language": language,
                    "long_variables": long_variables,
                    "name": name,
                    "short_variables": short_variables,
                    "subject": subject,
                    "variables": variables,
                    "vendor_template": vendor_template,
                },
            ),
        )


class AsyncTemplates(AsyncGroup):
    """The methods of `client.templates`."""

    async def create(
        self,
        *,
        body: str,
        channel: params.TemplateChannel,
        name: str,
        category: params.Category | None = None,
        country_code: str | None = None,
        format: params.TextFormat | None = None,
        language: str | None = None,
        long_variables: bool | None = None,
        short_variables: Sequence[str] | None = None,
        subject: str | None = None,
        variables: Sequence[str] | None = None,
        vendor_template: params.VendorTemplateRequest | None = None,
        idempotency_key: str | None = None,
    ) -> models.Template:
        """Create a template. The template can be sent at once, unless it requires approval by the
        platform: templates of the categories `HEALTHCARE`, `INSURANCE` and `FINTECH`, those with
        a risk score of 30 or more, and those with a `vendorTemplate` do.

        body: The text. `{{name}}` is a placeholder for a value. The text before filling may be as long
            as the channel allows.
        name: A name for people.
        category: `TRANSACTIONAL` if absent.
        country_code: `GH` if absent.
        format: The format of the text, only for `EMAIL`; detected if absent (see `sendMessage`).
        language: `en` if absent.
        long_variables: True if values may have more than 160 characters although the category is
            `HEALTHCARE`, `INSURANCE` or `FINTECH`. Shown to the administrator who approves the
            template.
        short_variables: The placeholders whose values are one line of at most 40 characters without a
            link. If absent, all placeholders of a template of the category `OTP`, and none of others. A
            text with fewer than 20 characters of its own and a placeholder that is not short is scored
            at each send, with its values.
        subject: The subject line.
        variables: The names of the placeholders: all that the texts use, and others for later use.
            Taken from the texts if absent.
        vendor_template: Only for `WHATSAPP`: the template that the vendor has approved. It requires
            approval by the platform.
        idempotency_key: within 24 hours the same call with the same key is done once; made by the
            client if absent
        """
        return await self._client._call(
            CREATE,
            Call(
                body={
                    "body": body,
                    "channel": channel,
                    "name": name,
                    "category": category,
                    "country_code": country_code,
                    "format": format,
                    "language": language,
                    "long_variables": long_variables,
                    "short_variables": short_variables,
                    "subject": subject,
                    "variables": variables,
                    "vendor_template": vendor_template,
                },
                key=idempotency_key,
            ),
        )

    async def delete(self, id: str) -> None:
        """Delete a template. Its versions are deleted, and its pending approval is withdrawn.
        Messages that were accepted keep their texts, also those that wait for their time, and
        figures keep its name. `details` of `TEMPLATE_IN_USE` name the newest ten `events` and
        `campaigns` that need it, each by `id` and `name`: campaigns that are `DRAFT`, `SCHEDULED`
        or `PENDING_APPROVAL`.
        """
        await self._client._call(DELETE, Call(path={"id": id}))

    async def get(self, id: str) -> models.TemplateDetail:
        """Get a template, with its versions. The last 20 versions are kept."""
        return await self._client._call(GET, Call(path={"id": id}))

    def list(
        self,
        *,
        search: str | None = None,
        status: params.TemplateStatus | None = None,
        channel: params.TemplateChannel | None = None,
        category: params.Category | None = None,
        page: int | None = None,
        limit: int | None = None,
    ) -> AsyncPages[models.Template]:
        """List templates. Newest first. Filters can be combined. With a filter at most 1,000
        templates are counted and shown; if there are more, `pagination.isLowerBound` is true.

        search: Only templates whose name contains this text, in any letter case.
        status: Only templates in this state.
        channel: Only templates for this channel.
        category: Only templates of this category.
        page: The number of the page, from 1; 1 if absent.
        limit: The number of items in a page, 1 to 100; 100 if absent.
        """
        return self._pages(
            LIST,
            Call(
                query={
                    "search": search,
                    "status": status,
                    "channel": channel,
                    "category": category,
                    "page": page,
                    "limit": limit,
                }
            ),
            False,
        )

    async def render(
        self, id: str, *, channel: params.Channel | None = None, variables: Mapping[str, str] | None = None
    ) -> models.RenderedTemplate:
        """Fill the texts of a template. Shows them as a message would have them, and sends nothing.
        The template may still wait for its approval. `variables` may name more than the texts
        use. A placeholder without a value stays as it is, and is named in `missing`; campaigns
        fill `{{unsubscribe}}` and the fields of contacts themselves.

        channel: The channel to show, for a template of `IN_APP`. For any other template it is the
            channel of the template, or absent.
        variables: Values for the placeholders, with the rules of messages: at most 10,000 characters
            each and 100,000 in total. They are escaped in an HTML body.
        """
        return await self._client._call(
            RENDER, Call(path={"id": id}, body={"channel": channel, "variables": variables})
        )

    async def update(
        self,
        id: str,
        *,
        body: str | None = None,
        category: params.Category | None = None,
        country_code: str | None = None,
        format: params.TextFormat | None | Omit = OMIT,
        language: str | None = None,
        long_variables: bool | None = None,
        name: str | None = None,
        short_variables: Sequence[str] | None | Omit = OMIT,
        subject: str | None | Omit = OMIT,
        variables: Sequence[str] | None | Omit = OMIT,
        vendor_template: params.VendorTemplateRequest | None | Omit = OMIT,
    ) -> models.Template:
        """Change a template. A change of the content creates a new version. It requires approval
        like a new template: the approval of the old version does not apply to it.

        body: The text. `{{name}}` is a placeholder for a value. The text before filling may be as long
            as the channel allows.
        category: The category of the content.
        country_code: The country of the recipients.
        format: The format of the text, only for `EMAIL`; detected if absent (see `sendMessage`).
        language: The code of the language.
        long_variables: True if values may have more than 160 characters although the category is
            `HEALTHCARE`, `INSURANCE` or `FINTECH`. Shown to the administrator who approves the
            template.
        name: A name for people.
        short_variables: The placeholders whose values are one line of at most 40 characters without a
            link. If absent, all placeholders of a template of the category `OTP`, and none of others. A
            text with fewer than 20 characters of its own and a placeholder that is not short is scored
            at each send, with its values.
        subject: The subject line.
        variables: The names of the placeholders: all that the texts use, and others for later use.
            Taken from the texts if absent.
        vendor_template: Only for `WHATSAPP`: the template that the vendor has approved. It requires
            approval by the platform.
        """
        return await self._client._call(
            UPDATE,
            Call(
                path={"id": id},
                body={
                    "body": body,
                    "category": category,
                    "country_code": country_code,
                    "format": format,
                    "language": language,
                    "long_variables": long_variables,
                    "name": name,
                    "short_variables": short_variables,
                    "subject": subject,
                    "variables": variables,
                    "vendor_template": vendor_template,
                },
            ),
        )
