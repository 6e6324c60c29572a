//! The package of Debian in a root of its own: it asks nothing, an upgrade keeps what is not its own, and a
//! purge leaves nothing but the user and a database.

use std::{
    fs,
    os::unix::fs::{MetadataExt, PermissionsExt},
    path::{Path, PathBuf},
    process::{Output, Stdio},
};

use tempfile::TempDir;
use testkit::requires;

use crate::metadata::Metadata;

const SETTINGS: &str = "etc/atumpan/atumpan.toml";
const SECRETS: [&str; 2] = ["etc/atumpan/secrets/jwt-secret", "etc/atumpan/secrets/seal-secret"];
const STATE: &str = "var/lib/atumpan";
const PROGRAM: &str = "usr/bin/atumpan";
/// Setting that the package of a later version adds.
const ADDED: &str = "# log = \"json\"\n";

/// Root in which packages are installed.
struct Root {
    folder: TempDir,
    metadata: Metadata,
}

impl Root {
    /// Makes an empty root; returns `None` if a program is missing.
    fn new() -> Option<Self> {
        for program in ["dpkg", "dpkg-deb", "systemd-sysusers"] {
            requires(program)?;
        }
        let folder = tempfile::tempdir().unwrap();
        let root = Self { folder, metadata: Metadata::read() };
        for name in ["etc", "var/lib/dpkg/info", "var/lib/dpkg/triggers", "var/lib/dpkg/updates"] {
            fs::create_dir_all(root.path(name)).unwrap();
        }
        fs::write(root.path("var/lib/dpkg/status"), "").unwrap();
        Some(root)
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join("root").join(name)
    }

    fn read(&self, name: &str) -> String {
        fs::read_to_string(self.path(name)).unwrap()
    }

    fn has(&self, name: &str) -> bool {
        self.path(name).exists()
    }

    /// Runs dpkg with nobody to answer a question.
    fn dpkg(&self, arguments: &[&str]) -> Output {
        let mut dpkg = requires("dpkg").unwrap();
        dpkg.arg(format!("--root={}", self.path("").display()));
        dpkg.arg(format!("--log={}", self.folder.path().join("log").display()));
        // Scripts run outside the root, which contains no other package, and without the rights of root.
        for rule in ["script-chrootless", "depends", "not-root", "bad-path"] {
            dpkg.arg(format!("--force-{rule}"));
        }
        dpkg.args(arguments).stdin(Stdio::null()).output().unwrap()
    }

    #[track_caller]
    fn succeed(&self, arguments: &[&str]) {
        let output = self.dpkg(arguments);
        assert!(output.status.success(), "{arguments:?}: {output:#?}");
    }

    /// Makes the package, with a line added to its settings.
    fn package(&self, version: &str, setting: &str) -> String {
        let mut builder = requires("dpkg-deb").unwrap();
        let package = self.metadata.build(&mut builder, self.folder.path(), version, setting);
        package.display().to_string()
    }

    #[track_caller]
    fn install(&self, version: &str) {
        self.succeed(&["--install", &self.package(version, "")]);
    }

    /// Adds a line to the settings, as an operator does.
    fn edit_settings(&self) -> String {
        let edited = self.read(SETTINGS) + "public_url = \"https://notify.example.com\"\n";
        fs::write(self.path(SETTINGS), &edited).unwrap();
        edited
    }

    fn secrets(&self) -> Vec<String> {
        SECRETS.iter().map(|name| self.read(name)).collect()
    }
}

fn mode(path: &Path) -> u32 {
    fs::metadata(path).unwrap().permissions().mode() & 0o7777
}

/// True if the test runs with the rights of root, who alone may give files away.
fn is_root() -> bool {
    fs::metadata("/proc/self").is_ok_and(|own| own.uid() == 0)
}

