"""The methods of `client.compliance`.

Written by `python -m generator` from docs/openapi.json.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from .._core import Call, Operation
from .._groups import AsyncGroup, Group

if TYPE_CHECKING:
    from .. import models, params

CHECK_MESSAGE: Final[Operation[models.CheckedMessage]] = Operation(
    "compliance.check_message",
    "POST",
    "/compliance/check-message",
    result="CheckedMessage",
    body="CheckMessageRequest",
)
GET_SUMMARY: Final[Operation[models.ComplianceSummary]] = Operation(
    "compliance.get_summary", "GET", "/compliance/summary", result="ComplianceSummary"
)


class Compliance(Group):
    """The methods of `client.compliance`."""

    def check_message(
        self,
        *,
        message: str,
        category: params.Category | None = None,
        channel: params.Channel | None = None,
        country_code: str | None = None,
        sender_id: str | None = None,
    ) -> models.CheckedMessage:
        """Check a text before it is used. Rules find content that harms recipients or costs more
        than necessary. The score is the sum of the weights of the issues, at most 100. The text
        is not stored.

        message: The text.
        category: The category of the text; `MARKETING` if absent.
        channel: The channel of the text. With `countryCode` the answer includes the cost.
        country_code: The country of the recipients.
        sender_id: The sender of the text. Nobody can answer a name, so a text message from one that can
            be stopped by a reply only gets an issue.
        """
        return self._client._call(
            CHECK_MESSAGE,
            Call(
                body={
                    "message": message,
                    "category": category,
                    "channel": channel,
                    "country_code": country_code,
                    "sender_id": sender_id,
                }
            ),
        )

    def get_summary(self) -> models.ComplianceSummary:
        """Get a summary of suppressions and pending approvals."""
        return self._client._call(GET_SUMMARY, Call())


class AsyncCompliance(AsyncGroup):
    """The methods of `client.compliance`."""

    async def check_message(
        self,
        *,
        message: str,
        category: params.Category | None = None,
        channel: params.Channel | None = None,
        country_code: str | None = None,
        sender_id: str | None = None,
    ) -> models.CheckedMessage:
        """Check a text before it is used. Rules find content that harms recipients or costs more
        than necessary. The score is the sum of the weights of the issues, at most 100. The text
        is not stored.

        message: The text.
        category: The category of the text; `MARKETING` if absent.
        channel: The channel of the text. With `countryCode` the answer includes the cost.
        country_code: The country of the recipients.
        sender_id: The sender of the text. Nobody can answer a name, so a text message from one that can
            be stopped by a reply only gets an issue.
        """
        return await self._client._call(
            CHECK_MESSAGE,
            Call(
                body={
                    "message": message,
                    "category": category,
                    "channel": channel,
                    "country_code": country_code,
                    "sender_id": sender_id,
                }
            ),
        )

    async def get_summary(self) -> models.ComplianceSummary:
        """Get a summary of suppressions and pending approvals."""
        return await self._client._call(GET_SUMMARY, Call())
