//! The program `atumpan`, run as an operator would.

use std::{
    io::{BufRead, BufReader, Read},
    path::{Path, PathBuf},
    process::{Child, ChildStdout, Command, ExitStatus, Output, Stdio},
    sync::OnceLock,
    time::{Duration, Instant},
};

use reqwest::Client;
use serde_json::{Value, json};
use tempfile::TempDir;
use test_harness::shared_folder;

const PROGRAM: &str = env!("CARGO_BIN_EXE_atumpan");
const TIMEOUT: Duration = Duration::from_secs(60);

/// Running service.
pub(crate) struct Program {
    child: Child,
    output: BufReader<ChildStdout>,
    /// Address of the API.
    pub(crate) url: String,
}

/// Organization that calls a [`Program`].
#[derive(Clone)]
pub(crate) struct Tenant {
    pub(crate) http: Client,
    pub(crate) token: String,
    pub(crate) organization: String,
}

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
    let mut command = Command::new(PROGRAM);
    command
        .current_dir(folder)
        .env_remove("DATABASE_URL")
        .env_remove("REDIS_URL")
        .env("ATUMPAN_LISTEN", "127.0.0.1:0")
        .env("ATUMPAN_RATE_LIMITS", "off")
        .stdin(Stdio::null());
    command
}

/// Runs the program to its end.
pub(crate) fn run(command: &mut Command) -> Output {
    command.output().unwrap()
}

/// Returns an asynchronous SMS.
pub(crate) fn text_message() -> Value {
    json!({"channel": "SMS", "to": "0241234567", "body": "Akwaaba", "async": true})
}

