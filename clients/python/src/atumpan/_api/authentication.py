"""The methods of `client.authentication`.

Written by `python -m generator` from docs/openapi.json.
"""

from __future__ import annotations

import builtins
from typing import TYPE_CHECKING, Final

from .._core import Call, Operation
from .._groups import AsyncGroup, Group

if TYPE_CHECKING:
    from .. import models

ACCEPT_INVITATION: Final[Operation[models.Acceptance]] = Operation(
    "authentication.accept_invitation",
    "POST",
    "/auth/invitations/accept",
    result="Acceptance",
    body="AcceptInvitationRequest",
    is_public=True,
)
CHANGE_PASSWORD: Final[Operation[models.Notice]] = Operation(
    "authentication.change_password",
    "POST",
    "/auth/change-password",
    result="Notice",
    body="ChangePasswordRequest",
)
CONFIRM_SECOND_FACTOR: Final[Operation[models.RecoveryCodes]] = Operation(
    "authentication.confirm_second_factor",
    "POST",
    "/auth/totp/confirm",
    result="RecoveryCodes",
    body="ConfirmSecondFactorRequest",
)
END_SESSION: Final[Operation[None]] = Operation("authentication.end_session", "DELETE", "/auth/sessions/{id}")
FORGOT_PASSWORD: Final[Operation[models.Notice]] = Operation(
    "authentication.forgot_password",
    "POST",
    "/auth/forgot-password",
    result="Notice",
    body="ForgotPasswordRequest",
    is_public=True,
)
GET_PROFILE: Final[Operation[models.Profile]] = Operation(
    "authentication.get_profile", "GET", "/auth/me", result="Profile"
)
LIST_SESSIONS: Final[Operation[list[models.OpenSession]]] = Operation(
    "authentication.list_sessions", "GET", "/auth/sessions", result="OpenSession", shape="list"
)
LOGIN: Final[Operation[models.Login]] = Operation(
    "authentication.login", "POST", "/auth/login", result="Login", body="LoginRequest", is_public=True
)
LOGOUT: Final[Operation[models.Notice]] = Operation(
    "authentication.logout", "POST", "/auth/logout", result="Notice"
)
LOGOUT_EVERYWHERE: Final[Operation[models.Notice]] = Operation(
    "authentication.logout_everywhere", "POST", "/auth/logout-everywhere", result="Notice"
)
PROPOSE_SECOND_FACTOR: Final[Operation[models.SecondFactorSecret]] = Operation(
    "authentication.propose_second_factor",
    "POST",
    "/auth/totp",
    result="SecondFactorSecret",
    body="SecondFactorRequest",
)
REGISTER: Final[Operation[models.Registration]] = Operation(
    "authentication.register",
    "POST",
    "/auth/register",
    result="Registration",
    body="RegisterRequest",
    is_public=True,
)
REMOVE_SECOND_FACTOR: Final[Operation[models.Notice]] = Operation(
    "authentication.remove_second_factor",
    "POST",
    "/auth/totp/remove",
    result="Notice",
    body="RemoveSecondFactorRequest",
)
RESEND_VERIFICATION: Final[Operation[models.Notice]] = Operation(
    "authentication.resend_verification", "POST", "/auth/verify-email/resend", result="Notice"
)
RESET_PASSWORD: Final[Operation[models.Notice]] = Operation(
    "authentication.reset_password",
    "POST",
    "/auth/reset-password",
    result="Notice",
    body="ResetPasswordRequest",
    is_public=True,
)
SHOW_EMAIL_VERIFICATION: Final[Operation[str]] = Operation(
    "authentication.show_email_verification", "GET", "/auth/verify-email", shape="text", is_public=True
)
SHOW_INVITATION: Final[Operation[str]] = Operation(
    "authentication.show_invitation", "GET", "/auth/invitations/accept", shape="text", is_public=True
)
SHOW_PASSWORD_RESET: Final[Operation[str]] = Operation(
    "authentication.show_password_reset", "GET", "/auth/reset-password", shape="text", is_public=True
)
UPDATE_PROFILE: Final[Operation[models.Profile]] = Operation(
    "authentication.update_profile", "PATCH", "/auth/me", result="Profile", body="UpdateProfileRequest"
)
VERIFY_EMAIL: Final[Operation[models.Notice]] = Operation(
    "authentication.verify_email",
    "POST",
    "/auth/verify-email",
    result="Notice",
    body="VerifyEmailRequest",
    is_public=True,
)


