//! Refusals of callers who may not do something.

use crate::identity::{organization::Role, permission::Permission};

/// Reason for which a caller may not do something.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Denied {
    /// The user's role does not allow it.
    #[error("your role does not allow this")]
    Role,
    /// The member's role does not include the permission.
    #[error("your role does not allow this: {} may", names_of_roles(*.0))]
    Permission(Permission),
    /// Only owners may do this.
    #[error("your role does not allow this: {} may", Role::Owner)]
    OwnersOnly,
    /// Administrators may not do this while acting as the organization.
    #[error("you cannot do this while impersonating")]
    Impersonating,
    /// The API key lacks the scope.
    #[error("the API key lacks the scope `{0}`")]
    Scope(&'static str),
    /// A member cannot give a scope whose permissions they lack.
    #[error("your role does not allow the scope `{0}`")]
    Grant(&'static str),
    /// No API key may do this.
    #[error("an API key cannot do this")]
    ApiKey,
    /// The organization is suspended and may not send.
    #[error("the organization is suspended: it cannot send messages")]
    Suspended,
    /// The organization is closed: its members may only read, and its keys nothing.
    #[error("the organization is closed; an owner can restore it for 30 days")]
    Closed,
}

/// Returns the names of the roles that include a permission, as parts of a sentence.
fn names_of_roles(permission: Permission) -> String {
    let roles = Role::ALL.into_iter().filter(|role| role.may(permission));
    let names: Vec<_> = roles.map(Role::as_str).collect();
    match names.split_last() {
        Some((last, others)) if !others.is_empty() => format!("{} or {last}", others.join(", ")),
        _ => names.concat(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_refusal_names_the_roles_that_may() {
        for (denied, who) in [
            (
                Denied::Permission(Permission::ManageIntegrations),
                "TENANT_OWNER, TENANT_ADMIN or DEVELOPER",
            ),
            (Denied::Permission(Permission::TopUp), "TENANT_OWNER or TENANT_ADMIN"),
            (Denied::OwnersOnly, "TENANT_OWNER"),
        ] {
            assert_eq!(denied.to_string(), format!("your role does not allow this: {who} may"));
        }
    }
}
