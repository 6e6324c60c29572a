//! Events, and triggers that try each of their channels once.

use domain::messaging::message::TriggerId;

use chrono::TimeDelta;
use domain::{
    identity::organization::Organization,
    messaging::{
        delivery::{DeliveryEvent, Failure, FailureCode},
        job::ReportApplied,
        message::{Draft, Message, MessageRequest, Metadata, Source},
        retry::RetryRules,
    },
    outreach::{
        event::{Event, EventFilter, EventRequest, EventUpdate, Wait},
        trigger::{ChannelState, Trigger, TriggerChannel},
    },
    shared::{channel::Channel, id::Id, money::Money, page::Page},
};
use ports::{
    messaging::messages::{Advance, Intake, IntakeError, Jobs, Receipt, Recorded, Submission},
    outreach::events::{EventRepository, EventWritten, TriggerRepository},
};
use serde_json::json;

use crate::{
    World,
    messaging::intake_fixture::{IntakeFixture, PRICE},
    now,
};

fn events(world: &World) -> &dyn EventRepository {
    &world.store
}

fn triggers(world: &World) -> &dyn TriggerRepository {
    &world.store
}

fn event(organization: Id<Organization>, slug: &str) -> Event {
    let request = EventRequest {
        name: Some("Parcel".into()),
        slug: Some(slug.into()),
        description: Some("d".into()),
        channel_priority: Some(vec![Channel::Push, Channel::Sms]),
        retry_rules: Some(json!({"maxAttempts": 2, "other": null})),
        fallback_rules: Some(json!({"channels": ["EMAIL"], "afterSeconds": 5})),
        sender: Some("Kente".into()),
        country: Some("NG".parse().unwrap()),
        ..EventRequest::default()
    };
    request.event(organization, &[], now()).unwrap()
}

#[tokio::test]
async fn an_event_is_read_as_written_and_a_stale_update_fails() {
    let world = World::new().await;
    let organization = world.organization().await.id;
    let made = event(organization, "parcel");
    assert_eq!(events(&world).insert(&made).await.unwrap(), EventWritten::Done);
    let again = event(organization, "parcel");
    assert_eq!(events(&world).insert(&again).await.unwrap(), EventWritten::SlugTaken);

    let found = events(&world).find(organization, made.id).await.unwrap().unwrap();
    assert_eq!(found.event, made);
    let update = EventUpdate { name: Some("Other".into()), ..EventUpdate::default() };
    let changed = update.apply(made.clone(), &[]).unwrap();
    assert_eq!(events(&world).update(&changed).await.unwrap(), EventWritten::Done);
    assert_eq!(events(&world).update(&changed).await.unwrap(), EventWritten::Stale);
    let (all, page) = (EventFilter::default(), Page::new(Some(1), Some(100)).unwrap());
    let page = events(&world).page(organization, &all, page).await.unwrap();
    assert_eq!((page.total, &page.items[0].event), (1, &changed));

    let slug = events(&world).delete(organization, made.id).await.unwrap();
    assert_eq!(slug.as_deref(), Some("parcel"));
    assert_eq!(events(&world).delete(organization, made.id).await.unwrap(), None);
    assert!(events(&world).find_by_slug(organization, "parcel").await.unwrap().is_none());
    assert_eq!(events(&world).insert(&again).await.unwrap(), EventWritten::Done);
}

fn mail() -> Draft {
    let request = MessageRequest {
        channel: Some(Channel::Email),
        to: Some("ama@example.com".into()),
        subject: Some("News".into()),
        body: Some("Akwaaba".into()),
        metadata: Metadata::new([("order".into(), "4711".into())].into()).unwrap(),
        ..MessageRequest::default()
    };
    let rules = RetryRules { max_attempts: Some(2), backoff_seconds: None };
    Draft { retry_rules: Some(rules), ..request.draft(None).unwrap() }
}

/// A trigger by SMS and then by mail, with its first message.
struct Begun {
    trigger: Trigger,
    message: Message,
}

impl Begun {
    /// Accepts the trigger, with that wait.
    async fn accept(fixture: &IntakeFixture, after: Option<i64>, until: &str) -> Self {
        let id = Id::new_in(now(), fixture.organization);
        let message = Message { source: Some(Source::Trigger(id)), ..fixture.message() };
        let left = |channel| TriggerChannel { channel, state: ChannelState::Left };
        let skipped = TriggerChannel {
            channel: Channel::Push,
            state: ChannelState::Skipped(FailureCode::InvalidRecipient),
        };
        let trigger = Trigger {
            id,
            organization: fixture.organization,
            event: "parcel".into(),
            is_sandbox: false,
            channels: vec![skipped, left(Channel::Sms), left(Channel::Email)],
            left: vec![Draft::clone(&message.draft), mail()],
            wait: Wait { after: after.map(TimeDelta::seconds), until: until.parse().unwrap() },
        };
        let trigger = trigger.going_on_with(message.id);
        let receipt = fixture.intake.accept(submission(fixture, &message, &trigger)).await;
        assert!(matches!(receipt, Ok(Receipt::Accepted(_))), "{receipt:?}");
        Self { trigger, message }
    }

