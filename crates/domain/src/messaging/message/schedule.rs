//! Messages that wait for the time for which their senders scheduled them.

use chrono::{DateTime, TimeDelta, Utc};

use super::Message;
use crate::{
    messaging::{
        attempts,
        delivery::{Delivery, Failure, Status},
    },
    shared::category::Category,
};

/// Shortest time from acceptance until a scheduled message goes.
pub const SHORTEST_LEAD: TimeDelta = TimeDelta::minutes(1);
/// Longest time until a scheduled message goes.
pub const LONGEST_LEAD: TimeDelta = TimeDelta::days(90);
/// Longest time from acceptance until a scheduled message of the sandbox goes: those are deleted after
/// a week.
pub const LONGEST_SANDBOX_LEAD: TimeDelta = TimeDelta::days(6);

/// Checks the time for which a message is scheduled that is accepted at `now`. Fails with its fault.
pub fn checked_schedule(
    at: DateTime<Utc>,
    is_sandbox: bool,
    now: DateTime<Utc>,
) -> Result<DateTime<Utc>, String> {
    let longest = if is_sandbox { LONGEST_SANDBOX_LEAD } else { LONGEST_LEAD };
    checked(at, now, now + longest, longest)
}

/// Checks that messages of the category can be scheduled, if there is a time. A code is of use for
/// some minutes only, and its text would be kept all the while. Fails with the fault of the time.
pub(super) fn check_schedulable(
    at: Option<DateTime<Utc>>,
    category: Category,
) -> Result<(), &'static str> {
    if at.is_some() && category == Category::Otp {
        return Err("must be absent: a code (`OTP`) cannot be scheduled");
    }
    Ok(())
}

fn checked(
    at: DateTime<Utc>,
    now: DateTime<Utc>,
    latest: DateTime<Utc>,
    longest: TimeDelta,
) -> Result<DateTime<Utc>, String> {
    if at < now + SHORTEST_LEAD || at > latest {
        return Err(format!("must be from 1 minute to {} days ahead", longest.num_days()));
    }
    Ok(at)
}

impl Message {
    /// Returns this message, to go at `at`. While it waits it is `QUEUED` if its sender follows it by
    /// itself, and else `PENDING`. A message that is refused does not wait.
    #[must_use]
    pub fn scheduled(self, at: DateTime<Utc>, is_async: bool) -> Self {
        if self.refusal().is_some() {
            return self;
        }
        let delivery = if is_async { Delivery::NEW } else { Delivery::Pending { doubt: None } };
        let waiting = Self { scheduled_at: Some(at), attempts: Vec::new(), delivery, ..self };
        waiting.valid_from(at)
    }

    /// Returns this message, to go at another time. Fails with the fault of that time.
    pub fn rescheduled(self, at: DateTime<Utc>, now: DateTime<Utc>) -> Result<Self, String> {
        if self.is_sandbox {
            checked(at, now, self.created_at + LONGEST_SANDBOX_LEAD, LONGEST_SANDBOX_LEAD)?;
        } else {
            checked(at, now, now + LONGEST_LEAD, LONGEST_LEAD)?;
        }
        Ok(Self { scheduled_at: Some(at), ..self }.valid_from(at))
    }

    /// True if it was scheduled, and no provider was tried yet.
    pub fn is_scheduled(&self) -> bool {
        self.is_untried() && self.delivery.failure().is_none()
    }

    /// True if it waits for a provider, and was given to none.
    pub fn is_without_provider(&self) -> bool {
        let is_waiting = self.delivery.status() == Status::Queued || self.is_untried();
        is_waiting
            && !attempts::is_running(&self.attempts)
            && attempts::holder(&self.attempts).is_none()
    }

    /// True if it was scheduled and waits for its first attempt. A sender who does not follow it by
    /// itself sees it as `PENDING` all the while.
    pub fn is_untried(&self) -> bool {
        let is_waiting =
            matches!(self.delivery, Delivery::Queued { .. } | Delivery::Pending { .. });
        self.scheduled_at.is_some() && self.attempts.is_empty() && is_waiting
    }

    /// Reason found when a scheduled message came due for which it does not go; `None` if there is
    /// none.
    pub(super) fn late_refusal(&self) -> Option<&Failure> {
        self.delivery.failure().filter(|_| self.is_untried())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        messaging::{
            attempt::Attempt,
            delivery::FailureCode,
            message::{MessageRequest, Terms},
            priority::Origin,
        },
        shared::{channel::Channel, id::Id, money::Money},
    };

