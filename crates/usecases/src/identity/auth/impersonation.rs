//! Impersonation: platform administrators who act as an organization.

use std::collections::BTreeMap;

use chrono::{DateTime, SecondsFormat, Utc};
use domain::{
    identity::{
        actor::{Actor, RequestId},
        organization::{Organization, PLATFORM, Role},
        session::Claims,
    },
    platform::audit::{AuditAction, AuditEntry},
    shared::{fault::Faults, id::Id, text::line},
};
use ports::shared::store::StoreError;

use super::{Auth, SESSION_ENDED, SignedIn};
use crate::{Error, Reason};

/// The session impersonates no organization.
pub const NOT_IMPERSONATING: Reason =
    Reason::new("NOT_IMPERSONATING", "this session impersonates nobody");

/// Maximum length of the reason for an impersonation, in characters.
const MAX_REASON: usize = 500;

/// New session in which an administrator acts as an organization.
#[derive(Debug, Clone)]
pub struct Impersonated {
    /// Session token.
    pub token: String,
    /// Time at which the session expires.
    pub expires_at: DateTime<Utc>,
    /// Impersonated organization.
    pub organization: Organization,
}

/// Request made in an impersonation session.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Act {
    /// HTTP method of the request.
    pub method: String,
    /// Path of the request.
    pub path: String,
}

impl Auth {
    /// Begins a session in which an administrator acts as an organization. It is recorded in the audit
    /// log with the reason, if there is one, and the owners are mailed, before the token is issued.
    pub async fn impersonate(
        &self,
        session: &SignedIn,
        request: RequestId,
        (id, reason): (Id<Organization>, Option<String>),
    ) -> Result<Impersonated, Error> {
        let admin = session.administrator(request)?;
        let reason = reason.map(|reason| line(&reason, MAX_REASON)).transpose();
        let reason = reason.map_err(|fault| Faults::field("reason", fault))?;
        let found = self.deps.organizations.find(id).await?.filter(|it| it.id != PLATFORM);
        let organization = found.ok_or(Error::NotFound("organization"))?;
        let now = self.deps.clock.now();
        let claims = session.claims.impersonate(id, now);
        let expires_at = text(claims.expires_at);
        let mut details = BTreeMap::from([("expiresAt", expires_at)]);
        details.extend(reason.map(|reason| ("reason", reason)));
        let entry = entry(id, now, (admin.actor(), AuditAction::ImpersonationBegan, details));
        self.deps.audit_log.record(&entry).await?;
        self.notify_owners(&claims, id).await?;
        let token = self.deps.tokens.issue(&claims)?;
        Ok(Impersonated { token, expires_at: claims.expires_at, organization })
    }

    /// Ends an impersonation session, and begins an ordinary one of the administrator. From then on
    /// every instance refuses the old token.
    pub async fn exit_impersonation(
        &self,
        session: SignedIn,
        request: RequestId,
    ) -> Result<super::Session, Error> {
        let now = self.deps.clock.now();
        let restored = session.impersonated().zip(session.claims.restore(now));
        let (id, restored) = restored.ok_or(Error::BadRequest(NOT_IMPERSONATING))?;
        let actor = Actor { user: session.user.id, request, is_impersonating: true };
        let entry = entry(id, now, (actor, AuditAction::ImpersonationEnded, BTreeMap::new()));
        self.deps.audit_log.record(&entry).await?;
        if !self.deps.revoked_sessions.revoke(&session.claims).await? {
            return Err(Error::Unauthenticated(SESSION_ENDED));
        }
        let token = self.deps.tokens.issue(&restored)?;
        Ok(super::Session { token, expires_at: restored.expires_at, user: session.user })
    }

    /// Records in the audit log the request that an administrator is about to make as an organization.
    /// If this fails, the request must not be carried out.
    pub async fn note_act(
        &self,
        organization: Id<Organization>,
        actor: Actor,
        act: Act,
    ) -> Result<(), Error> {
        let details = BTreeMap::from([("method", act.method), ("path", act.path)]);
        let noted = (actor, AuditAction::ImpersonationActed, details);
        let entry = entry(organization, self.deps.clock.now(), noted);
        match self.deps.audit_log.record(&entry).await {
            Ok(()) => Ok(()),
            // Nothing was done whatever the cause, so the request can be retried.
            Err(error) => Err(StoreError::Unavailable(error.into()).into()),
        }
    }

    /// Mails the owners of an organization that an administrator acts as it. The mail contains no
    /// user-supplied text.
    async fn notify_owners(&self, claims: &Claims, id: Id<Organization>) -> Result<(), Error> {
        let body = format!(
            "Hello,\n\nan administrator of the platform is looking into your organization\n\
             {id}, from {} until {} at the latest.\n\nThey see and change what an owner does, but \
             send no messages, move no money, and make\nneither API keys nor members. All they do is \
             in the audit log of the organization,\nwhich its owners and administrators can \
             read.\n",
            text(claims.issued_at),
            text(claims.expires_at),
        );
        let members = self.deps.organizations.members(id).await?;
        for owner in members.into_iter().filter(|member| member.is_mailed(&[Role::Owner])) {
            let key = format!("impersonation-{}-{}", claims.id, owner.user);
            let subject = "An administrator is looking into your organization";
            self.deps.mailer.send_service_notice(&owner.email, subject, body.clone(), key).await?;
        }
        Ok(())
    }
}

fn entry(
    organization: Id<Organization>,
    now: DateTime<Utc>,
    (actor, action, details): (Actor, AuditAction, BTreeMap<&'static str, String>),
) -> AuditEntry {
    AuditEntry::of(organization, now, actor, action).with(details)
}

fn text(time: DateTime<Utc>) -> String {
    time.to_rfc3339_opts(SecondsFormat::Secs, true)
}
