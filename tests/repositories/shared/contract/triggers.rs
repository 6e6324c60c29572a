//! Triggers and the effect of message outcomes on them.

use chrono::TimeDelta;
use domain::messaging::message::TriggerId;
use domain::{
    messaging::{
        delivery::{DeliveryEvent, Failure, FailureCode, Status},
        job::Job,
        message::{Message, Source},
    },
    outreach::{
        event::Wait,
        trigger::{ChannelState, Trigger, TriggerChannel},
    },
    shared::{channel::Channel, id::Id},
};
use ports::messaging::messages::{Advance, IntakeError, Receipt, Recorded, Submission};

use super::{PRICE, Subject, accepted, after, confirmed, subjects};
use crate::{minutes, now};

/// A trigger with that many channels, and the message for the first.
fn begin(subject: &Subject, channels: usize, wait: Wait) -> (Trigger, Message) {
    let id = Id::new_in(now(), subject.organization);
    let message = Message { source: Some(Source::Trigger(id)), ..subject.message() };
    let channel = |state| TriggerChannel { channel: Channel::Sms, state };
    let mut all = vec![channel(ChannelState::Left); channels];
    all[0] = channel(ChannelState::Tried(message.id));
    let draft = (*message.draft).clone();
    let trigger = Trigger {
        id,
        organization: subject.organization,
        event: "order-shipped".into(),
        is_sandbox: false,
        channels: all,
        left: vec![draft; channels - 1],
        wait,
    };
    (trigger, message)
}

async fn submit(
    subject: &Subject,
    trigger: &Trigger,
    message: &Message,
) -> Result<Receipt, IntakeError> {
    let submission = Submission {
        advance: Some(Advance::Trigger(trigger.clone())),
        ..Subject::submission(std::slice::from_ref(message))
    };
    subject.intake.accept(submission).await
}

/// The trigger after its next channel, and the message for that channel.
fn next(subject: &Subject, trigger: &Trigger) -> (Trigger, Message) {
    let message = Message { source: Some(Source::Trigger(trigger.id)), ..subject.message() };
    (trigger.clone().going_on_with(message.id), message)
}

async fn conclude(subject: &Subject, job: Job, events: &[DeliveryEvent]) {
    let delivery = after(&job.message, events);
    assert_eq!(subject.record(job.conclude(delivery)).await, Recorded::Done);
}

fn failed() -> DeliveryEvent {
    let failure = Failure::new(FailureCode::Undelivered, "absent");
    DeliveryEvent::Rejected { at: now(), failure }
}

async fn due(subject: &Subject) -> Vec<TriggerId> {
    let taken = subject.triggers.take_due(10, &[]).await.unwrap();
    taken.into_iter().map(|trigger| trigger.id).collect()
}

#[tokio::test]
async fn a_failed_message_makes_the_next_channel_due_once() {
    for subject in subjects(PRICE * 10).await {
        println!("on {}", subject.name);
        let (trigger, message) = begin(&subject, 2, Wait::default());
        submit(&subject, &trigger, &message).await.unwrap();
        let found = subject.triggers.find(subject.organization, trigger.id).await.unwrap();
        assert_eq!(found.as_ref(), Some(&trigger));
        subject.pass(minutes(60)).await;
        assert_eq!(due(&subject).await, [], "it is waited for, for ever");

        let job = subject.claim().await.remove(0);
        conclude(&subject, job, &[failed()]).await;
        assert_eq!(due(&subject).await, [], "a request that waits goes on by itself");
        subject.pass(TimeDelta::seconds(3)).await;
        let busy = [subject.organization];
        assert_eq!(subject.triggers.take_due(10, &busy).await.unwrap(), []);
        assert_eq!(due(&subject).await, [trigger.id]);
        assert_eq!(due(&subject).await, [], "somebody has it");

        let (second, message) = next(&subject, &trigger);
        submit(&subject, &second, &message).await.unwrap();
        let (again, message) = next(&subject, &trigger);
        let overtaken = submit(&subject, &again, &message).await;
        assert!(matches!(overtaken, Err(IntakeError::Overtaken)), "{overtaken:?}");
        assert_eq!(subject.balance().await, PRICE * 9, "one was refunded");

        let job = subject.claim().await.remove(0);
        conclude(&subject, job, &[failed()]).await;
        subject.pass(minutes(60)).await;
        assert_eq!(due(&subject).await, [], "no channel is left");
    }
}

#[tokio::test]
async fn a_delivered_message_ends_its_trigger() {
    for subject in subjects(PRICE * 10).await {
        println!("on {}", subject.name);
        let wait = Wait { after: Some(minutes(5)), until: Status::Delivered };
        let (trigger, message) = begin(&subject, 2, wait);
        submit(&subject, &trigger, &message).await.unwrap();
        let job = subject.claim().await.remove(0);
        let events = [DeliveryEvent::Dispatched, accepted(), confirmed()];
        conclude(&subject, job, &events).await;

        subject.pass(minutes(10)).await;
        assert_eq!(due(&subject).await, []);
        let found = subject.triggers.find(subject.organization, trigger.id).await.unwrap();
        assert_eq!(found.unwrap().left, []);
        let (next, message) = next(&subject, &trigger);
        let late = submit(&subject, &next, &message).await;
        assert!(matches!(late, Err(IntakeError::Overtaken)), "{late:?}");
    }
}

#[tokio::test]
async fn a_trigger_waits_for_the_expected_status_of_a_channel() {
    for subject in subjects(PRICE * 10).await {
        println!("on {}", subject.name);
        for (until, is_due) in [(Status::Sent, false), (Status::Delivered, true)] {
            let wait = Wait { after: Some(minutes(5)), until };
            let (trigger, message) = begin(&subject, 2, wait);
            submit(&subject, &trigger, &message).await.unwrap();
            let job = subject.claim().await.remove(0);
            conclude(&subject, job, &[DeliveryEvent::Dispatched, accepted()]).await;

            subject.pass(minutes(6)).await;

            let expected = if is_due { vec![trigger.id] } else { Vec::new() };
            assert_eq!(due(&subject).await, expected, "{until}");
        }
    }
}

#[tokio::test]
async fn an_outdated_end_does_not_end_a_trigger_that_moved_on() {
    for subject in subjects(PRICE * 10).await {
        println!("on {}", subject.name);
        let (trigger, message) = begin(&subject, 3, Wait::default());
        submit(&subject, &trigger, &message).await.unwrap();
        let (second, message) = next(&subject, &trigger);
        submit(&subject, &second, &message).await.unwrap();

        subject.triggers.end(&trigger).await.unwrap();
        let left = async || {
            let found = subject.triggers.find(subject.organization, trigger.id).await.unwrap();
            found.unwrap().left.len()
        };
        assert_eq!(left().await, 1);
        subject.triggers.end(&second).await.unwrap();
        assert_eq!(left().await, 0);
    }
}
