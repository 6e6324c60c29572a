//! Conditions of tests: programs that only tests need, and time.
//!
//! A test asks for a program, such as a Redis or a browser, with [`requires`]. If it is not installed, the
//! test is skipped, and a line says so with the package to install. If the variable `CI` is set, it is an
//! error: nothing is skipped there.
//!
//! A test that proves more the longer it takes has a short form, and asks [`is_long`] whether to run whole.

use std::{
    env,
    ffi::OsStr,
    fs::OpenOptions,
    io::{self, Write},
    path::PathBuf,
    process::{Command, Stdio},
    thread,
};

/// Variable that makes tests run whole if it is set.
const LONG: &str = "LONG_TESTS";

/// Variable with the path of a file that lists the tests that ask for a program, each after its executable.
const RECORD: &str = "TESTKIT_RECORD";

/// Program that a test may ask for.
struct Program {
    /// Name by which tests ask for it.
    name: &'static str,
    /// File to look for on the path.
    file: &'static str,
    /// Arguments with which it does nothing and succeeds if it is usable.
    probe: &'static [&'static str],
    /// Debian packages that contain it.
    packages: &'static str,
}

const PROGRAMS: [Program; 17] = [
    Program {
        name: "redis-server",
        file: "redis-server",
        probe: &["--version"],
        packages: "redis-server",
    },
    Program {
        name: "chromedriver",
        file: "chromedriver",
        probe: &["--version"],
        packages: "chromium chromium-driver",
    },
    Program {
        name: "chromium-headless-shell",
        file: "chromium-headless-shell",
        probe: &["--version"],
        packages: "chromium-headless-shell",
    },
    Program {
        name: "pg_basebackup",
        file: "pg_basebackup",
        probe: &["--version"],
        packages: "postgresql postgresql-client",
    },
    Program { name: "curl", file: "curl", probe: &["--version"], packages: "curl" },
    Program { name: "node", file: "node", probe: &["--version"], packages: "nodejs" },
    Program { name: "npm", file: "npm", probe: &["--version"], packages: "npm" },
    Program {
        name: "pip",
        file: "python3",
        probe: &["-m", "pip", "--version"],
        packages: "python3-pip",
    },
    Program {
        name: "aiosmtpd",
        file: "python3",
        probe: &["-c", "import aiosmtpd"],
        packages: "python3-aiosmtpd",
    },
    Program {
        name: "prometheus",
        file: "prometheus",
        probe: &["--version"],
        packages: "prometheus",
    },
    Program { name: "promtool", file: "promtool", probe: &["--version"], packages: "prometheus" },
    Program { name: "dpkg", file: "dpkg", probe: &["--version"], packages: "dpkg" },
    Program { name: "dpkg-deb", file: "dpkg-deb", probe: &["--version"], packages: "dpkg" },
    Program {
        name: "systemd-analyze",
        file: "systemd-analyze",
        probe: &["--version"],
        packages: "systemd",
    },
    Program {
        name: "systemd-sysusers",
        file: "systemd-sysusers",
        probe: &["--version"],
        packages: "systemd",
    },
    Program { name: "haproxy", file: "haproxy", probe: &["-v"], packages: "haproxy" },
    Program { name: "nginx", file: "nginx", probe: &["-v"], packages: "nginx-light" },
];

/// Returns a command that runs a program. If it is not installed, the test is to be skipped: writes the
/// line that says so, and returns `None`.
///
/// # Panics
/// If it is not installed and `CI` is set, or if no program of that name is listed here.
pub fn requires(name: &str) -> Option<Command> {
    record();
    let program = find(name);
    let found = program.path().map(Command::new);
    if found.is_none() {
        skipped(&format!("{name} is not installed: install {}", program.packages));
    }
    found
}

/// Returns the reason why a program cannot be used; `None` if it can.
///
/// # Panics
/// If no program of that name is listed here.
pub fn missing(name: &str) -> Option<String> {
    let program = find(name);
    let advice = || format!("{name} is not installed: install {}", program.packages);
    program.path().is_none().then(advice)
}

/// Returns the path of a program that tests can do without; `None` if it is not installed.
///
/// # Panics
/// If no program of that name is listed here.
pub(crate) fn installed(name: &str) -> Option<PathBuf> {
    find(name).path()
}

/// Writes a line of its own that says that the calling test is skipped, and why.
///
/// # Panics
/// If `CI` is set.
pub fn skipped(why: &str) {
    assert!(env::var_os("CI").is_none(), "{why}");
    let test = thread::current();
    let test = test.name().unwrap_or("a test");
    // Past the capture of the test harness, which shows nothing of a test that passes; and at once, so that
    // lines of other tests do not mix with it.
    let line = format!("\n*** SKIPPED {test}: {why} ***\n");
    let _ = io::stderr().write_all(line.as_bytes());
}

/// Returns true if tests are to run whole, however long that takes, as `just ci-long` requests.
pub fn is_long() -> bool {
    env::var_os(LONG).is_some()
}

fn find(name: &str) -> &'static Program {
    let program = PROGRAMS.iter().find(|program| program.name == name);
    program.unwrap_or_else(|| panic!("{name} is not among the programs that tests may ask for"))
}

impl Program {
    /// Returns the first usable file on the path: of several versions of an interpreter, one may have the
    /// packages that are needed.
    fn path(&self) -> Option<PathBuf> {
        let path = env::var_os("PATH").unwrap_or_default();
        env::split_paths(&path)
            .map(|folder| folder.join(self.file))
            .find(|file| self.is_of_use(file))
    }

    fn is_of_use(&self, file: impl AsRef<OsStr>) -> bool {
        let mut probe = Command::new(file);
        probe.args(self.probe).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        probe.status().is_ok_and(|status| status.success())
    }
}

/// Lists the test that runs on this thread, if a record is requested.
fn record() {
    let test = thread::current();
    let (Some(file), Ok(executable), Some(test)) =
        (env::var_os(RECORD), env::current_exe(), test.name())
    else {
        return;
    };
    // A program that a test has started, which inherits the variable.
    if test == "main" {
        return;
    }
    let record = OpenOptions::new().create(true).append(true).open(file);
    // A line is written at once, so that those of several tests do not mix.
    let line = format!("{} {test}\n", executable.display());
    let _ = record.and_then(|mut record| record.write_all(line.as_bytes()));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_that_is_not_on_the_path_is_not_found() {
        let absent = Program { name: "a", file: "no-such-program", probe: &[], packages: "b" };
        assert_eq!(absent.path(), None);
    }

    #[test]
    fn a_program_is_of_use_if_its_probe_succeeds() {
        let sh = |probe| Program { name: "sh", file: "sh", probe, packages: "dash" };
        assert!(sh(&["-c", "exit 0"]).path().is_some());
        assert!(sh(&["-c", "exit 1"]).path().is_none());
    }

    #[test]
    #[should_panic(expected = "is not among the programs that tests may ask for")]
    fn an_unlisted_program_is_a_fault_of_the_test() {
        missing("emacs");
    }
}
