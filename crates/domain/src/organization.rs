//! Organizations: the tenants that own everything else, and their members.

use std::{fmt, str::FromStr};

use chrono::{DateTime, Utc};

use crate::{
    address::Address, channel::Channel, country::Country, fault::Faults, id::Id,
    permission::Permission, user::User,
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
    /// When it came to us.
    pub created_at: DateTime<Utc>,
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

/// A change of one value: kept, or set, perhaps to nothing.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum Change<T> {
    /// As it was.
    #[default]
    Keep,
    /// This from now on; `None` clears it.
    Set(Option<T>),
}

impl<T: Clone> Change<T> {
    fn apply(&self, to: &mut Option<T>) {
        if let Self::Set(value) = self {
            to.clone_from(value);
        }
    }
}

/// Changes to an organization.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct OrganizationUpdate {
    /// A new name.
    pub name: Option<String>,
    /// See [`Profile::industry`].
    pub industry: Change<String>,
    /// See [`Profile::business_phone`].
    pub business_phone: Change<String>,
    /// See [`Profile::business_email`].
    pub business_email: Change<String>,
    /// See [`Profile::timezone`].
    pub timezone: Change<String>,
    /// See [`Profile::default_language`].
    pub default_language: Change<String>,
    /// See [`Profile::website`].
    pub website: Change<String>,
    /// See [`Profile::monthly_volume`].
    pub monthly_volume: Change<i32>,
    /// See [`Profile::preferred_channels`].
    pub preferred_channels: Change<Vec<String>>,
    /// See [`Profile::onboarding_complete`].
    pub onboarding_complete: Option<bool>,
    /// See [`Profile::compliance_acknowledged`].
    pub compliance_acknowledged: Option<bool>,
}

/// The longest value of a text in the profile, in characters.
const MAX_TEXT: usize = 200;

/// Checks the name of an organization.
pub fn checked_name(name: &str) -> Result<String, String> {
    let name = name.trim();
    if name.is_empty() {
        return Err("must not be empty".to_owned());
    }
    checked_text(name).map(|()| name.to_owned())
}

fn checked_text(text: &str) -> Result<(), String> {
    if text.chars().count() > MAX_TEXT {
        return Err(format!("must have at most {MAX_TEXT} characters"));
    }
    if text.chars().any(char::is_control) {
        return Err("must not contain control characters".to_owned());
    }
    Ok(())
}

impl OrganizationUpdate {
    /// Everything that is wrong with the changes.
    pub fn faults(&self) -> Faults {
        let mut faults = Faults::default();
        if let Some(name) = &self.name {
            faults.take("name", checked_name(name));
        }
        for (path, change) in [
            ("industry", &self.industry),
            ("businessPhone", &self.business_phone),
            ("businessEmail", &self.business_email),
            ("timezone", &self.timezone),
            ("defaultLanguage", &self.default_language),
            ("website", &self.website),
        ] {
            if let Change::Set(Some(text)) = change {
                faults.take(path, checked_text(text));
            }
        }
        if let Change::Set(Some(email)) = &self.business_email {
            faults.take("businessEmail", Address::parse(Channel::Email, Country::GH, email));
        }
        if let Change::Set(Some(volume)) = self.monthly_volume
            && volume < 0
        {
            faults.add("monthlyVolume", "must not be negative");
        }
        if let Change::Set(Some(channels)) = &self.preferred_channels {
            for (index, channel) in channels.iter().enumerate() {
                faults.take(&format!("preferredChannels.{index}"), channel.parse::<Channel>());
            }
        }
        faults
    }

    /// Makes the changes.
    pub fn apply(&self, organization: &mut Organization) {
        if let Some(name) = &self.name {
            name.trim().clone_into(&mut organization.name);
        }
        let profile = &mut organization.profile;
        self.industry.apply(&mut profile.industry);
        self.business_phone.apply(&mut profile.business_phone);
        self.business_email.apply(&mut profile.business_email);
        self.timezone.apply(&mut profile.timezone);
        self.default_language.apply(&mut profile.default_language);
        self.website.apply(&mut profile.website);
        self.monthly_volume.apply(&mut profile.monthly_volume);
        if let Change::Set(channels) = &self.preferred_channels {
            profile.preferred_channels = channels.clone().unwrap_or_default();
        }
        if let Some(complete) = self.onboarding_complete {
            profile.onboarding_complete = complete;
        }
        if let Some(acknowledged) = self.compliance_acknowledged {
            profile.compliance_acknowledged = acknowledged;
        }
    }
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
            P::ManageOrganization | P::TopUp => matches!(self, Owner | Admin),
            P::SendMessages | P::TriggerEvents | P::WriteEvents => {
                matches!(self, Owner | Admin | CampaignManager | Developer)
            }
            P::WriteAudience => matches!(self, Owner | Admin | CampaignManager),
            P::WriteSuppressions => {
                matches!(self, Owner | Admin | CampaignManager | ComplianceReviewer)
            }
            P::ManageIntegrations => matches!(self, Owner | Admin | Developer),
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
    /// The user's given name.
    pub first_name: String,
    /// The user's family name.
    pub last_name: String,
    /// What the user may do.
    pub role: Role,
    /// Since when.
    pub joined_at: DateTime<Utc>,
}

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
    fn each_role_may_do_what_the_table_says() {
        use Permission as P;
        let table = [
            (P::Read, "OACRDV"),
            (P::ManageOrganization, "OA"),
            (P::TopUp, "OA"),
            (P::SendMessages, "OACD"),
            (P::TriggerEvents, "OACD"),
            (P::WriteAudience, "OAC"),
            (P::WriteEvents, "OACD"),
            (P::WriteSuppressions, "OACR"),
            (P::ManageIntegrations, "OAD"),
        ];
        for (permission, roles) in table {
            for (role, letter) in Role::ALL.into_iter().zip("OACRDV".chars()) {
                assert_eq!(role.may(permission), roles.contains(letter), "{role} {permission:?}");
            }
        }
    }

    #[test]
    fn every_bad_field_of_an_update_is_named() {
        let update = OrganizationUpdate {
            name: Some(" ".into()),
            business_email: Change::Set(Some("nobody".into())),
            monthly_volume: Change::Set(Some(-1)),
            preferred_channels: Change::Set(Some(vec!["SMS".into(), "PIGEON".into()])),
            ..OrganizationUpdate::default()
        };

        assert_eq!(
            update.faults().fields.keys().collect::<Vec<_>>(),
            ["businessEmail", "monthlyVolume", "name", "preferredChannels.1"]
        );
    }
}
