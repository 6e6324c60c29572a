//! Erasure of people whose contacts were deleted.

use adapters_postgres::PgStore;
use app::clock::SystemClock;
use domain::{
    audience::contact::{Contact, ContactRequest},
    identity::organization::Organization,
    messaging::{
        delivery::{Delivery, DeliveryEvent, Failure, FailureCode},
        job::Job,
        message::Message,
    },
    shared::{id::Id, money::Money},
};
use ports::{
    messaging::{
        messages::{Intake, Jobs, Recorded},
        scheduled_messages::ScheduledMessageRepository,
    },
    shared::clock::Clock,
};

use super::with_phone;
use crate::{World, messaging::intake_fixture::IntakeFixture, minutes, now};

const ERASED: &str = "recipient = '[erased]' AND body = '[erased]' AND subject = '[erased]' \
                      AND error_message = '[erased]' AND vendor_template IS NULL";

/// Writes messages to a recipient with a status, numbered `from` to `to` in order of creation.
async fn log(
    world: &World,
    organization: Id<Organization>,
    (from, to): (u32, u32),
    recipient: &str,
    status: &str,
) {
    world
        .sql(&format!(
            "INSERT INTO delivery_logs (id, organization_id, channel, status, recipient, country_code, \
                category, priority, subject, body, segments, cost_micros, is_sandbox, is_confidential, \
                error_message, vendor_template, created_at, expires_at) \
             SELECT (left(uuid_floor(now() - interval '1 day')::text, 24) \
                    || lpad(to_hex(number), 9, '0') || right('{organization}', 3))::uuid, \
                '{organization}', 'SMS', '{status}', '{recipient}', 'GH', 'OTP', 0, 'S', 'B', 1, 0, \
                false, false, 'no', '{{}}', now(), now() + interval '1 hour' \
             FROM generate_series({from}, {to}) AS number"
        ))
        .await;
}

async fn count(world: &World, query: &str) -> i64 {
    let query = format!("SELECT count(*) FROM {query}");
    world.client().await.query_one(&query, &[]).await.unwrap().get(0)
}

/// Creates and deletes a contact, as if the deletion was requested two minutes ago.
async fn delete(world: &World, contact: &Contact) {
    world.contacts().insert(contact).await.unwrap();
    assert!(world.contacts().delete(contact.organization, contact.id).await.unwrap());
    let id = contact.id;
    world
        .sql(&format!(
            "UPDATE contact_erasures SET requested_at = now() - interval '2 minutes' WHERE id = '{id}'"
        ))
        .await;
}

/// Erases until nothing is due, and returns the number of steps.
async fn erase(store: &PgStore) -> u32 {
    let mut steps = 0;
    while store.erase_some().await.unwrap() {
        steps += 1;
    }
    steps
}

async fn left(world: &World) -> [i64; 3] {
    let mut left = [0; 3];
    for (index, table) in
        ["contact_erasures", "erasure_walks", "unfinished_erasures"].into_iter().enumerate()
    {
        left[index] = count(world, table).await;
    }
    left
}

#[tokio::test]
async fn erases_all_final_messages_to_the_deleted_contact_only() {
    let world = World::alone().await;
    let (own, other) = (world.organization().await.id, world.organization().await.id);
    let contact = ContactRequest {
        phone: Some("0241234567".into()),
        email: Some("ama@example.com".into()),
        fcm_token: Some("token".into()),
        ..ContactRequest::default()
    };
    let contact = contact.contact(own, now()).unwrap();
    let recipients = ["+233241234567", "Ama@example.com", "token", "+233241234568", "TOKEN"];
    for (from, recipient) in (0..).step_by(10).zip(recipients) {
        log(&world, own, (from, from + 4), recipient, "FAILED").await;
        log(&world, own, (from + 5, from + 9), recipient, "DELIVERED").await;
        log(&world, other, (from, from + 4), recipient, "FAILED").await;
    }

    delete(&world, &contact).await;
    erase(&world.store).await;

    let logs = |organization, condition: &str| {
        format!("delivery_logs WHERE organization_id = '{organization}' AND {condition}")
    };
    assert_eq!(count(&world, &logs(own, ERASED)).await, 30);
    assert_eq!(count(&world, &logs(own, "body = 'B'")).await, 20);
    assert_eq!(count(&world, &logs(other, "body = 'B'")).await, 25);
    assert_eq!(left(&world).await, [0; 3]);
}

/// Writes an event of an organization that was published a day ago.
async fn publish(world: &World, organization: Id<Organization>, number: u32, data: &str) {
    world
        .sql(&format!(
            "INSERT INTO outbound_events (organization_id, id, event, data, created_at) \
             SELECT '{organization}', (left(uuid_floor(now() - interval '1 day')::text, 24) \
                    || lpad(to_hex({number}), 9, '0') || right('{organization}', 3))::uuid, \
                'message.status.updated', '{data}', now()"
        ))
        .await;
}

