//! Organizations: the tenants that own everything else, and their members.

mod holdings;
mod limits;
mod suspension;
mod traffic;
mod update;
mod usage;

use std::{fmt, str::FromStr};

use chrono::{DateTime, Utc};

pub use self::{
    holdings::{DAILY_TEXTS, Holding, HoldingFull, Holdings},
    limits::{MAX_RATE, OwnLimits, OwnLimitsUpdate, RateLimit, RateLimitRequest},
    suspension::{MAX_REASON, Suspension},
    traffic::{TrafficSettings, TrafficSettingsUpdate},
    update::{OrganizationUpdate, SettingsUpdate, checked_name},
    usage::Usage,
};
use crate::{
    identity::{permission::Permission, user::User},
    money::spending::SpendingRules,
    shared::id::{Id, Unowned},
};

/// The organization in whose name the service sends its own messages, free of charge.
pub const PLATFORM: Id<Organization> = Id::of(uuid::uuid!("00000000-0000-7000-8000-000000000000"));

/// A tenant.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Organization {
    /// Which organization this is.
    pub id: Id<Organization>,
    /// What it calls itself.
    pub name: String,
    /// What else it told about itself.
    pub profile: Profile,
    /// What it has decided about its messages.
    pub settings: Settings,
    /// When it came to us.
    pub created_at: DateTime<Utc>,
}

/// It belongs to itself: the end of its identifier is its slot.
impl Unowned for Organization {}

/// What was decided about the messages of an organization.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Settings {
    /// Whether it writes to premium-rate and shared-cost numbers, which may cost many times the price
    /// of others. It decides that itself.
    pub allow_premium_numbers: bool,
    /// Whether the texts that it sends directly are scored before they are handed over. Platform
    /// administrators decide that.
    pub is_screened: bool,
    /// How much it lets itself spend. It decides that itself.
    pub spending: SpendingRules,
    /// Where it sends, and how fast. It decides that itself.
    pub traffic: TrafficSettings,
    /// How much it may do, where that differs from others. Platform administrators decide that.
    pub limits: OwnLimits,
    /// Whether it may not send for now. Platform administrators decide that.
    pub suspension: Option<Suspension>,
}

/// What an organization tells about itself.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Profile {
    /// What it works in.
    pub industry: Option<String>,
    /// Its telephone number.
    pub business_phone: Option<String>,
    /// Its mail address.
    pub business_email: Option<String>,
    /// Its time zone, as in the IANA database.
    pub timezone: Option<String>,
    /// The language it prefers.
    pub default_language: Option<String>,
    /// Its site.
    pub website: Option<String>,
    /// How many messages a month it expects to send.
    pub monthly_volume: Option<i32>,
    /// The channels it prefers.
    pub preferred_channels: Vec<String>,
    /// Whether it has finished setting up.
    pub onboarding_complete: bool,
    /// Whether it has acknowledged the rules of fair sending.
    pub compliance_acknowledged: bool,
}

/// What a member is to an organization.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Role {
    /// May do everything. Every organization has one at least.
    Owner,
    /// May do everything but make owners.
    Admin,
    /// Runs campaigns.
    CampaignManager,
    /// Watches over what is sent.
    ComplianceReviewer,
    /// Integrates.
    Developer,
    /// Looks on.
    #[default]
    Viewer,
}

/// There is no such role.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "must be one of TENANT_OWNER, TENANT_ADMIN, CAMPAIGN_MANAGER, COMPLIANCE_REVIEWER, DEVELOPER, \
     VIEWER"
)]
pub struct UnknownRole;

impl Role {
    /// Every role.
    pub const ALL: [Self; 6] = [
        Self::Owner,
        Self::Admin,
        Self::CampaignManager,
        Self::ComplianceReviewer,
        Self::Developer,
        Self::Viewer,
    ];

    /// The name on the wire and in the database.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Owner => "TENANT_OWNER",
            Self::Admin => "TENANT_ADMIN",
            Self::CampaignManager => "CAMPAIGN_MANAGER",
            Self::ComplianceReviewer => "COMPLIANCE_REVIEWER",
            Self::Developer => "DEVELOPER",
            Self::Viewer => "VIEWER",
        }
    }

    /// Whether a member of this role may do that.
    pub const fn may(self, permission: Permission) -> bool {
        use Permission as P;
        use Role::{Admin, CampaignManager, ComplianceReviewer, Developer, Owner};

        match permission {
            P::Read | P::ReadMessages | P::ReadEvents => true,
            P::ManageOrganization | P::ManageMembers | P::ReadAudit | P::ReadLimits | P::TopUp => {
                matches!(self, Owner | Admin)
            }
            P::SendMessages | P::TriggerEvents | P::WriteEvents => {
                matches!(self, Owner | Admin | CampaignManager | Developer)
            }
            P::WriteAudience | P::RunCampaigns | P::AskForSenderNames => {
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

impl fmt::Display for Role {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl FromStr for Role {
    type Err = UnknownRole;

    fn from_str(text: &str) -> Result<Self, UnknownRole> {
        Self::ALL.into_iter().find(|role| role.as_str() == text).ok_or(UnknownRole)
    }
}

/// A user who belongs to an organization.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Member {
    /// Who.
    pub user: Id<User>,
    /// The user's address.
    pub email: String,
    /// Whether it is known that the user reads the mail of that address.
    pub email_verified: bool,
    /// The user's given name.
    pub first_name: String,
    /// The user's family name.
    pub last_name: String,
    /// What the user may do.
    pub role: Role,
    /// Since when.
    pub joined_at: DateTime<Utc>,
}

impl Member {
    /// Returns true if mails to these roles go to the member. Nobody is mailed who is not known to read the mail
    /// of that address: somebody else may have registered with it.
    pub fn is_mailed(&self, roles: &[Role]) -> bool {
        self.email_verified && roles.contains(&self.role)
    }
}

/// How many organizations a user may own.
pub const MAX_OWNED: usize = 3;

/// An organization in which a user is, and as what.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Membership {
    /// Which organization.
    pub organization: Id<Organization>,
    /// What it calls itself.
    pub name: String,
    /// What the user may do there.
    pub role: Role,
}

/// Why a role was not given.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum RoleRefused {
    /// Owners are made, and unmade, by owners only.
    #[error("only an owner may make or change an owner")]
    OwnersOnly,
    /// The organization would be without an owner.
    #[error("an organization keeps at least one owner")]
    LastOwner,
}

/// Whether a member of role `granter` may give `new` to a user who so far is `current` there.
/// `owners` counts the owners of the organization.
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
    fn mails_go_to_members_of_the_role_who_read_the_mail_of_their_address() {
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
    fn each_role_and_who_impersonates_may_do_what_the_table_says() {
        use Permission as P;
        // I stands for an administrator who impersonates the organization.
        let table = [
            (P::Read, "OACRDVI"),
            (P::ReadMessages, "OACRDVI"),
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
            (P::AskForSenderNames, "OACI"),
            (P::WriteEvents, "OACDI"),
            (P::WriteSuppressions, "OACRI"),
            (P::ManageIntegrations, "OAD"),
        ];
        for (permission, who) in table {
            for (role, letter) in Role::ALL.into_iter().zip("OACRDV".chars()) {
                assert_eq!(role.may(permission), who.contains(letter), "{role} {permission:?}");
            }
            assert_eq!(permission.is_lent(), who.contains('I'), "{permission:?}");
        }
    }
}
