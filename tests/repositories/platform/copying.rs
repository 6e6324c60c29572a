//! Copying an organization to another server by logical replication while its messages are
//! processed.

use acceptance::{OwnCluster, until};
use domain::{
    identity::organization::Organization,
    messaging::{
        attempt::Attempt,
        delivery::{Delivery, DeliveryEvent, Failure, FailureCode},
        delivery_log::LogFilter,
        job::{Job, JobConcluded, ReportApplied},
        message::Message,
        outcome::{FollowUp, Outcome},
    },
    shared::{id::Id, money::Money, page::Page},
};
use ports::messaging::messages::{
    ClaimLimits, Idempotency, Intake, Jobs, Receipt, Recorded, Submission,
};

use crate::{
    World, messaging::intake_fixture::IntakeFixture, minutes, money::ledger::verified, now,
};

/// The organization of the service's own messages; every server has it.
const PLATFORM: &str = "00000000-0000-7000-8000-000000000000";

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn copies_an_organization_in_use_with_its_books_and_counts() {
    let (server, other_server) = (OwnCluster::start().await, OwnCluster::start().await);
    let credit = Money::from_cedis(100);
    let fixture = IntakeFixture::open_on(World::on(server.url().to_owned()), credit).await;
    let (home, copy) = (&fixture.world, World::on(other_server.url().to_owned()));
    let (moved, third) = (home.organization().await.id, home.organization().await.id);
    home.open_wallet(moved, credit).await;
    home.open_wallet(third, credit).await;
    let organizations = [fixture.organization, moved, third];
    for organization in organizations {
        settle(home, organization).await;
        settle_imports(home, organization).await;
        settle_traffic(home, organization).await;
        work(&fixture, organization, "before").await;
    }
    home.store.post_journal().await.unwrap();

    let tables = tenant_tables(home).await;
    publish(home, moved, &tables).await;
    follow(&copy, server.url()).await;
    for organization in organizations {
        work(&fixture, organization, "after").await;
    }
    home.store.post_journal().await.unwrap();
    catch_up(home, &copy, moved).await;

    for table in &tables {
        let own = format!("FROM {table} AS line WHERE organization_id = '{moved}'");
        let rows = format!("SELECT string_agg(line::text, chr(10) ORDER BY line::text) {own}");
        assert_eq!(text(&copy, &rows).await, text(home, &rows).await, "{table}");
        let others = format!(
            "SELECT count(*) FROM {table} WHERE organization_id NOT IN ('{moved}', '{PLATFORM}')"
        );
        assert_eq!(number(&copy, &others).await, 0, "{table}");
        let copied = number(&copy, &format!("SELECT count(*) {own}")).await;
        assert!(copied > 0, "{table} is empty: `settle` writes to what messages do not");
    }
    for world in [home, &copy] {
        assert_books_and_counts_are_exact(world, moved).await;
        let found = verified(world).await;
        assert!(found.contains(" is in order"), "{found}");
    }
    assert_eq!(messages(&copy, moved).await, messages(home, moved).await);
    copy.sql("DROP SUBSCRIPTION moved").await;
}