    /// The message for the next channel, and the trigger with it.
    fn next(&self, fixture: &IntakeFixture) -> (Message, Trigger) {
        let source = Some(Source::Trigger(self.trigger.id));
        let message = Message { source, ..fixture.message() };
        let trigger = self.trigger.clone().going_on_with(message.id);
        (message, trigger)
    }

    /// Applies a report on a message.
    async fn report(&self, fixture: &IntakeFixture, message: &Message, event: DeliveryEvent) {
        let known = fixture.jobs.find(message.id).await.unwrap().unwrap();
        let delivery = known.delivery.after_report(event).unwrap();
        let from = known.delivery.status();
        let applied = ReportApplied {
            from,
            message: Message { delivery, ..known },
            due_in: None,
            event: None,
        };
        assert_eq!(fixture.jobs.record(applied.into()).await.unwrap(), Recorded::Done);
    }

    /// Whole seconds until the next channel is due, and true if the trigger has ended.
    async fn state(&self, fixture: &IntakeFixture) -> (Option<i64>, bool) {
        let query = format!(
            "SELECT round(extract(epoch FROM due_at - now()))::bigint, ended_at IS NOT NULL \
             FROM triggers WHERE id = '{}'",
            self.trigger.id
        );
        let row = fixture.world.client().await.query_one(&query, &[]).await.unwrap();
        (row.get(0), row.get(1))
    }
}

fn submission(fixture: &IntakeFixture, message: &Message, trigger: &Trigger) -> Submission {
    Submission {
        advance: Some(Advance::Trigger(trigger.clone())),
        ..fixture.submission(std::slice::from_ref(message))
    }
}

fn failed() -> DeliveryEvent {
    let failure = Failure::new(FailureCode::Undelivered, "absent");
    DeliveryEvent::Rejected { at: now(), failure }
}

fn delivered() -> DeliveryEvent {
    DeliveryEvent::Confirmed { at: now() }
}

async fn due(fixture: &IntakeFixture) -> Vec<TriggerId> {
    let taken = triggers(&fixture.world).take_due(10, &[]).await.unwrap();
    taken.into_iter().map(|trigger| trigger.id).collect()
}

async fn make_due(fixture: &IntakeFixture) {
    fixture.world.sql("UPDATE triggers SET due_at = now() WHERE due_at IS NOT NULL").await;
}

#[tokio::test]
async fn a_trigger_is_read_as_it_was_accepted() {
    let fixture = IntakeFixture::open(Money::from_cedis(1)).await;
    let begun = Begun::accept(&fixture, Some(60), "SENT").await;
    let found =
        triggers(&fixture.world).find(fixture.organization, begun.trigger.id).await.unwrap();
    assert_eq!(found, Some(begun.trigger.clone()));
    let (due, is_over) = begun.state(&fixture).await;
    assert!((50..=60).contains(&due.unwrap()) && !is_over, "{due:?}");
    let stored = fixture.jobs.find(begun.message.id).await.unwrap().unwrap();
    assert_eq!(stored.source, begun.message.source);
}

#[tokio::test]
async fn the_next_channel_is_tried_once_by_concurrent_workers() {
    let fixture = IntakeFixture::open(Money::from_cedis(1)).await;
    let another = fixture.another();
    let begun = Begun::accept(&fixture, None, "DELIVERED").await;
    let moves: Vec<_> = (0..6).map(|_| begun.next(&fixture)).collect();
    let submitted: Vec<_> =
        moves.iter().map(|(message, trigger)| submission(&fixture, message, trigger)).collect();

    let receipts = futures_util::future::join_all(submitted.into_iter().enumerate().map(
        |(number, submission)| {
            if number % 2 == 0 {
                fixture.intake.accept(submission)
            } else {
                another.accept(submission)
            }
        },
    ))
    .await;

    let accepted = receipts.iter().filter(|it| it.is_ok()).count();
    let overtaken = receipts.iter().filter(|it| matches!(it, Err(IntakeError::Overtaken))).count();
    assert_eq!((accepted, overtaken), (1, 5), "{receipts:?}");
    assert_eq!(fixture.number("SELECT count(*) FROM delivery_logs").await, 2);
    assert_eq!(begun.state(&fixture).await, (None, true), "nothing is left to be tried");
    let balance = fixture.number("SELECT max(balance_micros) FROM wallets").await;
    assert_eq!(Money::from_micros(balance), Money::from_cedis(1) - PRICE * 2);
}

