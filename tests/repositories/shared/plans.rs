//! Bulk writes and queues on tables without statistics or with outdated ones: each row is still
//! found by its key.

use std::fmt::Write;

use adapters_postgres::PgStore;
use app::clock::SystemClock;
use domain::{
    audience::import::{ContactTable, Import, ImportKind},
    identity::organization::Organization,
    messaging::{delivery_log::LogFilter, message::Metadata},
    platform::message_figures::{Dimension, FiguresRequest},
    shared::id::Id,
};
use futures_util::future::join_all;
use ports::{
    audience::imports::{ImportQueue, ImportRepository},
    messaging::delivery_logs::DeliveryLogRepository,
    outreach::{campaign_queue::CampaignQueue, events::TriggerRepository},
    platform::analytics::AnalyticsRepository,
    shared::clock::Clock,
};
use testkit::is_long;

use crate::{World, audience::imports::upload, messaging::claims::COUNTING, now};

/// Rows of a file, enough for several chunks.
const ROWS: usize = 3_000;

/// Statistics of the tables before the first file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Statistics {
    Nothing,
    /// The tables are empty.
    Empty,
    /// Others' contacts, who have no mail address.
    Others,
}

/// A store on one connection, which therefore keeps its plans and reports its statistics.
fn queues(world: &World) -> PgStore {
    PgStore::connect_queues(&world.url, 1).unwrap()
}

/// Number of rows read of a table so far, once `queue` has reported its statistics.
pub(crate) async fn read_of(world: &World, queue: &PgStore, table: &str) -> i64 {
    tokio::time::sleep(COUNTING).await;
    assert!(queue.has_settings_of_writers().await.is_ok());
    let read = format!(
        "SELECT seq_tup_read + (SELECT sum(idx_tup_read) FROM pg_stat_user_indexes \
            WHERE relname = '{table}')::bigint \
         FROM pg_stat_user_tables WHERE relname = '{table}'"
    );
    world.client().await.query_one(&read, &[]).await.unwrap().get(0)
}

fn file(has_emails: bool) -> String {
    let mut file = if has_emails { "phone,email\n" } else { "phone\n" }.to_owned();
    for number in 0..ROWS {
        write!(file, "024{number:07}").unwrap();
        if has_emails {
            write!(file, ",ama{number}@example.com").unwrap();
        }
        file.push('\n');
    }
    file
}

/// Imports a file, and returns the import and the number of contacts read for it.
async fn import(
    world: &World,
    queue: &PgStore,
    organization: Id<Organization>,
    has_emails: bool,
) -> (Import, i64) {
    let before = read_of(world, queue, "contacts").await;
    let import = upload(world, organization, ImportKind::Contacts, &file(has_emails)).await;
    while let Some(chunk) = ImportQueue::claim(queue).await.unwrap() {
        let table = ContactTable::new(chunk.layout.clone()).unwrap();
        let rows = table.rows(&chunk.chunk, chunk.organization, now());
        queue.write_contacts(&chunk, &rows).await.unwrap();
    }
    let read = read_of(world, queue, "contacts").await - before;
    let imports: &dyn ImportRepository = &world.store;
    let done = imports.find(organization, ImportKind::Contacts, import.id).await;
    (done.unwrap().unwrap(), read)
}

async fn prepare(world: &World, statistics: Statistics) {
    match statistics {
        Statistics::Nothing => {}
        Statistics::Empty => world.sql("ANALYZE").await,
        Statistics::Others => {
            world
                .sql(
                    "INSERT INTO organizations (id, name, created_at) \
                     SELECT uuid_v7(now()), 'Others', now() FROM generate_series(1, 100); \
                     INSERT INTO contacts (id, organization_id, phone, created_at) \
                     SELECT uuid_v7_in(now(), organization.id), organization.id, \
                        '+2335' || lpad(number::text, 8, '0'), now() \
                     FROM organizations organization, generate_series(1, 50) AS number \
                     WHERE organization.name = 'Others'; \
                     ANALYZE",
                )
                .await;
        }
    }
}

