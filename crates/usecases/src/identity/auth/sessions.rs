//! Sessions of users, and the organizations they give access to.

use chrono::{DateTime, Utc};
use domain::{
    identity::{
        actor::RequestId,
        caller::{Administrator, Caller, Denied, Identity},
        open_session::Client,
        organization::{Membership, Organization, Role},
        session::{Claims, Impersonation},
        user::User,
    },
    shared::{id::Id, trace::TraceHead},
};

use super::{Auth, NOT_A_MEMBER, SESSION_ENDED, UNAUTHORIZED};
use crate::{Error, identity::second_factors::SecondFactors};

/// New session of a user.
#[derive(Debug, Clone)]
pub struct Session {
    /// Session token.
    pub token: String,
    /// Time at which the session expires.
    pub expires_at: DateTime<Utc>,
    /// User of the session.
    pub user: User,
}

/// User with a valid session.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SignedIn {
    /// User of the session. While acting as an organization, an administrator has no administrator
    /// rights.
    pub user: User,
    /// Claims of the session token.
    pub claims: Claims,
}

impl SignedIn {
    /// Returns the user. Fails if they act as an organization.
    pub fn into_own(self) -> Result<User, Error> {
        match self.claims.impersonation {
            None => Ok(self.user),
            Some(_) => Err(Denied::Impersonating.into()),
        }
    }

    /// Returns the claims of the user's own session. Fails if they act as an organization.
    pub fn own_claims(&self) -> Result<&Claims, Error> {
        match self.claims.impersonation {
            None => Ok(&self.claims),
            Some(_) => Err(Denied::Impersonating.into()),
        }
    }

    /// Returns the user as a platform administrator. Fails for other users, and for one who acts as an
    /// organization.
    pub fn administrator(&self, request: RequestId) -> Result<Administrator, Error> {
        match self.claims.impersonation {
            None => Ok(Administrator::of(&self.user, request)?),
            Some(_) => Err(Denied::Impersonating.into()),
        }
    }

    /// Returns the organization as which an administrator acts, if any.
    pub fn impersonated(&self) -> Option<Id<Organization>> {
        self.claims.impersonation.map(|impersonation| impersonation.organization)
    }
}

impl Auth {
    /// Returns the operations on the second factors of users.
    pub fn second_factors(&self) -> &SecondFactors {
        &self.deps.second_factors
    }

    /// Authenticates the session of a token.
    pub async fn authenticate(&self, token: &str) -> Result<SignedIn, Error> {
        let claims =
            self.deps.tokens.read(token).map_err(|_| Error::Unauthenticated(UNAUTHORIZED))?;
        let found = self.deps.users.find_signed_in(&claims).await?;
        let (user, version) = found.ok_or(Error::Unauthenticated(SESSION_ENDED))?;
        let claims = Claims { version: version.unwrap_or(claims.version), ..claims };
        let now = self.deps.clock.now();
        if !claims.holds(&user, now) {
            return Err(Error::Unauthenticated(SESSION_ENDED));
        }
        self.session_uses.note(&claims, now);
        if claims.impersonation.is_none() {
            return Ok(SignedIn { user, claims });
        }
        Ok(SignedIn { user: User { platform_role: None, ..user }, claims })
    }

    /// Returns the user of a session as a caller in an organization.
    pub async fn caller(
        &self,
        session: &SignedIn,
        organization: Id<Organization>,
    ) -> Result<Caller, Error> {
        match session.impersonated() {
            None => self.member(&session.user, organization).await,
            Some(impersonated) if impersonated == organization => {
                let identity = Identity::Impersonator { user: session.user.id };
                self.caller_as(identity, organization).await
            }
            Some(_) => Err(Error::Forbidden(NOT_A_MEMBER)),
        }
    }

    /// Returns the user as a member of an organization. Fails for other users.
    pub async fn member(
        &self,
        user: &User,
        organization: Id<Organization>,
    ) -> Result<Caller, Error> {
        let role = self.deps.organizations.role(organization, user.id).await?;
        let role = role.ok_or(Error::Forbidden(NOT_A_MEMBER))?;
        self.caller_as(Identity::Member { user: user.id, role }, organization).await
    }

    async fn caller_as(
        &self,
        identity: Identity,
        organization: Id<Organization>,
    ) -> Result<Caller, Error> {
        let policy = self.deps.policies.get(organization).await?;
        let policy = policy.ok_or(Error::Forbidden(NOT_A_MEMBER))?;
        Ok(Caller { organization, identity, policy, trace: TraceHead::default() })
    }

    /// Returns the organizations a session gives access to, with the role in each: the user's own, or
    /// the one as which they act.
    pub async fn memberships(&self, session: &SignedIn) -> Result<Vec<Membership>, Error> {
        let Some(Impersonation { organization, .. }) = session.claims.impersonation else {
            return Ok(self.deps.organizations.memberships(session.user.id).await?);
        };
        let found = self.deps.organizations.find(organization).await?;
        let membership = |it: Organization| Membership {
            organization,
            name: it.name,
            role: Role::Owner,
            closed_at: it.settings.closed_at,
        };
        Ok(found.map(membership).into_iter().collect())
    }

    /// Begins a session of a user who has just proved who they are.
    pub async fn begin(&self, user: User, client: &Client) -> Result<Session, Error> {
        let claims = Claims::begin(&user, self.deps.clock.now());
        self.deps.sessions.insert(&claims.opened_by(client)).await?;
        let token = self.deps.tokens.issue(&claims)?;
        Ok(Session { token, expires_at: claims.expires_at, user })
    }
}
