//! The delivery log.

use chrono::DateTime;
use domain::{
    identity::organization::Organization,
    messaging::{
        attempt::AttemptOutcome,
        delivery::{Delivery, Failure, FailureCode, Status},
        delivery_log::LogFilter,
        message::Message,
    },
    shared::{channel::Channel, id::Id, money::Money, page::Page},
};
use ports::{messaging::messages::Intake, shared::store::StoreError};
use testkit::is_long;
use uuid::Uuid;

use crate::{World, messaging::intake_fixture::IntakeFixture};

#[tokio::test]
async fn a_message_reads_back_in_every_state() {
    let world = World::new().await;
    let own = world.organization().await;
    let at = |minute: i64| DateTime::from_timestamp(1_780_000_000 + 60 * minute, 0).unwrap();
    let failure = || Failure::new(FailureCode::ProviderRejected, "no").with_vendor_code("E7");
    let columns =
        "status, error_code, error_message, vendor_code, sent_at, delivered_at, failed_at";

    for (values, delivery) in [
        ("'QUEUED', NULL, NULL, NULL, NULL, NULL, NULL", Delivery::NEW),
        (
            "'QUEUED', 'PROVIDER_REJECTED', 'no', 'E7', NULL, NULL, NULL",
            Delivery::Queued { last_failure: Some(failure()) },
        ),
        (
            "'PENDING', 'PROVIDER_REJECTED', 'no', 'E7', NULL, NULL, NULL",
            Delivery::Pending { doubt: Some(failure()) },
        ),
        ("'SENT', NULL, NULL, NULL, 'S', NULL, NULL", Delivery::Sent { at: at(1) }),
        (
            "'DELIVERED', NULL, NULL, NULL, 'S', 'D', NULL",
            Delivery::Delivered { sent_at: Some(at(1)), at: at(2) },
        ),
        (
            "'FAILED', 'PROVIDER_REJECTED', 'no', 'E7', 'S', NULL, 'F'",
            Delivery::Failed { sent_at: Some(at(1)), at: at(3), failure: failure() },
        ),
    ] {
        let values = [("'S'", at(1)), ("'D'", at(2)), ("'F'", at(3))]
            .iter()
            .fold(values.to_owned(), |text, (mark, at)| text.replace(mark, &format!("'{at}'")));
        let id = insert(&world, own.id, columns, &values).await;

        let message = world.delivery_logs().find(own.id, id).await.unwrap().unwrap();

        assert_eq!(message.delivery, delivery);
        assert_eq!(message.draft.recipient.as_str(), "+233241234567");
        assert_eq!(message.attempts[0].outcome(), Some(AttemptOutcome::NotAccepted));
        let code = message.attempts[0].ended().unwrap().error_code;
        assert_eq!(code, Some(FailureCode::ProviderThrottled));
    }
}

#[tokio::test]
async fn a_message_of_another_organization_is_not_found() {
    let world = World::new().await;
    let (own, other) = (world.organization().await, world.organization().await);
    let id = insert(&world, own.id, "status", "'QUEUED'").await;

    let found = world.delivery_logs().find(other.id, id).await.unwrap();

    assert_eq!(found, None);
}

#[tokio::test]
async fn a_contradictory_row_is_named_in_the_error() {
    let world = World::new().await;
    let own = world.organization().await;
    for (columns, values) in [
        ("status", "'SENT'"),
        ("status, failed_at", "'FAILED', now()"),
        ("status", "'GONE'"),
        ("status, error_code", "'QUEUED', 'BAD_LUCK'"),
        ("status, vendor_template", "'QUEUED', '{}'"),
    ] {
        let id = insert(&world, own.id, columns, values).await;

        let found = world.delivery_logs().find(own.id, id).await;

        let Err(StoreError::Internal(error)) = found else { panic!("{values}: {found:?}") };
        assert_eq!(error.to_string(), format!("row {id} of delivery_logs contradicts itself"));
    }
}

