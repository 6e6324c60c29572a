//! Retention of messages in the log and of their events.

use std::time::Duration;

use adapters_postgres::PgStore;
use app::clock::SystemClock;
use chrono::{DateTime, Datelike, Months, NaiveTime, TimeDelta, Utc};
use domain::{
    messaging::{delivery_log::LogFilter, job::Step, message::Message},
    shared::{
        id::Id, money::Money, page::Page, retention::RetentionDays, webhook_event::WebhookEvent,
    },
    webhooks::outbound_event::OutboundEvent,
};
use ports::{
    messaging::messages::{ClaimLimits, Intake, Jobs, Recorded},
    shared::clock::Clock,
};
use uuid::Uuid;

use crate::{
    World,
    messaging::{
        delivery_logs::{FILL, filters, ids, reference},
        intake_fixture::IntakeFixture,
    },
    shared::locks::failed,
};

const LOG: &str = "delivery_logs";

/// Start of the month that many months ago.
fn month(ago: u32) -> DateTime<Utc> {
    let first = SystemClock.now().date_naive().with_day(1).unwrap();
    (first - Months::new(ago)).and_time(NaiveTime::MIN).and_utc()
}

/// Retention with which the log begins with that month, which is more than a month ago.
fn kept_from(ago: u32) -> RetentionDays {
    let days = (SystemClock.now() - month(ago)).num_days();
    RetentionDays::new(days.try_into().unwrap()).unwrap()
}

/// Creates the partitions of the months before this one.
async fn prepare_past(world: &World, tables: &[&str], months: i32) {
    for table in tables {
        let prepare = format!(
            "SELECT prepare_month('{table}', -ago) FROM generate_series(1, {months}) AS ago"
        );
        world.sql(&prepare).await;
    }
}

/// Number of monthly partitions of a table that ended before a moment.
async fn ended(world: &World, table: &str, before: DateTime<Utc>) -> i64 {
    let query = format!(
        "SELECT count(*) FROM pg_inherits JOIN pg_class child ON child.oid = inhrelid \
         WHERE inhparent = '{table}'::regclass AND relname ~ '_[0-9]{{4}}_[0-9]{{2}}$' \
             AND end_of_month(relname::text) <= '{before}'"
    );
    world.client().await.query_one(&query, &[]).await.unwrap().get(0)
}

impl IntakeFixture {
    /// A fixture with partitions of the log for half a year.
    async fn with_past() -> Self {
        let fixture = Self::open(Money::from_cedis(100)).await;
        prepare_past(&fixture.world, &[LOG], 6).await;
        fixture
    }

    /// Accepts that many messages dated the fifth day of that month.
    async fn accept_in(&self, ago: u32, count: usize) -> Vec<Message> {
        let created_at = month(ago) + TimeDelta::days(4);
        let message = || Message {
            id: Id::new_in(created_at, self.organization),
            created_at,
            ..self.message()
        };
        let messages: Vec<_> = std::iter::repeat_with(message).take(count).collect();
        self.intake.accept(self.submission(&messages)).await.unwrap();
        messages
    }

    /// Ends all messages.
    async fn end_all(&self) {
        loop {
            let jobs = self.jobs.claim(&ClaimLimits::any(10)).await.unwrap();
            if jobs.is_empty() {
                return;
            }
            for job in jobs {
                assert_eq!(self.jobs.record(failed(job)).await.unwrap(), Recorded::Done);
            }
        }
    }

    /// The total that the log reports, and the number of messages that it shows.
    async fn shown(&self) -> (u64, usize) {
        let page = Page::new(Some(1), Some(100)).unwrap();
        let logs = self.world.delivery_logs();
        let paged = logs.page(self.organization, &LogFilter::default(), page).await.unwrap();
        (paged.total, paged.items.len())
    }

    async fn check(&self) -> String {
        let store = PgStore::connect_maintenance(&self.world.url, 1).unwrap();
        store.check_counters().await.unwrap().to_string()
    }
}

#[tokio::test]
async fn dropping_a_month_updates_totals_and_keeps_counters() {
    let fixture = IntakeFixture::with_past().await;
    for (ago, count) in [(5, 3), (4, 2), (2, 4), (0, 1)] {
        fixture.accept_in(ago, count).await;
    }
    fixture.end_all().await;
    fixture.world.store.post_journal().await.unwrap();
    let counted = "SELECT sum(messages)::bigint FROM delivery_log_counts WHERE span = 'DAY'";
    let ledger = "SELECT count(*) FROM ledger";
    let entries = fixture.number(ledger).await;
    assert_eq!((fixture.shown().await, fixture.number(counted).await), ((10, 10), 10));

    fixture.world.store.drop_old_logs(kept_from(2)).await.unwrap();

    assert_eq!(fixture.shown().await, (5, 5));
    assert_eq!(ended(&fixture.world, LOG, month(2)).await, 0);
    assert_eq!(ended(&fixture.world, LOG, month(0)).await, 2);
    assert_eq!((fixture.number(counted).await, fixture.number(ledger).await), (10, entries));
    assert_eq!(
        fixture.check().await,
        "the counters are in order: 5 messages of 2 days were counted, and 2 days have no log any more"
    );
    fixture.world.store.drop_old_logs(kept_from(2)).await.unwrap();
    assert_eq!(fixture.shown().await, (5, 5));
}