/// Writes everything that an organization has besides messages.
pub(super) async fn settle(world: &World, organization: Id<Organization>) {
    settle_money(world, organization).await;
    settle_keys(world, organization).await;
    settle_campaigns(world, organization).await;
    let id = format!("uuid_v7_in(now(), '{organization}')");
    world
        .sql(&format!(
            "INSERT INTO contacts (id, organization_id, phone, created_at) \
             VALUES ({id}, '{organization}', '+233241234567', now()); \
             INSERT INTO contact_erasures (id, organization_id, phone) \
             VALUES ({id}, '{organization}', '+233241234569'); \
             INSERT INTO erasure_walks (organization_id, reached, until, due_at) \
             VALUES ('{organization}', '{organization}', '{organization}', 'infinity'); \
             INSERT INTO unfinished_erasures (organization_id, message_id, due_at) \
             VALUES ('{organization}', {id}, 'infinity'); \
             INSERT INTO events (organization_id, id, name, slug, channel_priority, templates, \
                is_active, version, created_at) \
             VALUES ('{organization}', {id}, 'e', 'e', '{{SMS}}', '{{}}', true, 1, now()); \
             INSERT INTO triggers (organization_id, id, event, is_sandbox, channels, tried, \
                message_id, drafts, until_status, expires_at) \
             VALUES ('{organization}', {id}, 'e', false, '[]', 1, {id}, '[]', 'SENT', 'infinity'); \
             INSERT INTO segments (organization_id, id, name, rules, is_dynamic, created_at, \
                contact_count) \
             VALUES ('{organization}', '{organization}', 's', '{{}}', false, now(), 0); \
             INSERT INTO segment_members \
             VALUES ('{organization}', '{organization}', '{organization}', '{{{organization}}}'); \
             INSERT INTO suppressions (id, organization_id, phone, created_at) \
             VALUES ({id}, '{organization}', '+233241234568', now()); \
             INSERT INTO suppressions (id, organization_id, email, channel, created_at) \
             VALUES ({id}, '{organization}', 'ama@example.com', 'SMS', now()); \
             INSERT INTO sender_names (id, organization_id, name, channel, country_code, claim, \
                status, created_at) \
             VALUES ({id}, '{organization}', 'Kente', 'SMS', 'GH', 'kente', 'APPROVED', now()); \
             INSERT INTO templates (id, organization_id, name, channel, category, body, status, \
                created_at) \
             VALUES ({id}, '{organization}', 't', 'SMS', 'OTP', 'B', 'APPROVED', now()); \
             INSERT INTO template_versions \
             SELECT organization_id, id, 1, status, category, country_code, language, subject, body, \
                variables, NULL, 0, now(), NULL \
             FROM templates WHERE organization_id = '{organization}'; \
             INSERT INTO approvals (id, organization_id, kind, resource_id, name, body, content_hash, \
                risk_score, issues, requested_by, authors, requested_at) \
             SELECT {id}, organization_id, 'TEMPLATE', id, name, body, sha256('B'), 0, '[]', \
                gen_random_uuid(), '{{}}', now() \
             FROM templates WHERE organization_id = '{organization}'; \
             INSERT INTO audit_log (id, organization_id, at, user_id, action, resource_type, \
                resource_id) \
             VALUES ({id}, '{organization}', now(), gen_random_uuid(), 'a', 'TEMPLATE', {id}); \
             INSERT INTO unsubscribe_codes \
             SELECT organization_id, id, 'c' FROM contacts \
             WHERE organization_id = '{organization}'; \
             INSERT INTO outbound_events (organization_id, id, event, subject_id, data, created_at) \
             VALUES ('{organization}', {id}, 'contact.opted_out', {id}, '{{}}', now()); \
             INSERT INTO sandbox_events VALUES ('{organization}', {id}, {id}); \
             INSERT INTO webhook_endpoints (organization_id, id, url, secret, begins_at, created_at) \
             VALUES ('{organization}', {id}, '', '', now(), now()); \
             INSERT INTO webhook_deliveries (organization_id, endpoint_id, id) \
             SELECT endpoint.organization_id, endpoint.id, event.id FROM webhook_endpoints endpoint \
             JOIN outbound_events event ON event.organization_id = endpoint.organization_id \
             WHERE endpoint.organization_id = '{organization}'"
        ))
        .await;
}

async fn settle_campaigns(world: &World, organization: Id<Organization>) {
    let id = format!("uuid_v7_in(now(), '{organization}')");
    world
        .sql(&format!(
            "INSERT INTO campaigns (id, organization_id, name, channel, created_by, authors, created_at, \
                updated_at) \
             VALUES ({id}, '{organization}', 'c', 'SMS', gen_random_uuid(), '{{}}', now(), now()); \
             INSERT INTO campaign_counts (organization_id, campaign_id, status, messages) \
             VALUES ('{organization}', {id}, 'SENT', 1); \
             INSERT INTO campaign_reasons (organization_id, campaign_id, reason, messages) \
             VALUES ('{organization}', {id}, 'UNDELIVERED', 1); \
             INSERT INTO campaign_skips (organization_id, campaign_id, contact_id, reason) \
             VALUES ('{organization}', {id}, {id}, 'NO_ADDRESS')"
        ))
        .await;
}

