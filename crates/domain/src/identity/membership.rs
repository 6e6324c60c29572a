//! Changes of the members of an organization, and the rules for them.
//!
//! ```
//! use chrono::DateTime;
//! use domain::{
//!     identity::membership::{ChangeKind, MemberChange},
//!     shared::id::Id,
//! };
//!
//! let user = Id::new(DateTime::UNIX_EPOCH);
//! let removal = MemberChange { by: user, user, kind: ChangeKind::Remove };
//! assert!(removal.check(&[]).is_err(), "nobody is a member");
//! ```

use crate::{
    identity::{
        organization::{Member, Role, RoleRefused, grant},
        permission::Permission,
        user::User,
    },
    shared::id::Id,
};

/// Change of one member of an organization.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MemberChange {
    /// Member who makes the change.
    pub by: Id<User>,
    /// User whom it concerns.
    pub user: Id<User>,
    /// Kind of the change.
    pub kind: ChangeKind,
}

/// Kinds of changes of a member.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ChangeKind {
    /// The user becomes a member with that role; a member gets that role.
    Put(Role),
    /// The member gets another role.
    Update(Role),
    /// The member is removed, or leaves.
    Remove,
}

/// Reason for which a change of a member is refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum ChangeRefused {
    /// The user who makes the change is not a member.
    #[error("you are not a member of this organization")]
    Outsider,
    /// The member who makes the change may not manage members.
    #[error("your role does not allow this")]
    Role,
    /// The user whom the change concerns is not a member.
    #[error("the user is not a member of this organization")]
    NoMember,
    /// The rules about owners forbid it.
    #[error(transparent)]
    Owners(#[from] RoleRefused),
}

impl MemberChange {
    /// Checks the change against the present members. Returns the present role of the user; `None` if
    /// they are not a member.
    pub fn check(&self, members: &[Member]) -> Result<Option<Role>, ChangeRefused> {
        let role_of = |user| members.iter().find(|it| it.user == user).map(|it| it.role);
        let granter = role_of(self.by).ok_or(ChangeRefused::Outsider)?;
        let current = role_of(self.user);
        let leaves = self.kind == ChangeKind::Remove && self.by == self.user;
        if !leaves && !granter.may(Permission::ManageMembers) {
            return Err(ChangeRefused::Role);
        }
        let owners = members.iter().filter(|it| it.role == Role::Owner).count();
        match (self.kind, current) {
            (ChangeKind::Put(role), _) | (ChangeKind::Update(role), Some(_)) => {
                grant(granter, current, role, owners)?;
            }
            (ChangeKind::Remove, Some(role)) => remove(granter, role, owners)?,
            (ChangeKind::Update(_) | ChangeKind::Remove, None) => {
                return Err(ChangeRefused::NoMember);
            }
        }
        Ok(current)
    }

    /// True if the change gives a role that only users with a verified address have. `current` is the
    /// present role of the user.
    pub fn needs_verified_address(&self, current: Option<Role>) -> bool {
        match self.kind {
            ChangeKind::Put(role) | ChangeKind::Update(role) => {
                matches!(role, Role::Owner | Role::Admin) && current != Some(role)
            }
            ChangeKind::Remove => false,
        }
    }
}

/// Checks that a member with the role `remover` may remove one with the role `removed`. An owner who
/// leaves removes themselves.
fn remove(remover: Role, removed: Role, owners: usize) -> Result<(), RoleRefused> {
    if removed != Role::Owner {
        return Ok(());
    }
    if remover != Role::Owner {
        return Err(RoleRefused::OwnersOnly);
    }
    if owners <= 1 { Err(RoleRefused::LastOwner) } else { Ok(()) }
}

#[cfg(test)]
mod tests {
    use chrono::DateTime;
    use proptest::prelude::*;
    use uuid::Uuid;

    use super::*;

