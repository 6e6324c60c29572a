//! Rolling restarts of two instances behind a proxy: no request fails, and each message is accepted once. The
//! proxies have the settings in `docs/deploy/proxies`, without TLS.

use std::{
    fs,
    net::TcpStream,
    path::Path,
    process::{Child, Command, Stdio},
    sync::{
        Arc, Mutex,
        atomic::{AtomicBool, AtomicUsize, Ordering},
    },
    thread,
    time::Duration,
};

use app::embedded::EmbeddedPostgres;
use tempfile::TempDir;
use testkit::{Service, Tenant, free_port, is_long, requires, until};
use tokio::time::sleep;

use crate::{
    database::{self, Session},
    program::{command, serve_with},
};

const CLIENTS: usize = 6;
/// Milliseconds of a client's pause between two requests, in short and whole.
const PAUSES: [u64; 2] = [100, 5];
const DRAIN_SECONDS: &str = "3";

/// Two instances on one database.
struct Pair {
    ports: [u16; 2],
    instances: Vec<Service>,
    database: EmbeddedPostgres,
    folder: TempDir,
}

impl Pair {
    async fn start() -> Self {
        let (folder, database) = database::shared().await;
        let ports = [free_port(), free_port()];
        let mut pair = Self { ports, instances: Vec::new(), database, folder };
        for port in ports {
            let instance = pair.start_instance(port);
            pair.instances.push(instance);
        }
        pair
    }

    fn start_instance(&self, port: u16) -> Service {
        let mut command = command(self.folder.path());
        command
            .env("ATUMPAN_LISTEN", format!("127.0.0.1:{port}"))
            .env("DATABASE_URL", self.database.url())
            .env("ATUMPAN_DRAIN_SECONDS", DRAIN_SECONDS)
            .env("ATUMPAN_TRUSTED_PROXIES", "127.0.0.1")
            .env("ATUMPAN_TRIAL_CREDIT_GHS", "100000");
        serve_with(&mut command)
    }

    /// Restarts one instance after the other, each time when the proxy has had that time to find the one
    /// before.
    async fn restart(&mut self, pause: Duration) {
        for (number, port) in self.ports.into_iter().enumerate() {
            sleep(pause).await;
            self.instances[number].stop().unwrap();
            self.instances[number] = self.start_instance(port);
        }
        sleep(pause).await;
    }

    /// Returns settings of a proxy that name the ports of these instances.
    fn settings(&self, file: &str) -> String {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/deploy/proxies");
        let settings = fs::read_to_string(path.join(file)).unwrap();
        let [first, second] = self.ports.map(|port| format!("127.0.0.1:{port}"));
        let settings = replaced(&settings, "127.0.0.1:8081", &first);
        replaced(&settings, "127.0.0.1:8082", &second)
    }
}

/// Returns a text with a part replaced that must be in it.
fn replaced(text: &str, part: &str, by: &str) -> String {
    assert!(text.contains(part), "{part}");
    text.replace(part, by)
}

/// Returns a text without the lines that contain one of the parts.
fn without(text: &str, parts: &[&str]) -> String {
    let lines = text.split_inclusive('\n');
    lines.filter(|line| !parts.iter().any(|part| line.contains(part))).collect()
}

/// Running proxy. It ends when this is dropped.
struct Proxy {
    url: String,
    process: Child,
}

impl Proxy {
    async fn start(command: &mut Command, port: u16) -> Self {
        let process = command.stdin(Stdio::null()).spawn().unwrap();
        let proxy = Self { url: format!("http://127.0.0.1:{port}"), process };
        until("the proxy listens", async || TcpStream::connect(("127.0.0.1", port)).is_ok()).await;
        proxy
    }
}