#[tokio::test]
async fn an_overtaken_trigger_does_not_affect_its_batch() {
    let fixture = IntakeFixture::open(Money::from_cedis(1)).await;
    let begun = Begun::accept(&fixture, None, "DELIVERED").await;
    let (message, trigger) = begun.next(&fixture);
    fixture.intake.accept(submission(&fixture, &message, &trigger)).await.unwrap();
    let (late, _) = begun.next(&fixture);
    let late = begun.trigger.clone().going_on_with(late.id);
    let other = fixture.message();

    let (refused, accepted) = futures_util::future::join(
        fixture.intake.accept(submission(&fixture, &fixture.message(), &late)),
        fixture.intake.accept(fixture.submission(&[other])),
    )
    .await;

    assert!(matches!(refused, Err(IntakeError::Overtaken)), "{refused:?}");
    assert!(accepted.is_ok(), "{accepted:?}");
}

#[tokio::test]
async fn a_failure_goes_to_the_next_channel_and_a_delivery_ends_it() {
    let fixture = IntakeFixture::open(Money::from_cedis(1)).await;
    let begun = Begun::accept(&fixture, None, "DELIVERED").await;
    assert_eq!(begun.state(&fixture).await, (None, false));
    begun.report(&fixture, &begun.message, failed()).await;
    let (seconds, is_over) = begun.state(&fixture).await;
    assert!(seconds.is_some_and(|seconds| seconds <= 2) && !is_over);
    make_due(&fixture).await;
    assert!(
        triggers(&fixture.world).take_due(10, &[fixture.organization]).await.unwrap().is_empty()
    );
    assert_eq!(due(&fixture).await, [begun.trigger.id]);
    assert_eq!(due(&fixture).await, [], "somebody has it");

    let begun = Begun::accept(&fixture, Some(60), "DELIVERED").await;
    begun.report(&fixture, &begun.message, DeliveryEvent::Accepted { at: now() }).await;
    assert!(begun.state(&fixture).await.0.is_some(), "it is waited for a delivery");
    begun.report(&fixture, &begun.message, delivered()).await;
    assert_eq!(begun.state(&fixture).await, (None, true));
    let (message, trigger) = begun.next(&fixture);
    let late = fixture.intake.accept(submission(&fixture, &message, &trigger)).await;
    assert!(matches!(late, Err(IntakeError::Overtaken)), "{late:?}");
}

#[tokio::test]
async fn a_reached_status_ends_the_wait_until_a_later_failure() {
    let fixture = IntakeFixture::open(Money::from_cedis(1)).await;
    let begun = Begun::accept(&fixture, Some(60), "SENT").await;
    begun.report(&fixture, &begun.message, DeliveryEvent::Accepted { at: now() }).await;
    assert_eq!(begun.state(&fixture).await, (None, false));
    begun.report(&fixture, &begun.message, failed()).await;
    assert!(begun.state(&fixture).await.0.is_some());

    triggers(&fixture.world).end(&begun.trigger).await.unwrap();
    assert_eq!(begun.state(&fixture).await, (None, true));
    make_due(&fixture).await;
    assert_eq!(due(&fixture).await, []);
}

#[tokio::test]
async fn a_trigger_to_an_erased_contact_ends() {
    let fixture = IntakeFixture::open(Money::from_cedis(1)).await;
    let begun = Begun::accept(&fixture, Some(60), "DELIVERED").await;
    let organization = fixture.organization;
    let erase = async |email: &str| {
        fixture
            .world
            .sql(&format!(
                "INSERT INTO contact_erasures (id, organization_id, email, requested_at) \
                 VALUES (uuid_v7_in(now(), '{organization}'), '{organization}', '{email}', \
                    now() - interval '2 minutes')"
            ))
            .await;
        while fixture.world.store.erase_some().await.unwrap() {}
    };

    erase("esi@example.com").await;
    assert!(!begun.state(&fixture).await.1);
    erase("ama@example.com").await;
    assert_eq!(begun.state(&fixture).await, (None, true));
    let text = "SELECT count(*) FROM triggers WHERE drafts::text LIKE '%ama%'";
    assert_eq!(fixture.number(text).await, 0);
}
