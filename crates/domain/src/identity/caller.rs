//! Callers and what they may do.
//!
//! ```
//! use chrono::DateTime;
//! use domain::{
//!     identity::{
//!         caller::{Caller, Identity},
//!         organization::Role,
//!         permission::Permission,
//!     },
//!     shared::{id::Id, trace::TraceHead},
//! };
//!
//! let (organization, user) = (Id::new(DateTime::UNIX_EPOCH), Id::new(DateTime::UNIX_EPOCH));
//! let identity = Identity::Member { user, role: Role::Viewer };
//! let (policy, trace) = (Default::default(), TraceHead::default());
//! let viewer = Caller { organization, identity, policy, trace };
//! assert!(viewer.authorize(Permission::Read).is_ok());
//! assert!(viewer.authorize(Permission::SendMessages).is_err());
//! ```

mod denied;

use std::sync::Arc;

pub use self::denied::Denied;
use crate::{
    identity::{
        actor::{Actor, RequestId},
        api_key::ApiKey,
        organization::{Organization, Role},
        permission::Permission,
        policy::Policy,
        scope::Scope,
        user::{PlatformRole, User},
    },
    shared::{id::Id, trace::TraceHead},
};

/// A caller that acts inside an organization.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Caller {
    /// Organization in which the caller acts.
    pub organization: Id<Organization>,
    /// Identity under which the caller acts.
    pub identity: Identity,
    /// Policy for the messages of the organization.
    pub policy: Arc<Policy>,
    /// Trace of the request that the caller makes.
    pub trace: TraceHead,
}

/// The kinds of callers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Identity {
    /// A user who belongs to the organization.
    Member {
        /// Identifier of the user.
        user: Id<User>,
        /// Role of the user in the organization.
        role: Role,
    },
    /// A platform administrator who acts as an owner of the organization.
    Impersonator {
        /// Identifier of the administrator.
        user: Id<User>,
    },
    /// A program with an API key of the organization.
    ApiKey {
        /// Identifier of the key.
        key: Id<ApiKey>,
        /// Scopes of the key.
        scopes: Arc<[String]>,
        /// True for sandbox keys, whose messages are simulated.
        is_sandbox: bool,
        /// Member who created the key, if recorded: the author of what it writes.
        creator: Option<Id<User>>,
        /// Scope by which the key reached an endpoint for sessions; `None` at endpoints for keys.
        opened_by: Option<Scope>,
    },
}

/// A request names another mode than that of its API key.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("must be {is_of_sandbox} or absent with this API key")]
pub struct OtherMode {
    /// True if the key is a sandbox key.
    pub is_of_sandbox: bool,
}

/// Scopes by which a key sees recipients.
const READING_SCOPES: [&str; 2] = ["messages:read", "contacts:read"];

impl Caller {
    /// Fails unless the caller has `permission`, and the organization is open if it is needed for
    /// more than reading. API keys of a closed organization may do nothing.
    pub fn authorize(&self, permission: Permission) -> Result<(), Denied> {
        self.has(permission)?;
        let is_key = matches!(self.identity, Identity::ApiKey { .. });
        let is_closed = self.policy.settings.closed_at.is_some();
        if is_closed && (is_key || !permission.is_reading()) { Err(Denied::Closed) } else { Ok(()) }
    }

    /// Returns the owner who calls. Fails for all other callers.
    pub fn owner(&self) -> Result<Id<User>, Denied> {
        match &self.identity {
            Identity::Member { user, role: Role::Owner } => Ok(*user),
            Identity::Member { .. } => Err(Denied::OwnersOnly),
            Identity::Impersonator { .. } => Err(Denied::Impersonating),
            Identity::ApiKey { .. } => Err(Denied::ApiKey),
        }
    }

