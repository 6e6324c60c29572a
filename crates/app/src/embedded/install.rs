//! Installation of `PostgreSQL` on this platform.

use std::{env::consts::OS, fs};

/// Returns the command that installs the server on this machine, with the contrib extensions if
/// they are a package of their own.
pub(super) fn command() -> String {
    let release = ["/etc/os-release", "/usr/lib/os-release"]
        .iter()
        .find_map(|path| fs::read_to_string(path).ok())
        .unwrap_or_default();
    command_for(OS, &release).to_owned()
}

/// Returns the command for an operating system and the text of its `os-release`.
fn command_for(os: &str, release: &str) -> &'static str {
    if os == "macos" {
        return "`brew install postgresql@18`";
    }
    let own = field("ID", release).into_iter();
    let relatives = field("ID_LIKE", release).into_iter().flat_map(str::split_whitespace);
    own.chain(relatives)
        .find_map(command_of_distribution)
        .unwrap_or("package `postgresql` with its contrib")
}

fn command_of_distribution(id: &str) -> Option<&'static str> {
    match id {
        "debian" | "ubuntu" => Some("`sudo apt-get install postgresql`"),
        "fedora" | "rhel" | "centos" | "amzn" => {
            Some("`sudo dnf install postgresql-server postgresql-contrib`")
        }
        "alpine" => Some("`apk add postgresql postgresql-contrib`"),
        "arch" => Some("`sudo pacman -S postgresql`"),
        "suse" | "opensuse" => Some("`sudo zypper install postgresql-server postgresql-contrib`"),
        _ => None,
    }
}

/// Returns the value of a field of `os-release`, without quotes.
fn field<'a>(name: &str, release: &'a str) -> Option<&'a str> {
    release.lines().find_map(|line| {
        let value = line.strip_prefix(name)?.strip_prefix('=')?;
        Some(value.trim().trim_matches(['"', '\'']))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn recognizes_a_distribution_or_its_relatives() {
        let debian = "VERSION_ID=\"12\"\nID=debian\n";
        assert_eq!(command_for("linux", debian), "`sudo apt-get install postgresql`");
        let rocky = "ID=\"rocky\"\nID_LIKE=\"rhel centos fedora\"\n";
        assert_eq!(
            command_for("linux", rocky),
            "`sudo dnf install postgresql-server postgresql-contrib`"
        );
        let mint = "ID=linuxmint\nID_LIKE='ubuntu debian'\n";
        assert_eq!(command_for("linux", mint), "`sudo apt-get install postgresql`");
    }

    #[test]
    fn names_the_package_on_other_systems() {
        assert_eq!(command_for("macos", ""), "`brew install postgresql@18`");
        assert_eq!(command_for("linux", "ID=plan9"), "package `postgresql` with its contrib");
        assert_eq!(command_for("freebsd", ""), "package `postgresql` with its contrib");
    }
}
