//! A crash while an export of the delivery log is written.

use testkit::until;

use crate::{
    database::Session,
    program::{command, folder, serve_with},
};

const MESSAGES: i64 = 20_000;
/// Number of parts after which the process is killed.
const KILLED_AFTER: i64 = 3;
const PARTS: &str = "SELECT count(*) FROM log_export_parts";
const PREPARING: &str = "SELECT count(*) FROM log_exports WHERE status = 'PREPARING'";
/// Rows, size and parts of each file, and a hash of all its bytes; the oldest first.
const FILES: &str = "\
    SELECT export.row_count, export.byte_count, export.part_count, \
        md5(string_agg(md5(part.bytes), '' ORDER BY part.number)) \
    FROM log_exports export JOIN log_export_parts part \
        ON part.organization_id = export.organization_id AND part.export_id = export.id \
    WHERE export.status = 'READY' GROUP BY export.organization_id, export.id ORDER BY export.id";

/// Returns a statement that inserts messages that have failed.
fn failed(organization: &str) -> String {
    format!(
        "INSERT INTO delivery_logs (id, organization_id, channel, status, recipient, country_code, \
            category, priority, body, segments, cost_micros, is_sandbox, is_confidential, error_code, \
            error_message, failed_at, created_at, expires_at) \
         SELECT uuid_v7_in(now() - interval '1 minute', '{organization}'), '{organization}', 'SMS', \
            'FAILED', '+23324' || lpad(number::text, 7, '0'), 'GH', 'TRANSACTIONAL', 2, \
            repeat('Akwaaba ', 60), 1, 35000, false, false, 'UNDELIVERED', 'absent', now(), \
            now() - interval '1 minute', now() \
         FROM generate_series(1, {MESSAGES}) AS number"
    )
}

/// Returns a statement that asks for an export of all failed messages.
fn export(organization: &str) -> String {
    format!(
        "INSERT INTO log_exports (organization_id, id, created_by, status, message_status, created_at) \
         VALUES ('{organization}', uuid_v7_in(now(), '{organization}'), gen_random_uuid(), \
            'PREPARING', 'FAILED', now())"
    )
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_file_is_the_same_through_a_crash() {
    let folder = folder();
    let start = || serve_with(&mut command(folder.path()));
    let program = start();
    let tenant = program.tenant().await;
    let mut session = Session::with_program_in(folder.path());
    session.run(&failed(&tenant.organization));

    session.run(&export(&tenant.organization));
    until("some parts are written", async || session.number(PARTS) >= KILLED_AFTER).await;
    let preparing = session.number(PREPARING);
    program.crash();
    assert_eq!(preparing, 1, "it was killed too late");
    let _program = start();
    let mut session = Session::with_program_in(folder.path());
    until("the export is ready", async || session.number(PREPARING) == 0).await;
    session.run(&export(&tenant.organization));
    until("another export is ready", async || session.number(PREPARING) == 0).await;

    let files = session.run(FILES);
    let [interrupted, whole] = &files[..] else { panic!("{files:?}") };
    assert_eq!(interrupted, whole);
    assert!(whole.starts_with(&format!("{MESSAGES}|")), "{whole}");
}
