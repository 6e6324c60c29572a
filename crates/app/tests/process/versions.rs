//! Two versions on one database: this version goes on after the next has migrated it.

use serde_json::json;
use testkit::{Service, Tenant, text_message};

use crate::{
    database::Session,
    program::{command, folder, json_lines, run, serve, serve_json},
};

/// Adds to every table anything that a migration may add.
const EXPAND: &str = "\
    DO $$ DECLARE it record; BEGIN \
        FOR it IN SELECT oid::regclass AS name FROM pg_class \
            WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'p') \
                AND NOT relispartition AND relname <> '__diesel_schema_migrations' \
        LOOP \
            EXECUTE format('ALTER TABLE %s ADD COLUMN added_later text, \
                ADD COLUMN counted_later integer NOT NULL DEFAULT 7', it.name); \
        END LOOP; \
    END $$; \
    INSERT INTO __diesel_schema_migrations (version) VALUES ('29991231235959')";

#[tokio::test]
async fn a_version_goes_on_and_starts_again_after_the_next_one_has_added_to_every_table() {
    let (folder, logs) = (folder(), tempfile::tempdir().unwrap());
    let log = logs.path().join("log");
    let program = serve(folder.path());
    let tenant = program.tenant().await;
    work(&program, &tenant, 1).await;

    Session::with_program_in(folder.path()).run(EXPAND);
    work(&program, &tenant, 2).await;
    program.crash();
    let program = serve_json(&mut command(folder.path()), &log);
    work(&program, &tenant, 3).await;

    let newer = "the database was migrated by a newer version";
    let warnings: Vec<_> =
        json_lines(&log).into_iter().filter(|line| line["message"] == newer).collect();
    assert_eq!(warnings.len(), 1);
    assert_eq!(
        (warnings[0]["newest"].as_str(), warnings[0]["migrations"].as_u64()),
        (Some("29991231235959"), Some(1))
    );
    for books in ["counters", "ledger"] {
        let output = run(command(folder.path()).args([books, "verify"]));
        let told = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{books}: {told}");
    }
}

/// Uses the features of a tenant.
async fn work(program: &Service, tenant: &Tenant, round: u64) {
    for path in
        ["/messages/send", "/contacts", "/segments", "/templates", "/compliance/suppression"]
    {
        let body = match path {
            "/messages/send" => text_message(),
            "/contacts" => json!({"firstName": "Ama", "phone": format!("024000{round:04}")}),
            "/segments" => json!({"name": format!("s{round}"), "rules": {}}),
            "/templates" => json!({
                "name": format!("t{round}"), "channel": "SMS", "category": "TRANSACTIONAL", "body": "B",
            }),
            _ => json!({"phone": format!("+23324100{round:04}")}),
        };
        let (status, answer) = tenant.post(program, path, body).await;
        assert!((200..300).contains(&status), "{path}: {status} {answer}");
    }
    tenant.until(program, "DELIVERED", round).await;
    for path in ["/delivery-logs", "/contacts", "/segments", "/templates", "/billing/usage"] {
        let answer = tenant.get(program, path).await;
        assert_eq!(answer["success"], true, "{path}: {answer}");
    }
}
