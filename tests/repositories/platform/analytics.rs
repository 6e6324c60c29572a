//! Figures and the input of recommendations.

use chrono::{DateTime, NaiveDate, TimeDelta, Utc};
use domain::{
    identity::organization::Organization,
    messaging::{delivery::Status, message::Message},
    platform::{
        analytics::{Count, Period},
        recommendation::{Recommendation, RecommendationCode},
    },
    shared::{channel::Channel, id::Id, money::Money},
};
use futures_util::future::join_all;
use ports::{
    messaging::messages::{ClaimLimits, Intake, Jobs},
    platform::{
        analytics::AnalyticsRepository,
        recommendations::{KeptRecommendations, RecommendationRepository},
    },
};

use crate::{
    World,
    messaging::intake_fixture::{IntakeFixture, PRICE},
    now,
    shared::locks::failed,
};

async fn accept(fixture: &IntakeFixture, change: impl Fn(Message) -> Message) {
    let message = change(fixture.message());
    let message = Message { id: Id::new_in(message.created_at, message.organization), ..message };
    fixture.intake.accept(fixture.submission(&[message])).await.unwrap();
}

async fn counts(fixture: &IntakeFixture, since: NaiveDate, period: Period) -> Vec<Count> {
    let organization = fixture.organization;
    let mut counts = fixture.world.store.counts(organization, since, period).await.unwrap();
    counts.sort_by_key(|count| (count.since, count.status.as_str()));
    counts
}

fn count(since: NaiveDate, status: Status, messages: u16) -> Count {
    let (count, cost) = (messages.into(), PRICE * messages);
    Count { since, channel: Channel::Sms, status, messages: count, segments: count, cost }
}

#[tokio::test]
async fn counts_live_messages_by_day_or_month_posted_or_not() {
    let fixture = IntakeFixture::open(Money::from_cedis(100)).await;
    let today = now().date_naive();
    let first_of_month = today.format("%Y-%m-01").to_string().parse::<NaiveDate>().unwrap();
    let months_ago = now() - TimeDelta::days(70);
    accept(&fixture, |message| message).await;
    let jobs = fixture.jobs.claim(&ClaimLimits::any(1)).await.unwrap();
    for job in jobs {
        fixture.jobs.record(failed(job)).await.unwrap();
    }
    accept(&fixture, |message| message).await;
    accept(&fixture, |message| Message { is_sandbox: true, cost: Money::ZERO, ..message }).await;
    accept(&fixture, |message| Message { created_at: months_ago, ..message }).await;

    for is_posted in [false, true] {
        if is_posted {
            fixture.world.store.post_journal().await.unwrap();
        }
        let both = |since| [count(since, Status::Failed, 1), count(since, Status::Queued, 1)];
        assert_eq!(counts(&fixture, today, Period::Day).await, both(today));
        assert_eq!(counts(&fixture, first_of_month, Period::Month).await, both(first_of_month));
        let older = counts(&fixture, months_ago.date_naive(), Period::Month).await;
        assert_eq!((older.len(), older[0].messages), (3, 1));
        assert_eq!(counts(&fixture, today + TimeDelta::days(1), Period::Day).await, []);
    }
    let other = fixture.world.organization().await.id;
    assert_eq!(fixture.world.store.counts(other, today, Period::Day).await.unwrap(), []);
}

/// Writes messages of an organization, a second apart.
async fn log(world: &World, organization: Id<Organization>, columns: &str, count: u32) {
    let (first, id) = (now(), organization.to_string());
    world
        .sql(&format!(
            "INSERT INTO delivery_logs (id, organization_id, created_at, recipient, country_code, \
                category, priority, cost_micros, is_confidential, {names}) \
             SELECT uuid_floor(at), '{id}', at, '+233241234567', 'GH', 'TRANSACTIONAL', 2, 70000, false, \
                {values} \
             FROM generate_series(1, {count}) AS number, \
                LATERAL (SELECT '{first}'::timestamptz + make_interval(secs => number) AS at) AS moment",
            names = "channel, body, segments, is_sandbox, status, error_code, failed_at",
            values = columns,
        ))
        .await;
}

const UNDELIVERED: &str = "'FAILED', 'UNDELIVERED', now()";

#[tokio::test]
async fn reads_live_messages_and_the_text_of_long_sms_only() {
    let world = World::new().await;
    let own = world.organization().await.id;
    log(&world, own, &format!("'SMS', repeat('ɛ', 71), 2, number % 2 = 0, {UNDELIVERED}"), 10)
        .await;

    let newest = |since: DateTime<Utc>, most| world.store.newest_messages(own, since, most);
    let found = newest(now(), 6).await.unwrap();

    assert_eq!(found.len(), 3, "of the newest six");
    assert_eq!(found[0].long_text.as_deref(), Some("ɛ".repeat(71).as_str()));
    assert_eq!((found[0].segments, found[0].cost), (2, Money::from_micros(70_000)));
    assert_eq!(found[0].failure.unwrap().as_str(), "UNDELIVERED");
    assert_eq!(newest(now() + TimeDelta::seconds(9), 1_000).await.unwrap().len(), 1);

    let other = world.organization().await.id;
    log(&world, other, &format!("'SMS', 'short', 1, false, {UNDELIVERED}"), 1).await;
    let short = world.store.newest_messages(other, now(), 10).await.unwrap();
    assert_eq!((short.len(), short[0].long_text.as_deref()), (1, None));
    let third = world.organization().await.id;
    log(&world, third, &format!("'EMAIL', repeat('a', 1000), 2, false, {UNDELIVERED}"), 1).await;
    let mail = world.store.newest_messages(third, now(), 10).await.unwrap();
    assert_eq!((mail.len(), mail[0].long_text.as_deref()), (1, None));
}

#[tokio::test]
async fn one_of_many_concurrent_claims_makes_recommendations() {
    let world = World::new().await;
    let own = world.organization().await.id;
    let store = &world.store;
    assert_eq!(store.find(own).await.unwrap(), KeptRecommendations::default());
    let claim = |now| store.claim(own, now, now + TimeDelta::minutes(1));

    let claims = join_all((0..8).map(|_| claim(now()))).await;

    assert_eq!(claims.into_iter().filter(|claimed| *claimed.as_ref().unwrap()).count(), 1);
    // The instance that claimed them died.
    assert!(claim(now() + TimeDelta::minutes(1)).await.unwrap());
    let made = KeptRecommendations {
        items: vec![Recommendation {
            code: RecommendationCode::CostlyCharacters,
            title: "A few characters cost more".into(),
            message: "Write plain ones.".into(),
            value: 0.35,
            messages_at_stake: u64::from(u32::MAX),
        }],
        evaluated_at: Some(now()),
        due_at: Some(now() + TimeDelta::hours(1)),
    };
    store.keep(own, &made).await.unwrap();
    assert_eq!(store.find(own).await.unwrap(), made);
    assert!(!claim(now() + TimeDelta::minutes(59)).await.unwrap());
    assert!(claim(now() + TimeDelta::minutes(60)).await.unwrap());
    assert_eq!(store.find(own).await.unwrap().items, made.items);
}