    fn member(number: u128, role: Role) -> Member {
        Member {
            user: Id::of(Uuid::from_u128(number)),
            email: format!("user{number}@example.com"),
            email_verified: true,
            first_name: "Ama".into(),
            last_name: "Mensah".into(),
            role,
            joined_at: DateTime::UNIX_EPOCH,
        }
    }

    fn change(by: u128, user: u128, kind: ChangeKind) -> MemberChange {
        MemberChange { by: Id::of(Uuid::from_u128(by)), user: Id::of(Uuid::from_u128(user)), kind }
    }

    #[test]
    fn an_administrator_neither_makes_nor_removes_an_owner() {
        let members = [member(1, Role::Owner), member(2, Role::Owner), member(3, Role::Admin)];
        let refused = Err(ChangeRefused::Owners(RoleRefused::OwnersOnly));

        for (user, kind) in [
            (3, ChangeKind::Put(Role::Owner)),
            (4, ChangeKind::Put(Role::Owner)),
            (1, ChangeKind::Update(Role::Viewer)),
            (1, ChangeKind::Remove),
        ] {
            assert_eq!(change(3, user, kind).check(&members), refused, "{user} {kind:?}");
            assert!(change(2, user, kind).check(&members).is_ok(), "{user} {kind:?}");
        }
    }

    #[test]
    fn every_member_may_leave_except_the_last_owner() {
        for role in Role::ALL {
            let members = [member(1, Role::Owner), member(2, role)];
            assert_eq!(change(2, 2, ChangeKind::Remove).check(&members), Ok(Some(role)));
        }
        let last = change(1, 1, ChangeKind::Remove).check(&[member(1, Role::Owner)]);
        assert_eq!(last, Err(ChangeRefused::Owners(RoleRefused::LastOwner)));
    }

    #[test]
    fn strangers_and_lesser_roles_change_nobody() {
        let members = [member(1, Role::Owner), member(2, Role::Developer)];
        for kind in [ChangeKind::Put(Role::Viewer), ChangeKind::Remove] {
            assert_eq!(change(3, 2, kind).check(&members), Err(ChangeRefused::Outsider));
            assert_eq!(change(2, 1, kind).check(&members), Err(ChangeRefused::Role));
        }
        for kind in [ChangeKind::Update(Role::Viewer), ChangeKind::Remove] {
            assert_eq!(change(1, 3, kind).check(&members), Err(ChangeRefused::NoMember));
        }
    }

    #[test]
    fn only_a_rise_to_owner_or_administrator_needs_a_verified_address() {
        let needs = |kind, current| change(1, 2, kind).needs_verified_address(current);

        assert!(needs(ChangeKind::Put(Role::Admin), None));
        assert!(needs(ChangeKind::Update(Role::Owner), Some(Role::Admin)));
        assert!(!needs(ChangeKind::Put(Role::Owner), Some(Role::Owner)));
        assert!(!needs(ChangeKind::Update(Role::Developer), Some(Role::Owner)));
        assert!(!needs(ChangeKind::Remove, Some(Role::Owner)));
    }

    fn any_kind() -> impl Strategy<Value = ChangeKind> {
        let role = || (0..Role::ALL.len()).prop_map(|number| Role::ALL[number]);
        prop_oneof![
            role().prop_map(ChangeKind::Put),
            role().prop_map(ChangeKind::Update),
            Just(ChangeKind::Remove),
        ]
    }

    proptest! {
        #[test]
        fn an_organization_keeps_an_owner_whatever_is_changed(
            changes in prop::collection::vec((1..5_u128, 1..5_u128, any_kind()), 0..40),
        ) {
            let mut members = vec![member(1, Role::Owner)];
            for (by, user, kind) in changes {
                let change = change(by, user, kind);
                if change.check(&members).is_err() {
                    continue;
                }
                members.retain(|it| it.user != change.user);
                if let ChangeKind::Put(role) | ChangeKind::Update(role) = kind {
                    members.push(member(user, role));
                }
                prop_assert!(members.iter().any(|it| it.role == Role::Owner));
            }
        }
    }
}
