//! Permitted targets of webhooks.

use super::{ConfigError, Environment, Source, invalid};

const ALLOW_PRIVATE: &str = "ATUMPAN_CALLBACKS_ALLOW_PRIVATE";

/// Permitted targets of webhooks.
#[derive(Debug, Clone, Copy)]
pub struct Webhooks {
    /// `ATUMPAN_CALLBACKS_ALLOW_PRIVATE`, `true` or `false`, in development `true` by default: true
    /// if endpoints may be on this machine, in private networks and without TLS. Always false in
    /// production.
    pub allow_private: bool,
}

impl Webhooks {
    pub(super) fn read(source: &Source, environment: Environment) -> Result<Self, ConfigError> {
        let allow_private = match (source.get(ALLOW_PRIVATE).as_deref(), environment) {
            (Some("true" | "on"), Environment::Production) => {
                return Err(invalid(ALLOW_PRIVATE, "must not be true in production"));
            }
            (None | Some("true" | "on"), Environment::Development) => true,
            (None, Environment::Production) | (Some("false" | "off"), _) => false,
            (Some(_), _) => return Err(invalid(ALLOW_PRIVATE, "must be true or false")),
        };
        Ok(Self { allow_private })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn allowed(value: &str, environment: Environment) -> Result<bool, String> {
        let source = Source::of(&[(ALLOW_PRIVATE, value)], "");
        let webhooks = Webhooks::read(&source, environment).map_err(|error| error.to_string())?;
        Ok(webhooks.allow_private)
    }

    #[test]
    fn webhooks_lead_into_private_networks_in_development_only() {
        let not_in_production = format!("{ALLOW_PRIVATE} must not be true in production");
        for (value, development, production) in [
            ("", Ok(true), Ok(false)),
            ("true", Ok(true), Err(not_in_production)),
            ("false", Ok(false), Ok(false)),
        ] {
            assert_eq!(allowed(value, Environment::Development), development, "{value}");
            assert_eq!(allowed(value, Environment::Production), production, "{value}");
        }
        let error = allowed("maybe", Environment::Development).unwrap_err();
        assert_eq!(error, format!("{ALLOW_PRIVATE} must be true or false"));
    }
}
