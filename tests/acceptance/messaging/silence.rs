//! Database that accepts connections and does not answer.

use std::{
    path::PathBuf,
    time::{Duration, Instant},
};

use acceptance::{Answer, Tenant, World, fresh_database_url, until};
use serde_json::json;
use tokio::{
    io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt},
    net::{TcpListener, UnixStream},
    sync::watch,
};
use tokio_postgres::{Config, config::Host};

/// Proxy to the server that can simulate a frozen server: connections are accepted, and nothing is
/// answered.
struct Way {
    address: String,
    is_open: watch::Sender<bool>,
}

impl Way {
    async fn to(socket: PathBuf) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap().to_string();
        let (is_open, watching) = watch::channel(true);
        tokio::spawn(async move {
            while let Ok((client, _)) = listener.accept().await {
                let Ok(server) = UnixStream::connect(&socket).await else { continue };
                let (from_client, to_client) = client.into_split();
                let (from_server, to_server) = server.into_split();
                tokio::spawn(pass_on(from_client, to_server, watching.clone()));
                tokio::spawn(pass_on(from_server, to_client, watching.clone()));
            }
        });
        Self { address, is_open }
    }

    fn freeze(&self) {
        self.is_open.send_replace(false);
    }

    fn thaw(&self) {
        self.is_open.send_replace(true);
    }
}

async fn pass_on(
    mut from: impl AsyncRead + Unpin,
    mut to: impl AsyncWrite + Unpin,
    mut is_open: watch::Receiver<bool>,
) {
    let mut buffer = [0; 8_192];
    while let Ok(length @ 1..) = from.read(&mut buffer).await {
        if is_open.wait_for(|is_open| *is_open).await.is_err() {
            return;
        }
        if to.write_all(&buffer[..length]).await.is_err() {
            return;
        }
    }
}

/// Starts a service that reaches its database through that many proxies.
async fn service(ways: usize) -> (World, Vec<Way>) {
    let config: Config = fresh_database_url().await.parse().unwrap();
    let [Host::Unix(folder)] = config.get_hosts() else { panic!("{config:?}") };
    let port = config.get_ports().first().copied().unwrap_or(5432);
    let socket = folder.join(format!(".s.PGSQL.{port}"));
    let mut all = Vec::new();
    for _ in 0..ways {
        all.push(Way::to(socket.clone()).await);
    }
    let hosts: Vec<_> = all.iter().map(|way| way.address.as_str()).collect();
    let (user, name) = (config.get_user().unwrap(), config.get_dbname().unwrap());
    let url =
        format!("postgres://{user}@{}/{name}?target_session_attrs=read-write", hosts.join(","));
    (World::start_on(url, &[]).await, all)
}

async fn send(tenant: &Tenant<'_>) -> Answer {
    let message = json!({"channel": "SMS", "to": "0241234567", "body": "Akwaaba", "async": true});
    tenant.owner().post("/messages/send", message).await
}

async fn until_health_is(world: &World, status: u16) {
    let is_so = async || world.get("/health").await.status == status;
    until(&format!("/health answers {status}"), is_so).await;
}

async fn until_accepted(tenant: &Tenant<'_>) {
    until("a message is accepted", async || send(tenant).await.status == 202).await;
}

#[tokio::test]
async fn a_silent_database_is_reported_within_seconds_and_recovers() {
    let (world, ways) = service(1).await;
    let tenant = world.tenant().await;
    send(&tenant).await.data(202);
    ways[0].freeze();
    let began = Instant::now();

    let answer = send(&tenant).await;

    answer.fails(503, "SERVICE_UNAVAILABLE");
    assert!(!answer.header("retry-after").is_empty());
    assert!(began.elapsed() < Duration::from_secs(10), "it took {:?}", began.elapsed());
    until_health_is(&world, 503).await;
    assert!(began.elapsed() < Duration::from_secs(15), "it took {:?}", began.elapsed());

    ways[0].thaw();
    until_accepted(&tenant).await;
    until_health_is(&world, 200).await;
    tenant.assert_ledger_adds_up().await;
}

#[tokio::test]
async fn fails_over_to_another_database_host() {
    let (world, ways) = service(2).await;
    let tenant = world.tenant().await;
    send(&tenant).await.data(202);

    ways[0].freeze();

    until_accepted(&tenant).await;
    until_health_is(&world, 200).await;
}
