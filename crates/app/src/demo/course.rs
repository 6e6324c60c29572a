//! Courses of messages: the attempts and states from acceptance to an end.

use chrono::{DateTime, TimeDelta, Utc};
use domain::messaging::{
    attempts,
    delivery::{DeliveryEvent, FailureCode, InvalidTransition},
    job::{Job, JobConcluded},
    message::Message,
    outcome::{FollowUp, Outcome},
};

use super::{chance::Chance, failures::failure};

/// State in which a message is left.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Ending {
    /// It arrived.
    Delivered,
    /// It failed for this reason.
    Failed(FailureCode),
    /// The provider took it and never reported.
    Unreported,
    /// The provider took it, and its report is awaited.
    Awaited,
    /// The provider may have it.
    Doubted,
    /// No provider took it so far.
    Deferred,
}

/// Time for which a message that has not ended is left alone.
const LEFT_ALONE: TimeDelta = TimeDelta::hours(6);

/// Times of the one attempt.
struct Times {
    started: DateTime<Utc>,
    taken: DateTime<Utc>,
    /// Time at which the end became known.
    known: DateTime<Utc>,
}

impl Times {
    /// Returns times soon after the acceptance, none after `now`.
    fn of(message: &Message, now: DateTime<Utc>, chance: &mut Chance) -> Self {
        let mut after = |time: DateTime<Utc>, least: u32, spread: u32| {
            let wait = TimeDelta::milliseconds(i64::from(least + chance.below(spread)));
            (time + wait).min(now)
        };
        let started = after(message.created_at, 40, 600);
        let taken = after(started, 80, 700);
        let known = after(taken, 900, 40_000);
        Self { started, taken, known }
    }
}

/// Returns the step that leaves the message of a job in this state. Nothing in it is after `now`.
pub(super) fn conclude(
    mut job: Job,
    ending: Ending,
    now: DateTime<Utc>,
    chance: &mut Chance,
) -> Result<JobConcluded, InvalidTransition> {
    let times = Times::of(&job.message, now, chance);
    let outcome = outcome(ending, &job.message);
    attempts::drop_planned(&mut job.message.attempts);
    if let Some(outcome) = &outcome {
        let channel = job.message.draft.channel.as_str().to_ascii_lowercase();
        let provider = format!("simulated-{channel}");
        attempts::begin(&mut job.message.attempts, &provider, times.started);
        attempts::end(&mut job.message.attempts, times.taken, outcome);
        job.message.provider = Some(provider);
        job.rounds = 1;
    }
    let mut delivery = job.message.delivery.clone();
    for event in events(ending, outcome.as_ref(), &times, &job.message) {
        delivery = delivery.after(event)?;
    }
    let is_open = matches!(ending, Ending::Awaited | Ending::Doubted | Ending::Deferred);
    Ok(JobConcluded { due_in: is_open.then_some(LEFT_ALONE), ..job.conclude(delivery) })
}

/// Returns the outcome of the attempt; `None` if no provider was called.
fn outcome(ending: Ending, message: &Message) -> Option<Outcome> {
    use FailureCode as C;

    let accepted = || Outcome::Accepted {
        reference: Some(format!("demo-{}", message.id)),
        follow_up: FollowUp::Report,
    };
    let not_accepted = |code| Outcome::NotAccepted { failure: failure(code), retry_after: None };
    Some(match ending {
        Ending::Delivered | Ending::Unreported | Ending::Awaited => accepted(),
        Ending::Doubted => Outcome::Unknown(failure(C::UnknownOutcome)),
        Ending::Deferred => not_accepted(C::ProviderBusy),
        Ending::Failed(code) => match code {
            C::Cancelled => return None,
            code if code.refuses() => return None,
            C::Undelivered | C::NoReport => accepted(),
            C::UnknownOutcome => Outcome::Unknown(failure(code)),
            C::Expired => not_accepted(C::ProviderUnavailable),
            C::InvalidRecipient
            | C::RecipientOptedOut
            | C::BlockedContent
            | C::DeviceUnregistered
            | C::SessionWindowClosed => Outcome::Rejected(failure(code)),
            code => not_accepted(code),
        },
    })
}

