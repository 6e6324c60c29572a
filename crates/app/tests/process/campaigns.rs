//! Campaigns through crashes, an empty wallet, and on two instances.

use std::{
    collections::HashSet,
    time::{Duration, Instant},
};

use serde_json::{Value, json};
use testkit::{Service, Tenant, is_long, until};

use crate::{
    database::{self, Session},
    program::{command, empty_folder, folder, serve_with},
};

/// Number of contacts, in short and as a whole.
const CONTACTS: [u64; 2] = [4_000, 20_000];
/// Interval of contacts without a number, and of contacts without a name.
const WITHOUT_NUMBER: u64 = 100;
const WITHOUT_NAME: u64 = 50;
/// Numbers of messages after which the process is killed, one per crash while contacts follow: in short
/// and as a whole.
const KILLED_AFTER: [&[i64]; 2] = [&[500], &[2_000, 9_000]];
const TIMEOUT: Duration = Duration::from_secs(180);
const PRICE_MICROS: i64 = 35_000;
/// Number of messages whose report is to come: there is none for numbers that end in `0001`.
const UNREPORTED: &str =
    "SELECT count(*) FROM delivery_logs WHERE status = 'SENT' AND recipient NOT LIKE '%0001'";

/// Returns a statement that inserts contacts as an import does.
fn contacts(organization: &str, count: u64) -> String {
    format!(
        "INSERT INTO contacts (id, organization_id, first_name, phone, email, country_code, created_at) \
         SELECT uuid_v7_in(now() - interval '1 minute', '{organization}'), '{organization}', \
            CASE WHEN number % {WITHOUT_NAME} <> 1 THEN 'Ama ' || number END, \
            CASE WHEN number % {WITHOUT_NUMBER} <> 2 \
                THEN '+23324' || lpad(number::text, 7, '0') END, \
            number || '@example.com', 'GH', now() - interval '1 minute' \
         FROM generate_series(1, {count}) AS number; \
         INSERT INTO webhook_endpoints (organization_id, id, url, secret, begins_at, created_at) \
         VALUES ('{organization}', uuid_v7_in(now(), '{organization}'), 'https://192.0.2.1', '', now(), \
            now())"
    )
}

/// Sends a campaign to all contacts, at the given time if there is one, and returns its path.
pub(crate) async fn send(program: &Service, tenant: &Tenant, scheduled_at: Option<&str>) -> String {
    let mut draft = json!({
        "name": "Harmattan sale", "channel": "SMS",
        "body": "Akwaaba {{firstName}}, we open on Saturday. Reply STOP to opt out",
    });
    if let Some(time) = scheduled_at {
        draft["scheduledAt"] = time.into();
    }
    let (status, answer) = tenant.post(program, "/campaigns", draft).await;
    assert_eq!(status, 201, "{answer}");
    let answer: Value = serde_json::from_str(&answer).unwrap();
    let path = format!("/campaigns/{}", answer["data"]["id"].as_str().unwrap());
    let (status, answer) = tenant.post(program, &format!("{path}/send"), json!({})).await;
    assert_eq!(status, 200, "{answer}");
    path
}

/// Asserts that delivery log, ledger and counters agree after the campaign.
fn assert_everybody_was_written_to_once(session: &mut Session, contacts: u64, campaigns: i64) {
    let reached = i64::try_from(contacts - contacts / WITHOUT_NUMBER).unwrap();
    let one = "SELECT count(*) FROM delivery_logs WHERE campaign_id IS NOT NULL";
    assert_eq!(session.number(one), reached * campaigns);
    let distinct = "SELECT count(*) FROM (SELECT DISTINCT campaign_id, recipient FROM delivery_logs \
                    WHERE campaign_id IS NOT NULL) AS each";
    assert_eq!(session.number(distinct), reached * campaigns);
    let nameless = i64::try_from(contacts / WITHOUT_NAME).unwrap();
    let missing = "SELECT count(*) FROM delivery_logs WHERE error_code = 'MISSING_VARIABLE' \
                   AND status = 'FAILED' AND cost_micros = 0";
    assert_eq!(session.number(missing), nameless * campaigns);
    let wrong = "SELECT count(*) FROM (SELECT campaign_id, status, count(*) FROM delivery_logs \
                    WHERE campaign_id IS NOT NULL GROUP BY 1, 2 \
                 EXCEPT SELECT campaign.id, counts.status, counts.messages FROM campaigns campaign \
                    CROSS JOIN LATERAL campaign_counts_of(campaign.organization_id, campaign.id) \
                        AS counts) AS wrong";
    assert_eq!(session.number(wrong), 0, "the counts differ from the log");
    let unreachable = "SELECT sum(unreachable)::bigint FROM campaigns";
    let without = i64::try_from(contacts / WITHOUT_NUMBER).unwrap();
    assert_eq!(session.number(unreachable), without * campaigns);
    let told = "SELECT count(*) FROM outbound_events WHERE event = 'campaign.completed'";
    assert_eq!(session.number(told), campaigns);
    session.assert_books_are_exact();
}

