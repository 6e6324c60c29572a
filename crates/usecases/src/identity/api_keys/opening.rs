//! API keys at endpoints for sessions.

use domain::identity::{
    caller::{Caller, Denied, Identity},
    scope::Scope,
};

use crate::{Error, Reason, identity::auth::SESSION_REQUIRED};

/// A sandbox key cannot change live data.
pub const LIVE_KEY_REQUIRED: Reason =
    Reason::new("LIVE_KEY_REQUIRED", "a sandbox key changes no live data: use a live key");

/// The operation needs an API key.
pub const KEY_REQUIRED: Reason =
    Reason::new("UNAUTHORIZED", "an API key is required, as `X-API-Key`");

/// Returns the caller of an endpoint for sessions that keys with `scope` may call, too; `None` if
/// no key may. Callers with a session are returned as they are.
pub fn open(caller: Caller, scope: Option<Scope>) -> Result<Caller, Error> {
    let Identity::ApiKey { scopes, is_sandbox, .. } = &caller.identity else { return Ok(caller) };
    let scopes: Vec<Scope> = scopes.iter().filter_map(|scope| scope.parse().ok()).collect();
    if !scopes.iter().any(|scope| scope.opens_endpoints_for_sessions()) {
        return Err(Error::Unauthenticated(SESSION_REQUIRED));
    }
    let scope = scope.ok_or(Denied::ApiKey)?;
    if !scopes.contains(&scope) {
        return Err(Denied::Scope(scope.as_str()).into());
    }
    if *is_sandbox && scope.writes_live_data() {
        return Err(Error::Forbidden(LIVE_KEY_REQUIRED));
    }
    Ok(caller.opened_by(scope))
}

#[cfg(test)]
mod tests {
    use domain::identity::organization::Role;

    use super::*;
    use crate::shared::fixtures::{member, program};

    fn code(scopes: &[&str], is_sandbox: bool, scope: Option<Scope>) -> &'static str {
        open(program(scopes, is_sandbox), scope).map_or_else(|error| error.code(), |_| "OPEN")
    }

    #[test]
    fn a_key_reaches_the_endpoints_of_its_scopes() {
        let (read, write) = (Some(Scope::ContactsRead), Some(Scope::ContactsWrite));
        for (scopes, is_sandbox, scope, expected) in [
            (&["messages:read"][..], false, read, "SESSION_REQUIRED"),
            (&["messages:read"][..], false, None, "SESSION_REQUIRED"),
            (&["events:read"][..], false, Some(Scope::EventsRead), "SESSION_REQUIRED"),
            (&["events:read", "events:write"][..], false, Some(Scope::EventsRead), "OPEN"),
            (&["contacts:read"][..], false, read, "OPEN"),
            (&["contacts:read"][..], true, read, "OPEN"),
            (&["contacts:read"][..], false, write, "INSUFFICIENT_SCOPE"),
            (&["contacts:read"][..], true, write, "INSUFFICIENT_SCOPE"),
            (&["contacts:write"][..], false, write, "OPEN"),
            (&["contacts:write"][..], true, write, "LIVE_KEY_REQUIRED"),
            (&["campaigns:write"][..], true, Some(Scope::CampaignsWrite), "OPEN"),
            (&["contacts:write"][..], false, None, "FORBIDDEN"),
        ] {
            assert_eq!(code(scopes, is_sandbox, scope), expected, "{scopes:?} {scope:?}");
        }
    }

    #[test]
    fn sessions_need_no_scope() {
        let viewer = member(Role::Viewer);
        assert_eq!(open(viewer.clone(), None).unwrap(), viewer);
    }
}