#[tokio::test]
async fn erases_events_about_the_deleted_contact_only() {
    let world = World::alone().await;
    let (own, other) = (world.organization().await.id, world.organization().await.id);
    let sent = r#"{"recipient": "+233241234567", "body": "B", "subject": null, "cost": 1,
        "metadata": {"customer": "Ama"}}"#;
    let opted_out = r#"{"phone": "+233241234567", "contactId": null, "source": "STOP"}"#;
    let others = r#"{"recipient": "+233241234568", "body": "B"}"#;
    for (number, data) in (0..).zip([sent, opted_out, others, r#"{"id": "campaign"}"#]) {
        publish(&world, own, number, data).await;
        publish(&world, other, number, data).await;
    }

    delete(&world, &with_phone(own, "0241234567")).await;
    erase(&world.store).await;

    let data = format!(
        "SELECT string_agg(data::jsonb::text, ' ' ORDER BY id) FROM outbound_events \
         WHERE organization_id = '{own}'"
    );
    let data: String = world.client().await.query_one(&data, &[]).await.unwrap().get(0);
    assert_eq!(
        data,
        r#"{"body": "[erased]", "cost": 1, "subject": null, "recipient": "[erased]"} "#.to_owned()
            + r#"{"phone": "[erased]", "source": "STOP", "contactId": null} "#
            + r#"{"body": "B", "recipient": "+233241234568"} {"id": "campaign"}"#
    );
    let kept =
        format!("outbound_events WHERE organization_id = '{other}' AND data LIKE '%erased%'");
    assert_eq!(count(&world, &kept).await, 0);
    assert_eq!(left(&world).await, [0; 3]);
}

#[tokio::test]
async fn an_erasure_waits_for_earlier_imports() {
    let world = World::alone().await;
    let organization = world.organization().await.id;
    delete(&world, &with_phone(organization, "0241234567")).await;
    world
        .sql(&format!(
            "INSERT INTO imports (organization_id, id, kind, status, created_at) VALUES \
                ('{organization}', gen_random_uuid(), 'CONTACTS', 'QUEUED', \
                    now() - interval '3 minutes'), \
                ('{organization}', gen_random_uuid(), 'CONTACTS', 'QUEUED', now())"
        ))
        .await;

    assert_eq!(erase(&world.store).await, 0);
    assert_eq!(left(&world).await, [1, 0, 0]);

    world
        .sql("UPDATE imports SET status = 'COMPLETED' WHERE created_at < now() - '1 min'::interval")
        .await;
    erase(&world.store).await;
    assert_eq!(left(&world).await, [0; 3]);
}

#[tokio::test]
async fn a_contact_is_erased_a_minute_after_its_deletion() {
    let world = World::alone().await;
    let contact = with_phone(world.organization().await.id, "0241234567");
    world.contacts().insert(&contact).await.unwrap();
    world.contacts().delete(contact.organization, contact.id).await.unwrap();

    assert_eq!(erase(&world.store).await, 0);
    assert_eq!(left(&world).await, [1, 0, 0]);
}

#[tokio::test]
async fn another_instance_continues_an_unfinished_erasure() {
    let world = World::alone().await;
    let organization = world.organization().await.id;
    log(&world, organization, (1, 4_500), "+233241234567", "DELIVERED").await;
    delete(&world, &with_phone(organization, "0241234567")).await;
    let erased = "delivery_logs WHERE recipient = '[erased]'";

    assert!(world.store.erase_some().await.unwrap(), "the walk begins");
    assert!(world.store.erase_some().await.unwrap(), "the first step");
    assert_eq!(count(&world, erased).await, 2_000);
    // The instance took the next step and died before writing it.
    world.sql("UPDATE erasure_walks SET due_at = now() + interval '1 minute'").await;
    let other = PgStore::connect_writers(&world.url, 1).unwrap();
    assert_eq!(erase(&other).await, 0, "the step is taken");
    world.sql("UPDATE erasure_walks SET due_at = now()").await;
    let steps = erase(&other).await;

    assert_eq!(steps, 4, "two more batches, what was told, and the end");
    assert_eq!(count(&world, erased).await, 4_500);
    assert_eq!(left(&world).await, [0; 3]);
}

