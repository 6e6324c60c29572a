//! Numbers of messages by time and one property.

use std::{collections::BTreeMap, sync::Arc};

use app::clock::SystemClock;
use chrono::{DateTime, TimeDelta, Utc};
use domain::{
    identity::organization::Organization,
    platform::message_figures::{Dimension, FiguresQuery, FiguresRequest, Interval, MessageCounts},
    shared::{id::Id, money::Money},
};
use ports::{
    messaging::messages::{ClaimLimits, Intake, Jobs},
    platform::analytics::AnalyticsRepository,
    shared::clock::Clock,
};
use uuid::Uuid;

use super::copying::{taken, work};
use crate::{
    World,
    messaging::intake_fixture::{IntakeFixture, PRICE},
    now,
};

/// Row of an answer without its time.
#[derive(Debug, PartialEq, Eq)]
struct Row {
    value: Option<String>,
    is_other: bool,
    counts: MessageCounts,
}

fn row(value: Option<&str>, sent: u16, delivered: u64, failed: u16) -> Row {
    let counts = MessageCounts {
        sent: sent.into(),
        delivered,
        failed: failed.into(),
        segments: sent.into(),
        cost: PRICE * (sent - failed),
    };
    Row { value: value.map(str::to_owned), is_other: false, counts }
}

fn query(by: Dimension, at: DateTime<Utc>) -> FiguresQuery {
    FiguresRequest { by, ..FiguresRequest::default() }.query(at).unwrap()
}

async fn rows(world: &World, own: Id<Organization>, query: &FiguresQuery) -> Vec<Row> {
    let figures = world.store.figures(own, query).await.unwrap();
    let rows = figures.into_iter().map(|figure| Row {
        value: figure.value,
        is_other: figure.is_other,
        counts: figure.counts,
    });
    rows.collect()
}

/// Numbers of messages of an organization by one property.
struct Figures<'w> {
    world: &'w World,
    own: Id<Organization>,
    dimension: &'static str,
}

impl Figures<'_> {
    /// Adds as many messages of each value as were accepted in the hour of `at`.
    async fn write(&self, at: DateTime<Utc>, values: &[(&str, u16)]) {
        let Self { world, own, dimension } = self;
        let hour = Interval::Hour.floor(at).to_rfc3339();
        for (value, sent) in values {
            world
                .sql(&format!(
                    "INSERT INTO message_figures VALUES ('{own}', '{dimension}', '{hour}', 'HOUR', \
                        '{value}', {sent}, 0, 0, {sent}, {sent} * 35000)"
                ))
                .await;
        }
    }
}

#[tokio::test]
async fn figures_follow_outcomes_refunds_and_late_reports_posted_or_not() {
    let fixture = IntakeFixture::open(Money::from_cedis(100)).await;
    let own = fixture.organization;
    work(&fixture, own, "key").await;

    for is_posted in [false, true] {
        if is_posted {
            fixture.world.store.post_journal().await.unwrap();
        }
        let found = async |by| rows(&fixture.world, own, &query(by, now())).await;
        assert_eq!(found(Dimension::Country).await, [row(Some("GH"), 5, 2, 1)]);
        assert_eq!(found(Dimension::Channel).await, [row(Some("SMS"), 5, 2, 1)]);
        let providers = [row(None, 3, 1, 1), row(Some("first"), 2, 1, 0)];
        assert_eq!(found(Dimension::Provider).await, providers);
        assert_eq!(found(Dimension::ErrorCode).await, [row(Some("UNDELIVERED"), 1, 0, 1)]);
        for by in [Dimension::Campaign, Dimension::Event, Dimension::Template] {
            assert_eq!(found(by).await, [], "{by:?}");
        }
    }
    let other = fixture.world.organization().await.id;
    assert_eq!(rows(&fixture.world, other, &query(Dimension::Country, now())).await, []);
}

#[tokio::test]
async fn a_short_message_in_the_place_of_a_long_one_changes_the_segments() {
    let fixture = IntakeFixture::open(Money::from_cedis(100)).await;
    let store = &fixture.world.store;
    let mut long = fixture.message();
    Arc::make_mut(&mut long.draft).segments = 3;
    fixture.intake.accept(fixture.submission(&[long])).await.unwrap();
    store.post_journal().await.unwrap();

    let job = fixture.jobs.claim(&ClaimLimits::any(1)).await.unwrap().remove(0);
    fixture.jobs.record(taken(&job, "one").into()).await.unwrap();
    fixture.intake.accept(fixture.submission(&[fixture.message()])).await.unwrap();
    store.post_journal().await.unwrap();

    let by_provider = query(Dimension::Provider, now());
    let found = rows(&fixture.world, fixture.organization, &by_provider).await;
    let segments: Vec<_> =
        found.iter().map(|row| (row.value.as_deref(), row.counts.segments)).collect();
    assert_eq!(segments, [(None, 1), (Some("first"), 3)]);
}

