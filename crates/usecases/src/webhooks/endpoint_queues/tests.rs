//! The rules of the queues of endpoints.

use std::sync::Arc;

use chrono::TimeDelta;
use domain::{
    shared::webhook_event::WebhookEvent,
    webhooks::{
        outbound_event::OutboundEvent,
        webhook::{
            CallFailure, CallOutcome, Deactivation, Failing, WebhookCallResult, WebhookSecret,
        },
    },
};
use ports::webhooks::webhook_queue::{AfterAttempt, CalledEndpoint};

use super::*;
use crate::shared::fixtures::NOW;

mod failing;
mod handing_over;
mod sharing;

fn at(seconds: i64) -> DateTime<Utc> {
    NOW + TimeDelta::seconds(seconds)
}

fn id<T>(number: u128) -> Id<T> {
    format!("{number:032x}").parse().unwrap()
}

fn organization(number: u128) -> Id<Organization> {
    id(number)
}

fn key(number: u128) -> EndpointKey {
    EndpointKey { organization: organization(number), endpoint: id(number) }
}

fn endpoint() -> CalledEndpoint {
    CalledEndpoint {
        url: "https://shop.example.com".to_owned(),
        secret: WebhookSecret::stored("new".to_owned()),
        previous_secret: None,
        failing: None,
    }
}

fn delivery(key: EndpointKey, number: u128, subject: u128) -> DueDelivery {
    let event = OutboundEvent {
        id: id(number),
        organization: key.organization,
        event: WebhookEvent::MessageStatusUpdated,
        subject: id::<OutboundEvent>(subject).uuid(),
        data: "{}".to_owned(),
        at: NOW,
    };
    DueDelivery { event: Arc::new(event), attempts: 0, due_at: NOW, trace: None }
}

fn answered(status: u16) -> WebhookCallResult {
    let outcome = CallOutcome::Answered { status, retry_after: None };
    WebhookCallResult { outcome, took: TimeDelta::milliseconds(20) }
}

fn timed_out() -> WebhookCallResult {
    let outcome = CallOutcome::Failed(CallFailure::TimedOut);
    WebhookCallResult { outcome, took: TimeDelta::seconds(15) }
}

/// Endpoint queues, and the deliveries that are due in the store.
#[derive(Default)]
struct Desk {
    queues: EndpointQueues,
    due: HashMap<EndpointKey, Vec<DueDelivery>>,
    called: Option<CalledEndpoint>,
}

impl Desk {
    /// A desk with leased endpoints, to each of which these events with these subjects are due.
    fn with(endpoints: impl Iterator<Item = u128>, events: &[(u128, u128)]) -> Self {
        let mut desk = Self { called: Some(endpoint()), ..Self::default() };
        for number in endpoints {
            let key = key(number);
            let due = events.iter().map(|(event, subject)| delivery(key, *event, *subject));
            desk.due.insert(key, due.collect());
            desk.queues.lease(&[key], NOW);
        }
        desk
    }

    /// Makes all reads that are requested.
    fn read(&mut self, now: DateTime<Utc>) {
        loop {
            let requests = self.queues.requests(now);
            if requests.is_empty() {
                return;
            }
            let read = requests.iter().map(|request| self.answer(request, now)).collect();
            self.queues.take(&requests, read, now);
        }
    }

    fn answer(&self, request: &DueRequest, now: DateTime<Utc>) -> DueDeliveries {
        let due = self.due[&request.key].iter();
        let fresh = due.filter(|it| !request.in_flight.contains(&it.event.id));
        let fresh: Vec<_> = fresh.take(request.wanted).cloned().collect();
        let has_more = !fresh.is_empty() && fresh.len() == request.wanted;
        let endpoint = self.called.clone();
        DueDeliveries { key: request.key, endpoint, due: fresh, has_more, none_before: now }
    }

    fn calls(&mut self, now: DateTime<Utc>) -> Vec<CallTicket> {
        std::iter::from_fn(|| self.queues.next_call(now)).collect()
    }

    fn write(&mut self, now: DateTime<Utc>) -> (Vec<DeliveryAttempt>, Vec<EndpointChange>) {
        let (attempts, changes) = self.queues.to_write(usize::MAX);
        self.queues.written(&attempts, now);
        for attempt in &attempts {
            let due = self.due.get_mut(&attempt.key).unwrap();
            due.retain(|it| it.event.id != attempt.id);
        }
        (attempts, changes)
    }
}

fn events(tickets: &[CallTicket]) -> Vec<u128> {
    tickets.iter().map(|ticket| ticket.delivery.event.id.uuid().as_u128()).collect()
}

#[test]
fn events_with_one_subject_are_sent_one_at_a_time() {
    let mut desk = Desk::with(1..=1, &[(1, 7), (2, 7), (3, 8), (4, 7)]);
    desk.read(NOW);

    let first = desk.calls(NOW);
    assert_eq!(events(&first), [1, 3]);
    desk.queues.finish(&first[0], answered(200), NOW, 0);
    let second = desk.calls(NOW);
    assert_eq!(events(&second), [2]);
    desk.queues.finish(&second[0], answered(500), NOW, 0);
    desk.queues.finish(&first[1], answered(200), NOW, 0);

    assert_eq!(events(&desk.calls(NOW)), [4], "what failed keeps nobody waiting");
}

#[test]
fn a_delivery_in_flight_is_not_sent_twice() {
    let mut desk = Desk::with(1..=1, &[(1, 1)]);
    desk.read(NOW);
    let calls = desk.calls(NOW);
    desk.read(at(1));
    assert!(desk.calls(at(1)).is_empty(), "it is being told");
    desk.queues.finish(&calls[0], answered(204), at(2), 0);
    desk.read(at(3));
    assert!(desk.calls(at(3)).is_empty(), "it is still to be written");
    let (attempts, changes) = desk.queues.to_write(usize::MAX);
    desk.queues.not_written(attempts, changes);
    desk.read(at(4));
    assert!(desk.calls(at(4)).is_empty(), "it could not be written");

    let (attempts, _) = desk.write(at(5));

    assert_eq!(attempts.len(), 1);
    assert_eq!((attempts[0].next, attempts[0].status_code), (AfterAttempt::Delivered, Some(204)));
    assert!(desk.queues.tidy(at(5)).is_empty(), "more may be told soon");
    assert_eq!(desk.queues.tidy(at(7)), [key(1)]);
}

#[test]
fn an_endpoint_that_is_no_longer_leased_is_not_called() {
    let mut desk = Desk::with(1..=1, &[(1, 1), (2, 1), (3, 3)]);
    desk.read(NOW);
    let call = desk.queues.next_call(NOW).unwrap();
    desk.called = None;
    desk.read(at(1));

    assert!(desk.calls(at(1)).is_empty());
    desk.queues.finish(&call, answered(200), at(1), 0);
    assert_eq!(desk.write(at(1)).0.len(), 1, "what was told is written");
    assert_eq!(desk.queues.tidy(at(1)), [key(1)]);
}

#[test]
fn a_wake_up_has_a_leased_endpoint_read_at_once() {
    let mut desk = Desk::with(1..=1, &[]);
    desk.read(NOW);
    assert!(desk.queues.requests(NOW).is_empty());

    assert!(desk.queues.wake(organization(1)) && !desk.queues.wake(organization(2)));

    assert_eq!(desk.queues.requests(NOW).len(), 1);
}