#[tokio::test]
async fn the_first_import_reads_no_more_contacts_than_later_ones() {
    let mut cases = Vec::new();
    for statistics in [Statistics::Nothing, Statistics::Empty, Statistics::Others] {
        for has_emails in [false, true] {
            if is_long() || has_emails == (statistics == Statistics::Others) {
                cases.push(import_thrice(statistics, has_emails));
            }
        }
    }
    // Side by side, since each waits for the server to count.
    join_all(cases).await;
}

async fn import_thrice(statistics: Statistics, has_emails: bool) {
    let world = World::alone().await;
    prepare(&world, statistics).await;
    let organization = world.organization().await.id;
    let queue = queues(&world);

    let (first, found) = import(&world, &queue, organization, has_emails).await;
    let (again, found_again) = import(&world, &queue, organization, has_emails).await;
    world.sql("VACUUM ANALYZE").await;
    let (last, found_at_last) = import(&world, &queue, organization, has_emails).await;

    let rows = u32::try_from(ROWS).unwrap();
    assert_eq!((first.created, again.updated, last.updated), (rows, rows, rows));
    let case = format!("{statistics:?}, emails: {has_emails}");
    assert_eq!(found, 0, "nobody was there, {case}");
    assert!(found_at_last > i64::from(rows), "{found_at_last} are counted, {case}");
    assert!(found_again <= found_at_last * 11 / 10, "{found_again} of {found_at_last}, {case}");
}

/// Number of organizations in each queue, and of those that take a turn.
const MANY: i64 = 1_000;
const TURNS: i64 = 50;
/// Statements that fill the queues.
const FILL: [(&str, &str); 3] = [
    (
        "campaigns",
        "INSERT INTO campaigns (organization_id, id, name, channel, body, status, created_by, authors, \
            created_at, updated_at, due_at) \
         SELECT owner, owner, 'c', 'SMS', 'B', 'SENDING', owner, '{}', due, due, due FROM owners",
    ),
    (
        "imports",
        "INSERT INTO imports (organization_id, id, kind, status, delimiter, encoding, header, total_rows, \
            created_at, due_at) \
         SELECT owner, owner, 'CONTACTS', 'QUEUED', ',', 'UTF-8', '{phone}', 1, due, due FROM owners",
    ),
    (
        "triggers",
        "INSERT INTO triggers (organization_id, id, event, is_sandbox, channels, tried, message_id, \
            drafts, until_status, expires_at, due_at) \
         SELECT owner, owner, 'e', false, '[]', 1, owner, '[]', 'SENT', 'infinity', due FROM owners",
    ),
];

/// Takes the next item of a queue. Its outcome does not matter.
async fn take(queue: &PgStore, table: &str) {
    match table {
        "campaigns" => drop(CampaignQueue::claim(queue, 1).await),
        "imports" => drop(ImportQueue::claim(queue).await),
        _ => drop(TriggerRepository::take_due(queue, 1, &[]).await),
    }
}

#[tokio::test]
async fn plans_made_for_empty_queues_read_few_rows_of_full_ones() {
    join_all(FILL.map(|(table, fill)| plans_made_for_an_empty_queue(table, fill))).await;
}

async fn plans_made_for_an_empty_queue(table: &str, fill: &str) {
    let world = World::alone().await;
    world.sql("ANALYZE").await;
    let queue = queues(&world);
    // Enough times for a generic plan.
    for _ in 0..10 {
        take(&queue, table).await;
    }
    let owners = format!(
        "WITH owners AS (SELECT md5(number::text)::uuid AS owner, now() - interval '1 hour' AS due \
            FROM generate_series(1, {MANY}) AS number)"
    );
    world.sql(&format!("{owners} {fill}")).await;
    let before = read_of(&world, &queue, table).await;

    for _ in 0..TURNS {
        take(&queue, table).await;
    }

    let read = read_of(&world, &queue, table).await - before;
    // Dead versions of rows that had their turn are read until a vacuum; waiting rows are not.
    let is_little = (TURNS..TURNS * MANY / 10).contains(&read);
    assert!(is_little, "{read} rows of {table} were read");
}

/// Messages of others in the log, and the most that a search for a single one may read: by metadata it
/// looks at the newest thousand first.
const OTHERS: i64 = 20_000;
const FEW: i64 = 100;
const FEW_WITH_METADATA: i64 = 5_000;