/// Waits until the condition holds.
pub(crate) async fn until(what: &str, mut is_so: impl AsyncFnMut() -> bool) {
    let began = Instant::now();
    while !is_so().await {
        assert!(began.elapsed() < TIMEOUT, "{what}");
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
}

/// Returns the complete lines of a log in JSON.
pub(crate) fn json_lines(log: &Path) -> Vec<Value> {
    let text = std::fs::read_to_string(log).unwrap();
    let whole = text.rsplit_once('\n').map_or("", |(whole, _)| whole);
    let parse = |line| serde_json::from_str(line).unwrap_or_else(|error| panic!("{error}: {line}"));
    whole.lines().map(parse).collect()
}

impl Program {
    /// Starts the service in a folder.
    pub(crate) fn start(folder: &Path) -> Self {
        Self::start_with(&mut command(folder))
    }

    /// Starts the service, and waits until it serves.
    pub(crate) fn start_with(command: &mut Command) -> Self {
        let log = tempfile::NamedTempFile::new().unwrap();
        let program = Self::begin(command, log.reopen().unwrap().into());
        program.unwrap_or_else(|line| {
            let log = std::fs::read_to_string(log.path()).unwrap_or_default();
            panic!("it does not serve: {line:?}\n{log}")
        })
    }

    /// Starts the service, with its log going to `log`.
    pub(crate) fn start_logging(command: &mut Command, log: Stdio) -> Self {
        let program = Self::begin(command, log);
        program.unwrap_or_else(|line| panic!("it does not serve: {line:?}"))
    }

    /// Starts the service, or returns the first line that it printed instead.
    fn begin(command: &mut Command, log: Stdio) -> Result<Self, String> {
        let mut child = command.stdout(Stdio::piped()).stderr(log).spawn().unwrap();
        let mut output = BufReader::new(child.stdout.take().unwrap());
        let mut line = String::new();
        output.read_line(&mut line).unwrap();
        match line.trim().strip_prefix("Atumpan serves on ") {
            Some(url) => Ok(Self { child, output, url: url.to_owned() }),
            None => Err(line),
        }
    }

    /// Starts a service that logs in JSON to the file, and waits until it serves.
    pub(crate) fn start_json(command: &mut Command, log: &Path) -> Self {
        command.env("ATUMPAN_LOG", "json");
        let file = std::fs::File::create(log).unwrap();
        let mut child = command.stdout(Stdio::piped()).stderr(file).spawn().unwrap();
        let output = BufReader::new(child.stdout.take().unwrap());
        let mut program = Self { child, output, url: String::new() };
        let began = Instant::now();
        program.url = loop {
            let lines = json_lines(log);
            let serves = lines.iter().find(|line| line["message"] == "Atumpan serves");
            if let Some(url) = serves.and_then(|line| line["url"].as_str()) {
                break url.to_owned();
            }
            let status = program.child.try_wait().unwrap();
            let has_time = status.is_none() && began.elapsed() < TIMEOUT;
            assert!(has_time, "{}", std::fs::read_to_string(log).unwrap());
            std::thread::sleep(Duration::from_millis(20));
        };
        program
    }

    /// Returns the status of `GET` without credentials.
    pub(crate) async fn status(&self, path: &str) -> u16 {
        let _ = rustls::crypto::ring::default_provider().install_default();
        let http = Client::builder().timeout(TIMEOUT).no_proxy().build().unwrap();
        http.get(format!("{}{path}", self.url)).send().await.unwrap().status().as_u16()
    }

    /// Returns the process id.
    pub(crate) fn id(&self) -> u32 {
        self.child.id()
    }

    /// Sends the process a signal.
    pub(crate) fn signal(&self, signal: &str) {
        let id = self.child.id().to_string();
        let kill = Command::new("kill").args(["-s", signal, &id]).status().unwrap();
        assert!(kill.success());
    }

    /// Waits for the end of the process.
    pub(crate) fn wait(&mut self) -> ExitStatus {
        let began = Instant::now();
        loop {
            if let Some(status) = self.child.try_wait().unwrap() {
                return status;
            }
            assert!(began.elapsed() < TIMEOUT, "it does not end");
            std::thread::sleep(Duration::from_millis(20));
        }
    }

    /// Kills the process at once, as a crash would.
    pub(crate) fn crash(mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }

    /// Returns the remaining output.
    pub(crate) fn rest(mut self) -> String {
        let mut text = String::new();
        self.output.read_to_string(&mut text).unwrap();
        text
    }

    /// Creates an organization.
    pub(crate) async fn tenant(&self) -> Tenant {
        self.tenant_of("ama@example.com").await
    }

    /// Creates an organization whose owner has the address.
    pub(crate) async fn tenant_of(&self, email: &str) -> Tenant {
        let _ = rustls::crypto::ring::default_provider().install_default();
        let http = Client::builder().timeout(Duration::from_secs(30)).no_proxy().build().unwrap();
        let body = json!({
            "email": email, "password": "correct horse", "firstName": "Ama", "lastName": "Mensah",
            "organizationName": "Kente Ltd",
        });
        let request = http.post(format!("{}/auth/register", self.url)).json(&body);
        let answer: Value = request.send().await.unwrap().json().await.unwrap();
        let text = |value: &Value| value.as_str().unwrap().to_owned();
        Tenant {
            http,
            token: text(&answer["data"]["token"]),
            organization: text(&answer["data"]["organization"]["id"]),
        }
    }
}

impl Drop for Program {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Tenant {
    /// Sends `GET`, and returns the JSON.
    pub(crate) async fn get(&self, program: &Program, path: &str) -> Value {
        let request = self.http.get(format!("{}{path}", program.url));
        let answer = self.authorized(request).send().await.unwrap();
        answer.json().await.unwrap()
    }

    /// Sends `POST`, and returns the status and the text of the response.
    pub(crate) async fn post(&self, program: &Program, path: &str, body: Value) -> (u16, String) {
        let request = self.http.post(format!("{}{path}", program.url)).json(&body);
        let answer = self.authorized(request).send().await.unwrap();
        (answer.status().as_u16(), answer.text().await.unwrap())
    }

    /// Sends `POST` of a form with a file, and returns the data of the response.
    pub(crate) async fn upload(&self, program: &Program, path: &str, file: &str) -> Value {
        let begin = "--limit\r\nContent-Disposition: form-data; name=\"file\"\r\n\r\n";
        let request = self.http.post(format!("{}{path}", program.url));
        let request = request
            .header("Content-Type", "multipart/form-data; boundary=limit")
            .body(format!("{begin}{file}\r\n--limit--\r\n"));
        let answer = self.authorized(request).send().await.unwrap();
        let text = answer.text().await.unwrap();
        let answer: Value = serde_json::from_str(&text).unwrap();
        assert_eq!(answer["success"], true, "{text}");
        answer["data"].clone()
    }

    /// Sends an asynchronous text with `POST /messages/send`: returns the status and the response,
    /// or `None` if the connection broke.
    pub(crate) async fn send(&self, url: &str, key: &str) -> Option<(u16, Value)> {
        let mut message = text_message();
        message["idempotencyKey"] = json!(key);
        self.send_message(url, &message).await
    }

    /// Sends the message with `POST /messages/send`, likewise.
    pub(crate) async fn send_message(&self, url: &str, message: &Value) -> Option<(u16, Value)> {
        let request = self.http.post(format!("{url}/messages/send")).json(message);
        let answer = self.authorized(request).send().await.ok()?;
        let status = answer.status().as_u16();
        Some((status, answer.json().await.ok()?))
    }

    /// Sends an asynchronous text under the same key until it is accepted.
    pub(crate) async fn send_until_accepted(&self, url: &str, key: &str) {
        let began = Instant::now();
        loop {
            let answer = self.send(url, key).await;
            match &answer {
                Some((202, _)) => return,
                Some((503, _)) | None if began.elapsed() < TIMEOUT => {}
                _ => panic!("{key}: {answer:?}"),
            }
            tokio::time::sleep(Duration::from_millis(100)).await;
        }
    }

    /// Returns the number of messages with the status.
    pub(crate) async fn count(&self, program: &Program, status: &str) -> u64 {
        let answer = self.get(program, &format!("/delivery-logs?limit=1&status={status}")).await;
        answer["pagination"]["total"].as_u64().unwrap()
    }

    /// Waits until that number of messages has the status.
    pub(crate) async fn until(&self, program: &Program, status: &str, messages: u64) {
        let began = Instant::now();
        loop {
            let count = self.count(program, status).await;
            if count >= messages {
                return;
            }
            assert!(began.elapsed() < TIMEOUT, "{count} of {messages} are {status}");
            tokio::time::sleep(Duration::from_millis(100)).await;
        }
    }

    /// Returns the balance, in GHS.
    pub(crate) async fn balance(&self, program: &Program) -> f64 {
        self.get(program, "/billing/wallet").await["data"]["balance"].as_f64().unwrap()
    }

    fn authorized(&self, request: reqwest::RequestBuilder) -> reqwest::RequestBuilder {
        request.bearer_auth(&self.token).header("X-Organization-Id", &self.organization)
    }
}
