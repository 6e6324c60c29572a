"""The methods of `client.pricing`.

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

CREATE_PLAN: Final[Operation[models.AdminPlan]] = Operation(
    "pricing.create_plan",
    "POST",
    "/admin/pricing/plans",
    result="AdminPlan",
    body="CreatePlanRequest",
    is_keyed=True,
)
CREATE_RULE: Final[Operation[models.AdminPricingRule]] = Operation(
    "pricing.create_rule",
    "POST",
    "/admin/pricing",
    result="AdminPricingRule",
    body="CreatePricingRuleRequest",
    is_keyed=True,
)
LIST_PLANS: Final[Operation[models.AdminPlan]] = Operation(
    "pricing.list_plans", "GET", "/admin/pricing/plans", result="AdminPlan"
)
LIST_RULES: Final[Operation[models.AdminPricingRule]] = Operation(
    "pricing.list_rules", "GET", "/admin/pricing", result="AdminPricingRule"
)
UPDATE_PLAN: Final[Operation[models.AdminPlan]] = Operation(
    "pricing.update_plan", "PATCH", "/admin/pricing/plans/{id}", result="AdminPlan", body="UpdatePlanRequest"
)
UPDATE_RULE: Final[Operation[models.AdminPricingRule]] = Operation(
    "pricing.update_rule",
    "PATCH",
    "/admin/pricing/{id}",
    result="AdminPricingRule",
    body="UpdatePricingRuleRequest",
)


class Pricing(Group):
    """The methods of `client.pricing`."""

    def create_plan(
        self,
        *,
        included_messages: int,
        monthly_fee: float,
        name: str,
        features: Sequence[str] | None = None,
        idempotency_key: str | None = None,
    ) -> models.AdminPlan:
        """Create a plan. For platform administrators. The change is recorded in the audit log.

        included_messages: The number of messages included in a month.
        monthly_fee: The monthly fee in GHS.
        features: Further features, in words.
        idempotency_key: within 24 hours the same call with the same key is done once; made by the
            client if absent
        """
        return self._client._call(
            CREATE_PLAN,
            Call(
                body={
                    "included_messages": included_messages,
                    "monthly_fee": monthly_fee,
                    "name": name,
                    "features": features,
                },
                key=idempotency_key,
            ),
        )

    def create_rule(
        self,
        *,
        channel: params.Channel,
        unit_price: float,
        country_code: str | None = None,
        organization_id: str | None = None,
        idempotency_key: str | None = None,
    ) -> models.AdminPricingRule:
        """Create a price. For platform administrators. The price applies to messages accepted from
        then on, on every instance within a second. A price of an organization's own takes
        precedence over one for all, then one that names the country. The change is recorded in
        the audit log.

        unit_price: The price of one segment in GHS, with at most six decimals.
        country_code: The recipients' country, `001` for numbers of none; all if absent.
        organization_id: The organization with which it is agreed; all if absent.
        idempotency_key: within 24 hours the same call with the same key is done once; made by the
            client if absent
        """
        return self._client._call(
            CREATE_RULE,
            Call(
                body={
                    "channel": channel,
                    "unit_price": unit_price,
                    "country_code": country_code,
                    "organization_id": organization_id,
                },
                key=idempotency_key,
            ),
        )

    def list_plans(
        self, *, is_active: bool | None = None, page: int | None = None, limit: int | None = None
    ) -> Pages[models.AdminPlan]:
        """List plans. For platform administrators. Newest first, including those that ended.

        is_active: Only prices in force, or only prices that ended.
        page: The number of the page, from 1; 1 if absent.
        limit: The number of items in a page, 1 to 100; 100 if absent.
        """
        return self._pages(
            LIST_PLANS, Call(query={"isActive": is_active, "page": page, "limit": limit}), False
        )

    def list_rules(
        self,
        *,
        organization_id: str | None = None,
        channel: params.Channel | None = None,
        is_active: bool | None = None,
        page: int | None = None,
        limit: int | None = None,
    ) -> Pages[models.AdminPricingRule]:
        """List prices. For platform administrators. Newest first, including those that ended.

        organization_id: Only prices agreed with this organization.
        channel: Only prices of this channel.
        is_active: Only prices in force, or only prices that ended.
        page: The number of the page, from 1; 1 if absent.
        limit: The number of items in a page, 1 to 100; 100 if absent.
        """
        return self._pages(
            LIST_RULES,
            Call(
                query={
                    "organizationId": organization_id,
                    "channel": channel,
                    "isActive": is_active,
                    "page": page,
                    "limit": limit,
                }
            ),
            False,
        )

    def update_plan(
        self,
        id: str,
        *,
        features: Sequence[str] | None = None,
        included_messages: int | None = None,
        is_active: bool | None = None,
        monthly_fee: float | None = None,
        name: str | None = None,
    ) -> models.AdminPlan:
        """Change a plan, or end it. The changed one ends and stays in the list; a new one with its
        own `id` replaces it. The change is recorded in the audit log.

        features: Further features, in words.
        included_messages: The number of messages included in a month.
        is_active: True if it can be booked.
        monthly_fee: The monthly fee in GHS.
        """
        return self._client._call(
            UPDATE_PLAN,
            Call(
                path={"id": id},
                body={
                    "features": features,
                    "included_messages": included_messages,
                    "is_active": is_active,
                    "monthly_fee": monthly_fee,
                    "name": name,
                },
            ),
        )

    def update_rule(
        self, id: str, *, is_active: bool | None = None, unit_price: float | None = None
    ) -> models.AdminPricingRule:
        """Change a price, or end it. The changed one ends and stays in the list; a new one with its
        own `id` replaces it. The change is recorded in the audit log.

        is_active: True if it is in force.
        unit_price: The price of one segment in GHS, with at most six decimals.
        """
        return self._client._call(
            UPDATE_RULE, Call(path={"id": id}, body={"is_active": is_active, "unit_price": unit_price})
        )


class AsyncPricing(AsyncGroup):
    """The methods of `client.pricing`."""

    async def create_plan(
        self,
        *,
        included_messages: int,
        monthly_fee: float,
        name: str,
        features: Sequence[str] | None = None,
        idempotency_key: str | None = None,
    ) -> models.AdminPlan:
        """Create a plan. For platform administrators. The change is recorded in the audit log.

        included_messages: The number of messages included in a month.
        monthly_fee: The monthly fee in GHS.
        features: Further features, in words.
        idempotency_key: within 24 hours the same call with the same key is done once; made by the
            client if absent
        """
        return await self._client._call(
            CREATE_PLAN,
            Call(
                body={
                    "included_messages": included_messages,
                    "monthly_fee": monthly_fee,
                    "name": name,
                    "features": features,
                },
                key=idempotency_key,
            ),
        )

    async def create_rule(
        self,
        *,
        channel: params.Channel,
        unit_price: float,
        country_code: str | None = None,
        organization_id: str | None = None,
        idempotency_key: str | None = None,
    ) -> models.AdminPricingRule:
        """Create a price. For platform administrators. The price applies to messages accepted from
        then on, on every instance within a second. A price of an organization's own takes
        precedence over one for all, then one that names the country. The change is recorded in
        the audit log.

        unit_price: The price of one segment in GHS, with at most six decimals.
        country_code: The recipients' country, `001` for numbers of none; all if absent.
        organization_id: The organization with which it is agreed; all if absent.
        idempotency_key: within 24 hours the same call with the same key is done once; made by the
            client if absent
        """
        return await self._client._call(
            CREATE_RULE,
            Call(
                body={
                    "channel": channel,
                    "unit_price": unit_price,
                    "country_code": country_code,
                    "organization_id": organization_id,
                },
                key=idempotency_key,
            ),
        )

    def list_plans(
        self, *, is_active: bool | None = None, page: int | None = None, limit: int | None = None
    ) -> AsyncPages[models.AdminPlan]:
        """List plans. For platform administrators. Newest first, including those that ended.

        is_active: Only prices in force, or only prices that ended.
        page: The number of the page, from 1; 1 if absent.
        limit: The number of items in a page, 1 to 100; 100 if absent.
        """
        return self._pages(
            LIST_PLANS, Call(query={"isActive": is_active, "page": page, "limit": limit}), False
        )

    def list_rules(
        self,
        *,
        organization_id: str | None = None,
        channel: params.Channel | None = None,
        is_active: bool | None = None,
        page: int | None = None,
        limit: int | None = None,
    ) -> AsyncPages[models.AdminPricingRule]:
        """List prices. For platform administrators. Newest first, including those that ended.

        organization_id: Only prices agreed with this organization.
        channel: Only prices of this channel.
        is_active: Only prices in force, or only prices that ended.
        page: The number of the page, from 1; 1 if absent.
        limit: The number of items in a page, 1 to 100; 100 if absent.
        """
        return self._pages(
            LIST_RULES,
            Call(
                query={
                    "organizationId": organization_id,
                    "channel": channel,
                    "isActive": is_active,
                    "page": page,
                    "limit": limit,
                }
            ),
            False,
        )

    async def update_plan(
        self,
        id: str,
        *,
        features: Sequence[str] | None = None,
        included_messages: int | None = None,
        is_active: bool | None = None,
        monthly_fee: float | None = None,
        name: str | None = None,
    ) -> models.AdminPlan:
        """Change a plan, or end it. The changed one ends and stays in the list; a new one with its
        own `id` replaces it. The change is recorded in the audit log.

        features: Further features, in words.
        included_messages: The number of messages included in a month.
        is_active: True if it can be booked.
        monthly_fee: The monthly fee in GHS.
        """
        return await self._client._call(
            UPDATE_PLAN,
            Call(
                path={"id": id},
                body={
                    "features": features,
                    "included_messages": included_messages,
                    "is_active": is_active,
                    "monthly_fee": monthly_fee,
                    "name": name,
                },
            ),
        )

    async def update_rule(
        self, id: str, *, is_active: bool | None = None, unit_price: float | None = None
    ) -> models.AdminPricingRule:
        """Change a price, or end it. The changed one ends and stays in the list; a new one with its
        own `id` replaces it. The change is recorded in the audit log.

        is_active: True if it is in force.
        unit_price: The price of one segment in GHS, with at most six decimals.
        """
        return await self._client._call(
            UPDATE_RULE, Call(path={"id": id}, body={"is_active": is_active, "unit_price": unit_price})
        )
