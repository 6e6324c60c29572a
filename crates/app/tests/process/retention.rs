//! Retention of messages by the setting.

use testkit::{Service, text_message, until};

use crate::{
    database::Session,
    program::{command, folder, run, serve, serve_with},
};

#[tokio::test]
async fn months_that_are_older_than_the_setting_go_when_the_service_starts() {
    let folder = folder();
    let program = serve(folder.path());
    let tenant = program.tenant().await;
    tenant.send_message(&program.url, &text_message()).await.unwrap();
    tenant.until(&program, "DELIVERED", 1).await;
    let mut session = Session::with_program_in(folder.path());
    // The same message, a year ago.
    session.run(
        "SELECT prepare_month('delivery_logs', -12); \
         CREATE TEMPORARY TABLE old AS SELECT * FROM delivery_logs; \
         UPDATE old SET created_at = date_trunc('month', now(), 'UTC') - interval '1 year'; \
         UPDATE old SET id = uuid_v7_in(created_at, organization_id); \
         INSERT INTO delivery_logs SELECT * FROM old; \
         INSERT INTO delivery_log_counters SELECT organization_id, 'DAY', \
             date_trunc('day', created_at, 'UTC'), channel, status, false, 1, 1, 0 FROM old",
    );
    let total = async |program: &Service| {
        tenant.get(program, "/delivery-logs").await["pagination"]["total"].clone()
    };
    assert_eq!(total(&program).await, 2);
    program.crash();

    let unset = serve(folder.path());
    assert_eq!(total(&unset).await, 2);
    unset.crash();
    let program = serve_with(command(folder.path()).env("ATUMPAN_RETENTION_DAYS", "31"));

    until("the old month is dropped", async || total(&program).await == 1).await;
    let months = "SELECT count(*) FROM pg_class WHERE relname = 'delivery_logs_' \
                  || to_char(now() AT TIME ZONE 'UTC' - interval '1 year', 'YYYY_MM')";
    assert_eq!(Session::with_program_in(folder.path()).number(months), 0);
}

#[test]
fn too_few_days_of_retention_end_the_start_in_one_line() {
    let folder = folder();
    let output = run(command(folder.path()).env("ATUMPAN_RETENTION_DAYS", "30"));
    assert_eq!(output.status.code(), Some(1));
    assert_eq!(
        String::from_utf8(output.stderr).unwrap(),
        "atumpan: ATUMPAN_RETENTION_DAYS must be a number of days from 31 to 36500, or unset to keep all \
         messages\n"
    );
}