    fn has(&self, permission: Permission) -> Result<(), Denied> {
        match &self.identity {
            Identity::Member { role, .. } if role.may(permission) => Ok(()),
            Identity::Member { .. } => Err(Denied::Permission(permission)),
            Identity::Impersonator { .. } if permission.is_lent() => Ok(()),
            Identity::Impersonator { .. } => Err(Denied::Impersonating),
            Identity::ApiKey { opened_by: Some(scope), .. }
                if scope.permissions().contains(&permission) =>
            {
                Ok(())
            }
            Identity::ApiKey { scopes, .. } => {
                let needed = permission.scope().ok_or(Denied::ApiKey)?;
                let has = scopes.iter().any(|scope| scope == needed);
                if has { Ok(()) } else { Err(Denied::Scope(needed)) }
            }
        }
    }

    /// Fails unless the caller has `permission` and the organization may send.
    pub fn authorize_sending(&self, permission: Permission) -> Result<(), Denied> {
        self.authorize(permission)?;
        if self.policy.settings.suspension.is_some() { Err(Denied::Suspended) } else { Ok(()) }
    }

    /// Returns the author of what the caller writes: the user who calls, or the member who created
    /// the API key. Fails for keys from before that was recorded.
    pub fn user(&self) -> Result<Id<User>, Denied> {
        match self.identity {
            Identity::Member { user, .. } | Identity::Impersonator { user } => Ok(user),
            Identity::ApiKey { creator, .. } => creator.ok_or(Denied::ApiKey),
        }
    }

    /// Fails unless the caller has all the permissions of a scope, and so may give it to a key.
    pub fn authorize_grant(&self, scope: Scope) -> Result<(), Denied> {
        let mut permissions = scope.permissions().iter();
        let has_all = permissions.all(|permission| self.authorize(*permission).is_ok());
        if has_all { Ok(()) } else { Err(Denied::Grant(scope.as_str())) }
    }

    /// Returns an API key as it acts at the endpoints that `scope` opens.
    #[must_use]
    pub fn opened_by(mut self, scope: Scope) -> Self {
        if let Identity::ApiKey { opened_by, .. } = &mut self.identity {
            *opened_by = Some(scope);
        }
        self
    }

    /// Returns the administrator who acts as the organization; `None` for other callers.
    pub fn impersonator(&self) -> Option<Id<User>> {
        match self.identity {
            Identity::Impersonator { user } => Some(user),
            Identity::Member { .. } | Identity::ApiKey { .. } => None,
        }
    }

    /// True if the caller may see the recipients and texts of messages. A key that only triggers
    /// events may not: it would read contacts by their identifiers.
    pub fn sees_recipients(&self) -> bool {
        match &self.identity {
            Identity::Member { .. } | Identity::Impersonator { .. } => true,
            Identity::ApiKey { scopes, .. } => {
                scopes.iter().any(|scope| READING_SCOPES.contains(&scope.as_str()))
            }
        }
    }

    /// True if the caller sees codes in messages while they are still usable. Members who integrate
    /// the API do; platform administrators do not.
    pub fn sees_codes(&self) -> bool {
        match &self.identity {
            Identity::Member { role, .. } => role.may(Permission::ReadIntegrations),
            Identity::Impersonator { .. } => false,
            Identity::ApiKey { .. } => true,
        }
    }

    /// True if the caller's messages are simulated.
    pub fn is_sandbox(&self) -> bool {
        matches!(self.identity, Identity::ApiKey { is_sandbox: true, .. })
    }

    /// True if the messages of a request that says `is_sandbox` are simulated. Members may rehearse
    /// what they send; a key cannot leave its mode, so it may only repeat it.
    pub fn rehearses(&self, is_sandbox: Option<bool>) -> Result<bool, OtherMode> {
        match self.identity {
            Identity::Member { .. } | Identity::Impersonator { .. } => {
                Ok(is_sandbox.unwrap_or_default())
            }
            Identity::ApiKey { is_sandbox: is_of_sandbox, .. } => {
                if is_sandbox.is_none_or(|named| named == is_of_sandbox) {
                    Ok(is_of_sandbox)
                } else {
                    Err(OtherMode { is_of_sandbox })
                }
            }
        }
    }
}