#[test]
fn an_installation_makes_the_user_and_secrets_that_others_may_not_read() {
    let Some(root) = Root::new() else { return };

    root.install("1");

    assert!(root.read("etc/passwd").starts_with("atumpan:"), "{}", root.read("etc/passwd"));
    let secrets = root.secrets();
    assert!(secrets.iter().all(|secret| secret.len() == 64), "{secrets:?}");
    assert_ne!(secrets[0], secrets[1]);
    assert_eq!(mode(&root.path(PROGRAM)), 0o755);
    assert_eq!(mode(&root.path(STATE)), 0o700);
    for name in SECRETS.into_iter().chain([SETTINGS, "etc/atumpan"]) {
        assert_eq!(mode(&root.path(name)) & 0o7, 0, "{name}");
    }
    if is_root() {
        let group = root.read("etc/group");
        let group = group.lines().find_map(|line| line.strip_prefix("atumpan:x:")).unwrap();
        let group: u32 = group.trim_end_matches(':').parse().unwrap();
        for name in SECRETS.into_iter().chain([SETTINGS]) {
            let file = fs::metadata(root.path(name)).unwrap();
            assert_eq!((file.uid(), file.gid(), mode(&root.path(name))), (0, group, 0o640));
        }
    }
    let mut program = std::process::Command::new(root.path(PROGRAM));
    let output = program.arg("--version").output().unwrap();
    assert!(output.status.success(), "{output:?}");
}

#[test]
fn an_upgrade_keeps_edited_settings_and_secrets_and_asks_nothing() {
    let Some(root) = Root::new() else { return };
    root.install("1");
    let (edited, secrets) = (root.edit_settings(), root.secrets());

    root.install("2");

    assert_eq!(root.read(SETTINGS), edited);
    assert_eq!(root.secrets(), secrets);
}

#[test]
fn an_upgrade_replaces_settings_that_nobody_edited_and_keeps_their_rights() {
    let Some(root) = Root::new() else { return };
    root.install("1");
    let settings = root.read(SETTINGS);

    root.succeed(&["--install", &root.package("2", ADDED)]);

    assert_eq!(root.read(SETTINGS), settings + ADDED);
    assert_eq!(mode(&root.path(SETTINGS)), 0o640);
}

#[test]
fn an_unattended_upgrade_keeps_edited_settings_beside_the_new_ones() {
    let Some(root) = Root::new() else { return };
    root.install("1");
    let edited = root.edit_settings();

    root.succeed(&["--force-confdef", "--force-confold", "--install", &root.package("2", ADDED)]);

    assert_eq!(root.read(SETTINGS), edited);
    assert!(root.read(&format!("{SETTINGS}.dpkg-dist")).ends_with(ADDED));
}

#[test]
fn a_removal_keeps_settings_and_a_purge_leaves_nothing() {
    let Some(root) = Root::new() else { return };
    root.install("1");
    let edited = root.edit_settings();
    fs::write(root.path(STATE).join("notes"), "").unwrap();

    root.succeed(&["--remove", "atumpan"]);

    assert!(!root.has(PROGRAM));
    assert_eq!(root.read(SETTINGS), edited);
    assert_eq!(root.secrets().len(), SECRETS.len());

    root.succeed(&["--purge", "atumpan"]);

    for name in ["usr", "etc/atumpan", STATE] {
        assert!(!root.has(name), "{name}");
    }
    assert!(root.read("etc/passwd").starts_with("atumpan:"));
}

#[test]
fn a_package_that_was_purged_can_be_installed_again() {
    let Some(root) = Root::new() else { return };
    root.install("1");
    let secrets = root.secrets();
    root.succeed(&["--purge", "atumpan"]);

    root.install("2");

    assert_ne!(root.secrets(), secrets);
}

#[test]
fn a_purge_keeps_a_database_in_the_state_and_says_so() {
    let Some(root) = Root::new() else { return };
    root.install("1");
    let database = root.path(STATE).join("postgres");
    fs::create_dir(&database).unwrap();

    let output = root.dpkg(&["--purge", "atumpan"]);

    assert!(output.status.success(), "{output:?}");
    assert!(database.exists());
    assert!(String::from_utf8_lossy(&output.stderr).contains("is kept"), "{output:?}");
}

#[test]
fn the_package_contains_files_that_exist() {
    for asset in Metadata::read().assets() {
        assert!(asset.is_built() || asset.path().is_file(), "{}", asset.source);
    }
}