impl Drop for Proxy {
    fn drop(&mut self) {
        // A proxy that is killed leaves its workers behind; this signal ends them too.
        let _ = Command::new("kill").arg(self.process.id().to_string()).status();
        for _ in 0..50 {
            if self.process.try_wait().is_ok_and(|ended| ended.is_some()) {
                return;
            }
            thread::sleep(Duration::from_millis(100));
        }
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// Clients that send until they are told to end.
#[derive(Default)]
struct Load {
    is_over: AtomicBool,
    accepted: AtomicUsize,
    failures: Mutex<Vec<String>>,
}

impl Load {
    async fn run(self: Arc<Self>, tenant: Tenant, url: String, client: usize) {
        let pause = Duration::from_millis(PAUSES[usize::from(is_long())]);
        for number in 0.. {
            if self.is_over.load(Ordering::Relaxed) {
                return;
            }
            match tenant.send(&url, &format!("{client}-{number}")).await {
                Some((202, _)) => {
                    self.accepted.fetch_add(1, Ordering::Relaxed);
                }
                other => self.failures.lock().unwrap().push(format!("{other:?}")),
            }
            sleep(pause).await;
        }
    }
}

/// Restarts both instances under load, and asserts that all requests are accepted.
async fn assert_restarts_lose_nothing(pair: &mut Pair, proxy: &Proxy, pause: Duration) {
    let tenant = pair.instances[0].tenant().await;
    let load = Arc::new(Load::default());
    let clients: Vec<_> = (0..CLIENTS)
        .map(|client| Arc::clone(&load).run(tenant.clone(), proxy.url.clone(), client))
        .map(tokio::spawn)
        .collect();

    pair.restart(pause).await;
    load.is_over.store(true, Ordering::Relaxed);
    for client in clients {
        client.await.unwrap();
    }

    assert_eq!(*load.failures.lock().unwrap(), Vec::<String>::new());
    let accepted = load.accepted.load(Ordering::Relaxed);
    assert!(accepted > 100, "{accepted} requests are no load");
    let mut session = Session::open(pair.database.url());
    let organization = &tenant.organization;
    let stored = session.number(&format!(
        "SELECT count(*) FROM delivery_logs WHERE organization_id = '{organization}'"
    ));
    assert_eq!(stored, i64::try_from(accepted).unwrap());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_rolling_restart_behind_haproxy_loses_no_request() {
    let Some(mut haproxy) = requires("haproxy") else { return };
    let mut pair = Pair::start().await;
    let port = free_port();
    let settings = pair.settings("haproxy.cfg");
    let settings = replaced(&settings, "bind :80\n", &format!("bind 127.0.0.1:{port}\n"));
    // A user without rights may not open as many files.
    let settings = replaced(&settings, "maxconn 5000", "maxconn 200");
    let settings = without(&settings, &["ssl crt", "redirect scheme"]);
    let path = pair.folder.path().join("haproxy.cfg");
    fs::write(&path, settings).unwrap();

    let proxy = Proxy::start(haproxy.arg("-db").arg("-f").arg(&path), port).await;

    // Two successful checks, a second apart.
    assert_restarts_lose_nothing(&mut pair, &proxy, Duration::from_secs(3)).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_rolling_restart_behind_nginx_loses_no_request() {
    let Some(mut nginx) = requires("nginx") else { return };
    let mut pair = Pair::start().await;
    let port = free_port();
    let settings = pair.settings("nginx.conf");
    let settings = replaced(&settings, "listen 80;", &format!("listen 127.0.0.1:{};", free_port()));
    let settings =
        replaced(&settings, "listen 443 ssl http2;", &format!("listen 127.0.0.1:{port};"));
    let settings = replaced(&settings, "fail_timeout=10s", "fail_timeout=5s");
    let settings = without(&settings, &["ssl_certificate", "ssl_protocols"]);
    let folder = pair.folder.path().join("nginx");
    fs::create_dir(&folder).unwrap();
    let of_folder = |name: &str| folder.join(name).display().to_string();
    let beginning = format!(
        "daemon off;\npid {};\nerror_log {} warn;\nevents {{}}\nhttp {{\naccess_log off;\n",
        of_folder("pid"),
        of_folder("log")
    );
    let temporary = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"]
        .map(|kind| format!("{kind}_temp_path {};\n", of_folder(kind)));
    let path = folder.join("nginx.conf");
    fs::write(&path, format!("{beginning}{}{settings}}}\n", temporary.concat())).unwrap();

    let proxy = Proxy::start(nginx.arg("-p").arg(&folder).arg("-c").arg(&path), port).await;

    // Longer than `fail_timeout`.
    assert_restarts_lose_nothing(&mut pair, &proxy, Duration::from_secs(6)).await;
}