#[tokio::test]
async fn pages_after_a_drop_match_the_remaining_log() {
    let world = World::alone().await;
    prepare_past(&world, &[LOG], 6).await;
    let own = world.organization().await.id;
    let fill =
        FILL.replace("ORGANIZATION", &own.to_string()).replace("random() < 0.3", "false").replace(
            "date_trunc('day', now(), 'UTC') - interval '50 days'",
            &format!("'{}'::timestamptz", month(3) + TimeDelta::days(10)),
        );
    world.sql(&fill).await;
    let before = reference(&world, own, &LogFilter::default()).await.len();

    world.store.drop_old_logs(kept_from(2)).await.unwrap();

    let left = reference(&world, own, &LogFilter::default()).await.len();
    assert!(left > 0 && left < before, "{left} of {before}");
    for filter in filters() {
        let all = reference(&world, own, &filter).await;
        for number in 1..=i64::try_from(all.len() / 90 + 2).unwrap() {
            let page = Page::new(Some(number), Some(90)).unwrap();
            let paged = world.delivery_logs().page(own, &filter, page).await.unwrap();
            let begin = usize::try_from(page.offset()).unwrap().min(all.len());
            let shown = &all[begin..(begin + 90).min(all.len())];
            assert_eq!(ids(&paged.items), shown, "{filter:?} {page:?}");
            assert_eq!(paged.total, all.len() as u64, "{filter:?}");
        }
    }
}

#[tokio::test]
async fn a_month_and_its_total_are_dropped_together_or_not_at_all() {
    let fixture = IntakeFixture::with_past().await;
    fixture.accept_in(6, 3).await;
    fixture.accept_in(5, 2).await;
    fixture.accept_in(0, 1).await;
    fixture.end_all().await;
    let days = kept_from(2).get();
    let drop =
        format!("SELECT month IS NOT NULL AND is_dropped FROM drop_oldest_month_of_log({days})");
    let mut client = fixture.world.client().await;

    let transaction = client.transaction().await.unwrap();
    assert!(transaction.query_one(&drop, &[]).await.unwrap().get::<_, bool>(0));
    transaction.rollback().await.unwrap();
    assert_eq!(fixture.shown().await, (6, 6));
    for left in [3, 1] {
        assert!(client.query_one(&drop, &[]).await.unwrap().get::<_, bool>(0));
        assert_eq!(fixture.shown().await, (left, usize::try_from(left).unwrap()));
        assert!(fixture.check().await.starts_with("the counters are in order: "));
    }

    fixture.world.store.drop_old_logs(kept_from(2)).await.unwrap();
    assert_eq!(fixture.shown().await, (1, 1));
    assert_eq!(ended(&fixture.world, LOG, month(2)).await, 0);
}

#[tokio::test]
async fn an_unfinished_message_keeps_its_month_and_all_later_ones() {
    let fixture = IntakeFixture::with_past().await;
    fixture.accept_in(6, 1).await;
    fixture.accept_in(4, 1).await;
    fixture.end_all().await;
    fixture.accept_in(5, 1).await;

    fixture.world.store.drop_old_logs(kept_from(2)).await.unwrap();

    assert_eq!((fixture.shown().await, ended(&fixture.world, LOG, month(2)).await), ((2, 2), 3));
    let kept =
        format!("SELECT count(*) FROM delivery_log_retention WHERE kept_since = '{}'", month(5));
    assert_eq!(fixture.number(&kept).await, 1);

    fixture.end_all().await;
    fixture.world.store.drop_old_logs(kept_from(2)).await.unwrap();

    assert_eq!((fixture.shown().await, ended(&fixture.world, LOG, month(2)).await), ((0, 0), 0));
}

#[tokio::test]
async fn messages_dated_before_the_log_are_hidden_and_deleted() {
    let fixture = IntakeFixture::with_past().await;
    fixture.accept_in(30, 3).await;
    fixture.accept_in(0, 1).await;
    fixture.end_all().await;
    assert_eq!(fixture.shown().await, (4, 4));

    fixture.world.store.drop_old_logs(kept_from(2)).await.unwrap();
    assert_eq!(fixture.shown().await, (1, 1), "they are hidden");
    let waiting = fixture.accept_in(31, 1).await;
    fixture.world.store.maintain().await.unwrap();

    let rows = "SELECT count(*) FROM delivery_logs_other";
    assert_eq!(fixture.number(rows).await, 1, "one is still to be sent");
    assert_eq!(
        fixture.jobs.claim(&ClaimLimits::any(10)).await.unwrap()[0].message.id,
        waiting[0].id
    );
    fixture.world.sql("DELETE FROM delivery_jobs").await;
    fixture.world.store.maintain().await.unwrap();
    assert_eq!((fixture.number(rows).await, fixture.shown().await), (0, (1, 1)));
}