#[tokio::test]
async fn a_contact_deleted_during_a_walk_is_erased_by_the_next() {
    let world = World::alone().await;
    let organization = world.organization().await.id;
    log(&world, organization, (1, 3), "+233241234567", "DELIVERED").await;
    log(&world, organization, (4, 6), "+233241234568", "DELIVERED").await;
    delete(&world, &with_phone(organization, "0241234567")).await;
    assert!(world.store.erase_some().await.unwrap());
    delete(&world, &with_phone(organization, "0241234568")).await;

    erase(&world.store).await;

    assert_eq!(count(&world, "delivery_logs WHERE recipient = '[erased]'").await, 6);
    assert_eq!(left(&world).await, [0; 3]);
}

#[tokio::test]
async fn a_message_in_flight_is_delivered_before_it_is_erased() {
    let fixture = IntakeFixture::open(Money::from_cedis(1)).await;
    let world = &fixture.world;
    let message = fixture.message();
    let job = fixture.claim(std::slice::from_ref(&message)).await.remove(0);
    world.sql("UPDATE delivery_logs SET expires_at = now() + interval '1 hour'").await;
    delete(world, &with_phone(fixture.organization, "0241234567")).await;

    erase(&world.store).await;
    assert_eq!(body(world, &message).await, "Akwaaba");
    assert_eq!(left(world).await, [0, 0, 1], "no address is kept for it");

    // The message has no outcome yet.
    world.sql("UPDATE unfinished_erasures SET due_at = now()").await;
    erase(&world.store).await;
    assert_eq!(body(world, &message).await, "Akwaaba");

    finish(&fixture, job).await;
    world.sql("UPDATE unfinished_erasures SET due_at = now()").await;
    erase(&world.store).await;
    assert_eq!(body(world, &message).await, "[erased]");
    assert_eq!(left(world).await, [0; 3]);
}

#[tokio::test]
async fn erases_unfinished_messages_that_are_too_old_for_reports() {
    let world = World::alone().await;
    let organization = world.organization().await.id;
    log(&world, organization, (1, 2), "+233241234567", "SENT").await;
    world.sql("UPDATE delivery_logs SET expires_at = now() - interval '5 days'").await;
    log(&world, organization, (3, 3), "+233241234567", "SENT").await;

    delete(&world, &with_phone(organization, "0241234567")).await;
    erase(&world.store).await;

    assert_eq!(count(&world, "delivery_logs WHERE recipient = '[erased]'").await, 2);
    assert_eq!(left(&world).await, [0, 0, 1]);
}

async fn body(world: &World, message: &Message) -> String {
    let found = world.delivery_logs().find(message.organization, message.id).await.unwrap();
    found.unwrap().draft.body.clone()
}

/// Lets the message fail for good.
async fn finish(fixture: &IntakeFixture, job: Job) {
    let failure = Failure::new(FailureCode::Undelivered, "absent");
    let dispatched = job.message.delivery.after(DeliveryEvent::Dispatched).unwrap();
    let failed = dispatched.after(DeliveryEvent::Rejected { at: now(), failure }).unwrap();
    assert_eq!(fixture.jobs.record(job.conclude(failed).into()).await.unwrap(), Recorded::Done);
}

#[tokio::test]
async fn a_message_that_is_scheduled_for_a_deleted_contact_is_cancelled_and_erased() {
    let fixture = IntakeFixture::open(Money::from_cedis(1)).await;
    let world = &fixture.world;
    let at = SystemClock.now() + minutes(60);
    let message = fixture.message().scheduled(at, true);
    fixture.intake.accept(fixture.submission(std::slice::from_ref(&message))).await.unwrap();
    delete(world, &with_phone(fixture.organization, "0241234567")).await;
    assert!(world.store.erase_some().await.unwrap(), "the walk begins");
    assert!(world.store.scheduled_to_erase().await.unwrap().is_empty());
    assert!(world.store.erase_some().await.unwrap(), "the first step");

    let waiting = world.store.scheduled_to_erase().await.unwrap();

    assert_eq!(waiting, [(fixture.organization, message.id)]);
    let scheduled = fixture.jobs.scheduled_messages(world.store.clone());
    let job = scheduled.take(fixture.organization, message.id).await.unwrap().unwrap();
    let failed = Delivery::Failed { sent_at: None, at: now(), failure: Failure::withdrawn() };
    fixture.jobs.record(job.conclude(failed).into()).await.unwrap();
    let organization = fixture.organization;
    world
        .sql(&format!(
            "INSERT INTO outbound_events (organization_id, id, event, data, created_at) \
             VALUES ('{organization}', uuid_v7_in(now(), '{organization}'), \
                'message.status.updated', '{{\"recipient\": \"+233241234567\"}}', now())"
        ))
        .await;
    erase(&world.store).await;
    assert_eq!(body(world, &message).await, "[erased]");
    assert_eq!(left(world).await, [0; 3]);
    let told = "outbound_events WHERE data LIKE '%+233241234567%'";
    assert_eq!(count(world, told).await, 0, "what was told of the cancellation");
}
