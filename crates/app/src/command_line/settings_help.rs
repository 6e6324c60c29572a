//! Settings in the help of the program.

use std::fmt::Write as _;

use crate::{
    config::{SETTING_GROUPS, SettingGroup},
    plain_text::{plain, wrapped},
};

const BEGINNING: &str = "\
Settings, from the environment or, without ATUMPAN_ and in lower case, from atumpan.toml. Secrets
and the addresses of databases are also read from files, which the same names with _FILE behind
them name. The value in brackets holds if nothing is set.
";

/// Beginning of a line about a setting, and of one about its meaning.
const INDENT: &str = "  ";
const DEEPER: &str = "        ";
/// Length of a meaning in a line.
const WIDTH: usize = 92;

/// Returns all settings by groups, each with its default and below it its meaning.
pub(super) fn settings_help() -> String {
    let mut help = BEGINNING.to_owned();
    // Writing to a string cannot fail.
    for SettingGroup { title, settings, .. } in SETTING_GROUPS {
        let _ = writeln!(help, "\n{title}:");
        for setting in *settings {
            let _ = writeln!(help, "{INDENT}{} [{}]", setting.variable, plain(setting.default));
            for line in wrapped(&plain(setting.meaning), WIDTH) {
                let _ = writeln!(help, "{DEEPER}{line}");
            }
        }
    }
    help.trim_end().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_setting_has_its_default_beside_it_and_its_meaning_below() {
        let help = settings_help();
        assert!(
            help.contains("\n  ATUMPAN_LISTEN [127.0.0.1:8080]\n        address to serve on\n"),
            "{help}"
        );
        assert!(help.lines().all(|line| line.chars().count() <= 102), "{help}");
        assert!(!help.contains('`') && !help.contains("]("), "{help}");
    }
}
