//! Places of pages in the delivery log, which the counters give.

use domain::{
    identity::organization::Organization,
    messaging::{delivery::Status, delivery_log::LogFilter},
    shared::{channel::Channel, id::Id, money::Money, page::Page},
};
use ports::messaging::messages::Intake;

use crate::{
    World,
    messaging::{
        delivery_logs::{ids, reference},
        intake_fixture::IntakeFixture,
    },
};

/// Messages at the edges of days, hours and minutes, some of them of days without hours.
const FILL: &str = "
INSERT INTO delivery_logs (id, organization_id, channel, status, recipient, country_code, category,
    priority, body, segments, cost_micros, is_sandbox, is_confidential, created_at, sent_at)
SELECT uuid_v7_in(at, 'ORGANIZATION'), 'ORGANIZATION', channel, status, '+233241234567', 'GH', 'OTP', 2,
    'B', 1, 35000, false, false, at, at
FROM (SELECT date_trunc('day', now(), 'UTC') - ago * interval '24 hours' + since AS at, channel, status
    FROM unnest(ARRAY[1, 2, 3, 40, 41]) AS days (ago)
    CROSS JOIN unnest(ARRAY['0:00', '10:00', '10:00:59.999', '10:01', '10:59:59.999', '11:00',
        '23:59:59.999']::interval[]) AS times (since)
    CROSS JOIN (VALUES ('SMS', 'SENT'), ('EMAIL', 'QUEUED'), ('SMS', 'QUEUED'))
        AS kinds (channel, status)) AS messages;

INSERT INTO delivery_log_counters
SELECT organization_id, span, date_trunc(span, created_at, 'UTC'), channel, status, is_sandbox,
    count(*), 0, 0
FROM delivery_logs CROSS JOIN unnest(ARRAY['HOUR', 'DAY']) AS span
WHERE organization_id = 'ORGANIZATION' AND (span = 'DAY' OR created_at >= hours_kept_since())
GROUP BY 1, 2, 3, 4, 5, 6;

INSERT INTO delivery_log_slots
SELECT organization_id, date_trunc('minute', created_at, 'UTC'), channel, count(*)
FROM delivery_logs WHERE organization_id = 'ORGANIZATION' AND created_at >= hours_kept_since()
GROUP BY 1, 2, 3";

async fn filled(world: &World) -> Id<Organization> {
    let own = world.organization().await.id;
    world.sql(&FILL.replace("ORGANIZATION", &own.to_string())).await;
    own
}

fn filters() -> [LogFilter; 4] {
    let queued = LogFilter::of_status(Status::Queued);
    let mails = LogFilter { channel: Some(Channel::Email), ..LogFilter::default() };
    let queued_texts = LogFilter { channel: Some(Channel::Sms), ..queued.clone() };
    [LogFilter::default(), queued, mails, queued_texts]
}

/// Asserts that all pages of that many messages are those of the sorted log.
async fn assert_pages(world: &World, own: Id<Organization>, limit: usize) {
    for filter in filters() {
        let all = reference(world, own, &filter).await;
        for number in 1..=all.len() / limit + 2 {
            let page = Page::new(number.try_into().ok(), limit.try_into().ok()).unwrap();
            let paged = world.delivery_logs().page(own, &filter, page).await.unwrap();

            assert_eq!(ids(&paged.items), page.cut(all.clone()), "{filter:?} {page:?}");
            assert_eq!(paged.total, all.len() as u64, "{filter:?} {page:?}");
        }
    }
}

#[tokio::test]
async fn a_page_may_begin_with_any_message_of_a_day_an_hour_and_a_minute() {
    let world = World::new().await;
    let own = filled(&world).await;

    for limit in [1, 3, 50] {
        assert_pages(&world, own, limit).await;
    }
}

#[tokio::test]
async fn pages_are_found_without_the_minutes_of_an_hour_and_the_hours_of_a_day() {
    let world = World::new().await;
    let own = filled(&world).await;

    for gone in ["delivery_log_slots WHERE", "delivery_log_counters WHERE span = 'HOUR' AND"] {
        world.sql(&format!("DELETE FROM {gone} organization_id = '{own}'")).await;

        assert_pages(&world, own, 2).await;
    }
}

#[tokio::test]
async fn older_messages_fill_a_page_after_some_left_their_state() {
    let world = World::new().await;
    let own = filled(&world).await;
    let filter = LogFilter::of_status(Status::Queued);
    let counted = reference(&world, own, &filter).await;
    // The log is read after the counters, so fewer messages may have the state than were counted.
    let leave = format!(
        "UPDATE delivery_logs SET status = 'SENT' WHERE organization_id = '{own}' \
            AND created_at >= date_trunc('day', now(), 'UTC') - interval '24 hours' \
            AND id <> '{}'",
        counted[0]
    );
    world.sql(&leave).await;

    let page = Page::new(None, Some(10)).unwrap();
    let paged = world.delivery_logs().page(own, &filter, page).await.unwrap();

    let left = reference(&world, own, &filter).await;
    assert_eq!((left.len(), counted.len()), (57, 70));
    assert_eq!((ids(&paged.items), paged.total), (left[..10].to_vec(), 70));
}

#[tokio::test]
async fn a_page_reads_only_the_months_that_it_is_in() {
    let fixture = IntakeFixture::open(Money::from_cedis(100)).await;
    let own = fixture.organization;
    let messages = [fixture.message(), fixture.message(), fixture.message()];
    fixture.intake.accept(fixture.submission(&messages)).await.unwrap();
    let all = reference(&fixture.world, own, &LogFilter::default()).await;
    let other = fixture.world.client().await;
    let lock = "BEGIN; LOCK TABLE delivery_logs_other IN ACCESS EXCLUSIVE MODE";
    other.batch_execute(lock).await.unwrap();

    for number in [1, 2, 3] {
        let page = Page::new(Some(number), Some(1)).unwrap();
        let logs = fixture.world.delivery_logs();
        let paged = logs.page(own, &LogFilter::default(), page).await.unwrap();
        assert_eq!((ids(&paged.items), paged.total), (page.cut(all.clone()), 3));
    }
}
