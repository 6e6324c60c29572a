//! Starts before the database.

use std::{fs::File, net::TcpListener, path::Path};

use app::embedded::{Durability, EmbeddedPostgres, Options};
use testkit::{Service, until};

use crate::{
    database::Session,
    program::{command, empty_folder, json_lines},
};

const WAITS: &str = "PostgreSQL cannot be reached; the start waits for it";

fn waits(log: &Path) -> bool {
    json_lines(log).iter().any(|line| line["message"] == WAITS)
}

/// Starts a service that logs to the file, and does not wait until it serves.
fn begin(folder: &Path, log: &Path, database: &str) -> Service {
    let mut start = command(folder);
    start.env("DATABASE_URL", database).env("ATUMPAN_LOG", "json");
    Service::begin(start.stderr(File::create(log).unwrap())).unwrap()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_start_waits_for_a_database_that_comes_up_later() {
    let (server, folder) = (empty_folder(), empty_folder());
    let options = || Options { data_dir: server.path().join("data"), durability: Durability::None };
    let postgres = EmbeddedPostgres::start(options()).await.unwrap();
    Session::open(postgres.url()).run("CREATE DATABASE shop");
    let url = postgres.url().replace("/atumpan?", "/shop?");
    postgres.stop().await.unwrap();
    let log = folder.path().join("log");
    let mut program = begin(folder.path(), &log, &url);
    until("the log says that the start waits", async || waits(&log)).await;
    assert!(!program.has_ended());

    let _postgres = EmbeddedPostgres::start(options()).await.unwrap();

    until("it serves", async || {
        json_lines(&log).iter().any(|line| line["message"] == "Atumpan serves")
    })
    .await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_start_that_waits_ends_on_request() {
    let folder = empty_folder();
    let log = folder.path().join("log");
    let closed = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let mut program = begin(folder.path(), &log, &format!("postgres://nobody@{closed}/shop"));
    until("the log says that the start waits", async || waits(&log)).await;

    program.signal("TERM");

    assert!(program.wait().success());
}
