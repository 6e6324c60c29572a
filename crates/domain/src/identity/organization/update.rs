//! Changes to an organization by its members.

use std::sync::LazyLock;

use super::{Organization, Settings, TrafficSettingsUpdate, WaysOutRequest};
use crate::{
    identity::spending::SpendingUpdate,
    shared::{
        address::{Address, is_domain},
        change::Change,
        channel::Channel,
        country::Country,
        fault::Faults,
        text,
    },
};

/// Changes to an organization.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct OrganizationUpdate {
    /// New name of the organization.
    pub name: Option<String>,
    /// See [`super::Profile::industry`].
    pub industry: Change<String>,
    /// See [`super::Profile::business_phone`].
    pub business_phone: Change<String>,
    /// See [`super::Profile::business_email`].
    pub business_email: Change<String>,
    /// See [`super::Profile::timezone`].
    pub timezone: Change<String>,
    /// See [`super::Profile::default_language`].
    pub default_language: Change<String>,
    /// See [`super::Profile::website`].
    pub website: Change<String>,
    /// See [`super::Profile::monthly_volume`].
    pub monthly_volume: Change<i32>,
    /// See [`super::Profile::preferred_channels`].
    pub preferred_channels: Change<Vec<String>>,
    /// See [`super::Profile::onboarding_complete`].
    pub onboarding_complete: Option<bool>,
    /// See [`super::Profile::compliance_acknowledged`].
    pub compliance_acknowledged: Option<bool>,
    /// See [`Settings`].
    pub settings: SettingsUpdate,
}

/// Changes to the settings of an organization.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct SettingsUpdate {
    /// See [`Settings::allow_premium_numbers`].
    pub allow_premium_numbers: Option<bool>,
    /// See [`Settings::spending`].
    pub spending: SpendingUpdate,
    /// See [`Settings::traffic`].
    pub traffic: TrafficSettingsUpdate,
    /// See [`super::Profile::timezone`], which is the same value.
    pub time_zone: Change<String>,
    /// See [`Settings::ways_out`]. They are replaced as a whole.
    pub ways_out: Change<WaysOutRequest>,
}

impl SettingsUpdate {
    fn apply(&self, settings: &mut Settings) {
        if let Some(allow) = self.allow_premium_numbers {
            settings.allow_premium_numbers = allow;
        }
        self.spending.apply(&mut settings.spending);
        self.traffic.apply(&mut settings.traffic);
        if let Change::Set(ways_out) = &self.ways_out {
            settings.ways_out = ways_out.as_ref().map(WaysOutRequest::checked).unwrap_or_default();
        }
    }
}

/// Maximum length of a text in the profile, in characters.
const MAX_TEXT: usize = 200;

/// Checks the name of an organization.
pub fn checked_name(name: &str) -> Result<String, String> {
    text::line(name, MAX_TEXT)
}

/// Names in the IANA time zone database, in order.
static TIME_ZONES: LazyLock<Vec<&str>> =
    LazyLock::new(|| include_str!("time_zones.txt").lines().collect());

/// True if the text is a web address. The scheme may be left out.
fn is_website(text: &str) -> bool {
    let rest = text.strip_prefix("https://").or_else(|| text.strip_prefix("http://"));
    let rest = rest.unwrap_or(text);
    let authority = rest.split(['/', '?', '#']).next().unwrap_or_default();
    let (host, port) = authority.split_once(':').unwrap_or((authority, "443"));
    let is_port = port.parse::<u16>().is_ok();
    is_port && is_domain(host) && !text.contains(char::is_whitespace)
}