#[tokio::test]
async fn a_message_is_found_by_recipient_or_metadata_without_reading_all_others() {
    let world = World::alone().await;
    let own = world.organization().await.id;
    world
        .sql(&format!(
            "INSERT INTO delivery_logs (id, organization_id, channel, status, recipient, \
                    country_code, category, priority, body, segments, cost_micros, is_sandbox, \
                    is_confidential, created_at, sent_at, metadata) \
                 SELECT uuid_v7_in(now(), '{own}'), '{own}', 'SMS', 'SENT', \
                    '+2332' || lpad(number::text, 8, '0'), 'GH', 'TRANSACTIONAL', 2, 'B', 1, 0, \
                    false, false, now(), now(), jsonb_build_object('order', number::text) \
                 FROM generate_series(1, {OTHERS}) AS number"
        ))
        .await;
    // The server gathers statistics of a month within its first minute.
    world.sql("ANALYZE").await;
    let queue = queues(&world);
    let logs: &dyn DeliveryLogRepository = &queue;
    let month = "SELECT 'delivery_logs_' || to_char(now() AT TIME ZONE 'UTC', 'YYYY_MM')";
    let table: String = world.client().await.query_one(month, &[]).await.unwrap().get(0);
    let recipients = Some(vec!["+233200000007".to_owned()]);
    let metadata = Metadata::new([("order".to_owned(), "7".to_owned())].into()).unwrap();

    for (filter, most) in [
        (LogFilter { recipients, ..LogFilter::default() }, FEW),
        (LogFilter { metadata, ..LogFilter::default() }, FEW_WITH_METADATA),
    ] {
        let before = read_of(&world, &queue, &table).await;
        let part = logs.older(own, &filter, None, 20).await.unwrap();
        let read = read_of(&world, &queue, &table).await - before;

        assert_eq!((part.messages.len(), part.next), (1, None), "{filter:?}");
        assert!((1..most).contains(&read), "{read} rows were read for {filter:?}");
    }
}

/// Figures of an organization, and those of others.
const FIGURES: i64 = 300;
const OTHERS_FIGURES: i64 = 30_000;

#[tokio::test]
async fn figures_are_read_from_counters_by_key_and_never_from_the_log() {
    let world = World::alone().await;
    let own = world.organization().await.id;
    world
        .sql(&format!(
            "INSERT INTO delivery_logs (id, organization_id, channel, status, recipient, \
                    country_code, category, priority, body, segments, cost_micros, is_sandbox, \
                    is_confidential, created_at, sent_at) \
                 SELECT uuid_v7_in(now(), '{own}'), '{own}', 'SMS', 'SENT', '+233241234567', 'GH', \
                    'TRANSACTIONAL', 2, 'B', 1, 0, false, false, now(), now() \
                 FROM generate_series(1, {FIGURES}); \
             INSERT INTO message_figures \
                 SELECT owner, dimension, date_trunc('day', now(), 'UTC') - interval '1 day' * number, \
                    'DAY', 'v', 1, 1, 0, 1, 35000 \
                 FROM (SELECT '{own}'::uuid AS owner UNION ALL \
                        SELECT gen_random_uuid() FROM generate_series(1, 100)) AS owners, \
                    unnest('{{COUNTRY,PROVIDER,ERROR_CODE,CAMPAIGN,TEMPLATE,EVENT}}'::text[]) \
                        AS dimension, generate_series(1, {FIGURES} / 6) AS number; \
             ANALYZE"
        ))
        .await;
    let queue = queues(&world);
    let month = "SELECT 'delivery_logs_' || to_char(now() AT TIME ZONE 'UTC', 'YYYY_MM')";
    let log: String = world.client().await.query_one(month, &[]).await.unwrap().get(0);
    let (of_log, of_figures) =
        (read_of(&world, &queue, &log).await, read_of(&world, &queue, "message_figures").await);

    for by in Dimension::ALL {
        let request = FiguresRequest { by, ..FiguresRequest::default() };
        let query = request.query(SystemClock.now()).unwrap();
        queue.figures(own, &query).await.unwrap();
    }

    assert_eq!(read_of(&world, &queue, &log).await, of_log);
    let read = read_of(&world, &queue, "message_figures").await - of_figures;
    assert!((1..=FIGURES).contains(&read), "{read} of {OTHERS_FIGURES} figures were read");
}