/// Writes an API key of an organization and its calls, and its closing.
async fn settle_keys(world: &World, organization: Id<Organization>) {
    let id = format!("uuid_v7_in(now(), '{organization}')");
    world
        .sql(&format!(
            "INSERT INTO organization_closings (organization_id, closed_by, forfeits, closed_at) \
             VALUES ('{organization}', gen_random_uuid(), false, now()); \
             INSERT INTO api_keys (id, organization_id, hash, name, prefix, scopes, is_sandbox, \
                created_at) \
             VALUES ({id}, '{organization}', sha256('{organization}'), 'k', 'p', '{{}}', false, now()); \
             INSERT INTO api_key_calls VALUES ('{organization}', {id}, current_date, 1, 0); \
             INSERT INTO refused_calls (organization_id, call_id, request_id, method, path, status, \
                code, message, address, is_sampled, at) \
             VALUES ('{organization}', {id}, 'r', 'GET', '/', 404, 'NOT_FOUND', 'm', 'a', false, now()); \
             INSERT INTO request_keys (organization_id, user_id, is_sandbox, key, claim_id, \
                leased_until, expires_at) \
             VALUES ('{organization}', {id}, false, 'k', {id}, now(), now())"
        ))
        .await;
}

/// Writes imports and recommendations of an organization.
pub(super) async fn settle_imports(world: &World, organization: Id<Organization>) {
    let id = format!("uuid_v7_in(now(), '{organization}')");
    world
        .sql(&format!(
            "INSERT INTO imports (id, organization_id, kind, status, total_rows, failed_rows, \
                created_at) \
             VALUES ({id}, '{organization}', 'CONTACTS', 'PROCESSING', 2, 1, now()); \
             INSERT INTO import_chunks (organization_id, import_id, number, first_row, bytes) \
             SELECT organization_id, id, 1, 3, 'x' FROM imports \
             WHERE organization_id = '{organization}'; \
             INSERT INTO imported_contacts (organization_id, import_id, number, written_at, \
                contact_ids) \
             SELECT organization_id, id, 0, now(), ARRAY[id] FROM imports \
             WHERE organization_id = '{organization}'; \
             INSERT INTO import_errors (organization_id, import_id, row_number, reason) \
             SELECT organization_id, id, 2, 'r' FROM imports \
             WHERE organization_id = '{organization}'; \
             INSERT INTO scheduled_messages (organization_id, id, due_at, priority, line) \
             VALUES ('{organization}', {id}, now() + interval '1 day', 2, 0); \
             INSERT INTO message_resends (organization_id, message_id, replacement_id) \
             VALUES ('{organization}', {id}, {id}); \
             INSERT INTO resend_tasks (organization_id, id, status, messages_since, position, \
                is_sandbox, message_count, is_capped, created_at) \
             VALUES ('{organization}', {id}, 'QUEUED', {id}, {id}, false, 1, false, now()); \
             INSERT INTO log_exports (organization_id, id, created_by, status, created_at) \
             VALUES ('{organization}', {id}, {id}, 'PREPARING', now()); \
             INSERT INTO log_export_parts (organization_id, export_id, number, bytes) \
             SELECT organization_id, id, 0, 'x' FROM log_exports \
             WHERE organization_id = '{organization}'; \
             INSERT INTO contact_jobs (organization_id, id, kind, status, added_tags, removed_tags, \
                contact_count, created_by, created_at) \
             VALUES ('{organization}', {id}, 'TAG', 'QUEUED', '{{vip}}', '{{}}', 1, {id}, now()); \
             INSERT INTO contact_job_parts \
             SELECT organization_id, id, id, ARRAY[id] FROM contact_jobs \
             WHERE organization_id = '{organization}'; \
             INSERT INTO recommendations (organization_id, items, due_at) \
             VALUES ('{organization}', '[]', now())"
        ))
        .await;
}