/// A platform administrator who makes a request as such.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Administrator {
    /// Identifier of the administrator.
    pub id: Id<User>,
    /// Request that the administrator makes.
    pub request: RequestId,
}

impl Administrator {
    /// Fails unless the user administers the platform.
    pub fn of(user: &User, request: RequestId) -> Result<Self, Denied> {
        match user.platform_role {
            Some(PlatformRole::SuperAdmin) => Ok(Self { id: user.id, request }),
            None => Err(Denied::Role),
        }
    }

    /// Returns the actor for the audit log.
    pub fn actor(&self) -> Actor {
        Actor { user: self.id, request: self.request.clone(), is_impersonating: false }
    }
}

#[cfg(test)]
mod tests {
    use chrono::DateTime;

    use super::*;
    use crate::identity::organization::Suspension;

    fn key(scopes: &[&str]) -> Caller {
        let organization = Id::new(DateTime::UNIX_EPOCH);
        Caller {
            organization,
            identity: Identity::ApiKey {
                key: Id::new_in(DateTime::UNIX_EPOCH, organization),
                scopes: scopes.iter().map(ToString::to_string).collect(),
                is_sandbox: true,
                creator: None,
                opened_by: None,
            },
            policy: Arc::default(),
            trace: TraceHead::default(),
        }
    }

    #[test]
    fn impersonators_may_do_what_owners_may_except_what_is_not_lent() {
        let user = Id::new(DateTime::UNIX_EPOCH);
        let caller = Caller { identity: Identity::Impersonator { user }, ..key(&[]) };

        assert_eq!(caller.authorize(Permission::WriteAudience), Ok(()));
        assert_eq!(caller.authorize(Permission::SendMessages), Err(Denied::Impersonating));
        assert_eq!((caller.user(), caller.impersonator()), (Ok(user), Some(user)));
        assert_eq!(key(&[]).impersonator(), None);
    }

    #[test]
    fn a_key_may_do_what_its_scopes_say_and_nothing_else() {
        let key = key(&["messages:read"]);

        assert_eq!(key.authorize(Permission::ReadMessages), Ok(()));
        assert_eq!(key.authorize(Permission::SendMessages), Err(Denied::Scope("messages:send")));
        assert_eq!(key.authorize(Permission::Read), Err(Denied::ApiKey));
    }

    #[test]
    fn a_key_has_the_permissions_of_the_scope_that_opened_the_endpoint() {
        let opened = key(&["contacts:read"]).opened_by(Scope::ContactsRead);

        assert_eq!(opened.authorize(Permission::Read), Ok(()));
        assert_eq!(opened.authorize(Permission::WriteAudience), Err(Denied::ApiKey));
        assert_eq!(opened.authorize(Permission::SendMessages), Err(Denied::Scope("messages:send")));
        assert_eq!(key(&["contacts:write"]).authorize(Permission::Read), Err(Denied::ApiKey));
    }

    #[test]
    fn a_member_may_rehearse_and_a_key_keeps_its_mode() {
        let user = Id::new(DateTime::UNIX_EPOCH);
        let identity = Identity::Member { user, role: Role::Owner };
        let member = Caller { identity, ..key(&[]) };

        for (named, expected) in [(None, false), (Some(false), false), (Some(true), true)] {
            assert_eq!(member.rehearses(named), Ok(expected), "{named:?}");
        }
        let sandbox = key(&[]);
        assert_eq!(sandbox.rehearses(None), Ok(true));
        assert_eq!(sandbox.rehearses(Some(true)), Ok(true));
        assert_eq!(sandbox.rehearses(Some(false)), Err(OtherMode { is_of_sandbox: true }));
    }