impl OrganizationUpdate {
    /// Returns everything that is wrong with the changes.
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
                faults.take(path, text::optional_line(text, MAX_TEXT));
            }
        }
        if let Change::Set(Some(phone)) = &self.business_phone {
            faults.take("businessPhone", Address::parse(Channel::Voice, Country::GH, phone));
        }
        if let Change::Set(Some(email)) = &self.business_email {
            faults.take("businessEmail", Address::parse(Channel::Email, Country::GH, email));
        }
        self.find_faulty_time_zones(&mut faults);
        if let Change::Set(Some(website)) = &self.website
            && !is_website(website)
        {
            faults.add("website", "is not an address on the web, such as https://example.com");
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
        faults.merge("settings", self.settings.spending.faults());
        faults.merge("settings", self.settings.traffic.faults());
        if let Change::Set(Some(ways_out)) = &self.settings.ways_out {
            faults.merge("settings.optOut", ways_out.faults());
        }
        faults
    }

    /// Adds the faults of the time zone, which has two names.
    fn find_faulty_time_zones(&self, faults: &mut Faults) {
        let zones = [("timezone", &self.timezone), ("settings.timeZone", &self.settings.time_zone)];
        for (path, change) in zones {
            if let Change::Set(Some(zone)) = change
                && TIME_ZONES.binary_search(&zone.as_str()).is_err()
            {
                faults.add(path, "is not a time zone of the IANA database, such as Africa/Accra");
            }
        }
        if let (Change::Set(profile), Change::Set(settings)) =
            (&self.timezone, &self.settings.time_zone)
            && profile != settings
        {
            faults.add("settings.timeZone", "differs from `timezone`, which is the same setting");
        }
    }

    /// Applies the changes.
    pub fn apply(&self, organization: &mut Organization) {
        if let Some(name) = &self.name {
            name.trim().clone_into(&mut organization.name);
        }
        let profile = &mut organization.profile;
        self.industry.apply(&mut profile.industry);
        self.business_phone.apply(&mut profile.business_phone);
        self.business_email.apply(&mut profile.business_email);
        self.timezone.apply(&mut profile.timezone);
        self.settings.time_zone.apply(&mut profile.timezone);
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
        self.settings.apply(&mut organization.settings);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shared::money::Money;

    #[test]
    fn names_every_bad_field_of_an_update() {
        let update = OrganizationUpdate {
            name: Some(" ".into()),
            business_phone: Change::Set(Some("12".into())),
            business_email: Change::Set(Some("nobody".into())),
            timezone: Change::Set(Some("Mars/Base".into())),
            website: Change::Set(Some("not a url".into())),
            monthly_volume: Change::Set(Some(-1)),
            preferred_channels: Change::Set(Some(vec!["SMS".into(), "PIGEON".into()])),
            settings: SettingsUpdate {
                spending: SpendingUpdate {
                    daily_limit: Change::Set(Some(Money::ZERO)),
                    ..SpendingUpdate::default()
                },
                ..SettingsUpdate::default()
            },
            ..OrganizationUpdate::default()
        };

        assert_eq!(
            update.faults().fields.keys().collect::<Vec<_>>(),
            [
                "businessEmail",
                "businessPhone",
                "monthlyVolume",
                "name",
                "preferredChannels.1",
                "settings.dailySpendingLimit",
                "timezone",
                "website"
            ]
        );
    }

    #[test]
    fn both_names_of_the_time_zone_set_one_value() {
        let set = |zone: &str| Change::Set(Some(zone.to_owned()));
        let update = |timezone, time_zone| OrganizationUpdate {
            timezone,
            settings: SettingsUpdate { time_zone, ..SettingsUpdate::default() },
            ..OrganizationUpdate::default()
        };
        let faulty = |update: OrganizationUpdate| {
            update.faults().fields.into_keys().collect::<Vec<_>>().join(" ")
        };
        let (accra, lagos) = (|| set("Africa/Accra"), || set("Africa/Lagos"));

        for change in [update(Change::Keep, lagos()), update(lagos(), Change::Keep)] {
            let mut organization = organization();
            assert_eq!(organization.time_zone(), "Africa/Accra");
            assert_eq!(faulty(change.clone()), "");
            change.apply(&mut organization);
            assert_eq!(organization.time_zone(), "Africa/Lagos");
        }
        assert_eq!(faulty(update(accra(), accra())), "");
        assert_eq!(faulty(update(accra(), lagos())), "settings.timeZone");
        assert_eq!(faulty(update(Change::Keep, set("Accra"))), "settings.timeZone");
    }

    fn organization() -> Organization {
        Organization {
            id: crate::identity::organization::PLATFORM,
            name: "Kente".into(),
            profile: crate::identity::organization::Profile::default(),
            settings: Settings::default(),
            created_at: chrono::DateTime::UNIX_EPOCH,
        }
    }

    #[test]
    fn a_website_has_a_domain_and_may_have_a_scheme_a_port_and_a_path() {
        for text in [
            "example.com",
            "https://kente.example/shop?page=1#top",
            "http://www.example.com:8080",
            "https://b\u{fc}cher.example",
        ] {
            assert!(is_website(text), "{text}");
        }
        for text in [
            "",
            "kente",
            "ftp://example.com",
            "https://",
            "https://example.com:port",
            "https://ama@example.com",
            "https://example.com/a b",
            "javascript:alert(1)",
            "https://127.0.0.1",
        ] {
            assert!(!is_website(text), "{text}");
        }
    }

    #[test]
    fn time_zones_are_found_by_their_names() {
        assert!(TIME_ZONES.is_sorted());
        for name in ["Africa/Accra", "UTC", "America/Argentina/Buenos_Aires"] {
            assert!(TIME_ZONES.binary_search(&name).is_ok(), "{name}");
        }
    }
}
