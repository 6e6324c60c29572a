//! Countries to which an organization sends, and its speed.

use crate::shared::{change::Change, country::Country, fault::Faults};

/// Default maximum of messages to a block of a thousand numbers within an hour.
const USUAL_PER_BLOCK: u32 = 200;
/// Maximum of the limit that an organization may choose.
const MAX_PER_BLOCK: u32 = 1_000_000;

/// Settings of an organization for the destinations and speed of its messages.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct TrafficSettings {
    /// Countries to which it writes, in order; `None` for all that providers serve.
    pub allowed_countries: Option<Vec<Country>>,
    /// Maximum number of messages to a block of a thousand numbers within an hour; `None` for the default.
    pub velocity_limit: Option<u32>,
}

/// Changes to [`TrafficSettings`].
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct TrafficSettingsUpdate {
    /// See [`TrafficSettings::allowed_countries`].
    pub allowed_countries: Change<Vec<String>>,
    /// See [`TrafficSettings::velocity_limit`].
    pub velocity_limit: Change<i32>,
}

impl TrafficSettings {
    /// True if the organization writes to the country.
    pub fn allows(&self, country: Country) -> bool {
        let allowed = self.allowed_countries.as_deref();
        allowed.is_none_or(|allowed| allowed.contains(&country))
    }

    /// True if the organization names the country among those to which it writes.
    pub fn names(&self, country: Country) -> bool {
        let allowed = self.allowed_countries.as_deref();
        allowed.is_some_and(|allowed| allowed.contains(&country))
    }

    /// Returns the maximum number of messages to a block of a thousand numbers within an hour.
    pub fn per_block(&self) -> u32 {
        self.velocity_limit.unwrap_or(USUAL_PER_BLOCK)
    }
}

impl TrafficSettingsUpdate {
    /// Returns everything that is wrong with the changes.
    pub fn faults(&self) -> Faults {
        let mut faults = Faults::default();
        if let Change::Set(Some(countries)) = &self.allowed_countries {
            if countries.is_empty() {
                faults.add("allowedCountries", "must name a country; null allows all");
            }
            for (index, country) in countries.iter().enumerate() {
                let path = format!("allowedCountries.{index}");
                faults.take(&path, Country::parse_destination(country));
            }
        }
        if let Change::Set(Some(limit)) = self.velocity_limit
            && velocity_limit(limit).is_none()
        {
            faults.add("velocityLimit", format!("must be from 1 to {MAX_PER_BLOCK}"));
        }
        faults
    }

    /// Applies the changes.
    pub fn apply(&self, settings: &mut TrafficSettings) {
        if let Change::Set(countries) = &self.allowed_countries {
            settings.allowed_countries = countries.as_deref().map(read);
        }
        if let Change::Set(limit) = self.velocity_limit {
            settings.velocity_limit = limit.and_then(velocity_limit);
        }
    }
}

fn velocity_limit(limit: i32) -> Option<u32> {
    u32::try_from(limit).ok().filter(|limit| (1..=MAX_PER_BLOCK).contains(limit))
}

/// Returns each country once, in order.
fn read(names: &[String]) -> Vec<Country> {
    let parsed = names.iter().filter_map(|name| Country::parse_destination(name).ok());
    let mut countries: Vec<_> = parsed.collect();
    countries.sort_unstable();
    countries.dedup();
    countries
}

#[cfg(test)]
mod tests {
    use super::*;

    fn naming(names: &[&str]) -> TrafficSettingsUpdate {
        let names = names.iter().map(ToString::to_string).collect();
        TrafficSettingsUpdate {
            allowed_countries: Change::Set(Some(names)),
            ..TrafficSettingsUpdate::default()
        }
    }

    #[test]
    fn all_countries_are_allowed_until_some_are_named() {
        let nigeria: Country = "NG".parse().unwrap();
        let mut settings = TrafficSettings::default();
        assert!(settings.allows(nigeria) && !settings.names(nigeria));

        naming(&["gh", "CI", "GH", "001"]).apply(&mut settings);

        let named: Vec<_> =
            settings.allowed_countries.iter().flatten().map(Country::to_string).collect();
        assert_eq!(named, ["001", "CI", "GH"]);
        assert!(settings.allows(Country::GH) && settings.names(Country::GH));
        assert!(!settings.allows(nigeria));
        let all = TrafficSettingsUpdate {
            allowed_countries: Change::Set(None),
            ..TrafficSettingsUpdate::default()
        };
        all.apply(&mut settings);
        assert!(settings.allows(nigeria));
    }

    #[test]
    fn rejects_countries_without_a_code_and_limits_out_of_range() {
        let faults =
            |update: TrafficSettingsUpdate| update.faults().fields.into_keys().collect::<Vec<_>>();
        assert_eq!(faults(naming(&[])), ["allowedCountries"]);
        assert_eq!(faults(naming(&["GH", "ZZ", ""])), ["allowedCountries.1", "allowedCountries.2"]);
        for (limit, is_right) in [(0, false), (1, true), (1_000_000, true), (1_000_001, false)] {
            let update = TrafficSettingsUpdate {
                velocity_limit: Change::Set(Some(limit)),
                ..TrafficSettingsUpdate::default()
            };
            assert_eq!(update.faults().is_empty(), is_right, "{limit}");
        }
    }
}