/// Asserts that the figures of a completed campaign add up to its audience, that its lists have just as
/// many recipients, and that none is there twice.
async fn assert_the_lists_add_up(program: &Service, tenant: &Tenant, shown: &Value, audience: u64) {
    let path = format!("/campaigns/{}/recipients/export", shown["id"].as_str().unwrap());
    let mut sum = 0;
    let mut contacts = HashSet::new();
    for outcome in ["SENT", "SKIPPED", "FAILED"] {
        let list = format!("{path}?outcome={outcome}");
        let list = tenant.at(&program.url).get(&list).await;
        assert_eq!(list.status, 200, "{}", list.text);
        let rows: Vec<_> = list.text.lines().skip(1).collect();
        let count = shown[outcome.to_lowercase()].as_u64().unwrap();
        assert_eq!(u64::try_from(rows.len()).unwrap(), count, "{outcome}");
        sum += count;
        for row in rows {
            contacts.insert(row.split_once(',').unwrap().0.to_owned());
        }
    }
    assert_eq!((sum, &shown["audience"]), (audience, &audience.into()));
    assert_eq!(u64::try_from(contacts.len()).unwrap(), audience, "a contact is there twice");
    let reasons = shown["byReason"].as_array().unwrap();
    for (reason, expected) in
        [("NO_ADDRESS", audience / WITHOUT_NUMBER), ("MISSING_VARIABLE", audience / WITHOUT_NAME)]
    {
        let counted = reasons.iter().find(|it| it["reason"] == reason);
        assert_eq!(counted.map(|it| &it["count"]), Some(&expected.into()), "{reason}");
    }
}

/// Returns how much the wallet lacks of its credit, beyond the price of messages that did not fail.
pub(crate) fn unexplained(session: &mut Session, organization: &str, credit_cedis: i64) -> i64 {
    let paid = format!(
        "SELECT coalesce(sum(cost_micros), 0)::bigint FROM delivery_logs \
         WHERE organization_id = '{organization}' AND status <> 'FAILED'"
    );
    let balance = format!("SELECT balance_micros FROM wallet_balance_of('{organization}')");
    credit_cedis * 1_000_000 - session.number(&paid) - session.number(&balance)
}

