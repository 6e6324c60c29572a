"""The methods of `client.limits`.

Written by `python -m generator` from docs/openapi.json.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from .._core import Call, Operation
from .._groups import AsyncGroup, Group

if TYPE_CHECKING:
    from .. import models

GET_ORGANIZATION_LIMITS: Final[Operation[models.OrganizationLimits]] = Operation(
    "limits.get_organization_limits", "GET", "/organizations/limits", result="OrganizationLimits"
)


class Limits(Group):
    """The methods of `client.limits`."""

    def get_organization_limits(self) -> models.OrganizationLimits:
        """Get the limits of the organization, with their usage. For owners and administrators.
        Platform administrators change `live`, `sandbox` and `requests`, and the sum that the
        organization may owe for invoices credited on issue, with `PATCH /admin/tenants/{id}`; the
        organization itself limits its spending and its `velocity` with `PATCH
        /organizations/current`. The limits on stored data and daily actions of an organization
        may increase with its first payment.
        """
        return self._client._call(GET_ORGANIZATION_LIMITS, Call())


class AsyncLimits(AsyncGroup):
    """The methods of `client.limits`."""

    async def get_organization_limits(self) -> models.OrganizationLimits:
        """Get the limits of the organization, with their usage. For owners and administrators.
        Platform administrators change `live`, `sandbox` and `requests`, and the sum that the
        organization may owe for invoices credited on issue, with `PATCH /admin/tenants/{id}`; the
        organization itself limits its spending and its `velocity` with `PATCH
        /organizations/current`. The limits on stored data and daily actions of an organization
        may increase with its first payment.
        """
        return await self._client._call(GET_ORGANIZATION_LIMITS, Call())
