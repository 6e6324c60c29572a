//! Backup and restore with the scripts of `docs/deploy/backup`, as `docs/operations/backup.md` walks through
//! them.

mod machine;

use std::time::Duration;

use serde_json::{Value, json};
use testkit::{Service, Tenant, requires, until};
use tokio::time::sleep;

use self::machine::Machine;
use crate::{
    program::{run, serve_with},
    vendor::{Mood, Vendor, command_declaring},
};

/// Time in which a restarted service sends what it has to send.
const LONG_ENOUGH: Duration = Duration::from_secs(2);
const NOW: &str =
    "SELECT to_char(clock_timestamp() AT TIME ZONE 'UTC', 'YYYY-MM-DD\"T\"HH24:MI:SS.US\"Z\"')";

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_database_is_restored_to_a_second_and_no_message_is_sent_twice() {
    let Some(pg_basebackup) = requires("pg_basebackup") else { return };
    let Some(machine) = Machine::new(&pg_basebackup) else { return };
    let vendor = Vendor::start().await;
    machine.create("first");
    machine.start("first");
    machine.session("postgres").run("CREATE DATABASE atumpan");
    let mut service = serve(&machine, &vendor);
    let tenant = service.tenant().await;
    send(&tenant, &service, "one", 1).await;
    let base = machine.script("base-backup.sh", &[&machine.path("base"), &machine.url("atumpan")]);
    send(&tenant, &service, "two", 2).await;
    vendor.now(Mood::IsOutOfOrder);
    tenant.send_until_accepted(&service.url, "three").await;
    until("the vendor is called", async || vendor.calls() > 2).await;
    let since = machine.session("atumpan").run(NOW).remove(0);
    vendor.now(Mood::TakesAfter(Duration::ZERO));
    tenant.until(&service, "SENT", 3).await;
    send(&tenant, &service, "four", 4).await;
    service.stop().unwrap();
    machine.stop("first");
    assert_eq!(vendor.taken_once(), 4);

    let base = base.trim_end();
    machine
        .script("restore.sh", &[base, &machine.path("archive"), &machine.path("second"), &since]);
    machine.start("second");
    let report = machine.script("after-restore.sh", &[&since]);

    for line in ["1  not sent again", "the ledger is in order", "the counters are in order"] {
        assert!(report.contains(line), "{line} is not in:\n{report}");
    }
    let service = serve(&machine, &vendor);
    let reconciled = reconciled(&machine, &vendor, &since);
    assert_eq!(
        (&reconciled["sent"], &reconciled["inDoubt"]),
        (&json!(2), &json!(1)),
        "{reconciled}"
    );
    assert_eq!(reconciled["inDoubtByProvider"], json!({"SMS": 1}));
    send(&tenant, &service, "five", 3).await;
    sleep(LONG_ENOUGH).await;
    assert_eq!(vendor.taken_once(), 5, "the third is not sent again");
    assert_eq!(tenant.count(&service, "PENDING").await, 1, "the third is in doubt");
    machine.session("atumpan").assert_books_are_exact();
}

fn serve(machine: &Machine, vendor: &Vendor) -> Service {
    let mut command = command_declaring(machine.folder(), &[vendor.declaration("SMS", "")]);
    serve_with(command.env("DATABASE_URL", machine.url("atumpan")))
}

/// Sends a text, and waits until so many are sent.
async fn send(tenant: &Tenant, service: &Service, key: &str, sent: u64) {
    tenant.send_until_accepted(&service.url, key).await;
    tenant.until(service, "SENT", sent).await;
}

/// Runs the command again, while the service runs: it prints what it found the first time.
fn reconciled(machine: &Machine, vendor: &Vendor, since: &str) -> Value {
    let mut command = command_declaring(machine.folder(), &[vendor.declaration("SMS", "")]);
    command.env("DATABASE_URL", machine.url("atumpan"));
    let output = run(command.args(["reconcile", "--since", since, "--json"]));
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_slice(&output.stdout).unwrap()
}
