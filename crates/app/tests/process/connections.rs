//! Database that has fewer connections than an instance needs.

use app::embedded::{Durability, EmbeddedPostgres, Options};
use futures_util::future::join_all;
use serde_json::Value;
use testkit::until;

use crate::{
    database::Session,
    program::{command, empty_folder, json_lines, serve_json},
};

/// Fewer connections than an instance may hold.
const FEW: usize = 20;
/// Number of clients that send at the same time.
const CLIENTS: usize = 24;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_instance_with_too_few_connections_says_so_and_is_not_ready_until_it_has_enough() {
    let (server, folder) = (empty_folder(), empty_folder());
    let data_dir = server.path().join("data");
    let options = Options { data_dir: data_dir.clone(), durability: Durability::None };
    let postgres = EmbeddedPostgres::start(options).await.unwrap();
    let mut administrator = Session::open(postgres.url());
    administrator.run(&format!("CREATE ROLE shop LOGIN CONNECTION LIMIT {FEW}"));
    administrator.run("CREATE DATABASE shop OWNER shop");
    let url = postgres.url().replace("//atumpan@", "//shop@").replace("/atumpan?", "/shop?");
    let log = folder.path().join("log");
    let program = serve_json(command(folder.path()).env("DATABASE_URL", url), &log);
    let tenant = program.tenant().await;

    until("the log says how many are needed, and how many there are", async || {
        json_lines(&log).iter().any(|line| {
            let connections = line["connections"].as_str().unwrap_or_default();
            line["level"] == "WARN"
                && connections.contains(&format!("available {FEW} "))
                && connections.contains(&format!("limit of the role {FEW}"))
        })
    })
    .await;
    assert_eq!(program.status("/health/ready").await, 200);

    // Open connections stay; a burst needs more.
    administrator.run("ALTER ROLE shop CONNECTION LIMIT 1");
    until("requests are refused for want of connections", async || {
        let keys = (0..CLIENTS).map(|client| format!("refused-{client}"));
        let keys: Vec<_> = keys.collect();
        let sent = join_all(keys.iter().map(|key| tenant.send(&program.url, key))).await;
        let is_refused = sent.iter().flatten().any(|(status, _)| *status == 503);
        is_refused && program.status("/health/ready").await == 503
    })
    .await;
    assert_eq!(program.status("/health").await, 503);

    administrator.run("ALTER ROLE shop CONNECTION LIMIT 100");
    until("it is ready", async || program.status("/health/ready").await == 200).await;
    tenant.send_until_accepted(&program.url, "accepted").await;
    assert_reasons_are_logged(&json_lines(&log));
}

/// Asserts that each line about the store states the reason, and one that the role has no
/// connection left.
fn assert_reasons_are_logged(lines: &[Value]) {
    let errors: Vec<_> = lines.iter().filter_map(|line| line["error"].as_str()).collect();
    for error in &errors {
        assert!(!error.ends_with("the store is unavailable"), "{error}");
    }
    let reason = "too many connections for role \"shop\"";
    assert!(errors.iter().any(|error| error.contains(reason)), "{errors:#?}");
}