pub(super) async fn settle_traffic(world: &World, organization: Id<Organization>) {
    let id = format!("uuid_v7_in(now(), '{organization}')");
    world
        .sql(&format!(
            "INSERT INTO traffic_hours VALUES ('{organization}', 23324, now(), 1, 1); \
             INSERT INTO traffic_days VALUES ('{organization}', 'GH', current_date, 1); \
             INSERT INTO traffic_alerts (organization_id, id, operator_range, day, found_at, codes, \
                delivered, normal_codes, normal_delivered, others_codes, others_delivered, \
                others_normal_codes, others_normal_delivered) \
             VALUES ('{organization}', {id}, 23324, current_date, now(), 1, 1, 1, 1, 1, 1, 1, 1); \
             INSERT INTO notices (organization_id, id, kind, key, data) \
             VALUES ('{organization}', {id}, 'LOW_BALANCE', 'low-balance-1', '{{}}')"
        ))
        .await;
}

async fn settle_money(world: &World, organization: Id<Organization>) {
    let id = format!("uuid_v7_in(now(), '{organization}')");
    world
        .sql(&format!(
            "INSERT INTO wallet_credits (organization_id, id, kind, reference, amount_micros, \
                created_at, is_entered) \
             VALUES ('{organization}', {id}, 'TOP_UP', 'r', 1, now(), true); \
             INSERT INTO wallet_corrections (organization_id, id, amount_micros, reason, made_by, \
                created_at) \
             VALUES ('{organization}', {id}, 1, 'r', gen_random_uuid(), now()); \
             INSERT INTO invoices (organization_id, id, number, kind, status, amount_micros, issued_at) \
             VALUES ('{organization}', {id}, 1, 'TOP_UP', 'OPEN', 1, now()); \
             INSERT INTO invoice_numbers VALUES ('{organization}', 1); \
             INSERT INTO top_ups (organization_id, id, reference, amount_micros, method, status, \
                requested_by, created_at) \
             VALUES ('{organization}', {id}, 'r', 1, 'card', 'ABANDONED', gen_random_uuid(), now())"
        ))
        .await;
}

/// Accepts five messages of an organization: one is delivered, one fails and is refunded, one is
/// reported on, one awaits a report, and one is still to be sent.
pub(super) async fn work(fixture: &IntakeFixture, organization: Id<Organization>, key: &str) {
    let messages: Vec<_> = (0..5).map(|_| IntakeFixture::message_of(organization)).collect();
    let idempotency =
        Idempotency { key: key.into(), is_sandbox: false, fingerprint: [7; 32], gaps: Vec::new() };
    let submission = Submission {
        organization,
        idempotency: Some(idempotency),
        ..fixture.submission(&messages)
    };
    let receipt = fixture.intake.accept(submission).await.unwrap();
    assert!(matches!(receipt, Receipt::Accepted(_)), "{receipt:?}");
    let jobs = fixture.jobs.claim(&ClaimLimits::any(10)).await.unwrap();
    let [delivered, failed, reported, awaited, _]: [Job; 5] = jobs.try_into().unwrap();

    let confirmed = || DeliveryEvent::Confirmed { at: now() };
    let failure = Failure::new(FailureCode::Undelivered, "absent");
    let reports = taken(&reported, &format!("{key}-1"));
    let mut message = reports.message.clone();
    message.delivery = message.delivery.after(confirmed()).unwrap();
    let report = ReportApplied {
        from: reports.message.delivery.status(),
        message,
        due_in: None,
        event: None,
    };
    let confirmed = dispatched(&delivered).after(confirmed()).unwrap();
    let rejected = dispatched(&failed).after(DeliveryEvent::Rejected { at: now(), failure });
    for step in [
        delivered.conclude(confirmed).into(),
        failed.conclude(rejected.unwrap()).into(),
        reports.into(),
        report.into(),
        taken(&awaited, &format!("{key}-2")).into(),
    ] {
        assert_eq!(fixture.jobs.record(step).await.unwrap(), Recorded::Done);
    }
}

fn dispatched(job: &Job) -> Delivery {
    job.message.delivery.after(DeliveryEvent::Dispatched).unwrap()
}