async fn insert(
    world: &World,
    organization: Id<Organization>,
    columns: &str,
    values: &str,
) -> Id<Message> {
    let created_at = DateTime::from_timestamp(1_780_000_000, 0).unwrap();
    let id = Id::new_in(created_at, organization);
    let attempts = r#"[{"provider": "p", "startedAt": "2026-01-01T00:00:00Z",
        "endedAt": "2026-01-01T00:00:01Z", "outcome": "NOT_ACCEPTED",
        "errorCode": "PROVIDER_THROTTLED"}]"#;
    world
        .sql(&format!(
            "INSERT INTO delivery_logs (id, organization_id, channel, recipient, country_code, \
                category, priority, body, segments, cost_micros, is_sandbox, is_confidential, \
                attempts, created_at, {columns}) \
             VALUES ('{id}', '{organization}', 'SMS', '+233241234567', 'GH', 'OTP', 0, 'B', 1, \
                35000, false, false, '{attempts}', '{created_at}', {values})"
        ))
        .await;
    id
}

/// Messages at random times within forty days, with long pauses, counted partly in the counters and
/// partly in the journal, with some counts below zero. For half of the days hourly counts are no
/// longer kept.
pub(crate) const FILL: &str = "
INSERT INTO delivery_logs (id, organization_id, channel, status, recipient, country_code, category,
    priority, body, segments, cost_micros, is_sandbox, is_confidential, created_at, sent_at,
    delivered_at, failed_at, error_code)
SELECT (lpad(to_hex((extract(epoch FROM at) * 1000)::bigint), 12, '0') || '7'
            || substr(md5(random()::text), 1, 3) || 'a' || substr(md5(random()::text), 1, 15))::uuid,
    'ORGANIZATION', channel, status, '+233241234567', 'GH', 'OTP', random() * 2, 'B', 1, 35000,
    random() < 0.3, false, at, at, at, CASE status WHEN 'FAILED' THEN at END,
    CASE status WHEN 'FAILED' THEN 'EXPIRED' END
FROM (SELECT date_trunc('milliseconds', date_trunc('day', now(), 'UTC') - interval '50 days'
            + floor(random() * random() * 40) * interval '1 day'
            + floor(random() * 4) * interval '7 hours' - interval '1 ms'
            + random() ^ 3 * interval '3 hours') AS at,
        (ARRAY['SMS', 'EMAIL', 'PUSH'])[ceil(random() * 3)] AS channel,
        (ARRAY['QUEUED', 'SENT', 'DELIVERED', 'DELIVERED', 'FAILED'])[ceil(random() * 5)] AS status
    FROM generate_series(1, 2500)) AS messages;

INSERT INTO delivery_log_counters
SELECT organization_id, span, date_trunc(span, created_at, 'UTC') AS starts_at, channel, status,
    is_sandbox, count(*), 0, 0
FROM delivery_logs, unnest(ARRAY['HOUR', 'DAY']) AS span
WHERE organization_id = 'ORGANIZATION' AND priority > 0
    AND (span = 'DAY' OR created_at >= hours_kept_since())
GROUP BY 1, 2, 3, 4, 5, 6;

INSERT INTO delivery_log_slots
SELECT organization_id, date_trunc('minute', created_at, 'UTC'), channel, count(*)
FROM delivery_logs WHERE organization_id = 'ORGANIZATION' AND priority > 0 AND created_at >= hours_kept_since()
GROUP BY 1, 2, 3;

INSERT INTO journal
SELECT gen_random_uuid(), now(), array_agg(organization_id), array_agg(slot), array_agg(channel),
    array_agg(status), array_agg(is_sandbox), array_agg(messages), array_agg(0::bigint),
    array_agg(0::bigint), '{}', '{}', '{}'
FROM (SELECT organization_id, date_trunc('minute', created_at, 'UTC') AS slot, channel, status,
        is_sandbox, count(*) AS messages
    FROM delivery_logs WHERE organization_id = 'ORGANIZATION' AND priority = 0
    GROUP BY 1, 2, 3, 4, 5) AS counts
GROUP BY channel;

INSERT INTO journal
SELECT gen_random_uuid(), now(), ARRAY[organization_id, organization_id], ARRAY[starts_at, starts_at],
    ARRAY[channel, channel], ARRAY[status, status], ARRAY[is_sandbox, is_sandbox],
    ARRAY[1000::bigint, -1000::bigint], '{0, 0}', '{0, 0}', '{}', '{}', '{}'
FROM delivery_log_counters WHERE organization_id = 'ORGANIZATION' AND span = 'HOUR'";

