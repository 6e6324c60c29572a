"""The methods of `client.organizations`.

Written by `python -m generator` from docs/openapi.json.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from .._core import Call, Operation
from .._groups import AsyncGroup, Group
from .._mapping import OMIT

if TYPE_CHECKING:
    from collections.abc import Sequence

    from .. import models, params
    from .._mapping import Omit
    from .._paging import AsyncPages, Pages

CREATE: Final[Operation[models.Organization]] = Operation(
    "organizations.create",
    "POST",
    "/organizations",
    result="Organization",
    body="CreateOrganizationRequest",
    is_keyed=True,
)
CREATE_INVITATION: Final[Operation[models.Invitation]] = Operation(
    "organizations.create_invitation",
    "POST",
    "/organizations/invitations",
    result="Invitation",
    body="CreateInvitationRequest",
    is_keyed=True,
)
GET: Final[Operation[models.Organization]] = Operation(
    "organizations.get", "GET", "/organizations/current", result="Organization"
)
INVITE_MEMBER: Final[Operation[models.Member]] = Operation(
    "organizations.invite_member",
    "POST",
    "/organizations/invite",
    result="Member",
    body="InviteRequest",
    is_keyed=True,
)
LEAVE: Final[Operation[None]] = Operation("organizations.leave", "POST", "/organizations/leave")
LIST_INVITATIONS: Final[Operation[models.Invitation]] = Operation(
    "organizations.list_invitations", "GET", "/organizations/invitations", result="Invitation"
)
LIST_MEMBERS: Final[Operation[models.Member]] = Operation(
    "organizations.list_members", "GET", "/organizations/members", result="Member"
)
REMOVE_MEMBER: Final[Operation[None]] = Operation(
    "organizations.remove_member", "DELETE", "/organizations/members/{userId}"
)
RESEND_INVITATION: Final[Operation[models.Invitation]] = Operation(
    "organizations.resend_invitation",
    "POST",
    "/organizations/invitations/{id}/resend",
    result="Invitation",
    is_keyed=True,
)
UPDATE: Final[Operation[models.Organization]] = Operation(
    "organizations.update",
    "PATCH",
    "/organizations/current",
    result="Organization",
    body="OrganizationUpdate",
)
UPDATE_MEMBER: Final[Operation[models.Member]] = Operation(
    "organizations.update_member",
    "PATCH",
    "/organizations/members/{userId}",
    result="Member",
    body="UpdateMemberRequest",
)
WITHDRAW_INVITATION: Final[Operation[None]] = Operation(
    "organizations.withdraw_invitation", "DELETE", "/organizations/invitations/{id}"
)


class Organizations(Group):
    """The methods of `client.organizations`."""

    def create(self, *, name: str, idempotency_key: str | None = None) -> models.Organization:
        """Create an organization. The user becomes its owner. A user can own at most three
        organizations.

        idempotency_key: within 24 hours the same call with the same key is done once; made by the
            client if absent
        """
        return self._client._call(CREATE, Call(body={"name": name}, key=idempotency_key))

    def create_invitation(
        self, *, email: str, role: params.Role | None = None, idempotency_key: str | None = None
    ) -> models.Invitation:
        """Invite a person. Mails a link to the address, whether or not somebody is registered with
        it. It works once, for seven days. The mail names the organization and the address of the
        inviter, which must be verified unless the service verifies none. Only owners can invite
        owners. An invitation is valid as long as the inviter may invite. At most 50 mails a day
        are sent for an organization, and 5 to an address.

        email: The address to which the link is mailed.
        role: The role of the invited person; `VIEWER` if absent.
        idempotency_key: within 24 hours the same call with the same key is done once; made by the
            client if absent
        """
        return self._client._call(
            CREATE_INVITATION, Call(body={"email": email, "role": role}, key=idempotency_key)
        )

    def get(self) -> models.Organization:
        """Get the organization, with its wallet and its members."""
        return self._client._call(GET, Call())

    def invite_member(
        self, *, email: str, role: params.Role | None = None, idempotency_key: str | None = None
    ) -> models.Member:
        """Add a member. Adds a registered user, who is notified by email if the address is verified,
        or gives a member another role. Only owners can make others owners. To invite somebody
        with their consent, registered or not, use `POST /organizations/invitations`.

        email: The address of a registered user.
        role: The role of the member; `VIEWER` if absent.
        idempotency_key: within 24 hours the same call with the same key is done once; made by the
            client if absent
        """
        return self._client._call(
            INVITE_MEMBER, Call(body={"email": email, "role": role}, key=idempotency_key)
        )

    def leave(self) -> None:
        """Leave the organization. Every member may, except the last owner."""
        self._client._call(LEAVE, Call())

    def list_invitations(
        self, *, page: int | None = None, limit: int | None = None
    ) -> Pages[models.Invitation]:
        """List the open invitations. Newest first. `roles` names what each role allows.

        page: The number of the page, from 1; 1 if absent.
        limit: The number of items in a page, 1 to 100; 100 if absent.
        """
        return self._pages(LIST_INVITATIONS, Call(query={"page": page, "limit": limit}), False)

    def list_members(self, *, page: int | None = None, limit: int | None = None) -> Pages[models.Member]:
        """List the members. `roles` names what each role allows.

        page: The number of the page, from 1; 1 if absent.
        limit: The number of items in a page, 1 to 100; 100 if absent.
        """
        return self._pages(LIST_MEMBERS, Call(query={"page": page, "limit": limit}), False)

    def remove_member(self, user_id: str) -> None:
        """Remove a member. For owners and administrators; only owners can remove an owner. The
        sessions of the user lose access to the organization at once. API keys stay.
        """
        self._client._call(REMOVE_MEMBER, Call(path={"userId": user_id}))

    def resend_invitation(self, id: str, *, idempotency_key: str | None = None) -> models.Invitation:
        """Send an invitation again. Mails another link, for another seven days. The earlier link
        stops to work. The caller becomes the inviter.

        idempotency_key: within 24 hours the same call with the same key is done once; made by the
            client if absent
        """
        return self._client._call(RESEND_INVITATION, Call(path={"id": id}, key=idempotency_key))

    def update(
        self,
        *,
        business_email: str | None | Omit = OMIT,
        business_phone: str | None | Omit = OMIT,
        compliance_acknowledged: bool | None = None,
        default_language: str | None | Omit = OMIT,
        industry: str | None | Omit = OMIT,
        monthly_volume: int | None | Omit = OMIT,
        name: str | None = None,
        onboarding_complete: bool | None = None,
        preferred_channels: Sequence[params.Channel] | None | Omit = OMIT,
        settings: params.SettingsUpdate | None = None,
        timezone: str | None | Omit = OMIT,
        website: str | None | Omit = OMIT,
    ) -> models.Organization:
        """Change the organization. For owners and administrators.

        monthly_volume: The expected number of messages a month.
        settings: Settings of the organization for its messages.
        timezone: A time zone of the IANA database.
        """
        return self._client._call(
            UPDATE,
            Call(
                body={
                    "business_email": business_email,
                    "business_phone": business_phone,
                    "compliance_acknowledged": compliance_acknowledged,
                    "default_language": default_language,
                    "industry": industry,
                    "monthly_volume": monthly_volume,
                    "name": name,
                    "onboarding_complete": onboarding_complete,
                    "preferred_channels": preferred_channels,
                    "settings": settings,
                    "timezone": timezone,
                    "website": website,
                }
            ),
        )

    def update_member(self, user_id: str, *, role: params.Role) -> models.Member:
        """Give a member another role. For owners and administrators. Only owners can make others
        owners, or change an owner. Owners and administrators need a verified address, unless the
        service verifies none.

        role: The new role of the member.
        """
        return self._client._call(UPDATE_MEMBER, Call(path={"userId": user_id}, body={"role": role}))

    def withdraw_invitation(self, id: str) -> None:
        """Withdraw an invitation. Its link stops to work."""
        self._client._call(WITHDRAW_INVITATION, Call(path={"id": id}))


class AsyncOrganizations(AsyncGroup):
    """The methods of `client.organizations`."""

    async def create(self, *, name: str, idempotency_key: str | None = None) -> models.Organization:
        """Create an organization. The user becomes its owner. A user can own at most three
        organizations.

        idempotency_key: within 24 hours the same call with the same key is done once; made by the
            client if absent
        """
        return await self._client._call(CREATE, Call(body={"name": name}, key=idempotency_key))

    async def create_invitation(
        self, *, email: str, role: params.Role | None = None, idempotency_key: str | None = None
    ) -> models.Invitation:
        """Invite a person. Mails a link to the address, whether or not somebody is registered with
        it. It works once, for seven days. The mail names the organization and the address of the
        inviter, which must be verified unless the service verifies none. Only owners can invite
        owners. An invitation is valid as long as the inviter may invite. At most 50 mails a day
        are sent for an organization, and 5 to an address.

        email: The address to which the link is mailed.
        role: The role of the invited person; `VIEWER` if absent.
        idempotency_key: within 24 hours the same call with the same key is done once; made by the
            client if absent
        """
        return await self._client._call(
            CREATE_INVITATION, Call(body={"email": email, "role": role}, key=idempotency_key)
        )

    async def get(self) -> models.Organization:
        """Get the organization, with its wallet and its members."""
        return await self._client._call(GET, Call())

    async def invite_member(
        self, *, email: str, role: params.Role | None = None, idempotency_key: str | None = None
    ) -> models.Member:
        """Add a member. Adds a registered user, who is notified by email if the address is verified,
        or gives a member another role. Only owners can make others owners. To invite somebody
        with their consent, registered or not, use `POST /organizations/invitations`.

        email: The address of a registered user.
        role: The role of the member; `VIEWER` if absent.
        idempotency_key: within 24 hours the same call with the same key is done once; made by the
            client if absent
        """
        return await self._client._call(
            INVITE_MEMBER, Call(body={"email": email, "role": role}, key=idempotency_key)
        )

    async def leave(self) -> None:
        """Leave the organization. Every member may, except the last owner."""
        await self._client._call(LEAVE, Call())

    def list_invitations(
        self, *, page: int | None = None, limit: int | None = None
    ) -> AsyncPages[models.Invitation]:
        """List the open invitations. Newest first. `roles` names what each role allows.

        page: The number of the page, from 1; 1 if absent.
        limit: The number of items in a page, 1 to 100; 100 if absent.
        """
        return self._pages(LIST_INVITATIONS, Call(query={"page": page, "limit": limit}), False)

    def list_members(self, *, page: int | None = None, limit: int | None = None) -> AsyncPages[models.Member]:
        """List the members. `roles` names what each role allows.

        page: The number of the page, from 1; 1 if absent.
        limit: The number of items in a page, 1 to 100; 100 if absent.
        """
        return self._pages(LIST_MEMBERS, Call(query={"page": page, "limit": limit}), False)

    async def remove_member(self, user_id: str) -> None:
        """Remove a member. For owners and administrators; only owners can remove an owner. The
        sessions of the user lose access to the organization at once. API keys stay.
        """
        await self._client._call(REMOVE_MEMBER, Call(path={"userId": user_id}))

    async def resend_invitation(self, id: str, *, idempotency_key: str | None = None) -> models.Invitation:
        """Send an invitation again. Mails another link, for another seven days. The earlier link
        stops to work. The caller becomes the inviter.

        idempotency_key: within 24 hours the same call with the same key is done once; made by the
            client if absent
        """
        return await self._client._call(RESEND_INVITATION, Call(path={"id": id}, key=idempotency_key))

    async def update(
        self,
        *,
        business_email: str | None | Omit = OMIT,
        business_phone: str | None | Omit = OMIT,
        compliance_acknowledged: bool | None = None,
        default_language: str | None | Omit = OMIT,
        industry: str | None | Omit = OMIT,
        monthly_volume: int | None | Omit = OMIT,
        name: str | None = None,
        onboarding_complete: bool | None = None,
        preferred_channels: Sequence[params.Channel] | None | Omit = OMIT,
        settings: params.SettingsUpdate | None = None,
        timezone: str | None | Omit = OMIT,
        website: str | None | Omit = OMIT,
    ) -> models.Organization:
        """Change the organization. For owners and administrators.

        monthly_volume: The expected number of messages a month.
        settings: Settings of the organization for its messages.
        timezone: A time zone of the IANA database.
        """
        return await self._client._call(
            UPDATE,
            Call(
                body={
                    "business_email": business_email,
                    "business_phone": business_phone,
                    "compliance_acknowledged": compliance_acknowledged,
                    "default_language": default_language,
                    "industry": industry,
                    "monthly_volume": monthly_volume,
                    "name": name,
                    "onboarding_complete": onboarding_complete,
                    "preferred_channels": preferred_channels,
                    "settings": settings,
                    "timezone": timezone,
                    "website": website,
                }
            ),
        )

    async def update_member(self, user_id: str, *, role: params.Role) -> models.Member:
        """Give a member another role. For owners and administrators. Only owners can make others
        owners, or change an owner. Owners and administrators need a verified address, unless the
        service verifies none.

        role: The new role of the member.
        """
        return await self._client._call(UPDATE_MEMBER, Call(path={"userId": user_id}, body={"role": role}))

    async def withdraw_invitation(self, id: str) -> None:
        """Withdraw an invitation. Its link stops to work."""
        await self._client._call(WITHDRAW_INVITATION, Call(path={"id": id}))
