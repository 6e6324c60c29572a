//! Search in the log by more than status and channel.

use std::collections::BTreeMap;

use chrono::TimeDelta;
use domain::{
    identity::organization::Organization,
    messaging::{
        delivery::{FailureCode, Status},
        delivery_log::LogFilter,
        message::{Message, Metadata},
    },
    shared::{channel::Channel, id::Id, page::Page},
};

use super::delivery_logs::ids;
use crate::{World, now};

const CAMPAIGN: &str = "01a1fe23-0000-7000-8000-00000000000c";
/// Number of messages that a search looks at.
const LOOKED_AT: i64 = 10_000;

/// Messages of two months with every combination of some values.
async fn fill(world: &World, own: Id<Organization>) {
    world
        .sql(&format!(
            "INSERT INTO delivery_logs (id, organization_id, channel, status, recipient, \
                country_code, category, priority, body, segments, cost_micros, is_sandbox, \
                is_confidential, provider, created_at, sent_at, failed_at, error_code, campaign_id, \
                event, metadata) \
             SELECT uuid_v7_in(at, '{own}'), '{own}', \
                CASE WHEN number % 2 = 0 THEN 'SMS' ELSE 'WHATSAPP' END, \
                CASE WHEN number % 3 = 0 THEN 'FAILED' ELSE 'SENT' END, \
                CASE WHEN number % 5 = 0 THEN '+233241234567' ELSE '+233241234568' END, \
                'GH', 'TRANSACTIONAL', 2, 'B', 1, 0, number % 7 = 0, false, \
                CASE WHEN number % 4 = 0 THEN 'one' ELSE 'two' END, at, at, \
                CASE WHEN number % 3 = 0 THEN at END, \
                CASE WHEN number % 6 = 0 THEN 'UNDELIVERED' WHEN number % 3 = 0 THEN 'EXPIRED' \
                    WHEN number % 11 = 0 THEN 'NO_REPORT' END, \
                CASE WHEN number % 9 = 0 THEN '{CAMPAIGN}'::uuid END, \
                CASE WHEN number % 8 = 0 THEN 'order-shipped' END, \
                CASE WHEN number % 10 < 3 THEN jsonb_build_object('order', (number % 10)::text, \
                    'shop', 'accra') END \
             FROM (SELECT number, now() - make_interval(hours => number * 2) AS at \
                FROM generate_series(1, 600) AS number) AS messages"
        ))
        .await;
}

fn filters() -> Vec<LogFilter> {
    let any = LogFilter::default;
    let recipients = |numbers: &[&str]| Some(numbers.iter().map(ToString::to_string).collect());
    let metadata = |pairs: &[(&str, &str)]| {
        let pairs = pairs.iter().map(|(key, value)| ((*key).to_owned(), (*value).to_owned()));
        Metadata::new(pairs.collect::<BTreeMap<_, _>>()).unwrap()
    };
    let both = recipients(&["+233241234567", "+233241234568"]);
    let from = Some(now() - TimeDelta::days(20));
    vec![
        LogFilter { recipients: recipients(&["+233241234567"]), ..any() },
        LogFilter { recipients: both, status: Some(Status::Failed), ..any() },
        LogFilter { recipients: recipients(&["+233209999999"]), ..any() },
        LogFilter { campaign: Some(CAMPAIGN.parse().unwrap()), ..any() },
        LogFilter {
            campaign: Some(CAMPAIGN.parse().unwrap()),
            channel: Some(Channel::Sms),
            provider: Some("two".into()),
            ..any()
        },
        LogFilter { event: Some("order-shipped".into()), from, ..any() },
        LogFilter { provider: Some("one".into()), is_sandbox: Some(true), ..any() },
        LogFilter { error_code: Some(FailureCode::Expired), ..any() },
        LogFilter { error_code: Some(FailureCode::NoReport), ..any() },
        LogFilter { from, to: Some(now() - TimeDelta::days(10)), ..any() },
        LogFilter { metadata: metadata(&[("order", "2")]), ..any() },
        LogFilter { metadata: metadata(&[("order", "2"), ("shop", "accra")]), from, ..any() },
        LogFilter { metadata: metadata(&[("order", "accra")]), ..any() },
    ]
}

