//! Organizations: the tenants that own everything else, and their members.
//!
//! ```
//! use domain::identity::{organization::Role, permission::Permission};
//!
//! assert!(Role::Owner.may(Permission::TopUp) && !Role::Viewer.may(Permission::TopUp));
//! ```

mod closing;
mod holdings;
mod limits;
mod suspension;
mod traffic;
mod update;
mod usage;
mod ways_out;

use chrono::{DateTime, Utc};

pub use self::{
    closing::RESTORABLE,
    holdings::{DAILY_TEXTS, Holding, HoldingFull, Holdings},
    limits::{MAX_RATE, OwnLimits, OwnLimitsUpdate, RateLimit, RateLimitRequest},
    suspension::{MAX_REASON, Suspension},
    traffic::{TrafficSettings, TrafficSettingsUpdate},
    update::{OrganizationUpdate, SettingsUpdate, checked_name},
    usage::Usage,
    ways_out::{WaysOut, WaysOutRequest},
};
use crate::{
    identity::{permission::Permission, spending::SpendingRules, user::User},
    shared::id::{Id, Unowned},
};

/// Time zone of organizations that name none.
pub const DEFAULT_TIME_ZONE: &str = "Africa/Accra";

/// Organization that sends the service's own messages, free of charge.
pub const PLATFORM: Id<Organization> = Id::of(uuid::uuid!("00000000-0000-7000-8000-000000000000"));

/// A tenant.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Organization {
    /// Identifier of the organization.
    pub id: Id<Organization>,
    /// Name for people, given by its members.
    pub name: String,
    /// Further details about the organization, given by its members.
    pub profile: Profile,
    /// Settings for its messages.
    pub settings: Settings,
    /// Time of creation.
    pub created_at: DateTime<Utc>,
}

/// An organization belongs to itself: its slot is the end of its own identifier.
impl Unowned for Organization {}

impl Organization {
    /// Returns the time zone in which its members read times, as named in the IANA database.
    pub fn time_zone(&self) -> &str {
        self.profile.timezone.as_deref().unwrap_or(DEFAULT_TIME_ZONE)
    }
}

/// Settings for the messages of an organization.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Settings {
    /// True if it writes to premium-rate and shared-cost numbers, which may cost many times the
    /// price of others. Set by the organization.
    pub allow_premium_numbers: bool,
    /// True if the texts that it sends directly are scored before they are handed over. Set by
    /// platform administrators.
    pub is_screened: bool,
    /// Bounds on its spending. Set by the organization.
    pub spending: SpendingRules,
    /// Allowed countries and sending speed. Set by the organization.
    pub traffic: TrafficSettings,
    /// Ways out of its promotion that need no reply. Set by the organization.
    pub ways_out: WaysOut,
    /// Limits that differ from those of other organizations. Set by platform administrators.
    pub limits: OwnLimits,
    /// Suspension that keeps it from sending, if any. Set by platform administrators.
    pub suspension: Option<Suspension>,
    /// Time at which an owner closed it; `None` if it is open.
    pub closed_at: Option<DateTime<Utc>>,
}

/// Details that an organization gives about itself.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Profile {
    /// Industry in which it works.
    pub industry: Option<String>,
    /// Telephone number of the organization.
    pub business_phone: Option<String>,
    /// Mail address of the organization.
    pub business_email: Option<String>,
    /// Time zone, as named in the IANA database.
    pub timezone: Option<String>,
    /// Preferred language.
    pub default_language: Option<String>,
    /// Web site of the organization.
    pub website: Option<String>,
    /// Number of messages that it expects to send in a month.
    pub monthly_volume: Option<i32>,
    /// Preferred channels.
    pub preferred_channels: Vec<String>,
    /// True if its onboarding is finished.
    pub onboarding_complete: bool,
    /// True if it has acknowledged the rules of fair sending.
    pub compliance_acknowledged: bool,
}

crate::closed_list! {
    /// Role of a member in an organization.
    #[derive(Default)]
    pub enum Role {
        /// May do everything. Every organization has at least one owner.
        Owner = "TENANT_OWNER",
        /// May do everything except appoint owners.
        Admin = "TENANT_ADMIN",
        /// Runs campaigns.
        CampaignManager = "CAMPAIGN_MANAGER",
        /// Monitors sent messages.
        ComplianceReviewer = "COMPLIANCE_REVIEWER",
        /// Builds and maintains integrations.
        Developer = "DEVELOPER",
        /// Has read access only.
        #[default]
        Viewer = "VIEWER",
    }
    impl Display;
    impl FromStr;
}

impl Role {
    /// True if members with this role have the permission.
    pub const fn may(self, permission: Permission) -> bool {
        use Permission as P;
        use Role::{Admin, CampaignManager, ComplianceReviewer, Developer, Owner};

        match permission {
            P::Read | P::ReadMessages | P::ReadEvents => true,
            P::ReadTexts => {
                matches!(self, Owner | Admin | CampaignManager | ComplianceReviewer | Developer)
            }
            P::ManageOrganization | P::ManageMembers | P::ReadAudit | P::ReadLimits | P::TopUp => {
                matches!(self, Owner | Admin)
            }
            P::SendMessages | P::TriggerEvents | P::WriteEvents => {
                matches!(self, Owner | Admin | CampaignManager | Developer)
            }
            P::WriteAudience | P::RunCampaigns | P::RequestSenderNames => {
                matches!(self, Owner | Admin | CampaignManager)
            }
            P::WriteSuppressions => {
                matches!(self, Owner | Admin | CampaignManager | ComplianceReviewer)
            }
            P::ReadIntegrations | P::ManageIntegrations => {
                matches!(self, Owner | Admin | Developer)
            }
        }
    }
}