class Authentication(Group):
    """The methods of `client.authentication`."""

    def accept_invitation(
        self,
        *,
        token: str,
        email: str | None = None,
        first_name: str | None = None,
        last_name: str | None = None,
        password: str | None = None,
    ) -> models.Acceptance:
        """Accept an invitation. A user sends `token` with a session; the address of the user must be
        the invited one. A person without an account sends the other fields too, and gets an
        account with a verified address and a session. Somebody who is a member already keeps
        their role. A token works once. Browsers get a page.

        token: The token that was mailed.
        email: The invited address, which is also the default.
        first_name: Given name. Required without a session.
        last_name: Family name. Required without a session.
        password: Required without a session.
        """
        return self._client._call(
            ACCEPT_INVITATION,
            Call(
                body={
                    "token": token,
                    "email": email,
                    "first_name": first_name,
                    "last_name": last_name,
                    "password": password,
                }
            ),
        )

    def change_password(self, *, current_password: str, new_password: str) -> models.Notice:
        """Change the password. Ends the other sessions of the user. A wrong present password is
        reported for its field, and counts as a failed login.
        """
        return self._client._call(
            CHANGE_PASSWORD, Call(body={"current_password": current_password, "new_password": new_password})
        )

    def confirm_second_factor(self, *, code: str) -> models.RecoveryCodes:
        """Confirm a second factor. From then on, logins need a code beside the password. Each
        recovery code replaces one code of the app.

        code: Code that the app shows.
        """
        return self._client._call(CONFIRM_SECOND_FACTOR, Call(body={"code": code}))

    def end_session(self, id: str) -> None:
        """End a session of the signed-in user. It is refused at once, on every instance."""
        self._client._call(END_SESSION, Call(path={"id": id}))

    def forgot_password(self, *, email: str) -> models.Notice:
        """Request a new password. The answer does not reveal if the address is registered."""
        return self._client._call(FORGOT_PASSWORD, Call(body={"email": email}))

    def get_profile(self) -> models.Profile:
        """Get the signed-in user."""
        return self._client._call(GET_PROFILE, Call())

    def list_sessions(self) -> builtins.list[models.OpenSession]:
        """List the sessions of the signed-in user. The session of the request, then the others, last
        used first; at most 100. A session ends 24 hours after the login.
        """
        return self._client._call(LIST_SESSIONS, Call())

    def login(
        self, *, email: str, password: str, code: str | None = None, recovery_code: str | None = None
    ) -> models.Login:
        """Sign in.

        code: Code of the authenticator app. A user with a second factor needs it, or `recoveryCode`.
        recovery_code: Recovery code, in place of `code`.
        """
        return self._client._call(
            LOGIN,
            Call(body={"email": email, "password": password, "code": code, "recovery_code": recovery_code}),
        )

    def logout(self) -> models.Notice:
        """Sign out. Ends the session of the request at once, on every instance."""
        return self._client._call(LOGOUT, Call())

    def logout_everywhere(self) -> models.Notice:
        """Sign out everywhere. Ends all sessions of the user at once, that of the request included."""
        return self._client._call(LOGOUT_EVERYWHERE, Call())

    def propose_second_factor(self, *, password: str) -> models.SecondFactorSecret:
        """Make the secret of a second factor. Enter the secret into an authenticator app, or show
        the address as a QR code, and confirm it with a code. Until then, nothing changes, and
        another call replaces the secret. Codes are those of RFC 6238 with HMAC-SHA-1, six digits
        and 30 seconds. Wrong passwords and codes are counted with failed logins.
        """
        return self._client._call(PROPOSE_SECOND_FACTOR, Call(body={"password": password}))

    def register(
        self,
        *,
        email: str,
        first_name: str,
        last_name: str,
        password: str,
        organization_name: str | None = None,
    ) -> models.Registration:
        """Register. Creates a user and, if `organizationName` is given, an organization that the
        user owns. A verification link is mailed to the address.

        email: The address to sign in with.
        first_name: Given name.
        last_name: Family name.
        organization_name: If present, an organization with this name and its wallet are created.
        """
        return self._client._call(
            REGISTER,
            Call(
                body={
                    "email": email,
                    "first_name": first_name,
                    "last_name": last_name,
                    "password": password,
                    "organization_name": organization_name,
                }
            ),
        )

    def remove_second_factor(
        self, *, password: str, code: str | None = None, recovery_code: str | None = None
    ) -> models.Notice:
        """Remove the second factor. Takes the password, and a code or a recovery code.

        code: Code of the app. Required without `recoveryCode`.
        recovery_code: Recovery code, in place of `code`.
        """
        return self._client._call(
            REMOVE_SECOND_FACTOR,
            Call(body={"password": password, "code": code, "recovery_code": recovery_code}),
        )

    def resend_verification(self) -> models.Notice:
        """Mail another verification link. At most five links are mailed within an hour."""
        return self._client._call(RESEND_VERIFICATION, Call())

    def reset_password(self, *, password: str, token: str) -> models.Notice:
        """Set a new password. Ends all sessions of the user. A token works once, for 30 minutes.
        Browsers get a page.

        token: The token that was mailed.
        """
        return self._client._call(RESET_PASSWORD, Call(body={"password": password, "token": token}))

    def show_email_verification(self, *, token: str | None = None) -> str:
        """Show the page behind the mailed link. The page asks for a click, because mail scanners
        follow links.

        token: The token that was mailed.
        """
        return self._client._call(SHOW_EMAIL_VERIFICATION, Call(query={"token": token}))

    def show_invitation(self, *, token: str | None = None) -> str:
        """Show the page behind the link of an invitation. Its form creates an account and accepts
        the invitation.

        token: The token that was mailed.
        """
        return self._client._call(SHOW_INVITATION, Call(query={"token": token}))

    def show_password_reset(self, *, token: str | None = None) -> str:
        """Show the page behind the link of a password reset. Its form sets a new password. The page
        itself does not use the token.

        token: The token that was mailed.
        """
        return self._client._call(SHOW_PASSWORD_RESET, Call(query={"token": token}))

    def update_profile(
        self, *, first_name: str | None = None, last_name: str | None = None
    ) -> models.Profile:
        """Change the signed-in user. Absent fields keep their values.

        first_name: Given name.
        last_name: Family name.
        """
        return self._client._call(
            UPDATE_PROFILE, Call(body={"first_name": first_name, "last_name": last_name})
        )

    def verify_email(self, *, token: str) -> models.Notice:
        """Verify an address. Takes the token that was mailed at registration. It works once, for 24
        hours. Browsers get a page.

        token: The token that was mailed. It may also be in the query of the address.
        """
        return self._client._call(VERIFY_EMAIL, Call(body={"token": token}))


