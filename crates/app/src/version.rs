//! Version of the program, and the commit that it was built from.

use std::sync::LazyLock;

/// Commit that the build named in `ATUMPAN_COMMIT`; `None` if it named none. The build asks no other
/// program for it, so that it also works where there is no repository.
const COMMIT: Option<&str> = option_env!("ATUMPAN_COMMIT");

/// Returns the version as `--version` prints it, such as `0.1.0 (d7c120f)`.
pub(crate) fn text() -> &'static str {
    static TEXT: LazyLock<String> = LazyLock::new(|| of(env!("CARGO_PKG_VERSION"), COMMIT));
    &TEXT
}

fn of(version: &str, commit: Option<&str>) -> String {
    match commit.map(str::trim) {
        None | Some("") => version.to_owned(),
        Some(commit) => format!("{version} ({commit})"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_commit_follows_the_version_if_the_build_named_one() {
        assert_eq!(of("0.1.0", Some("d7c120f\n")), "0.1.0 (d7c120f)");
        assert_eq!(of("0.1.0", Some("")), "0.1.0");
        assert_eq!(of("0.1.0", None), "0.1.0");
    }
}
