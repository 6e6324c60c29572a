//! Present traffic and payments of all organizations.

use domain::{
    platform::{
        activity::{ENDPOINTS_SHOWN, FailingEndpoint},
        message_figures::{Interval, MessageCounts},
    },
    shared::money::Money,
};
use ports::platform::tenants::TenantRepository;

use super::copying::work;
use crate::{
    messaging::intake_fixture::{IntakeFixture, PRICE},
    minutes, now,
};

fn counts(sent: u64, delivered: u64, failed: u64, cost: Money) -> MessageCounts {
    MessageCounts { sent, delivered, failed, segments: sent, cost }
}

#[tokio::test]
async fn messages_of_all_organizations_are_added_up_by_day_minute_and_provider() {
    let fixture = IntakeFixture::open(Money::from_cedis(100)).await;
    let world = &fixture.world;
    work(&fixture, fixture.organization, "key").await;
    let other = world.organization().await.id;
    let hour = Interval::Hour.floor(now()).to_rfc3339();
    let long_ago = (Interval::Hour.floor(now()) - minutes(120)).to_rfc3339();
    for (dimension, at, value) in
        [("PROVIDER", &hour, "first"), ("PROVIDER", &long_ago, "first"), ("COUNTRY", &hour, "GH")]
    {
        let row = format!("'{other}', '{dimension}', '{at}', 'HOUR', '{value}', 7, 2, 5, 7, 0");
        world.sql(&format!("INSERT INTO message_figures VALUES ({row})")).await;
    }

    let activity = world.store.activity(now() + minutes(1)).await.unwrap();

    assert_eq!(activity.today, counts(5, 2, 1, PRICE * 4));
    assert_eq!(activity.accepted_lately, 5);
    let expected = [
        (None, counts(3, 1, 1, PRICE * 2)),
        (Some("first".to_owned()), counts(9, 3, 5, PRICE * 2)),
    ];
    assert_eq!(activity.providers, expected);
    let later = world.store.activity(now() + minutes(24 * 60)).await.unwrap();
    assert_eq!((later.today, later.accepted_lately), (MessageCounts::default(), 0));
    assert_eq!(later.providers, []);
}

#[tokio::test]
async fn payments_of_today_are_added_up_without_gifts_and_corrections() {
    let fixture = IntakeFixture::open(Money::from_cedis(100)).await;
    let (own, world) = (fixture.organization, &fixture.world);
    for (kind, cedis, at) in [
        ("TOP_UP", 5, now()),
        ("MANUAL_CREDIT", 2, now()),
        ("CORRECTION", 70, now()),
        ("TOP_UP", 300, now() - minutes(24 * 60)),
    ] {
        let (at, micros) = (at.to_rfc3339(), Money::from_cedis(cedis).micros());
        world
            .sql(&format!(
                "INSERT INTO wallet_credits \
                    (organization_id, id, kind, reference, amount_micros, created_at) \
                 VALUES ('{own}', uuid_v7_in('{at}', '{own}'), '{kind}', '{micros}', {micros}, '{at}')"
            ))
            .await;
    }
    assert_eq!(world.store.activity(now()).await.unwrap().paid_in, Money::from_cedis(7));
}

#[tokio::test]
async fn active_endpoints_that_fail_are_listed_with_one_more_than_are_shown() {
    let fixture = IntakeFixture::open(Money::from_cedis(1)).await;
    let (own, world) = (fixture.organization, &fixture.world);
    let endpoints = async |count: usize, state: &str| {
        world
            .sql(&format!(
                "INSERT INTO webhook_endpoints (organization_id, id, url, secret, begins_at, \
                    created_at, is_active, failing_since) \
                 SELECT '{own}', uuid_v7_in(now() + number * interval '1 ms', '{own}'), \
                    'https://192.0.2.1', 'whsec_MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3', now(), now(), \
                    {state} FROM generate_series(1, {count}) AS number"
            ))
            .await;
    };
    let since = now().to_rfc3339();
    endpoints(1, "true, NULL").await;
    endpoints(1, &format!("false, '{since}'")).await;
    assert_eq!(world.store.activity(now()).await.unwrap().failing_endpoints, []);

    endpoints(ENDPOINTS_SHOWN + 5, &format!("true, '{since}'")).await;
    let found = world.store.activity(now()).await.unwrap().failing_endpoints;

    assert_eq!(found.len(), ENDPOINTS_SHOWN + 1);
    let url = "https://192.0.2.1".to_owned();
    assert_eq!(found.first(), Some(&FailingEndpoint { organization: own, url, since: now() }));
}
