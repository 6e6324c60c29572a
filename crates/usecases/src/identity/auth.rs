//! Registration, sign-in and authentication of callers.

mod account;
mod impersonation;
mod registration;
mod resets;
mod session_uses;
mod sessions;
mod verification;

use std::sync::Arc;

use domain::{
    identity::{
        open_session::Client,
        organization::Membership,
        user::{self, RegistrationRule},
    },
    shared::fault::Faults,
};
use ports::{
    identity::{
        auth::{
            HashError, PasswordHasher, RevokedSessions, TokenError, TokenIssuer, UserRepository,
        },
        identity_store::IdentityStore,
        organizations::OrganizationRepository,
        sessions::SessionRepository,
    },
    platform::audit_log::AuditLog,
    shared::{clock::Clock, random::Random},
};

use self::session_uses::SessionUses;
pub use self::{
    account::PasswordChange,
    impersonation::{Act, Impersonated, NOT_IMPERSONATING},
    sessions::{Session, SignedIn},
};
use crate::{
    Error, Reason,
    identity::{
        login_attempts::count_attempt,
        policies::Policies,
        provisioning::Provisioning,
        required_text::required,
        second_factors::{Proof, SecondFactors},
    },
    shared::mailer::Mailer,
};

/// The request has no credentials.
pub const NO_CREDENTIALS: Reason = Reason::new(
    "UNAUTHORIZED",
    "credentials are required: a session as `Authorization: Bearer …`, or an API key as \
     `X-API-Key` where one is taken",
);
/// The credentials are not valid.
pub const UNAUTHORIZED: Reason = Reason::new("UNAUTHORIZED", "the credentials are not valid");
/// The operation needs a session, not an API key.
pub const SESSION_REQUIRED: Reason = Reason::new(
    "SESSION_REQUIRED",
    "an API key cannot do this: sign in, and send the session as `Authorization: Bearer …`",
);
/// An API key was sent where a session token belongs.
pub const MISPLACED_API_KEY: Reason = Reason::new(
    "UNAUTHORIZED",
    "an API key is sent as `X-API-Key`, not as `Authorization: Bearer …`",
);
/// The session has ended.
pub const SESSION_ENDED: Reason =
    Reason::new("UNAUTHORIZED", "the session has ended: sign in again");
/// The address and the password do not match.
pub const INVALID_CREDENTIALS: Reason =
    Reason::new("INVALID_CREDENTIALS", "the email address or the password is wrong");
/// The caller does not belong to the organization.
pub const NOT_A_MEMBER: Reason =
    Reason::new("NOT_A_MEMBER", "you are not a member of this organization");
/// A password reset was requested without an address.
pub const EMAIL_REQUIRED: Reason =
    Reason::missing_field("email", "EMAIL_REQUIRED", "an email address is required");
/// The address is already registered.
pub const EMAIL_EXISTS: Reason =
    Reason::new("EMAIL_EXISTS", "this email address is already registered");

/// Registration is closed on this installation.
pub const REGISTRATION_CLOSED: Reason =
    Reason::new("REGISTRATION_CLOSED", "registration is closed here: ask the operator");
/// Registration needs an invitation on this installation.
pub const INVITATION_REQUIRED: Reason = Reason::new(
    "REGISTRATION_CLOSED",
    "registration needs an invitation here: ask a member of your organization",
);

/// Operations on users and their sessions.
#[derive(Clone)]
pub struct Auth {
    deps: Arc<AuthDeps>,
    session_uses: Arc<SessionUses>,
}

/// Dependencies of [`Auth`].
pub struct AuthDeps {
    /// Store of users.
    pub users: Arc<dyn UserRepository>,
    /// Source of organizations and their members.
    pub organizations: Arc<dyn OrganizationRepository>,
    /// Cached policies of organizations.
    pub policies: Policies,
    /// Transactions that change users, organizations and members together.
    pub identity: Arc<dyn IdentityStore>,
    /// Hasher of passwords.
    pub passwords: Arc<dyn PasswordHasher>,
    /// Second factors of logins.
    pub second_factors: SecondFactors,
    /// Issuer and reader of session tokens.
    pub tokens: Arc<dyn TokenIssuer>,
    /// Sessions that were ended before they expired.
    pub revoked_sessions: Arc<dyn RevokedSessions>,
    /// Sessions that have not ended.
    pub sessions: Arc<dyn SessionRepository>,
    /// Audit log for acts of administrators as organizations.
    pub audit_log: Arc<dyn AuditLog>,
    /// Provisioning of new organizations.
    pub provisioning: Provisioning,
    /// Sender of password reset and notification mails.
    pub mailer: Arc<dyn Mailer>,
    /// Source of the current time.
    pub clock: Arc<dyn Clock>,
    /// Source of secrets.
    pub random: Arc<dyn Random>,
    /// People who may register.
    pub registration: RegistrationRule,
}

/// An address and a password, as submitted.
#[derive(Clone, Default)]
pub struct Credentials {
    /// Email address. Required.
    pub email: Option<String>,
    /// Password. Required.
    pub password: Option<String>,
    /// Second factor. Required if the user has one.
    pub proof: Proof,
}

impl Auth {
    /// Creates the operations from their dependencies.
    pub fn new(deps: AuthDeps) -> Self {
        Self { deps: Arc::new(deps), session_uses: Arc::default() }
    }

    /// Returns the rule of who may register.
    pub fn registration(&self) -> RegistrationRule {
        self.deps.registration
    }

    /// Signs a user in. It takes as long for an unregistered email address.
    pub async fn login(
        &self,
        credentials: Credentials,
        client: impl Into<Client>,
        mut found: Faults,
    ) -> Result<(Session, Vec<Membership>), Error> {
        let client = client.into();
        let email = match credentials.email {
            None if found.fields.contains_key("email") => None,
            email => found.take("email", user::checked_email(email.as_deref())),
        };
        let password = required("password", credentials.password, &mut found);
        credentials.proof.check(&mut found);
        let (email, password) = found.require(email.zip(password))?;

        let address = client.network.to_string();
        self.count_attempt(&email, &address).await?;
        let user = self.deps.users.find_by_email(&email).await?;
        let hash = user.as_ref().map(|user| user.password_hash.clone());
        let matches = self.deps.passwords.verify(password, hash).await?;
        let user = user.filter(|_| matches).ok_or(Error::Unauthenticated(INVALID_CREDENTIALS))?;
        self.deps.second_factors.check(&user, &credentials.proof).await?;

        self.deps.users.forget_logins(&email, &address).await?;
        let memberships = self.deps.organizations.memberships(user.id).await?;
        Ok((self.begin(user, &client).await?, memberships))
    }

    async fn count_attempt(&self, email: &str, address: &str) -> Result<(), Error> {
        count_attempt(&*self.deps.users, email, address, self.deps.clock.now()).await
    }
}

/// Refusal of a mailed token that is unknown, used or expired.
fn invalid_token() -> Error {
    Faults::field("token", "is invalid or has expired").into()
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |text, byte| text + &format!("{byte:02x}"))
}

impl From<HashError> for Error {
    fn from(error: HashError) -> Self {
        match error {
            HashError::Busy => Self::Overloaded,
            HashError::Failed(_) => Self::Internal(error.into()),
        }
    }
}

impl From<TokenError> for Error {
    fn from(error: TokenError) -> Self {
        Self::Internal(error.into())
    }
}

#[cfg(test)]
mod tests;
