//! Agreement of counters with the log, and the check that reports differences.

use std::sync::Arc;

use adapters_postgres::{CountersChecked, PgStore};
use chrono::TimeDelta;
use domain::{
    identity::organization::Organization,
    messaging::{
        message::{Message, Source},
        priority::Priority,
    },
    shared::{id::Id, money::Money},
};
use futures_util::future::{join, join_all};
use ports::messaging::messages::{ClaimLimits, Intake, Jobs, Submission};

use crate::{
    World,
    messaging::intake_fixture::{IntakeFixture, PRICE},
    minutes, now,
    shared::locks::failed,
};

async fn check(world: &World) -> CountersChecked {
    let store = PgStore::connect_maintenance(&world.url, 1).unwrap();
    store.check_counters().await.unwrap()
}

async fn accept(fixture: &IntakeFixture, messages: Vec<Message>) {
    let organization = messages[0].organization;
    let submission = Submission { organization, ..fixture.submission(&messages) };
    fixture.intake.accept(submission).await.unwrap();
}

/// Accepts messages of each organization, live and sandbox, on three days and some of a campaign,
/// and lets some fail, while the journal is folded and posted.
async fn load(fixture: &IntakeFixture, organizations: &[Id<Organization>]) {
    let campaign = campaign(fixture).await;
    for round in 0..6_i64 {
        let requests = organizations.iter().map(|&organization| {
            let created_at = now() - TimeDelta::days(round % 3) + minutes(7 * round);
            let mut messages = vec![IntakeFixture::message_of(organization); 3];
            for (number, message) in messages.iter_mut().enumerate() {
                message.id = Id::new_in(created_at, organization);
                message.created_at = created_at;
                if number == 0 {
                    message.event = Some("parcel".to_owned());
                    Arc::make_mut(&mut message.draft).template = Some(Id::floor(now()));
                }
                if number == 1 && organization == fixture.organization {
                    message.source = Some(Source::Campaign(campaign));
                }
                if number == 2 {
                    (message.is_sandbox, message.cost) = (true, Money::ZERO);
                    message.priority = Priority::Sandbox;
                }
            }
            accept(fixture, messages)
        });
        let fail = async {
            let jobs = fixture.jobs.claim(&ClaimLimits::any(2)).await.unwrap();
            let steps = jobs.into_iter().map(|job| fixture.jobs.record(failed(job)));
            assert!(join_all(steps).await.iter().all(Result::is_ok));
        };
        let post = async {
            fixture.world.store.fold_journal(None).await.unwrap();
            if round % 2 == 0 {
                fixture.world.store.post_oldest_bucket(None).await.unwrap();
            }
        };
        let looks = async {
            let found = check(&fixture.world).await;
            assert!(found.are_in_order(), "in round {round}: {found}");
        };
        join(join(join_all(requests), fail), join(post, looks)).await;
    }
}

/// A campaign of the fixture's organization.
async fn campaign(fixture: &IntakeFixture) -> domain::messaging::message::CampaignId {
    let organization = fixture.organization;
    let id = Id::new_in(now() - TimeDelta::days(3), organization);
    let campaign = format!(
        "INSERT INTO campaigns (id, organization_id, name, channel, created_by, authors, created_at, \
            updated_at) \
         VALUES ('{id}', '{organization}', 'c', 'SMS', gen_random_uuid(), '{{}}', now(), now())"
    );
    fixture.world.sql(&campaign).await;
    id
}

#[tokio::test]
async fn counters_are_exact_during_and_after_a_mixed_load() {
    let fixture = IntakeFixture::open(Money::from_cedis(100)).await;
    let other = fixture.world.organization().await.id;
    fixture.world.open_wallet(other, Money::from_cedis(100)).await;

    load(&fixture, &[fixture.organization, other]).await;

    let waiting = check(&fixture.world).await;
    fixture.world.store.post_journal().await.unwrap();
    let posted = check(&fixture.world).await;
    assert_eq!(posted, waiting);
    assert_eq!(posted.to_string(), "the counters are in order: 36 messages of 3 days were counted");
}

