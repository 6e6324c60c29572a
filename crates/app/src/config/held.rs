//! Settings with the values that hold, as operators see them.

use super::{
    Config, Source,
    settings::{SETTINGS, Setting},
    source::Origin,
};

/// Setting with the value that holds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HeldSetting {
    /// Name of the variable.
    pub variable: &'static str,
    /// Value, without secrets; `None` if there is none, or the service chooses it.
    pub value: Option<String>,
    /// Origin of the value.
    pub origin: Origin,
}

/// Returns all settings with the values that hold.
pub fn held(source: &Source, config: &Config) -> Vec<HeldSetting> {
    let held = |setting: &Setting| HeldSetting {
        variable: setting.variable,
        value: setting.held(config),
        origin: source.origin(setting.variable),
    };
    SETTINGS.iter().map(held).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::{changed, settings::MASK};

    const SECRETS: [(&str, &str); 5] = [
        ("ATUMPAN_JWT_SECRET", "0123456789abcdef0123456789s3cret"),
        ("ATUMPAN_ADMIN_PASSWORD", "a s3cret password"),
        ("DATABASE_URL", "postgres://ama:s3cret@db.example/shop?sslmode=verify-full"),
        ("OTEL_EXPORTER_OTLP_HEADERS", "Authorization=Basic%20s3cret"),
        ("REDIS_URL", "rediss://:s3cret@cache.example:6380"),
    ];

    fn config(pairs: &[(&str, &str)], file: &str) -> (Source, Config) {
        let source = Source::of(pairs, file);
        let config = Config::read(&source).unwrap();
        (source, config)
    }

    fn of<'h>(held: &'h [HeldSetting], variable: &str) -> (Option<&'h str>, &'h Origin) {
        let found = held.iter().find(|setting| setting.variable == variable).unwrap();
        (found.value.as_deref(), &found.origin)
    }

    #[test]
    fn each_value_is_shown_with_its_origin() {
        let (source, config) = config(&[("ATUMPAN_WORKERS", "5")], "rate_limits = \"off\"");
        let held = held(&source, &config);
        assert_eq!(of(&held, "ATUMPAN_WORKERS"), (Some("5"), &Origin::Environment));
        assert_eq!(of(&held, "ATUMPAN_RATE_LIMITS"), (Some("off"), &Origin::File));
        assert_eq!(of(&held, "ATUMPAN_LIMIT_LIVE"), (Some("500/5000"), &Origin::Default));
        assert_eq!(of(&held, "ATUMPAN_TRIAL_CREDIT_GHS"), (Some("10.00"), &Origin::Default));
        assert_eq!(of(&held, "ATUMPAN_JWT_SECRET"), (None, &Origin::Default));
    }

    #[test]
    fn no_secret_is_shown() {
        let admin = ("ATUMPAN_ADMIN_EMAIL", "root@example.com");
        let collector = ("OTEL_EXPORTER_OTLP_ENDPOINT", "http://127.0.0.1:4318");
        let (source, config) = config(&[&SECRETS[..], &[admin, collector]].concat(), "");
        let held = held(&source, &config);
        assert!(!format!("{held:?}").contains("s3cret"), "{held:?}");
        assert_eq!(of(&held, "ATUMPAN_JWT_SECRET").0, Some(MASK));
        assert_eq!(of(&held, "DATABASE_URL").0, Some("db.example:5432/shop"));
        assert_eq!(of(&held, "OTEL_EXPORTER_OTLP_HEADERS").0, Some(MASK));
        assert_eq!(of(&held, "REDIS_URL").0, Some("cache.example:6380"));
    }

    #[test]
    fn what_cannot_change_while_the_service_runs_is_named() {
        let (_, old) = config(&SECRETS, "");
        let mut changed_secrets = SECRETS;
        changed_secrets[0].1 = "fedcba9876543210fedcba9876s3cret";
        changed_secrets[2].1 = "postgres://ama:other@db.example/shop?sslmode=verify-full";
        let (_, new) = config(&changed_secrets, "workers = 7");
        assert_eq!(changed(&old.renewed_by(&new), &new), ["ATUMPAN_WORKERS", "DATABASE_URL"]);
        assert_eq!(changed(&old, &old), [] as [&str; 0]);
    }
}