/// Reads the log to its end in parts of `limit`.
async fn read(
    world: &World,
    own: Id<Organization>,
    filter: &LogFilter,
    limit: usize,
) -> Vec<Message> {
    let (mut messages, mut before) = (Vec::new(), None);
    loop {
        let part = world.delivery_logs().older(own, filter, before, limit).await.unwrap();
        assert!(part.messages.len() <= limit);
        messages.extend(part.messages);
        before = part.next;
        if before.is_none() {
            return messages;
        }
    }
}

#[tokio::test]
async fn a_search_finds_what_fits_all_conditions() {
    let world = World::new().await;
    let own = world.organization().await.id;
    fill(&world, own).await;
    let all = read(&world, own, &LogFilter::default(), 1_000).await;
    assert_eq!(all.len(), 600);

    for filter in filters() {
        let fitting = all.iter().filter(|message| filter.fits(message));
        let fitting: Vec<_> = fitting.map(|message| message.id).collect();

        assert_eq!(ids(&read(&world, own, &filter, 7).await), fitting, "{filter:?}");
        for number in [1, 2, 40] {
            let page = Page::new(Some(number), Some(10)).unwrap();
            let paged = world.delivery_logs().page(own, &filter, page).await.unwrap();
            assert_eq!(ids(&paged.items), page.cut(fitting.clone()), "{filter:?} {page:?}");
            let total = (paged.total, paged.is_lower_bound);
            assert_eq!(total, (fitting.len() as u64, false), "{filter:?}");
        }
    }
}

#[tokio::test]
async fn a_search_does_not_see_messages_of_other_organizations() {
    let world = World::new().await;
    let (own, other) = (world.organization().await.id, world.organization().await.id);
    fill(&world, other).await;

    for filter in filters() {
        assert!(read(&world, own, &filter, 20).await.is_empty(), "{filter:?}");
    }
}

#[tokio::test]
async fn a_search_for_something_rare_goes_on_in_the_next_part() {
    let world = World::new().await;
    let own = world.organization().await.id;
    let count = LOOKED_AT + 50;
    world
        .sql(&format!(
            "INSERT INTO delivery_logs (id, organization_id, channel, status, recipient, \
                country_code, category, priority, body, segments, cost_micros, is_sandbox, \
                is_confidential, provider, created_at, sent_at, metadata) \
             SELECT uuid_v7_in(at, '{own}'), '{own}', 'SMS', 'SENT', '+233241234567', 'GH', \
                'TRANSACTIONAL', 2, 'B', 1, 0, false, false, \
                CASE number WHEN {count} THEN 'rare' ELSE 'usual' END, at, at, \
                jsonb_build_object('order', CASE number WHEN {count} THEN 'rare' ELSE 'usual' END) \
             FROM (SELECT number, now() - make_interval(secs => number) AS at \
                FROM generate_series(1, {count}) AS number) AS messages"
        ))
        .await;
    let rare = LogFilter { provider: Some("rare".into()), ..LogFilter::default() };
    let logs = world.delivery_logs();

    let first = logs.older(own, &rare, None, 20).await.unwrap();
    let second = logs.older(own, &rare, first.next, 20).await.unwrap();
    let page = logs.page(own, &rare, Page::new(None, None).unwrap()).await.unwrap();

    assert!(first.messages.is_empty() && first.next.is_some());
    assert_eq!((second.messages.len(), second.next), (1, None));
    assert_eq!((page.total, page.is_lower_bound), (0, true));
    let pair = [("order".to_owned(), "rare".to_owned())].into();
    let marked = LogFilter { metadata: Metadata::new(pair).unwrap(), ..LogFilter::default() };
    let found = logs.older(own, &marked, None, 20).await.unwrap();
    assert_eq!((ids(&found.messages), found.next), (ids(&second.messages), None));
}