class AsyncAuthentication(AsyncGroup):
    """The methods of `client.authentication`."""

    async def accept_invitation(
        self,
        *,
        token: str,
        email: str | None = None,
        first_name: str | None = None,
        last_name: str | None = None,
        password: str | None = None,
    ) -> models.Acceptance:
        """Accept an invitation. A user sends `token` with a session; the address of the user must be
        the invited one. A person without an account sends the other fields too, and gets an
        account with a verified address and a session. Somebody who is a member already keeps
        their role. A token works once. Browsers get a page.

        token: The token that was mailed.
        email: The invited address, which is also the default.
        first_name: Given name. Required without a session.
        last_name: Family name. Required without a session.
        password: Required without a session.
        """
        return await self._client._call(
            ACCEPT_INVITATION,
            Call(
                body={
                    "token": token,
                    "email": email,
                    "first_name": first_name,
                    "last_name": last_name,
                    "password": password,
                }
            ),
        )

    async def change_password(self, *, current_password: str, new_password: str) -> models.Notice:
        """Change the password. Ends the other sessions of the user. A wrong present password is
        reported for its field, and counts as a failed login.
        """
        return await self._client._call(
            CHANGE_PASSWORD, Call(body={"current_password": current_password, "new_password": new_password})
        )

    async def confirm_second_factor(self, *, code: str) -> models.RecoveryCodes:
        """Confirm a second factor. From then on, logins need a code beside the password. Each
        recovery code replaces one code of the app.

        code: Code that the app shows.
        """
        return await self._client._call(CONFIRM_SECOND_FACTOR, Call(body={"code": code}))

    async def end_session(self, id: str) -> None:
        """End a session of the signed-in user. It is refused at once, on every instance."""
        await self._client._call(END_SESSION, Call(path={"id": id}))

    async def forgot_password(self, *, email: str) -> models.Notice:
        """Request a new password. The answer does not reveal if the address is registered."""
        return await self._client._call(FORGOT_PASSWORD, Call(body={"email": email}))

    async def get_profile(self) -> models.Profile:
        """Get the signed-in user."""
        return await self._client._call(GET_PROFILE, Call())

    async def list_sessions(self) -> builtins.list[models.OpenSession]:
        """List the sessions of the signed-in user. The session of the request, then the others, last
        used first; at most 100. A session ends 24 hours after the login.
        """
        return await self._client._call(LIST_SESSIONS, Call())

    async def login(
        self, *, email: str, password: str, code: str | None = None, recovery_code: str | None = None
    ) -> models.Login:
        """Sign in.

        code: Code of the authenticator app. A user with a second factor needs it, or `recoveryCode`.
        recovery_code: Recovery code, in place of `code`.
        """
        return await self._client._call(
            LOGIN,
            Call(body={"email": email, "password": password, "code": code, "recovery_code": recovery_code}),
        )

    async def logout(self) -> models.Notice:
        """Sign out. Ends the session of the request at once, on every instance."""
        return await self._client._call(LOGOUT, Call())

    async def logout_everywhere(self) -> models.Notice:
        """Sign out everywhere. Ends all sessions of the user at once, that of the request included."""
        return await self._client._call(LOGOUT_EVERYWHERE, Call())

    async def propose_second_factor(self, *, password: str) -> models.SecondFactorSecret:
        """Make the secret of a second factor. Enter the secret into an authenticator app, or show
        the address as a QR code, and confirm it with a code. Until then, nothing changes, and
        another call replaces the secret. Codes are those of RFC 6238 with HMAC-SHA-1, six digits
        and 30 seconds. Wrong passwords and codes are counted with failed logins.
        """
        return await self._client._call(PROPOSE_SECOND_FACTOR, Call(body={"password": password}))

    async def register(
        self,
        *,
        email: str,
        first_name: str,
        last_name: str,
        password: str,
        organization_name: str | None = None,
    ) -> models.Registration:
        """Register. Creates a user and, if `organizationName` is given, an organization that the
        user owns. A verification link is mailed to the address.

        email: The address to sign in with.
        first_name: Given name.
        last_name: Family name.
        organization_name: If present, an organization with this name and its wallet are created.
        """
        return await self._client._call(
            REGISTER,
            Call(
                body={
                    "email": email,
                    "first_name": first_name,
                    "last_name": last_name,
                    "password": password,
                    "organization_name": organization_name,
                }
            ),
        )

    async def remove_second_factor(
        self, *, password: str, code: str | None = None, recovery_code: str | None = None
    ) -> models.Notice:
        """Remove the second factor. Takes the password, and a code or a recovery code.

        code: Code of the app. Required without `recoveryCode`.
        recovery_code: Recovery code, in place of `code`.
        """
        return await self._client._call(
            REMOVE_SECOND_FACTOR,
            Call(body={"password": password, "code": code, "recovery_code": recovery_code}),
        )

    async def resend_verification(self) -> models.Notice:
        """Mail another verification link. At most five links are mailed within an hour."""
        return await self._client._call(RESEND_VERIFICATION, Call())

    async def reset_password(self, *, password: str, token: str) -> models.Notice:
        """Set a new password. Ends all sessions of the user. A token works once, for 30 minutes.
        Browsers get a page.

        token: The token that was mailed.
        """
        return await self._client._call(RESET_PASSWORD, Call(body={"password": password, "token": token}))

    async def show_email_verification(self, *, token: str | None = None) -> str:
        """Show the page behind the mailed link. The page asks for a click, because mail scanners
        follow links.

        token: The token that was mailed.
        """
        return await self._client._call(SHOW_EMAIL_VERIFICATION, Call(query={"token": token}))

    async def show_invitation(self, *, token: str | None = None) -> str:
        """Show the page behind the link of an invitation. Its form creates an account and accepts
        the invitation.

        token: The token that was mailed.
        """
        return await self._client._call(SHOW_INVITATION, Call(query={"token": token}))

    async def show_password_reset(self, *, token: str | None = None) -> str:
        """Show the page behind the link of a password reset. Its form sets a new password. The page
        itself does not use the token.

        token: The token that was mailed.
        """
        return await self._client._call(SHOW_PASSWORD_RESET, Call(query={"token": token}))

    async def update_profile(
        self, *, first_name: str | None = None, last_name: str | None = None
    ) -> models.Profile:
        """Change the signed-in user. Absent fields keep their values.

        first_name: Given name.
        last_name: Family name.
        """
        return await self._client._call(
            UPDATE_PROFILE, Call(body={"first_name": first_name, "last_name": last_name})
        )

    async def verify_email(self, *, token: str) -> models.Notice:
        """Verify an address. Takes the token that was mailed at registration. It works once, for 24
        hours. Browsers get a page.

        token: The token that was mailed. It may also be in the query of the address.
        """
        return await self._client._call(VERIFY_EMAIL, Call(body={"token": token}))
