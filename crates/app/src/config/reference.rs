//! Table of all settings by groups, with their meaning: `docs/configuration.md` and `atumpan --help` show it.

mod groups;

pub use self::groups::SETTING_GROUPS;
use super::settings::SETTINGS;

/// Settings about one thing.
#[derive(Debug)]
pub struct SettingGroup {
    /// Heading.
    pub title: &'static str,
    /// Remark on all of them, in Markdown; empty if there is none.
    pub remark: &'static str,
    /// The settings.
    pub settings: &'static [DescribedSetting],
}

/// Setting for readers. The texts are Markdown, whose links begin at `docs`.
#[derive(Debug)]
pub struct DescribedSetting {
    /// Name of the variable.
    pub variable: &'static str,
    /// Value if nothing is set, or the consequence.
    pub default: &'static str,
    /// Meaning.
    pub meaning: &'static str,
}

impl DescribedSetting {
    /// True if a variable with the suffix `_FILE` may name the file that has the value.
    pub fn may_be_in_file(&self) -> bool {
        SETTINGS.iter().any(|it| it.variable == self.variable && it.may_be_in_file())
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    /// Filter of the log, which the service does not read itself.
    const LOG_FILTER: &str = "RUST_LOG";

    #[test]
    fn each_setting_is_described_once_and_no_other() {
        let described = SETTING_GROUPS.iter().flat_map(|group| group.settings);
        let described: Vec<_> = described.map(|setting| setting.variable).collect();
        let distinct: BTreeSet<_> = described.iter().copied().collect();
        let known = SETTINGS.iter().map(|setting| setting.variable).chain([LOG_FILTER]);
        assert_eq!(distinct, known.collect());
        assert_eq!(distinct.len(), described.len(), "a setting is described twice");
    }

    #[test]
    fn secrets_and_addresses_of_databases_may_be_in_files() {
        let settings = SETTING_GROUPS.iter().flat_map(|group| group.settings);
        let in_files = settings.filter(|setting| setting.may_be_in_file());
        let in_files: Vec<_> = in_files.map(|setting| setting.variable).collect();
        assert!(in_files.contains(&"DATABASE_URL") && in_files.contains(&"ATUMPAN_JWT_SECRET"));
        assert!(!in_files.contains(&"ATUMPAN_LISTEN") && !in_files.contains(&LOG_FILTER));
    }
}