    #[test]
    fn a_member_gives_only_scopes_whose_permissions_they_have() {
        let user = Id::new(DateTime::UNIX_EPOCH);
        let as_role = |role| Caller { identity: Identity::Member { user, role }, ..key(&[]) };

        for scope in Scope::ALL {
            assert_eq!(as_role(Role::Owner).authorize_grant(scope), Ok(()), "{scope:?}");
        }
        let developer = as_role(Role::Developer);
        for scope in Scope::DEFAULT.into_iter().chain([Scope::EventsWrite, Scope::WebhooksWrite]) {
            assert_eq!(developer.authorize_grant(scope), Ok(()), "{scope:?}");
        }
        let refused = developer.authorize_grant(Scope::ContactsWrite);
        assert_eq!(refused, Err(Denied::Grant("contacts:write")));
    }

    #[test]
    fn the_creator_of_a_key_is_the_author_of_what_it_writes() {
        let user = Id::new(DateTime::UNIX_EPOCH);
        let mut caller = key(&["templates:write"]);
        assert_eq!(caller.user(), Err(Denied::ApiKey));
        if let Identity::ApiKey { creator, .. } = &mut caller.identity {
            *creator = Some(user);
        }
        assert_eq!((caller.user(), caller.impersonator()), (Ok(user), None));
    }

    #[test]
    fn codes_are_shown_to_those_who_build_with_the_api() {
        let user = Id::new(DateTime::UNIX_EPOCH);
        let sees = |identity| Caller { identity, ..key(&[]) }.sees_codes();

        for role in Role::ALL {
            let is_builder = matches!(role, Role::Owner | Role::Admin | Role::Developer);
            assert_eq!(sees(Identity::Member { user, role }), is_builder, "{role:?}");
        }
        assert!(key(&[]).sees_codes() && !sees(Identity::Impersonator { user }));
    }

    #[test]
    fn in_a_closed_organization_members_read_and_keys_do_nothing() {
        let mut policy = Policy::default();
        policy.settings.closed_at = Some(DateTime::UNIX_EPOCH);
        let policy = Arc::new(policy);
        let key = Caller { policy: policy.clone(), ..key(&["messages:read", "messages:send"]) };
        let user = Id::new(DateTime::UNIX_EPOCH);
        let identity = Identity::Member { user, role: Role::Owner };
        let owner = Caller { identity, policy, ..key.clone() };

        for permission in [Permission::ReadMessages, Permission::SendMessages] {
            assert_eq!(key.authorize(permission), Err(Denied::Closed), "{permission:?}");
        }
        for (permission, allowed) in [
            (Permission::Read, Ok(())),
            (Permission::ReadIntegrations, Ok(())),
            (Permission::SendMessages, Err(Denied::Closed)),
            (Permission::ManageIntegrations, Err(Denied::Closed)),
            (Permission::TopUp, Err(Denied::Closed)),
        ] {
            assert_eq!(owner.authorize(permission), allowed, "{permission:?}");
        }
    }

    #[test]
    fn only_an_owner_is_an_owner() {
        let user = Id::new(DateTime::UNIX_EPOCH);
        let as_role = |role| Caller { identity: Identity::Member { user, role }, ..key(&[]) };

        assert_eq!(as_role(Role::Owner).owner(), Ok(user));
        assert_eq!(as_role(Role::Admin).owner(), Err(Denied::OwnersOnly));
        assert_eq!(key(&[]).owner(), Err(Denied::ApiKey));
        let impersonator = Caller { identity: Identity::Impersonator { user }, ..key(&[]) };
        assert_eq!(impersonator.owner(), Err(Denied::Impersonating));
    }

    #[test]
    fn suspended_organizations_send_nothing() {
        let suspension = Suspension { at: DateTime::UNIX_EPOCH, reason: "scams".into() };
        let mut policy = Policy::default();
        policy.settings.suspension = Some(suspension);
        let suspended =
            Caller { policy: Arc::new(policy), ..key(&["messages:send", "messages:read"]) };

        let refused = suspended.authorize_sending(Permission::SendMessages);

        assert_eq!(refused, Err(Denied::Suspended));
        assert_eq!(suspended.authorize(Permission::ReadMessages), Ok(()));
        let refused = suspended.authorize_sending(Permission::TriggerEvents);
        assert_eq!(refused, Err(Denied::Scope("events:trigger")));
    }
}
