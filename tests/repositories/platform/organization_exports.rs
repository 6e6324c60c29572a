//! Exports of organizations: all of one, nothing of another, and no secrets.

use std::{
    collections::{BTreeMap, BTreeSet},
    ops::Range,
};

use domain::{
    identity::organization::Organization,
    platform::organization_export::{ExportedList, ExportedRow},
    shared::{id::Id, money::Money},
};
use ports::platform::organization_exports::{OrganizationSnapshot, OrganizationSnapshots};

use super::copying::{settle, settle_imports, settle_traffic, tenant_tables, work};
use crate::{World, messaging::intake_fixture::IntakeFixture};

/// Lists with the table or view from which each is read, and a further condition.
const SOURCES: [(ExportedList, &str, &str); 21] = [
    (ExportedList::ApiKeys, "api_keys", "true"),
    (ExportedList::SenderNames, "sender_names", "true"),
    (ExportedList::Contacts, "contacts", "true"),
    (ExportedList::Suppressions, "suppressions", "true"),
    (ExportedList::Segments, "segments", "true"),
    (ExportedList::SegmentMembers, "segment_members", "true"),
    (ExportedList::Templates, "templates", "true"),
    (ExportedList::TemplateVersions, "template_versions", "true"),
    (ExportedList::Approvals, "approvals", "true"),
    (ExportedList::Events, "events", "true"),
    (ExportedList::Campaigns, "campaigns", "true"),
    (ExportedList::CampaignSkips, "campaign_skips", "true"),
    (ExportedList::Messages, "delivery_logs", "true"),
    (ExportedList::DailyFigures, "delivery_log_counters", "span = 'DAY'"),
    (ExportedList::Wallet, "wallets", "true"),
    (ExportedList::Ledger, "ledger", "true"),
    (ExportedList::TopUps, "top_ups", "true"),
    (ExportedList::Invoices, "invoices", "true"),
    (ExportedList::WebhookEndpoints, "webhook_endpoints", "true"),
    (ExportedList::WebhookDeliveries, "webhook_deliveries", "true"),
    (ExportedList::AuditLog, "audit_log", "true"),
];

/// Tables whose content is in lists of other tables: `ledger` reads three, and a resend is in its
/// message.
const IN_OTHERS: [&str; 5] =
    ["imports", "ledger_entries", "ledger_hours", "message_resends", "wallet_credits"];

/// Tables that are no possession of the organization: work in progress, copies and counts of what is
/// exported, files that end within a day, and figures of the platform about it.
const LEFT_OUT: [&str; 44] = [
    "api_key_calls",
    "audit_heads",
    "campaign_counts",
    "campaign_reasons",
    "campaign_totals",
    "contact_blocks",
    "contact_counts",
    "contact_erasures",
    "contact_job_parts",
    "contact_jobs",
    "conversations",
    "crossing_suppressions",
    "delivery_jobs",
    "delivery_log_slots",
    "erasure_walks",
    "idempotency_keys",
    "import_chunks",
    "import_errors",
    "imported_contacts",
    "invoice_numbers",
    "ledger_heads",
    "log_export_parts",
    "log_exports",
    "message_figures",
    "notices",
    "organization_closings",
    "outbound_events",
    "provider_references",
    "recommendations",
    "refused_calls",
    "request_keys",
    "resend_tasks",
    "sandbox_events",
    "scheduled_messages",
    "suppression_blocks",
    "suppression_counts",
    "template_counts",
    "traffic_alerts",
    "traffic_days",
    "traffic_hours",
    "triggers",
    "unfinished_erasures",
    "unsubscribe_codes",
    "wallet_corrections",
];

type Exported = BTreeMap<&'static str, Vec<ExportedRow>>;

async fn open(world: &World, organization: Id<Organization>) -> Box<dyn OrganizationSnapshot> {
    let snapshots: &dyn OrganizationSnapshots = &world.store;
    snapshots.open(organization).await.unwrap().unwrap()
}

async fn read(snapshot: &mut dyn OrganizationSnapshot, list: ExportedList) -> Vec<ExportedRow> {
    snapshot.begin(list).await.unwrap();
    let mut rows = Vec::new();
    loop {
        let portion = snapshot.next_rows().await.unwrap();
        if portion.is_empty() {
            return rows;
        }
        rows.extend(portion);
    }
}

async fn export(world: &World, organization: Id<Organization>) -> Exported {
    let mut snapshot = open(world, organization).await;
    let mut exported = Exported::new();
    for list in ExportedList::ALL {
        exported.insert(list.as_str(), read(&mut *snapshot, list).await);
    }
    exported
}

/// Returns two organizations, each of which has rows in every table.
async fn two_organizations(fixture: &IntakeFixture) -> [Id<Organization>; 2] {
    let world = &fixture.world;
    let other = world.organization().await.id;
    world.open_wallet(other, Money::from_cedis(100)).await;
    let organizations = [fixture.organization, other];
    for organization in organizations {
        settle(world, organization).await;
        settle_imports(world, organization).await;
        settle_traffic(world, organization).await;
        work(fixture, organization, "before").await;
        let member = world.user().await.id;
        let owner = format!("'{organization}', '{member}', 'TENANT_OWNER', now()");
        world.sql(&format!("INSERT INTO members VALUES ({owner})")).await;
    }
    world.store.post_journal().await.unwrap();
    organizations
}