    const NOW: DateTime<Utc> = DateTime::from_timestamp_nanos(1_700_000_000_000_000_000);

    fn message(is_sandbox: bool, refusal: Option<Failure>) -> Message {
        let request = MessageRequest {
            channel: Some(Channel::Sms),
            to: Some("0241234567".into()),
            body: Some("Akwaaba".into()),
            validity: Some(3_600),
            ..MessageRequest::default()
        };
        let terms = Terms { cost: Money::ZERO, refusal, is_sandbox, is_confidential: false };
        let draft = request.draft(None).unwrap();
        Message::queue(Id::new(NOW), draft, Origin::Single, terms, NOW)
    }

    #[test]
    fn a_time_is_from_a_minute_to_ninety_days_ahead() {
        for (ahead, live, sandbox) in [
            (TimeDelta::seconds(59), false, false),
            (TimeDelta::minutes(1), true, true),
            (TimeDelta::days(6), true, true),
            (TimeDelta::days(7), true, false),
            (TimeDelta::days(90), true, false),
            (TimeDelta::days(91), false, false),
        ] {
            assert_eq!(checked_schedule(NOW + ahead, false, NOW).is_ok(), live, "{ahead}");
            assert_eq!(checked_schedule(NOW + ahead, true, NOW).is_ok(), sandbox, "{ahead}");
        }
    }

    #[test]
    fn a_code_cannot_be_scheduled() {
        let request = MessageRequest {
            channel: Some(Channel::Sms),
            to: Some("0241234567".into()),
            body: Some("Your code is 4711".into()),
            category: Some(Category::Otp),
            ..MessageRequest::default()
        };
        assert!(request.draft(None).is_ok());

        let at = Some(NOW + TimeDelta::hours(1));
        let scheduled = MessageRequest { scheduled_at: at, ..request };
        let faults = scheduled.draft(None).unwrap_err();
        assert_eq!(faults.fields.into_keys().collect::<Vec<_>>(), ["scheduledAt"]);
        let alert = MessageRequest { category: Some(Category::Alert), ..scheduled };
        assert!(alert.draft(None).is_ok());
    }

    #[test]
    fn the_validity_of_a_scheduled_message_counts_from_its_time() {
        let at = NOW + TimeDelta::days(3);
        let waiting = message(false, None).scheduled(at, false);

        assert!(waiting.is_scheduled() && waiting.is_without_provider());
        assert_eq!(waiting.delivery.status(), Status::Pending);
        assert_eq!((waiting.valid_from, waiting.expires_at), (at, at + TimeDelta::hours(1)));
        let followed = message(false, None).scheduled(at, true);
        assert_eq!(followed.delivery, Delivery::NEW);
    }

    #[test]
    fn a_refused_message_waits_for_nothing() {
        let refusal = Failure::new(FailureCode::NoRoute, "nobody serves it");
        let refused = message(false, Some(refusal)).scheduled(NOW + TimeDelta::days(3), false);
        assert_eq!(refused.scheduled_at, None);
        assert!(refused.refusal().is_some());
    }

    #[test]
    fn what_is_found_when_a_message_comes_due_refuses_it() {
        let waiting = message(false, None).scheduled(NOW + TimeDelta::days(3), false);
        assert_eq!(waiting.refusal(), None);
        let failure = Failure::new(FailureCode::BlockedContent, "its template was withdrawn");
        let delivery = Delivery::Pending { doubt: Some(failure.clone()) };
        let due = Message { delivery, ..waiting };
        assert_eq!(due.refusal(), Some(&failure));
        let tried = Message { attempts: vec![Attempt::start("first", NOW)], ..due };
        assert_eq!(tried.refusal(), None);
        assert!(!tried.is_without_provider());
    }

    #[test]
    fn a_message_of_the_sandbox_is_moved_to_within_six_days_of_its_acceptance() {
        let waiting = message(true, None).scheduled(NOW + TimeDelta::days(1), true);
        let later = NOW + TimeDelta::days(2);
        let moved = waiting.clone().rescheduled(NOW + TimeDelta::days(5), later).unwrap();
        assert_eq!(moved.scheduled_at, Some(NOW + TimeDelta::days(5)));
        assert_eq!(moved.valid_from, NOW + TimeDelta::days(5));
        assert!(waiting.rescheduled(NOW + TimeDelta::days(7), later).is_err());
    }
}
