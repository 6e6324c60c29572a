"""The methods of `client.content`.

Written by `python -m generator` from docs/openapi.json.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from .._core import Call, Operation
from .._groups import AsyncGroup, Group

if TYPE_CHECKING:
    from collections.abc import Sequence

    from .. import models, params

GENERATE: Final[Operation[models.Content]] = Operation(
    "content.generate", "POST", "/content/generate", result="Content", body="GenerateContentRequest"
)
REWRITE: Final[Operation[models.Content]] = Operation(
    "content.rewrite", "POST", "/content/rewrite", result="Content", body="RewriteContentRequest"
)
TRANSLATE: Final[Operation[models.Content]] = Operation(
    "content.translate", "POST", "/content/translate", result="Content", body="TranslateContentRequest"
)


class Content(Group):
    """The methods of `client.content`."""

    def generate(
        self,
        *,
        channel: params.Channel,
        goal: str,
        category: params.Category | None = None,
        language: str | None = None,
        max_segments: int | None = None,
        tone: str | None = None,
        variables: Sequence[str] | None = None,
    ) -> models.Content:
        """Write a new text. The text is returned only if it has exactly the requested placeholders.
        It is not stored. A model writes at most two texts of an organization at a time.

        channel: The channel of the text.
        goal: A description of the purpose of the text. For an SMS at most 600 characters.
        category: The category of the text; `TRANSACTIONAL` if absent.
        language: The language, as a code or by name; `en` if absent.
        max_segments: The maximum number of parts of an SMS. If it nevertheless takes more, `notes`
            report it.
        tone: The style of the text. Rules support the styles of `/content/rewrite`.
        variables: The names of the placeholders. The text contains all of them.
        """
        return self._client._call(
            GENERATE,
            Call(
                body={
                    "channel": channel,
                    "goal": goal,
                    "category": category,
                    "language": language,
                    "max_segments": max_segments,
                    "tone": tone,
                    "variables": variables,
                }
            ),
        )

    def rewrite(
        self,
        *,
        message: str,
        style: params.ContentStyle,
        category: params.Category | None = None,
        channel: params.Channel | None = None,
        max_segments: int | None = None,
    ) -> models.Content:
        """Rewrite a text. The text is returned only if it has exactly the requested placeholders. It
        is not stored. A model writes at most two texts of an organization at a time.

        message: The text. `{{name}}` is a placeholder for a value.
        style: The style of the text.
        category: The category of the text; `TRANSACTIONAL` if absent.
        channel: The channel of the text.
        max_segments: The maximum number of parts of an SMS. If it nevertheless takes more, `notes`
            report it.
        """
        return self._client._call(
            REWRITE,
            Call(
                body={
                    "message": message,
                    "style": style,
                    "category": category,
                    "channel": channel,
                    "max_segments": max_segments,
                }
            ),
        )

    def translate(
        self,
        *,
        message: str,
        target_language: str,
        category: params.Category | None = None,
        channel: params.Channel | None = None,
        source_language: str | None = None,
    ) -> models.Content:
        """Translate a text. The text is returned only if it has exactly the requested placeholders.
        It is not stored. A model writes at most two texts of an organization at a time.

        message: The text. `{{name}}` is a placeholder for a value.
        target_language: The target language, as a code or by name.
        category: The category of the text; `TRANSACTIONAL` if absent.
        channel: The channel of the text.
        source_language: The language of the text, as a code or by name.
        """
        return self._client._call(
            TRANSLATE,
            Call(
                body={
                    "message": message,
                    "target_language": target_language,
                    "category": category,
                    "channel": channel,
                    "source_language": source_language,
                }
            ),
        )


class AsyncContent(AsyncGroup):
    """The methods of `client.content`."""

    async def generate(
        self,
        *,
        channel: params.Channel,
        goal: str,
        category: params.Category | None = None,
        language: str | None = None,
        max_segments: int | None = None,
        tone: str | None = None,
        variables: Sequence[str] | None = None,
    ) -> models.Content:
        """Write a new text. The text is returned only if it has exactly the requested placeholders.
        It is not stored. A model writes at most two texts of an organization at a time.

        channel: The channel of the text.
        goal: A description of the purpose of the text. For an SMS at most 600 characters.
        category: The category of the text; `TRANSACTIONAL` if absent.
        language: The language, as a code or by name; `en` if absent.
        max_segments: The maximum number of parts of an SMS. If it nevertheless takes more, `notes`
            report it.
        tone: The style of the text. Rules support the styles of `/content/rewrite`.
        variables: The names of the placeholders. The text contains all of them.
        """
        return await self._client._call(
            GENERATE,
            Call(
                body={
                    "channel": channel,
                    "goal": goal,
                    "category": category,
                    "language": language,
                    "max_segments": max_segments,
                    "tone": tone,
                    "variables": variables,
                }
            ),
        )

    async def rewrite(
        self,
        *,
        message: str,
        style: params.ContentStyle,
        category: params.Category | None = None,
        channel: params.Channel | None = None,
        max_segments: int | None = None,
    ) -> models.Content:
        """Rewrite a text. The text is returned only if it has exactly the requested placeholders. It
        is not stored. A model writes at most two texts of an organization at a time.

        message: The text. `{{name}}` is a placeholder for a value.
        style: The style of the text.
        category: The category of the text; `TRANSACTIONAL` if absent.
        channel: The channel of the text.
        max_segments: The maximum number of parts of an SMS. If it nevertheless takes more, `notes`
            report it.
        """
        return await self._client._call(
            REWRITE,
            Call(
                body={
                    "message": message,
                    "style": style,
                    "category": category,
                    "channel": channel,
                    "max_segments": max_segments,
                }
            ),
        )

    async def translate(
        self,
        *,
        message: str,
        target_language: str,
        category: params.Category | None = None,
        channel: params.Channel | None = None,
        source_language: str | None = None,
    ) -> models.Content:
        """Translate a text. The text is returned only if it has exactly the requested placeholders.
        It is not stored. A model writes at most two texts of an organization at a time.

        message: The text. `{{name}}` is a placeholder for a value.
        target_language: The target language, as a code or by name.
        category: The category of the text; `TRANSACTIONAL` if absent.
        channel: The channel of the text.
        source_language: The language of the text, as a code or by name.
        """
        return await self._client._call(
            TRANSLATE,
            Call(
                body={
                    "message": message,
                    "target_language": target_language,
                    "category": category,
                    "channel": channel,
                    "source_language": source_language,
                }
            ),
        )