#[tokio::test]
async fn messages_of_the_sandbox_have_no_figures() {
    let fixture = IntakeFixture::open(Money::from_cedis(100)).await;
    let mut message = fixture.message();
    (message.is_sandbox, message.cost) = (true, Money::ZERO);
    fixture.intake.accept(fixture.submission(&[message])).await.unwrap();

    for by in Dimension::ALL {
        let found = rows(&fixture.world, fixture.organization, &query(by, now())).await;
        assert_eq!(found, [], "{by:?}");
        fixture.world.store.post_journal().await.unwrap();
    }
}

#[tokio::test]
async fn values_beyond_the_most_used_share_one_row() {
    let world = World::new().await;
    let own = world.organization().await.id;
    let countries = Figures { world: &world, own, dimension: "COUNTRY" };
    countries.write(now(), &[("TG", 1), ("GH", 5), ("NG", 2), ("KE", 3)]).await;

    let few = FiguresQuery { values: 2, ..query(Dimension::Country, now()) };

    let rest = Row { is_other: true, ..row(None, 3, 0, 0) };
    let expected = [row(Some("GH"), 5, 0, 0), row(Some("KE"), 3, 0, 0), rest];
    assert_eq!(rows(&world, own, &few).await, expected);
}

#[tokio::test]
async fn campaigns_events_and_templates_have_their_names() {
    let world = World::new().await;
    let own = world.organization().await.id;
    world
        .sql(&format!(
            "INSERT INTO campaigns (id, organization_id, name, channel, created_by, authors, \
                created_at, updated_at) \
             VALUES ('{own}', '{own}', 'Sale', 'SMS', gen_random_uuid(), '{{}}', now(), now()); \
             INSERT INTO templates (id, organization_id, name, channel, category, body, status, \
                created_at) \
             VALUES ('{own}', '{own}', 'Parcel', 'SMS', 'OTP', 'B', 'APPROVED', now()); \
             INSERT INTO events (organization_id, id, name, slug, channel_priority, templates, \
                is_active, version, created_at) \
             VALUES ('{own}', '{own}', 'Arrival', 'arrival', '{{SMS}}', '{{}}', true, 1, now())"
        ))
        .await;
    let (id, gone) = (own.to_string(), Uuid::nil().to_string());
    for dimension in ["CAMPAIGN", "TEMPLATE"] {
        let figures = Figures { world: &world, own, dimension };
        figures.write(now(), &[(id.as_str(), 2), (gone.as_str(), 1)]).await;
    }
    let events = Figures { world: &world, own, dimension: "EVENT" };
    events.write(now(), &[("arrival", 2), ("gone", 1)]).await;

    for (by, name) in [
        (Dimension::Campaign, "Sale"),
        (Dimension::Template, "Parcel"),
        (Dimension::Event, "Arrival"),
    ] {
        let figures = world.store.figures(own, &query(by, now())).await.unwrap();
        let names: BTreeMap<_, _> =
            figures.iter().map(|figure| (figure.counts.sent, figure.name.as_deref())).collect();
        assert_eq!(names, [(2, Some(name)), (1, None)].into(), "{by:?}");
    }
}

#[tokio::test]
async fn old_hours_are_added_to_their_days_once() {
    let world = World::alone().await;
    let own = world.organization().await.id;
    let countries = Figures { world: &world, own, dimension: "COUNTRY" };
    let present = SystemClock.now();
    let midnight = Interval::Day.floor(present);
    for (days, hour) in [(14, 3), (16, 0), (16, 3), (16, 23), (17, 5)] {
        let at = midnight - TimeDelta::days(days) + TimeDelta::hours(hour);
        countries.write(at, &[("GH", 2)]).await;
    }
    let by_day = query(Dimension::Country, present);
    let before = world.store.figures(own, &by_day).await.unwrap();
    assert_eq!(before.iter().map(|it| it.counts.sent).collect::<Vec<_>>(), [2, 6, 2]);

    for _ in 0..2 {
        world.store.maintain().await.unwrap();
    }

    assert_eq!(world.store.figures(own, &by_day).await.unwrap(), before);
    let client = world.client().await;
    for (span, count) in [("HOUR", 1), ("DAY", 2)] {
        let kept = format!("SELECT count(*) FROM message_figures WHERE span = '{span}'");
        let found: i64 = client.query_one(&kept, &[]).await.unwrap().get(0);
        assert_eq!(found, count, "{span}");
    }
}

#[tokio::test]
async fn hours_are_kept_as_long_as_they_are_shown() {
    let world = World::alone().await;
    let own = world.organization().await.id;
    let countries = Figures { world: &world, own, dimension: "COUNTRY" };
    let present = SystemClock.now();
    let first = present - TimeDelta::days(14);
    countries.write(first, &[("GH", 2)]).await;
    countries.write(present, &[("GH", 3)]).await;
    world.store.maintain().await.unwrap();

    let request = FiguresRequest {
        from: Some(first.to_rfc3339().parse().unwrap()),
        interval: Interval::Hour,
        by: Dimension::Country,
        ..FiguresRequest::default()
    };

    let found = rows(&world, own, &request.query(present).unwrap()).await;
    assert_eq!(found, [row(Some("GH"), 2, 0, 0), row(Some("GH"), 3, 0, 0)]);
}
