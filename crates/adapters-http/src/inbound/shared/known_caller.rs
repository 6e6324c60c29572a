//! The authenticated caller of a request, for what is recorded after the answer.

use std::{cell::OnceCell, rc::Rc};

use actix_web::{HttpMessage, HttpRequest};
use domain::{
    identity::{
        api_key::ApiKey,
        caller::{Caller, Identity},
        organization::Organization,
        user::User,
    },
    shared::id::Id,
};

/// Slot for the caller of one request. Clones share it.
#[derive(Clone, Default)]
pub(crate) struct CallerSlot(Rc<OnceCell<KnownCaller>>);

/// Authenticated caller inside an organization.
#[derive(Debug, Clone, Copy)]
pub(crate) struct KnownCaller {
    pub(crate) organization: Id<Organization>,
    /// Key of a program.
    pub(crate) key: Option<Id<ApiKey>>,
    /// User of a session.
    pub(crate) user: Option<Id<User>>,
}

impl CallerSlot {
    /// Returns the caller, if it was authenticated.
    pub(crate) fn get(&self) -> Option<KnownCaller> {
        self.0.get().copied()
    }
}

/// Remembers the caller of the request. The first one counts.
pub(crate) fn remember(request: &HttpRequest, caller: &Caller) {
    let (key, user) = match caller.identity {
        Identity::ApiKey { key, .. } => (Some(key), None),
        Identity::Member { user, .. } | Identity::Impersonator { user } => (None, Some(user)),
    };
    let known = KnownCaller { organization: caller.organization, key, user };
    if let Some(CallerSlot(slot)) = request.extensions().get() {
        slot.get_or_init(|| known);
    }
}
