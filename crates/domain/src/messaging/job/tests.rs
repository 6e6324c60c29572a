//! Refunds of steps.

use chrono::{DateTime, Utc};

use super::*;
use crate::{
    messaging::{
        delivery::{Failure, FailureCode},
        message::{MessageRequest, Terms},
        priority::Origin,
    },
    shared::{channel::Channel, id::Id},
};

const NOW: DateTime<Utc> = DateTime::UNIX_EPOCH;
const COST: Money = Money::from_micros(35_000);

fn failed() -> Delivery {
    let failure = Failure::new(FailureCode::Undelivered, "absent");
    Delivery::Failed { sent_at: None, at: NOW, failure }
}

fn job(delivery: Delivery) -> Job {
    let composition = MessageRequest {
        channel: Some(Channel::Sms),
        to: Some("0241234567".into()),
        body: Some("Akwaaba".into()),
        ..MessageRequest::default()
    };
    let terms = Terms { cost: COST, refusal: None, is_sandbox: false, is_confidential: false };
    let draft = composition.draft(None).unwrap();
    let message = Message::queue(Id::new(NOW), draft, Origin::Single, terms, NOW);
    let message = Message { delivery, ..message };
    Job {
        message,
        lease: Lease::NONE,
        rounds: 0,
        provider_queue: ProviderQueue::FREE,
        is_scored: false,
    }
}

fn refund(job: Job, after: Delivery) -> Money {
    Step::from(job.conclude(after)).refund()
}

#[test]
fn a_failed_message_is_refunded_once() {
    let sent = Delivery::Sent { at: NOW };
    assert_eq!(refund(job(Delivery::NEW), failed()), COST);
    assert_eq!(refund(job(sent.clone()), failed()), COST);
    assert_eq!(refund(job(Delivery::NEW), sent), Money::ZERO);
    assert_eq!(refund(job(failed()), failed()), Money::ZERO);
}
