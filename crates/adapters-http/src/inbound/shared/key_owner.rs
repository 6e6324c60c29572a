//! The owner of the idempotency key of a request, as its credentials name it.

use std::{cell::OnceCell, rc::Rc};

use actix_web::{HttpMessage, HttpRequest};
use domain::identity::{
    caller::{Caller, Identity},
    user::User,
};
use ports::platform::request_keys::KeyOwner;

/// Slot for the owner of the key of one request. Clones share it.
#[derive(Clone, Default)]
pub(crate) struct KeyOwnerSlot(Rc<OnceCell<KnownOwner>>);

/// Owner of a key, with the caller who uses it.
#[derive(Debug, Clone)]
pub(crate) struct KnownOwner {
    pub(crate) owner: KeyOwner,
    /// Name and rights of the caller: nobody else gets the first answer, which may hold a secret.
    pub(crate) caller: String,
}

impl KeyOwnerSlot {
    /// Adds an empty slot to a request with a key.
    pub(crate) fn begin(request: &HttpRequest) -> Self {
        let slot = Self::default();
        request.extensions_mut().insert(slot.clone());
        slot
    }

    /// Returns the owner, if the caller was authenticated.
    pub(crate) fn get(&self) -> Option<KnownOwner> {
        self.0.get().cloned()
    }

    fn fill(request: &HttpRequest, owner: impl FnOnce() -> KnownOwner) {
        if let Some(Self(slot)) = request.extensions().get() {
            slot.get_or_init(owner);
        }
    }
}

/// Remembers the caller of a request inside an organization, if the request has a key.
pub(crate) fn remember_caller(request: &HttpRequest, caller: &Caller) {
    KeyOwnerSlot::fill(request, || KnownOwner {
        owner: KeyOwner::Organization { id: caller.organization, is_sandbox: caller.is_sandbox() },
        caller: match &caller.identity {
            Identity::Member { user, role } => format!("member {user} {}", role.as_str()),
            Identity::Impersonator { user } => format!("impersonator {user}"),
            Identity::ApiKey { key, .. } => format!("key {key}"),
        },
    });
}

/// Remembers the user who makes a request outside of organizations, if the request has a key.
pub(crate) fn remember_user(request: &HttpRequest, user: &User) {
    KeyOwnerSlot::fill(request, || KnownOwner {
        owner: KeyOwner::User(user.id),
        caller: format!("user {}", user.id),
    });
}
