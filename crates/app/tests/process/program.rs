//! The program `atumpan`, run as an operator would.

use std::{
    path::{Path, PathBuf},
    process::{Command, Output},
    sync::OnceLock,
    time::{Duration, Instant},
};

use serde_json::Value;
use tempfile::TempDir;
use testkit::{Service, shared_folder};

const PROGRAM: &str = env!("CARGO_BIN_EXE_atumpan");
const TIMEOUT: Duration = Duration::from_secs(60);

/// Returns a folder with a migrated database, as a newly installed service leaves it.
pub(crate) fn folder() -> TempDir {
    static INSTALLED: OnceLock<PathBuf> = OnceLock::new();
    let installed = INSTALLED.get_or_init(|| {
        let folder = shared_folder("installed");
        std::fs::create_dir(&folder).unwrap();
        open(&folder);
        let migrated = run(command(&folder).arg("migrate"));
        assert!(migrated.status.success(), "{}", String::from_utf8_lossy(&migrated.stderr));
        folder
    });
    let folder = empty_folder();
    // Files keep their owner, as the server requires.
    let mut copy = Command::new("cp");
    let copied = copy.arg("-a").arg(installed.join(".atumpan")).arg(folder.path()).status();
    assert!(copied.unwrap().success());
    folder
}

/// Returns a folder that the unprivileged account of the database can reach.
pub(crate) fn empty_folder() -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    open(folder.path());
    folder
}

fn open(folder: &Path) {
    let all = std::os::unix::fs::PermissionsExt::from_mode(0o755);
    std::fs::set_permissions(folder, all).unwrap();
}

/// Returns a command of the program with settings that let many run side by side.
pub(crate) fn command(folder: &Path) -> Command {
    let mut command = testkit::command(PROGRAM);
    command.current_dir(folder);
    command
}

/// Runs the program to its end.
pub(crate) fn run(command: &mut Command) -> Output {
    command.output().unwrap()
}

/// Returns the complete lines of a log in JSON.
pub(crate) fn json_lines(log: &Path) -> Vec<Value> {
    let text = std::fs::read_to_string(log).unwrap();
    let whole = text.rsplit_once('\n').map_or("", |(whole, _)| whole);
    let parse = |line| serde_json::from_str(line).unwrap_or_else(|error| panic!("{error}: {line}"));
    whole.lines().map(parse).collect()
}

/// Starts the service in a folder.
pub(crate) fn serve(folder: &Path) -> Service {
    serve_with(&mut command(folder))
}

/// Starts the service, and waits until it serves.
pub(crate) fn serve_with(command: &mut Command) -> Service {
    let log = tempfile::NamedTempFile::new().unwrap();
    let service = Service::start(command.stderr(log.reopen().unwrap()));
    service.unwrap_or_else(|error| {
        let log = std::fs::read_to_string(log.path()).unwrap_or_default();
        panic!("{error}\n{log}")
    })
}

/// Starts a service that logs in JSON to the file, and waits until it serves.
pub(crate) fn serve_json(command: &mut Command, log: &Path) -> Service {
    let file = std::fs::File::create(log).unwrap();
    let mut service = Service::begin(command.env("ATUMPAN_LOG", "json").stderr(file)).unwrap();
    let began = Instant::now();
    service.url = loop {
        let lines = json_lines(log);
        let serves = lines.iter().find(|line| line["message"] == "Atumpan serves");
        if let Some(address) = serves.and_then(|line| line["address"].as_str()) {
            break format!("http://{address}");
        }
        let has_time = !service.has_ended() && began.elapsed() < TIMEOUT;
        assert!(has_time, "{}", std::fs::read_to_string(log).unwrap());
        std::thread::sleep(Duration::from_millis(20));
    };
    service
}