/// Returns the events that lead to the end.
fn events(
    ending: Ending,
    outcome: Option<&Outcome>,
    times: &Times,
    message: &Message,
) -> Vec<DeliveryEvent> {
    let mut events = Vec::with_capacity(3);
    if outcome.is_some() {
        events.push(DeliveryEvent::Dispatched);
    }
    match outcome {
        Some(Outcome::Accepted { .. }) => {
            events.push(DeliveryEvent::Accepted { at: times.taken });
        }
        Some(Outcome::Unknown(failure)) => {
            events.push(DeliveryEvent::Doubted { failure: failure.clone() });
        }
        Some(Outcome::NotAccepted { failure, .. }) => {
            events.push(DeliveryEvent::Deferred { failure: failure.clone() });
        }
        Some(Outcome::Rejected(_)) | None => {}
    }
    match ending {
        Ending::Delivered => events.push(DeliveryEvent::Confirmed { at: times.known }),
        Ending::Unreported => {
            events.push(DeliveryEvent::Unreported { failure: failure(FailureCode::NoReport) });
        }
        Ending::Failed(code) => {
            let failure = message.refusal().cloned().unwrap_or_else(|| failure(code));
            let at = if code == FailureCode::Expired { message.expires_at } else { times.known };
            events.push(DeliveryEvent::Rejected { at, failure });
        }
        Ending::Awaited | Ending::Doubted | Ending::Deferred => {}
    }
    events
}

#[cfg(test)]
mod tests {
    use domain::{
        identity::organization::PLATFORM,
        messaging::{
            delivery::Status,
            job::Lease,
            message::{MessageRequest, Terms},
            priority::{Origin, ProviderQueue},
        },
        shared::{channel::Channel, money::Money},
    };

    use super::*;

    const NOW: DateTime<Utc> = DateTime::from_timestamp_nanos(1_700_000_000_000_000_000);

    fn job(refusal: Option<FailureCode>) -> Job {
        let request = MessageRequest {
            channel: Some(Channel::Sms),
            to: Some("0241234567".into()),
            body: Some("Akwaaba".into()),
            ..MessageRequest::default()
        };
        let refusal = refusal.map(failure);
        let terms = Terms { cost: Money::ZERO, refusal, is_sandbox: false, is_confidential: false };
        let draft = request.draft(None).unwrap();
        let message = Message::queue(PLATFORM, draft, Origin::Single, terms, NOW);
        let provider_queue = ProviderQueue::FREE;
        Job { message, lease: Lease::NONE, rounds: 0, provider_queue, is_scored: false }
    }

    fn end(ending: Ending) -> JobConcluded {
        let code = if let Ending::Failed(code) = ending { Some(code) } else { None };
        let job = job(code.filter(|code| code.refuses()));
        let later = NOW + TimeDelta::days(30);
        conclude(job, ending, later, &mut Chance::seeded(1)).unwrap()
    }

    #[test]
    fn every_reason_is_reached_by_the_states_of_the_domain() {
        for code in FailureCode::ALL {
            let concluded = end(Ending::Failed(code));
            let delivery = &concluded.message.delivery;
            assert_eq!(delivery.status(), Status::Failed, "{code:?}");
            assert_eq!(delivery.failure().unwrap().code, code);
            assert_eq!(concluded.due_in, None);
            let is_untried = code.refuses() || code == FailureCode::Cancelled;
            assert_eq!(concluded.message.attempts.is_empty(), is_untried, "{code:?}");
        }
    }

    #[test]
    fn a_message_that_has_not_ended_is_due_again() {
        for (ending, status, is_due) in [
            (Ending::Delivered, Status::Delivered, false),
            (Ending::Unreported, Status::Sent, false),
            (Ending::Awaited, Status::Sent, true),
            (Ending::Doubted, Status::Pending, true),
            (Ending::Deferred, Status::Queued, true),
        ] {
            let concluded = end(ending);
            assert_eq!(concluded.message.delivery.status(), status, "{ending:?}");
            assert_eq!(concluded.due_in.is_some(), is_due, "{ending:?}");
        }
    }

    #[test]
    fn nothing_happens_after_the_present() {
        let concluded =
            conclude(job(None), Ending::Delivered, NOW, &mut Chance::seeded(1)).unwrap();
        let message = concluded.message;
        assert_eq!(message.delivery.delivered_at(), Some(NOW));
        assert_eq!(message.attempts[0].ended().unwrap().at, NOW);
    }
}
