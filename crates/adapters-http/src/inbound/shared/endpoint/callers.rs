//! Security schemes of callers.

use super::describe::{Describe, Description};
use crate::inbound::shared::caller::{AnyBearer, ApiCaller, Bearer, Guest, Member, Sender};

/// The names of the security schemes.
pub(in crate::inbound) const API_KEY: &str = "apiKey";
pub(in crate::inbound) const BEARER: &str = "bearer";
pub(in crate::inbound) const ORGANIZATION: &str = "organization";

/// Credentials of a [`Member`].
pub(super) const MEMBER: &[&[&str]] = &[&[BEARER, ORGANIZATION]];
/// Credentials of a [`Member`], or of a program whose key has the scope of the endpoint.
pub(in crate::inbound) const MEMBER_OR_KEY: &[&[&str]] = &[&[BEARER, ORGANIZATION], &[API_KEY]];

impl Describe for Guest {
    fn describe(description: &mut Description) {
        description.is_counted = true;
    }
}

impl Describe for Bearer {
    fn describe(description: &mut Description) {
        description.security = &[&[BEARER]];
        description.is_counted = true;
    }
}

impl Describe for AnyBearer {
    fn describe(description: &mut Description) {
        Bearer::describe(description);
    }
}

impl Describe for Member {
    fn describe(description: &mut Description) {
        description.security = MEMBER;
        description.is_counted = true;
    }
}

impl Describe for ApiCaller {
    fn describe(description: &mut Description) {
        description.security = &[&[API_KEY], &[BEARER, ORGANIZATION]];
        description.is_counted = true;
    }
}

impl Describe for Sender {
    fn describe(description: &mut Description) {
        ApiCaller::describe(description);
    }
}