async fn filled(world: &World) -> Id<Organization> {
    let own = world.organization().await.id;
    world.sql(&FILL.replace("ORGANIZATION", &own.to_string())).await;
    own
}

pub(crate) async fn reference(
    world: &World,
    own: Id<Organization>,
    filter: &LogFilter,
) -> Vec<Id<Message>> {
    let query = "SELECT id FROM delivery_logs WHERE organization_id = $1 \
        AND status = coalesce($2, status) AND channel = coalesce($3, channel) ORDER BY id DESC";
    let status = filter.status.map(Status::as_str);
    let channel = filter.channel.map(Channel::as_str);
    let rows = world.client().await.query(query, &[&own.uuid(), &status, &channel]).await;
    rows.unwrap().iter().map(|row| Id::of(row.get::<_, Uuid>(0))).collect()
}

pub(crate) fn filters() -> Vec<LogFilter> {
    let statuses = [None, Some(Status::Queued), Some(Status::Pending), Some(Status::Failed)];
    let channels = [None, Some(Channel::Sms), Some(Channel::Voice)];
    let with =
        |status| channels.map(|channel| LogFilter { status, channel, ..LogFilter::default() });
    statuses.into_iter().flat_map(with).collect()
}

pub(crate) fn ids(messages: &[Message]) -> Vec<Id<Message>> {
    messages.iter().map(|message| message.id).collect()
}

#[tokio::test]
async fn pages_match_the_sorted_log() {
    let world = World::new().await;
    let own = filled(&world).await;

    for (filter, limit) in filters().into_iter().zip([7, 100, 20].into_iter().cycle()) {
        let all = reference(&world, own, &filter).await;
        let last = i64::try_from(all.len()).unwrap() / limit + 2;
        // The short form looks at pages all over the log, and at those around its end.
        let stride = if is_long() { 1 } else { 6 };
        let ends = [last - 1, last, last + 1_000, u32::MAX.into()];
        for number in (1..=last).step_by(stride).chain(ends) {
            let page = Page::new(Some(number), Some(limit)).unwrap();

            let paged = world.delivery_logs().page(own, &filter, page).await.unwrap();

            let start = usize::try_from(page.offset()).unwrap().min(all.len());
            let end = (start + usize::try_from(limit).unwrap()).min(all.len());
            assert_eq!(ids(&paged.items), all[start..end], "{filter:?} {page:?}");
            assert_eq!((paged.total, paged.page), (all.len() as u64, page), "{filter:?}");
        }
    }
}

#[tokio::test]
async fn older_messages_can_be_read_to_the_end() {
    let world = World::new().await;
    let own = filled(&world).await;

    for filter in filters() {
        let (mut read, mut before) = (Vec::new(), None);
        loop {
            let part = world.delivery_logs().older(own, &filter, before, 300).await.unwrap();
            read.extend(ids(&part.messages));
            before = part.next;
            if before.is_none() {
                break;
            }
        }

        assert_eq!(read, reference(&world, own, &filter).await, "{filter:?}");
    }
}

#[tokio::test]
async fn an_empty_log_has_a_first_page() {
    let world = World::new().await;
    let own = world.organization().await;
    let page = Page::new(None, None).unwrap();

    let paged = world.delivery_logs().page(own.id, &LogFilter::default(), page).await;

    let paged = paged.unwrap();
    assert_eq!((paged.items, paged.total), (vec![], 0));
}

#[tokio::test]
async fn a_message_accepted_while_a_page_is_read_pushes_no_other_off_it() {
    let fixture = IntakeFixture::open(Money::from_cedis(100)).await;
    let (world, own) = (&fixture.world, fixture.organization);
    let counted = fixture.message();
    fixture.intake.accept(fixture.submission(&[counted])).await.unwrap();
    // The log is read after the counters, so it may have messages that these have not.
    let columns = "organization_id, channel, recipient, country_code, category, priority, body, \
        segments, cost_micros, is_sandbox, is_confidential, attempts, created_at, status";
    let later = fixture.message().id;
    let add = format!(
        "INSERT INTO delivery_logs (id, {columns}) SELECT '{later}', {columns} FROM delivery_logs \
         WHERE organization_id = '{own}'"
    );
    world.sql(&add).await;

    for (limit, shown) in [(1, 1), (2, 2), (20, 2)] {
        let page = Page::new(None, Some(limit)).unwrap();
        let paged = world.delivery_logs().page(own, &LogFilter::default(), page).await.unwrap();
        assert_eq!((paged.items.len(), paged.total), (shown, 2), "{limit}");
    }
}