/// A user who belongs to an organization.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Member {
    /// Identifier of the user.
    pub user: Id<User>,
    /// The user's address.
    pub email: String,
    /// True if the user is known to read the mail of that address.
    pub email_verified: bool,
    /// The user's given name.
    pub first_name: String,
    /// The user's family name.
    pub last_name: String,
    /// Role that decides what the user may do.
    pub role: Role,
    /// Time at which the user joined.
    pub joined_at: DateTime<Utc>,
}

impl Member {
    /// True if mails to these roles go to the member. Only members with a verified address get
    /// mail: somebody else may have registered with it.
    pub fn is_mailed(&self, roles: &[Role]) -> bool {
        self.email_verified && roles.contains(&self.role)
    }
}

/// Maximum number of organizations that a user may own.
pub const MAX_OWNED: usize = 3;

/// An organization of a user, and the user's role in it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Membership {
    /// Identifier of the organization.
    pub organization: Id<Organization>,
    /// Name of the organization.
    pub name: String,
    /// Role of the user in the organization.
    pub role: Role,
    /// Time at which the organization was closed; `None` if it is open.
    pub closed_at: Option<DateTime<Utc>>,
}

/// Reason for which a role was not given.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum RoleRefused {
    /// Only owners may appoint or remove owners.
    #[error("only an owner may make or change an owner")]
    OwnersOnly,
    /// The organization would be left without an owner.
    #[error("an organization keeps at least one owner")]
    LastOwner,
}

/// Checks that a member with the role `granter` may give `new` to a user whose role is `current` so
/// far. `owners` is the number of owners of the organization.
pub fn grant(
    granter: Role,
    current: Option<Role>,
    new: Role,
    owners: usize,
) -> Result<(), RoleRefused> {
    let touches_owner = new == Role::Owner || current == Some(Role::Owner);
    if touches_owner && granter != Role::Owner {
        return Err(RoleRefused::OwnersOnly);
    }
    if current == Some(Role::Owner) && new != Role::Owner && owners <= 1 {
        return Err(RoleRefused::LastOwner);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn only_an_owner_makes_an_owner() {
        assert_eq!(grant(Role::Admin, None, Role::Owner, 1), Err(RoleRefused::OwnersOnly));
        assert_eq!(
            grant(Role::Admin, Some(Role::Owner), Role::Viewer, 2),
            Err(RoleRefused::OwnersOnly)
        );
        assert_eq!(grant(Role::Owner, None, Role::Owner, 1), Ok(()));
    }

    #[test]
    fn the_last_owner_stays() {
        assert_eq!(
            grant(Role::Owner, Some(Role::Owner), Role::Viewer, 1),
            Err(RoleRefused::LastOwner)
        );
        assert_eq!(grant(Role::Owner, Some(Role::Owner), Role::Viewer, 2), Ok(()));
        assert_eq!(grant(Role::Owner, Some(Role::Owner), Role::Owner, 1), Ok(()));
    }

    #[test]
    fn mails_go_to_members_of_the_role_with_a_verified_address() {
        let member = |role, email_verified| Member {
            user: Id::new(DateTime::UNIX_EPOCH),
            email: "ama@example.com".into(),
            email_verified,
            first_name: "Ama".into(),
            last_name: "Mensah".into(),
            role,
            joined_at: DateTime::UNIX_EPOCH,
        };
        let is_mailed =
            |role, verified| member(role, verified).is_mailed(&[Role::Owner, Role::Admin]);
        assert!(is_mailed(Role::Owner, true) && is_mailed(Role::Admin, true));
        assert!(!is_mailed(Role::Viewer, true) && !is_mailed(Role::Owner, false));
    }

    #[test]
    fn roles_and_impersonators_have_the_permissions_of_the_table() {
        use Permission as P;
        // I stands for an administrator who impersonates the organization.
        let table = [
            (P::Read, "OACRDVI"),
            (P::ReadMessages, "OACRDVI"),
            (P::ReadTexts, "OACRDI"),
            (P::ReadEvents, "OACRDVI"),
            (P::ReadAudit, "OAI"),
            (P::ReadLimits, "OAI"),
            (P::ReadIntegrations, "OADI"),
            (P::ManageOrganization, "OAI"),
            (P::ManageMembers, "OA"),
            (P::TopUp, "OA"),
            (P::SendMessages, "OACD"),
            (P::TriggerEvents, "OACD"),
            (P::WriteAudience, "OACI"),
            (P::RunCampaigns, "OAC"),
            (P::RequestSenderNames, "OACI"),
            (P::WriteEvents, "OACDI"),
            (P::WriteSuppressions, "OACRI"),
            (P::ManageIntegrations, "OAD"),
        ];
        let named = table.map(|(permission, _)| permission);
        assert_eq!(HashSet::from(named), HashSet::from(Permission::ALL));
        for (permission, who) in table {
            for (role, letter) in Role::ALL.into_iter().zip("OACRDV".chars()) {
                assert_eq!(role.may(permission), who.contains(letter), "{role} {permission:?}");
            }
            assert_eq!(permission.is_lent(), who.contains('I'), "{permission:?}");
        }
    }
}
