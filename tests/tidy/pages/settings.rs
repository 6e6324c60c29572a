//! Settings by groups.

use app::config::{DescribedSetting, SETTING_GROUPS};

use super::markdown::{section, table};

pub(super) fn settings() -> String {
    let groups = SETTING_GROUPS.iter().map(|group| {
        let rows = table(&["setting", "default", "meaning"], group.settings.iter().map(cells));
        section(3, group.title, group.remark, &rows)
    });
    groups.collect::<Vec<_>>().join("\n\n")
}

fn cells(setting: &DescribedSetting) -> Vec<String> {
    let mark = if setting.may_be_in_file() { " *file*" } else { "" };
    let name = format!("`{}`{mark}", setting.variable);
    vec![name, setting.default.to_owned(), setting.meaning.to_owned()]
}
