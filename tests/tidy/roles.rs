//! Rule that `docs/roles.md` says what the code allows each role.

use std::{collections::BTreeMap, fs};

use domain::identity::{organization::Role, permission::Permission};

use crate::tree::{assert_none, root};

const PAGE: &str = "docs/roles.md";
/// Number of cells before those of the roles.
const WORDS: usize = 2;

#[test]
fn the_page_about_roles_has_the_permissions_of_the_code() {
    let text = fs::read_to_string(root().join(PAGE)).unwrap_or_default();
    assert_none(&differences(&text), "docs/roles.md says what `Role::may` says");
}

#[test]
fn names_missing_and_wrong_marks_of_the_page() {
    let heads: Vec<_> = Role::ALL.iter().map(|role| format!(" `{role}` |")).collect();
    let page =
        format!("| may | permission |{}\n| x | `TOP_UP` | ✓ | | ✓ | | | |\n", heads.concat());

    let found = differences(&page);

    let of_row = found.iter().filter(|difference| difference.starts_with("TOP_UP"));
    let of_row: Vec<_> = of_row.map(String::as_str).collect();
    assert_eq!(of_row, ["TOP_UP TENANT_ADMIN: true", "TOP_UP CAMPAIGN_MANAGER: false"]);
    assert_eq!(found.len(), of_row.len() + Permission::ALL.len() - 1, "{found:?}");
}

/// Returns the permissions without a row, and the marks that differ from the code, with what it allows.
fn differences(text: &str) -> Vec<String> {
    let tables: Vec<_> = text.lines().filter(|line| line.starts_with('|')).map(cells).collect();
    let mut roles = Vec::new();
    let mut rows = BTreeMap::new();
    for cells in &tables {
        match cells.get(1).copied() {
            Some("permission") => roles = cells.iter().skip(WORDS).copied().collect(),
            Some(name) => {
                rows.insert(name, cells);
            }
            None => {}
        }
    }
    let mut found = Vec::new();
    for permission in Permission::ALL {
        let name = permission.as_str();
        let Some(cells) = rows.get(quoted(name).as_str()) else {
            found.push(format!("{name} is missing"));
            continue;
        };
        for role in Role::ALL {
            let at = roles.iter().position(|head| *head == quoted(role.as_str()));
            let mark = at.and_then(|at| cells.get(WORDS + at)).copied();
            if (mark == Some("✓")) != role.may(permission) {
                found.push(format!("{name} {role}: {}", role.may(permission)));
            }
        }
    }
    found
}

/// Returns the cells of a row of a table.
fn cells(line: &str) -> Vec<&str> {
    line.trim_matches('|').split('|').map(str::trim).collect()
}

fn quoted(name: &str) -> String {
    format!("`{name}`")
}