#[tokio::test]
async fn every_month_has_the_indexes_of_the_log_and_no_others() {
    let world = World::alone().await;
    world.sql("SELECT prepare_month('delivery_logs', 7)").await;

    let query = "SELECT count(*) FILTER (WHERE own.inhparent IS NULL), count(own.inhparent) / \
            (SELECT count(*) FROM pg_index WHERE indrelid = 'delivery_logs'::regclass) \
        FROM pg_inherits month JOIN pg_index ON indrelid = month.inhrelid \
        LEFT JOIN pg_inherits own ON own.inhrelid = indexrelid \
        WHERE month.inhparent = 'delivery_logs'::regclass";
    let found = world.client().await.query_one(query, &[]).await.unwrap();

    assert_eq!((found.get::<_, i64>(0), found.get::<_, i64>(1)), (0, 6));
}

/// PostgreSQL logs an update from the first changed byte to the last.
#[tokio::test]
async fn columns_that_delivery_changes_follow_all_that_it_leaves() {
    let world = World::new().await;

    let query = "SELECT string_agg(attname::text, ' ' ORDER BY attnum) FROM pg_attribute \
        WHERE attrelid = 'delivery_logs'::regclass AND attnum BETWEEN \
            (SELECT attnum FROM pg_attribute \
                WHERE attrelid = 'delivery_logs'::regclass AND attname = 'valid_from') AND \
            (SELECT attnum FROM pg_attribute \
                WHERE attrelid = 'delivery_logs'::regclass AND attname = 'vendor_code')";
    let columns: String = world.client().await.query_one(query, &[]).await.unwrap().get(0);

    let expected = "valid_from provider attempts sent_at status delivered_at failed_at error_code \
        error_message vendor_code";
    assert_eq!(columns, expected);
}

#[tokio::test]
async fn every_version_of_a_message_stays_on_its_page() {
    let world = World::alone().await;
    // While others write, the server may keep versions that nobody sees any more.
    acceptance::until("no version leaves its page", async || moved(&world).await == 0).await;
}

/// Returns the number of messages of which a version left its page.
async fn moved(world: &World) -> i64 {
    // Each is a transaction of its own, so that the page of a version is freed before the next one.
    for statement in [
        "DROP TABLE IF EXISTS places; TRUNCATE delivery_logs",
        ACCEPT,
        "CREATE TABLE places AS SELECT id, ctid AS place FROM delivery_logs",
        HAND_OVER,
        "UPDATE delivery_logs SET status = 'DELIVERED', delivered_at = now()",
    ] {
        world.sql(statement).await;
    }
    let moved = "SELECT count(*) FROM places JOIN delivery_logs log USING (id) \
        WHERE (log.ctid::text::point)[0] <> (places.place::text::point)[0]";
    world.client().await.query_one(moved, &[]).await.unwrap().get(0)
}

const ACCEPT: &str = "\
    INSERT INTO delivery_logs (id, organization_id, channel, recipient, country_code, category, priority, \
        body, segments, cost_micros, is_sandbox, is_confidential, status, attempts, created_at, expires_at) \
    SELECT uuid_v7(now()), '00000000-0000-7000-8000-000000000001', 'SMS', '+233241234567', 'GH', \
        'TRANSACTIONAL', 2, repeat('Akwaaba ', 12), 1, 35000, false, false, 'QUEUED', \
        '[{\"provider\": \"first\", \"startedAt\": \"2026-11-29T10:00:00.123456Z\"}]', now(), now() \
    FROM generate_series(1, 300)";

const HAND_OVER: &str = "\
    UPDATE delivery_logs SET status = 'SENT', provider = 'first', sent_at = now(), \
        attempts = '[{\"provider\": \"first\", \"startedAt\": \"2026-11-29T10:00:00.123456Z\", \
            \"endedAt\": \"2026-11-29T10:00:00.234567Z\", \"outcome\": \"ACCEPTED\", \
            \"reference\": \"5c9b0b36-9a4e-4f5e-8e0b-2b6a3c1f7d10\"}]'";