#[tokio::test]
async fn a_long_read_blocks_the_dropping_but_no_writer() {
    let fixture = IntakeFixture::with_past().await;
    fixture.accept_in(5, 1).await;
    fixture.end_all().await;
    let reader = fixture.world.client().await;
    reader.batch_execute("BEGIN; SELECT count(*) FROM delivery_logs").await.unwrap();

    let drop = async { fixture.world.store.drop_old_logs(kept_from(2)).await };
    let send = async {
        for _ in 0..100 {
            fixture.accept_in(0, 1).await;
            tokio::time::sleep(Duration::from_millis(30)).await;
        }
    };
    let (dropped, ()) = tokio::join!(drop, async {
        tokio::time::timeout(Duration::from_secs(60), send).await.expect("senders go on");
    });

    assert!(dropped.is_err(), "it tells that it did not get the table");
    assert_eq!(fixture.shown().await.0, 101);
    reader.batch_execute("COMMIT").await.unwrap();
    fixture.world.store.drop_old_logs(kept_from(2)).await.unwrap();
    assert_eq!(fixture.shown().await, (100, 100));
}

#[tokio::test]
async fn webhook_months_are_dropped_thirty_days_after_they_end() {
    let world = World::alone().await;
    let tables = ["webhook_deliveries", "outbound_events"];
    prepare_past(&world, &tables, 4).await;
    let limit = SystemClock.now() - TimeDelta::days(30);
    let insert = format!(
        "WITH told AS ( \
            INSERT INTO outbound_events (organization_id, id, event, data, created_at) \
            SELECT '{own}', uuid_v7(at), 'contact.opted_out', '{{}}', at \
            FROM generate_series(now() - interval '398 days', now(), interval '5 days') AS at \
            RETURNING id) \
         INSERT INTO webhook_deliveries (organization_id, endpoint_id, id) \
         SELECT '{own}', '{own}', id FROM told",
        own = Uuid::nil()
    );
    world.sql(&insert).await;
    let old: i64 = ended(&world, tables[0], limit).await;
    assert!(old >= 2, "{old}");

    world.store.maintain().await.unwrap();

    for table in tables {
        assert_eq!(ended(&world, table, limit).await, 0, "{table}");
        let kept = format!(
            "SELECT count(*) FILTER (WHERE id >= uuid_floor(now() - interval '30 days')), \
                bool_and(tableoid <> '{table}_other'::regclass) FROM {table}"
        );
        let kept = world.client().await.query_one(&kept, &[]).await.unwrap();
        assert_eq!((kept.get::<_, i64>(0), kept.get::<_, bool>(1)), (6, true), "{table}");
    }
}

#[tokio::test]
async fn events_of_a_sandbox_message_are_deleted_with_it() {
    let fixture = IntakeFixture::open(Money::from_cedis(100)).await;
    let own = fixture.organization;
    fixture
        .world
        .sql(&format!(
            "INSERT INTO webhook_endpoints (organization_id, id, url, secret, begins_at, created_at) \
             VALUES ('{own}', '{own}', '', '', '-infinity', now()), \
                 ('{own}', gen_random_uuid(), '', '', '-infinity', now())"
        ))
        .await;
    let (old, young) = (SystemClock.now() - TimeDelta::days(8), SystemClock.now());
    for (is_sandbox, created_at) in [(true, old), (true, young), (false, old)] {
        let id = Id::new_in(created_at, own);
        let message = Message { id, created_at, is_sandbox, ..fixture.message() };
        fixture.intake.accept(fixture.submission(&[message])).await.unwrap();
    }
    for job in fixture.jobs.claim(&ClaimLimits::any(10)).await.unwrap() {
        let step = publishing(failed(job));
        assert_eq!(fixture.jobs.record(step).await.unwrap(), Recorded::Done);
    }
    let rows = async |table: &str| fixture.number(&format!("SELECT count(*) FROM {table}")).await;
    assert_eq!((rows("outbound_events").await, rows("webhook_deliveries").await), (3, 6));
    assert_eq!(rows("sandbox_events").await, 2);

    fixture.world.store.maintain().await.unwrap();

    assert_eq!((rows("outbound_events").await, rows("webhook_deliveries").await), (2, 4));
    assert_eq!((rows("sandbox_events").await, rows("delivery_logs").await), (1, 2));
}

/// The same step, with the event to publish.
fn publishing(step: Step) -> Step {
    let message = step.message();
    let event = OutboundEvent {
        id: Id::new_in(message.created_at, message.organization),
        organization: message.organization,
        event: WebhookEvent::MessageStatusUpdated,
        subject: message.id.uuid(),
        data: "{}".into(),
        at: message.created_at,
    };
    step.publishing(event)
}
