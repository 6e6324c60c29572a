//! Registration, sign-in and authentication of callers.

mod impersonation;
mod sessions;
mod verification;

use std::{net::IpAddr, sync::Arc};

use domain::{
    identity::{
        organization::{self, MAX_OWNED, Membership, Organization, Profile, Role, Settings},
        session::{LOGIN_WINDOW, MAX_RESET_MAILS, RESET_LIFETIME, RESET_MAIL_WINDOW},
        user::{self, Registration, User},
    },
    shared::{fault::Faults, id::Id, text},
};
use ports::{
    identity::{
        auth::{
            EMAIL_TAKEN, HashError, PasswordHasher, RevokedSessions, TokenError, TokenIssuer,
            UserRepository,
        },
        identity_store::{IdentityStore, IdentityTransaction},
        organizations::OrganizationRepository,
    },
    platform::audit_log::AuditLog,
    shared::{clock::Clock, random::Random, store::StoreError},
};

pub use self::{
    impersonation::{Act, Impersonated, NOT_IMPERSONATING},
    sessions::{Session, SignedIn},
};
use crate::{
    Error, Reason,
    identity::{policies::Policies, provisioning::Provisioning},
    shared::{digest, limits::Limit, mailer::Mailer},
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
pub const EMAIL_REQUIRED: Reason = Reason::new("EMAIL_REQUIRED", "an email address is required");
/// The address is already registered.
pub const EMAIL_EXISTS: Reason =
    Reason::new("EMAIL_EXISTS", "this email address is already registered");

/// Registration is closed on this installation.
pub const REGISTRATION_CLOSED: Reason =
    Reason::new("REGISTRATION_CLOSED", "registration is closed here: ask the operator");

/// Operations on users and their sessions.
#[derive(Clone)]
pub struct Auth {
    users: Arc<dyn UserRepository>,
    organizations: Arc<dyn OrganizationRepository>,
    policies: Policies,
    identity: Arc<dyn IdentityStore>,
    passwords: Arc<dyn PasswordHasher>,
    tokens: Arc<dyn TokenIssuer>,
    revoked_sessions: Arc<dyn RevokedSessions>,
    audit_log: Arc<dyn AuditLog>,
    provisioning: Provisioning,
    mailer: Arc<dyn Mailer>,
    clock: Arc<dyn Clock>,
    random: Arc<dyn Random>,
    is_registration_open: bool,
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
    /// Issuer and reader of session tokens.
    pub tokens: Arc<dyn TokenIssuer>,
    /// Sessions that were ended before they expired.
    pub revoked_sessions: Arc<dyn RevokedSessions>,
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
}

/// An address and a password, as submitted.
#[derive(Clone, Default)]
pub struct Credentials {
    /// Email address. Required.
    pub email: Option<String>,
    /// Password. Required.
    pub password: Option<String>,
}

impl Auth {
    /// Creates the operations from their dependencies.
    pub fn new(deps: AuthDeps) -> Self {
        Self {
            users: deps.users,
            organizations: deps.organizations,
            policies: deps.policies,
            identity: deps.identity,
            passwords: deps.passwords,
            tokens: deps.tokens,
            revoked_sessions: deps.revoked_sessions,
            audit_log: deps.audit_log,
            provisioning: deps.provisioning,
            mailer: deps.mailer,
            clock: deps.clock,
            random: deps.random,
            is_registration_open: true,
        }
    }

    /// Opens or closes registration.
    #[must_use]
    pub fn with_registration(self, is_registration_open: bool) -> Self {
        Self { is_registration_open, ..self }
    }

    /// Registers a user and, if one is named, creates an organization that the user owns. `found` holds
    /// the faults found so far. If this fails after the user is created, [`login`](Self::login) works,
    /// and the organization is provisioned later.
    pub async fn register(
        &self,
        registration: Registration,
        mut found: Faults,
    ) -> Result<(Session, Option<Organization>), Error> {
        if !self.is_registration_open {
            return Err(Error::Forbidden(REGISTRATION_CLOSED));
        }
        let registration = match registration.check() {
            Ok(registration) => found.or(registration)?,
            Err(faults) => {
                found.merge_new("", faults);
                return Err(found.into());
            }
        };
        let hash = self.passwords.hash(registration.password.clone()).await?;
        let user = registration.user(hash, None, self.clock.now());

        let mut tx = self.identity.begin().await?;
        tx.insert_user(&user).await.map_err(taken_email)?;
        let organization = match registration.organization_name {
            Some(name) => Some(self.insert_organization(&mut *tx, name, &user).await?),
            None => None,
        };
        tx.commit().await?;
        if let Some(organization) = &organization {
            self.provisioning.provision(organization.id).await?;
        }
        Ok((self.begin(user)?, organization))
    }

    /// Creates an organization that the user owns. `found` holds the faults found so far.
    pub async fn create_organization(
        &self,
        user: &User,
        name: Option<String>,
        mut found: Faults,
    ) -> Result<Organization, Error> {
        let name = required("name", name, &mut found);
        let name = name.and_then(|name| found.take("name", organization::checked_name(&name)));
        let name = found.require(name)?;
        let mut tx = self.identity.begin().await?;
        // Concurrent requests must not count the same organizations.
        tx.lock_user(user.id).await?.ok_or(Error::Unauthenticated(UNAUTHORIZED))?;
        let memberships = tx.memberships(user.id).await?;
        let owned = memberships.iter().filter(|membership| membership.role == Role::Owner).count();
        if owned >= MAX_OWNED {
            let message = format!("a user owns at most {MAX_OWNED} organizations");
            return Err(Error::Forbidden(Reason::with_message("FORBIDDEN", message)));
        }
        let organization = self.insert_organization(&mut *tx, name, user).await?;
        tx.commit().await?;
        self.provisioning.provision(organization.id).await?;
        Ok(organization)
    }

    async fn insert_organization(
        &self,
        tx: &mut dyn IdentityTransaction,
        name: String,
        owner: &User,
    ) -> Result<Organization, StoreError> {
        let now = self.clock.now();
        let id = Id::new(now);
        let organization = Organization {
            id,
            name,
            profile: Profile::default(),
            settings: Settings::default(),
            created_at: now,
        };
        tx.insert_organization(&organization).await?;
        tx.put_member(id, owner.id, Role::Owner, now).await?;
        Ok(organization)
    }

    /// Signs a user in from a network address. It takes as long for an unregistered email address.
    pub async fn login(
        &self,
        credentials: Credentials,
        address: IpAddr,
        mut found: Faults,
    ) -> Result<(Session, Vec<Membership>), Error> {
        let email = match credentials.email {
            None if found.fields.contains_key("email") => None,
            email => found.take("email", user::checked_email(email.as_deref())),
        };
        let password = required("password", credentials.password, &mut found);
        let (email, password) = found.require(email.zip(password))?;

        let address = address.to_string();
        let now = self.clock.now();
        let attempts = self.users.count_login(&email, &address, now, now - LOGIN_WINDOW).await?;
        if let Some(wait) = attempts.wait(now) {
            Limit::Logins.count_refusal();
            return Err(Error::RateLimited(wait));
        }
        let user = self.users.find_by_email(&email).await?;
        let hash = user.as_ref().map(|user| user.password_hash.clone());
        let matches = self.passwords.verify(password, hash).await?;
        let user = user.filter(|_| matches).ok_or(Error::Unauthenticated(INVALID_CREDENTIALS))?;

        self.users.forget_logins(&email, &address).await?;
        let memberships = self.organizations.memberships(user.id).await?;
        Ok((self.begin(user)?, memberships))
    }

    /// Checks a request to reset a password without looking up the address: neither the response nor
    /// its duration may reveal if the address is registered. Call [`mail_reset`](Self::mail_reset) with
    /// the result after the response.
    pub fn forgot_password(
        &self,
        email: Option<String>,
        mut found: Faults,
    ) -> Result<String, Error> {
        let email = match email {
            Some(email) if !email.trim().is_empty() => email,
            _ if found.fields.contains_key("email") => return Err(found.into()),
            _ => return Err(Error::BadRequest(EMAIL_REQUIRED)),
        };
        let email = found.take("email", user::checked_email(Some(&email)));
        Ok(found.require(email)?)
    }

    /// Mails a token for a new password if `email` is registered and was not mailed too often. The mail
    /// contains no user-supplied text: anyone can register anyone's address under any name.
    pub async fn mail_reset(&self, email: &str) -> Result<(), Error> {
        let Some(user) = self.users.find_by_email(email).await? else { return Ok(()) };
        let now = self.clock.now();
        let mails = self.users.count_reset_mail(user.id, now, now - RESET_MAIL_WINDOW).await?;
        if mails > MAX_RESET_MAILS {
            Limit::ResetMails.count_refusal();
            tracing::info!(user = %user.id, mails, "left out a mail with a reset token");
            return Ok(());
        }
        let token = hex(&self.random.secret());
        let expires_at = self.clock.now() + RESET_LIFETIME;
        let hash = digest::of_secret(token.as_bytes());
        self.users.insert_reset_token(user.id, hash, expires_at).await?;
        let body = format!(
            "Hello,\n\nsomebody, probably you, asked for a new password.\nYour reset token, \
             valid for {} minutes and for one use:\n\n{token}\n\nIf it was not you, ignore this \
             mail: nothing has changed.\n",
            RESET_LIFETIME.num_minutes(),
        );
        self.mailer.send_service_mail(&user.email, "Reset your password", body).await
    }

    /// Sets a new password with a mailed token, and ends all sessions of the user.
    pub async fn reset_password(
        &self,
        token: Option<String>,
        password: Option<String>,
        mut found: Faults,
    ) -> Result<(), Error> {
        let token = required("token", token, &mut found);
        let password = match password {
            None if found.fields.contains_key("password") => None,
            password => found.take("password", user::checked_password(password.as_deref())),
        };
        let (token, password) = found.require(token.zip(password))?;

        let hash = self.passwords.hash(password).await?;
        let mut tx = self.identity.begin().await?;
        let token = digest::of_secret(token.as_bytes());
        let user = tx.take_reset_token(token, self.clock.now()).await?;
        let user = user.ok_or_else(invalid_token)?;
        tx.set_password(user, &hash).await?;
        // Possession of the token proves access to the mailbox.
        tx.verify_email(user, self.clock.now()).await?;
        tx.forget_all_logins(user).await?;
        tx.commit().await?;
        Ok(())
    }
}

fn required(field: &str, value: Option<String>, faults: &mut Faults) -> Option<String> {
    let value = value.filter(|value| !value.is_empty());
    if value.is_none() && !faults.fields.contains_key(field) {
        faults.add(field, "is required");
    }
    if let Some(value) = &value
        && let Err(fault) = text::without_nul(value)
    {
        faults.add(field, fault);
    }
    value
}

fn taken_email(error: StoreError) -> Error {
    match error {
        StoreError::Conflict { constraint } if constraint == EMAIL_TAKEN => {
            Error::Conflict(EMAIL_EXISTS)
        }
        other => other.into(),
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