#[tokio::test]
async fn each_wrong_counter_is_reported_with_its_expected_value() {
    let fixture = IntakeFixture::open(Money::from_cedis(100)).await;
    accept(&fixture, vec![fixture.message()]).await;
    load(&fixture, &[fixture.organization]).await;
    fixture.world.store.post_journal().await.unwrap();
    let own = fixture.organization;
    let contact = format!(
        "INSERT INTO contacts (id, organization_id, created_at) \
         VALUES (uuid_v7_in(now(), '{own}'), '{own}', now())"
    );
    fixture.world.sql(&contact).await;
    let today = now().format("%Y-%m-%d");
    let (hour, minute) = (now().format("%Y-%m-%dT%H:00Z"), now().format("%Y-%m-%dT%H:%MZ"));

    for (table, change, back, expected) in [
        (
            "delivery_log_counters",
            "messages = messages + 1 WHERE span = 'DAY'",
            "messages = messages - 1 WHERE span = 'DAY'",
            format!("day {today} of organization {own}, SMS FAILED: counted "),
        ),
        (
            "delivery_log_counters",
            "segments = segments + 1 WHERE span = 'HOUR'",
            "segments = segments - 1 WHERE span = 'HOUR'",
            format!("hour {hour} of organization {own}, SMS FAILED: counted "),
        ),
        (
            "delivery_log_slots",
            "messages = messages - 1 WHERE true",
            "messages = messages + 1 WHERE true",
            format!("minute {minute} of organization {own}, SMS: counted 4, kept 3"),
        ),
        (
            "platform_counters",
            "cost_micros = cost_micros + 35000 WHERE is_sandbox",
            "cost_micros = cost_micros - 35000 WHERE is_sandbox",
            "(sandbox): counted GHS 0.00, kept GHS 0.035".to_owned(),
        ),
        (
            "campaign_counts",
            "messages = messages + 100 WHERE true",
            "messages = messages - 100 WHERE true",
            "campaign ".to_owned(),
        ),
        (
            "campaign_counts",
            "cost_micros = cost_micros + 35000 WHERE true",
            "cost_micros = cost_micros - 35000 WHERE true",
            "campaign ".to_owned(),
        ),
        (
            "contact_counts",
            "contacts = 2 WHERE true",
            "contacts = 1 WHERE true",
            format!("contacts of organization {own}: counted 1, kept 2"),
        ),
    ] {
        fixture.world.sql(&format!("UPDATE {table} SET {change}")).await;
        let wrong = check(&fixture.world).await;
        fixture.world.sql(&format!("UPDATE {table} SET {back}")).await;

        let all = wrong.differences.iter().map(ToString::to_string).collect::<Vec<_>>();
        assert!(all.iter().any(|it| it.contains(&expected)), "{expected} is not in {all:#?}");
        let line = wrong.to_string();
        assert!(line.starts_with("the counters are not in order: ") && !line.contains('\n'));
        assert!(!wrong.are_in_order() && check(&fixture.world).await.are_in_order(), "{table}");
    }
}

#[tokio::test]
async fn a_wrong_figure_is_reported_with_its_property() {
    let fixture = IntakeFixture::open(Money::from_cedis(100)).await;
    accept(&fixture, vec![fixture.message()]).await;
    fixture.world.store.post_journal().await.unwrap();
    let wrong = "UPDATE message_figures SET delivered = 1 WHERE dimension = 'COUNTRY'";
    fixture.world.sql(wrong).await;

    let found = check(&fixture.world).await;

    assert_eq!(found.found, 1, "{found}");
    let counter = &found.differences[0].counter;
    assert!(counter.starts_with("figures by country GH "), "{counter}");
    assert!(counter.ends_with(&format!("of organization {}, DELIVERED", fixture.organization)));
    assert_eq!((found.differences[0].counted.rows, found.differences[0].kept.rows), (0, 1));
}

#[tokio::test]
async fn a_message_missing_from_the_log_is_reported() {
    let fixture = IntakeFixture::open(Money::from_cedis(100)).await;
    for _ in 0..2 {
        accept(&fixture, vec![fixture.message()]).await;
    }
    fixture
        .world
        .sql("DELETE FROM delivery_logs WHERE id = (SELECT id FROM delivery_logs LIMIT 1)")
        .await;

    let found = check(&fixture.world).await;

    // A day, an hour and a minute, the day of the platform, and the country and the provider.
    assert_eq!(found.found, 6, "{found}");
    assert_eq!((found.differences[0].counted.rows, found.differences[0].kept.rows), (1, 2));
    assert_eq!(found.differences[0].kept.cost, PRICE * 2);
}

#[tokio::test]
async fn reports_the_first_differences_and_counts_all() {
    let fixture = IntakeFixture::open(Money::from_cedis(100)).await;
    accept(&fixture, vec![fixture.message()]).await;
    let wrong = "INSERT INTO delivery_log_slots \
        SELECT organization_id, date_trunc('day', created_at, 'UTC') + make_interval(mins => number), \
            'PUSH', 1 \
        FROM delivery_logs, generate_series(1, 30) AS number";
    fixture.world.sql(wrong).await;

    let found = check(&fixture.world).await;

    assert_eq!((found.differences.len(), found.found), (20, 30));
    assert!(found.to_string().ends_with("; and 29 more"), "{found}");
}

#[tokio::test]
async fn purging_sandbox_messages_keeps_counters_exact() {
    let fixture = IntakeFixture::open(Money::from_cedis(100)).await;
    let sandbox = Message { is_sandbox: true, cost: Money::ZERO, ..fixture.message() };
    accept(&fixture, vec![sandbox]).await;
    accept(&fixture, vec![fixture.message()]).await;
    let maintenance = PgStore::connect_maintenance(&fixture.world.url, 1).unwrap();
    maintenance.maintain().await.unwrap();
    assert_eq!(fixture.number("SELECT count(*) FROM delivery_logs").await, 1);

    assert!(check(&fixture.world).await.are_in_order());
    fixture.world.store.post_journal().await.unwrap();
    assert_eq!(
        check(&fixture.world).await.to_string(),
        "the counters are in order: 1 messages of 1 days were counted"
    );
}

#[tokio::test]
async fn days_of_dropped_months_are_skipped_and_reported() {
    let fixture = IntakeFixture::open(Money::from_cedis(100)).await;
    accept(&fixture, vec![fixture.message()]).await;
    let taken_away = "INSERT INTO delivery_log_counters \
        SELECT organization_id, 'DAY', date_trunc('day', now() - interval '1 year', 'UTC'), 'SMS', \
            'DELIVERED', false, 5, 5, 175000 \
        FROM delivery_logs";
    fixture.world.sql(taken_away).await;

    let found = check(&fixture.world).await;

    assert_eq!((found.days, found.days_without_log), (1, 1));
    assert!(found.are_in_order(), "{found}");
    assert!(found.to_string().ends_with("and 1 days have no log any more"), "{found}");
}