/// The step of a job whose message a provider accepted under `reference`, and which the recipient
/// can answer.
pub(super) fn taken(job: &Job, reference: &str) -> JobConcluded {
    let (reference, follow_up) = (Some(reference.to_owned()), FollowUp::Report);
    let outcome = Outcome::Accepted { reference, follow_up };
    let mut job = job.clone();
    job.message.provider = Some("first".into());
    job.message.attempts = vec![Attempt::start("first", now()).end(now(), &outcome)];
    let sent = dispatched(&job).after(DeliveryEvent::Accepted { at: now() }).unwrap();
    JobConcluded { due_in: Some(minutes(10)), can_be_answered: true, ..job.conclude(sent) }
}

pub(super) async fn tenant_tables(world: &World) -> Vec<String> {
    let query = "\
        SELECT relname::text FROM pg_class WHERE obj_description(oid, 'pg_class') = 'tenant' \
            AND relkind IN ('r', 'p') AND NOT relispartition";
    let rows = world.client().await.query(query, &[]).await.unwrap();
    rows.iter().map(|row| row.get(0)).collect()
}

/// Publishes the rows of one organization to another server.
async fn publish(world: &World, organization: Id<Organization>, tables: &[String]) {
    let own = |table: &String| format!("{table} WHERE (organization_id = '{organization}')");
    let tables: Vec<_> = tables.iter().map(own).collect();
    let publish = format!(
        "CREATE PUBLICATION moved FOR TABLE {} WITH (publish_via_partition_root = true)",
        tables.join(", ")
    );
    world.sql(&publish).await;
}

/// Subscribes to a server, and waits until the present rows are copied.
async fn follow(world: &World, url: &str) {
    world.sql(&format!("CREATE SUBSCRIPTION moved CONNECTION '{url}' PUBLICATION moved")).await;
    let left = "SELECT count(*) FROM pg_subscription_rel WHERE srsubstate <> 'r'";
    until("all tables are copied", async || number(world, left).await == 0).await;
}

/// Waits until the other server has everything committed by now. Commits are applied in order, so a
/// mark that is written last arrives last. Positions of the write-ahead log are no measure: a
/// commit that does not wait for its flush is behind `pg_current_wal_lsn()` for a while.
async fn catch_up(world: &World, copy: &World, organization: Id<Organization>) {
    let touch = format!(
        "UPDATE wallets SET updated_at = clock_timestamp() \
         WHERE organization_id = '{organization}' RETURNING updated_at::text"
    );
    let mark = text(world, &touch).await;
    let copied =
        format!("SELECT updated_at::text FROM wallets WHERE organization_id = '{organization}'");
    until("the copy has caught up", async || text(copy, &copied).await == mark).await;
}

/// Asserts that the balance is the sum of the ledger and that the counts are those of the log.
async fn assert_books_and_counts_are_exact(world: &World, organization: Id<Organization>) {
    let balance = "SELECT balance_micros FROM wallet_balances";
    let ledger = "SELECT sum(amount_micros)::bigint FROM ledger";
    let of = |query: &str| format!("{query} WHERE organization_id = '{organization}'");
    let spent =
        Money::from_cedis(100).micros() - 8 * crate::messaging::intake_fixture::PRICE.micros();
    assert_eq!(number(world, &of(balance)).await, spent);
    assert_eq!(number(world, &of(ledger)).await, spent);
    let counts = format!(
        "SELECT string_agg(status || messages, ' ' ORDER BY status) FROM ( \
            SELECT status, sum(messages) AS messages FROM delivery_log_counts \
            WHERE organization_id = '{organization}' AND span = 'DAY' GROUP BY status \
            HAVING sum(messages) <> 0) AS counted"
    );
    let counts = text(world, &counts).await;
    assert_eq!(counts.as_deref(), Some("DELIVERED4 FAILED2 QUEUED2 SENT2"));
}

/// The messages of an organization, as its members see them.
async fn messages(world: &World, organization: Id<Organization>) -> Vec<Message> {
    let page = Page::new(None, Some(100)).unwrap();
    let log = world.delivery_logs();
    let found = log.page(organization, &LogFilter::default(), page).await.unwrap();
    assert_eq!(found.items.len(), 10);
    found.items
}

pub(super) async fn number(world: &World, query: &str) -> i64 {
    world.client().await.query_one(query, &[]).await.unwrap().get(0)
}

async fn text(world: &World, query: &str) -> Option<String> {
    world.client().await.query_one(query, &[]).await.unwrap().get(0)
}