pub(crate) async fn until_completed(session: &mut Session, campaigns: i64) {
    let began = Instant::now();
    let query = "SELECT count(*) FROM campaigns WHERE status = 'COMPLETED'";
    while session.number(query) < campaigns {
        let state = "SELECT status, paused_reason, position, expanded_at, due_at - now(), (SELECT \
                     count(*) FROM delivery_jobs) FROM campaigns";
        assert!(began.elapsed() < TIMEOUT, "{:?}", session.run(state));
        tokio::time::sleep(Duration::from_millis(200)).await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_campaign_reaches_each_contact_once_through_crashes() {
    let form = usize::from(is_long());
    let (count, killed_after) = (CONTACTS[form], KILLED_AFTER[form]);
    let folder = folder();
    let start = || {
        let mut command = command(folder.path());
        serve_with(command.env("ATUMPAN_TRIAL_CREDIT_GHS", "1000"))
    };
    let mut program = start();
    let tenant = program.tenant().await;
    let mut session = Session::with_program_in(folder.path());
    session.run(&contacts(&tenant.organization, count));
    let campaign = send(&program, &tenant, None).await;

    let logs = "SELECT count(*) FROM delivery_logs";
    for &after in killed_after {
        until("so many messages are accepted", async || session.number(logs) >= after).await;
        program.crash();
        program = start();
        session = Session::with_program_in(folder.path());
        let following = "SELECT count(*) FROM campaigns WHERE expanded_at IS NULL";
        assert_eq!(session.number(following), 1, "it was killed too late");
    }
    until("the last contact is passed", async || {
        session.number("SELECT count(*) FROM campaigns WHERE expanded_at IS NOT NULL") == 1
    })
    .await;
    program.crash();
    let program = start();
    let mut session = Session::with_program_in(folder.path());

    until_completed(&mut session, 1).await;

    assert_everybody_was_written_to_once(&mut session, count, 1);
    assert_eq!(unexplained(&mut session, &tenant.organization, 1_000), 0);
    let shown = tenant.get(&program, &campaign).await["data"].clone();
    assert_eq!((&shown["status"], &shown["audience"]), (&"COMPLETED".into(), &count.into()));
    let told = session.run("SELECT data FROM outbound_events WHERE event = 'campaign.completed'");
    let told: Value = serde_json::from_str(&told[0]).unwrap();
    for field in ["id", "name", "status", "audience", "unreachable", "startedAt", "completedAt"] {
        assert_eq!(told[field], shown[field], "{field}");
    }
    let logs = tenant.get(&program, "/delivery-logs?limit=1").await;
    assert_eq!(logs["data"][0]["campaignId"], shown["id"]);
    until("the last report is there", async || session.number(UNREPORTED) == 0).await;
    let shown = tenant.get(&program, &campaign).await["data"].clone();
    assert_the_lists_add_up(&program, &tenant, &shown, count).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_campaign_stops_at_an_empty_wallet_and_goes_on_after_a_top_up() {
    let folder = folder();
    let mut command = command(folder.path());
    let program = serve_with(command.env("ATUMPAN_TRIAL_CREDIT_GHS", "1"));
    let tenant = program.tenant().await;
    let organization = tenant.organization.clone();
    let mut session = Session::with_program_in(folder.path());
    session.run(&contacts(&organization, 100));
    let campaign = send(&program, &tenant, None).await;
    until("the wallet is empty", async || {
        let shown = tenant.get(&program, &campaign).await["data"].clone();
        shown["status"] == "PAUSED" && shown["pausedReason"] == "INSUFFICIENT_BALANCE"
    })
    .await;
    let paid = "SELECT count(*) FROM delivery_logs WHERE cost_micros > 0";
    assert_eq!(session.number(paid), 1_000_000 / PRICE_MICROS);

    session.run(&format!(
        "BEGIN; \
         UPDATE wallets SET balance_micros = balance_micros + 9000000 \
         WHERE organization_id = '{organization}'; \
         INSERT INTO ledger_entries (id, organization_id, kind, amount_micros, created_at) \
         VALUES (uuid_v7_in(now(), '{organization}'), '{organization}', 'TRIAL_CREDIT', 9000000, now()); \
         COMMIT"
    ));

    until_completed(&mut session, 1).await;
    assert_everybody_was_written_to_once(&mut session, 100, 1);
    assert_eq!(unexplained(&mut session, &organization, 10), 0);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn scheduled_campaigns_start_in_time_on_one_of_two_instances() {
    const CAMPAIGNS: i64 = 6;
    const CONTACTS: u64 = 400;
    let folders = [empty_folder(), empty_folder()];
    let [here, there] = &folders;
    let (_data, postgres) = database::shared().await;
    let start = |folder: &tempfile::TempDir| {
        let mut command = command(folder.path());
        command.env("DATABASE_URL", postgres.url()).env("ATUMPAN_TRIAL_CREDIT_GHS", "1000");
        command.env("ATUMPAN_JWT_SECRET", "a secret that both instances have in common");
        serve_with(&mut command)
    };
    let instances = [start(here), start(there)];
    let tenant = instances[0].tenant().await;
    let mut session = Session::open(postgres.url());
    session.run(&contacts(&tenant.organization, CONTACTS));
    let time = session.run(
        "SELECT to_char(now() AT TIME ZONE 'UTC' + interval '10 seconds', \
            'YYYY-MM-DD\"T\"HH24:MI:SS\"Z\"')",
    );
    for number in 0..CAMPAIGNS {
        let instance = usize::try_from(number).unwrap() % instances.len();
        send(&instances[instance], &tenant, Some(&time[0])).await;
    }

    until_completed(&mut session, CAMPAIGNS).await;

    assert_everybody_was_written_to_once(&mut session, CONTACTS, CAMPAIGNS);
    let in_time = "SELECT count(*) FROM campaigns \
                   WHERE started_at BETWEEN scheduled_at AND scheduled_at + interval '20 seconds'";
    assert_eq!(session.number(in_time), CAMPAIGNS);
    assert_eq!(unexplained(&mut session, &tenant.organization, 1_000), 0);
    drop(instances);
}
