//! Deliveries handed over by the writer of steps.

use std::sync::{Arc, Mutex};

use acceptance::silent_endpoint;
use adapters_http::outbound::random::SystemRandom;
use adapters_postgres::{PgInstance, PgJobs, PgStore, Task};
use app::clock::SystemClock;
use chrono::DateTime;
use domain::{
    messaging::{
        delivery::{DeliveryEvent, Status},
        job::{ReportApplied, Step},
        message::Message,
    },
    shared::{id::Id, webhook_event::WebhookEvent},
    webhooks::outbound_event::OutboundEvent,
};
use ports::{
    messaging::messages::{Jobs, Recorded},
    shared::clock::Clock,
    webhooks::webhook_queue::{FreshDeliveries, FreshDelivery, WebhookQueue},
};

use super::{due, queue, request};
use crate::{
    World,
    messaging::jobs::{rescued, sent},
};

/// Deliveries that were handed over.
#[derive(Default)]
struct Handed(Mutex<Vec<FreshDelivery>>);

impl FreshDeliveries for Handed {
    fn hand_over(&self, written: Vec<FreshDelivery>) {
        self.0.lock().unwrap().extend(written);
    }
}

/// Jobs whose deliveries are handed over to `handed`.
fn jobs(world: &World, handed: &Arc<Handed>) -> PgJobs {
    let instance = PgInstance::new(world.store.clone(), Arc::new(SystemRandom));
    let store = PgStore::connect(&world.url, 2).unwrap();
    let fresh = Some(Arc::clone(handed) as _);
    let (jobs, tasks) = PgJobs::new(store, Arc::new(SystemClock), instance, 1, fresh);
    for Task { run, .. } in tasks {
        tokio::spawn(run);
    }
    jobs
}

/// The same step, with an event of this moment.
fn publishing(step: Step) -> Step {
    let message = step.message();
    let at = DateTime::from_timestamp_micros(SystemClock.now().timestamp_micros()).unwrap();
    let event = OutboundEvent {
        id: Id::new_in(at, message.organization),
        organization: message.organization,
        event: WebhookEvent::MessageStatusUpdated,
        subject: message.id.uuid(),
        data: "{}".into(),
        at,
    };
    step.publishing(event)
}

/// The step of a report that a message has arrived.
fn delivered(message: &Message) -> ReportApplied {
    let confirmed = DeliveryEvent::Confirmed { at: crate::now() };
    let delivery = message.delivery.after(confirmed).unwrap();
    let message = Message { delivery, ..message.clone() };
    ReportApplied { message, from: Status::Sent, due_in: None, event: None }
}

#[tokio::test]
async fn deliveries_of_written_steps_are_handed_over_as_they_are_read() {
    let world = World::alone().await;
    let handed = Arc::new(Handed::default());
    let jobs = jobs(&world, &handed);
    let job = rescued(&world, &jobs).await;
    let organization = job.message.organization;
    world.sql(&silent_endpoint(&organization.to_string())).await;

    let step = sent(&job, "ref-1");
    let report = delivered(&step.message);
    for step in [Step::from(step), Step::from(report)] {
        let recorded = jobs.record(publishing(step.clone())).await.unwrap();
        assert_eq!(recorded, Recorded::Done);
        let again = jobs.record(publishing(step)).await.unwrap();
        assert_eq!(again, Recorded::Stale, "what is not written is not handed over");
    }

    let queue = queue(&world);
    let leased = queue.lease_of(&[organization]).await.unwrap();
    let read = due(&queue, request(leased[0], 10)).await;
    let handed = std::mem::take(&mut *handed.0.lock().unwrap());
    assert!(handed.iter().all(|fresh| fresh.key == leased[0]));
    assert_eq!(handed.iter().map(|fresh| fresh.is_first).collect::<Vec<_>>(), [true, false]);
    let handed: Vec<_> = handed.into_iter().map(|fresh| fresh.delivery).collect();
    assert_eq!(handed, read.due);
}

#[tokio::test]
async fn an_event_without_a_subscribed_endpoint_is_not_handed_over() {
    let world = World::alone().await;
    let handed = Arc::new(Handed::default());
    let jobs = jobs(&world, &handed);
    let job = rescued(&world, &jobs).await;

    let step = publishing(sent(&job, "ref-1").into());
    assert_eq!(jobs.record(step).await.unwrap(), Recorded::Done);

    assert_eq!(*handed.0.lock().unwrap(), []);
}