#[tokio::test]
async fn each_table_of_organizations_is_exported_or_left_out() {
    let sources = SOURCES.iter().map(|(_, table, _)| *table).filter(|table| *table != "ledger");
    let named = sources.chain(IN_OTHERS).chain(LEFT_OUT);
    let named: BTreeSet<_> = named.map(str::to_owned).collect();

    let tables: BTreeSet<_> = tenant_tables(&World::new().await).await.into_iter().collect();

    assert_eq!(named, tables, "`organization_exports/lists.rs` exports what organizations own");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_export_has_every_row_of_the_organization_and_none_of_another() {
    let fixture = IntakeFixture::open(Money::from_cedis(100)).await;
    let world = &fixture.world;
    let [own, _] = two_organizations(&fixture).await;

    let exported = export(world, own).await;

    let client = world.client().await;
    for (list, table, condition) in SOURCES {
        let own_rows = format!("FROM {table} WHERE organization_id = '{own}' AND {condition}");
        let rows = &exported[list.as_str()];
        assert!(!rows.is_empty(), "{list} is empty");
        if list.columns().contains(&"id") {
            let query = format!("SELECT id::text {own_rows}");
            let stored = client.query(&query, &[]).await.unwrap();
            let mut stored: Vec<String> = stored.iter().map(|row| row.get(0)).collect();
            stored.sort();
            let id = |row: &ExportedRow| row.value("id").as_str().unwrap().to_owned();
            let mut found: Vec<_> = rows.iter().map(id).collect();
            found.sort();
            assert_eq!(found, stored, "{list}");
        } else {
            let stored = client.query_one(&format!("SELECT count(*) {own_rows}"), &[]).await;
            let stored: i64 = stored.unwrap().get(0);
            assert_eq!(i64::try_from(rows.len()).unwrap(), stored, "{list}");
        }
    }
    for list in [ExportedList::Organization, ExportedList::Members, ExportedList::Imports] {
        assert_eq!(exported[list.as_str()].len(), 1, "{list}");
    }
    let attempted = |row: &&ExportedRow| row.value("attempts")[0]["provider"] == "first";
    assert!(exported["messages"].iter().any(|row| attempted(&row)), "attempts are exported");
    assert_eq!(exported["wallet"][0].value("currency"), "GHS");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_export_has_no_secrets_and_no_codes() {
    let fixture = IntakeFixture::open(Money::from_cedis(100)).await;
    let world = &fixture.world;
    let [own, _] = two_organizations(&fixture).await;
    let of_own = format!("WHERE organization_id = '{own}'");
    world
        .sql(&format!(
            "UPDATE webhook_endpoints SET secret = 'hush-1', previous_secret = 'hush-2' {of_own}; \
             UPDATE unsubscribe_codes SET code = 'hush-3' {of_own}; \
             UPDATE delivery_logs SET body = 'Code hush-4', subject = 'hush-5', \
                text_notes = '{{\"masked\": {{\"body\": \"Code ••••••\"}}}}' {of_own}; \
             UPDATE users SET password_hash = 'hush-6' \
             WHERE id IN (SELECT user_id FROM members {of_own})"
        ))
        .await;

    let exported = export(world, own).await;

    for row in exported.values().flatten() {
        let line = row.json_line();
        assert!(!line.contains("hush"), "{}: {line}", row.list());
        assert!(!line.contains("\\\\x"), "{}: bytes of a hash: {line}", row.list());
    }
    assert_eq!(exported["messages"][0].value("body"), "Code ••••••");
}

#[tokio::test]
async fn later_writes_are_not_in_a_snapshot() {
    let world = World::new().await;
    let organization = world.organization().await.id;
    add_contacts(&world, organization, 0..1).await;
    let mut snapshot = open(&world, organization).await;
    assert_eq!(read(&mut *snapshot, ExportedList::Organization).await.len(), 1);

    add_contacts(&world, organization, 1..6).await;

    assert_eq!(read(&mut *snapshot, ExportedList::Contacts).await.len(), 1);
    drop(snapshot);
    assert_eq!(export(&world, organization).await["contacts"].len(), 6);
}

#[tokio::test]
async fn a_portion_is_small_however_long_the_list() {
    let world = World::new().await;
    let organization = world.organization().await.id;
    add_contacts(&world, organization, 0..450).await;
    let mut snapshot = open(&world, organization).await;

    snapshot.begin(ExportedList::Contacts).await.unwrap();
    let mut portions = Vec::new();
    for _ in 0..4 {
        portions.push(snapshot.next_rows().await.unwrap().len());
    }

    assert_eq!(portions, [200, 200, 50, 0]);
}

#[tokio::test]
async fn an_unknown_or_erased_organization_has_no_snapshot() {
    let world = World::new().await;
    let organization = world.organization().await.id;
    let snapshots: &dyn OrganizationSnapshots = &world.store;
    assert!(snapshots.open(organization).await.unwrap().is_some());

    world
        .sql(&format!("UPDATE organizations SET erased_at = now() WHERE id = '{organization}'"))
        .await;

    assert!(snapshots.open(organization).await.unwrap().is_none());
    let unknown = "00000000-0000-7000-8000-00000000beef".parse().unwrap();
    assert!(snapshots.open(unknown).await.unwrap().is_none());
}

async fn add_contacts(world: &World, organization: Id<Organization>, numbers: Range<u32>) {
    let Range { start, end } = numbers;
    let add = format!(
        "INSERT INTO contacts (id, organization_id, phone, created_at) \
         SELECT uuid_v7_in(now(), '{organization}'), '{organization}', \
            '+23324' || (1000000 + number), now() \
         FROM generate_series({start}, {end} - 1) AS number"
    );
    world.sql(&add).await;
}
