//! Notices: mails to people about what concerns their organization.
//!
//! ```
//! use chrono::TimeDelta;
//! use domain::platform::notice::pause_after;
//!
//! assert_eq!(pause_after(1), Some(TimeDelta::minutes(1)));
//! assert_eq!(pause_after(100), None);
//! ```

use chrono::{DateTime, TimeDelta, Utc};

use crate::{
    content::approval::{Approval, ApprovalKind, Decision, Verdict},
    identity::{organization::Organization, traffic::TrafficAlert, user::User},
    shared::{id::Id, money::Money},
    webhooks::webhook::WebhookEndpoint,
};

/// Pause after the first attempt that fails. It doubles with each further one, up to the longest.
const FIRST_PAUSE: TimeDelta = TimeDelta::minutes(1);
const LONGEST_PAUSE: TimeDelta = TimeDelta::hours(6);
/// Number of attempts to send a notice, over three days.
const MOST_ATTEMPTS: u32 = 21;

/// Notice that is written with its cause, and mailed later.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Notice {
    /// Identifier of the notice.
    pub id: Id<Notice>,
    /// Organization that it is about.
    pub organization: Id<Organization>,
    /// Key of its cause, unique within the organization: a cause that is found again has no second
    /// notice.
    pub key: String,
    /// Cause of the notice.
    pub cause: NoticeCause,
}

/// Cause of a notice, with the data of its text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NoticeCause {
    /// An administrator decided about an approval.
    Decision(DecidedApproval),
    /// The balance fell below the threshold of the organization.
    LowBalance {
        /// Balance at that time.
        balance: Money,
        /// Threshold at that time.
        threshold: Money,
    },
    /// Every call of a webhook endpoint failed for a day.
    FailingEndpoint {
        /// The endpoint.
        endpoint: Id<WebhookEndpoint>,
        /// Time since which every call has failed.
        since: DateTime<Utc>,
    },
    /// Few codes arrive.
    TrafficAlert(TrafficAlert),
}

/// Approval that was decided, as far as its requester is notified of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DecidedApproval {
    /// User who requested the approval.
    pub requested_by: Id<User>,
    /// Kind of the resource.
    pub kind: ApprovalKind,
    /// Name of the resource.
    pub name: String,
    /// Outcome of the decision.
    pub verdict: Verdict,
    /// Reason for the requester.
    pub comment: Option<String>,
}

impl Notice {
    /// Returns the notice of a decision about an approval.
    pub fn of_decision(approval: &Approval, decision: &Decision) -> Self {
        let cause = NoticeCause::Decision(DecidedApproval {
            requested_by: approval.requested_by,
            kind: approval.kind,
            name: approval.name.clone(),
            verdict: decision.verdict,
            comment: decision.comment.clone(),
        });
        let key = format!("approval-{}", approval.id);
        Self::new(decision.at, approval.organization, key, cause)
    }

    /// Returns the notice of a balance below the threshold. `falls` is the number of falls of this wallet
    /// so far.
    pub fn of_low_balance(
        organization: Id<Organization>,
        (balance, threshold): (Money, Money),
        falls: i32,
        now: DateTime<Utc>,
    ) -> Self {
        let cause = NoticeCause::LowBalance { balance, threshold };
        Self::new(now, organization, format!("low-balance-{falls}"), cause)
    }

    /// Returns the notice of an endpoint that has failed since a time.
    pub fn of_failing_endpoint(
        organization: Id<Organization>,
        endpoint: Id<WebhookEndpoint>,
        since: DateTime<Utc>,
        now: DateTime<Utc>,
    ) -> Self {
        let key = format!("webhook-fails-{endpoint}-{}", since.timestamp());
        Self::new(now, organization, key, NoticeCause::FailingEndpoint { endpoint, since })
    }

    /// Returns the notice of an alert. An alert has one, and another when it stops codes.
    pub fn of_alert(alert: &TrafficAlert) -> Self {
        let kind = if alert.stopped_until.is_some() { "stop" } else { "notice" };
        let key = format!("traffic-{kind}-{}", alert.id);
        let cause = NoticeCause::TrafficAlert(alert.clone());
        Self::new(alert.found_at, alert.organization, key, cause)
    }

    fn new(
        now: DateTime<Utc>,
        organization: Id<Organization>,
        key: String,
        cause: NoticeCause,
    ) -> Self {
        Self { id: Id::new_in(now, organization), organization, key, cause }
    }
}

/// Returns the pause after an attempt that failed, the first of which is 1; `None` after the last one.
pub fn pause_after(attempt: u32) -> Option<TimeDelta> {
    if attempt >= MOST_ATTEMPTS {
        return None;
    }
    let doublings = attempt.saturating_sub(1);
    let pause = (0..doublings).try_fold(FIRST_PAUSE, |pause, _| {
        let doubled = pause + pause;
        (doubled < LONGEST_PAUSE).then_some(doubled)
    });
    Some(pause.unwrap_or(LONGEST_PAUSE))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::identity::{
        organization::PLATFORM,
        traffic::{Evidence, OperatorRange},
    };

    #[test]
    fn pauses_grow_until_a_notice_is_given_up_after_three_days() {
        let pauses: Vec<_> = (1..).map_while(pause_after).collect();

        let minutes: Vec<_> = pauses.iter().map(TimeDelta::num_minutes).collect();
        assert_eq!(minutes[..10], [1, 2, 4, 8, 16, 32, 64, 128, 256, 360]);
        assert!(minutes.is_sorted() && minutes.iter().all(|pause| *pause <= 360), "{minutes:?}");
        let all: TimeDelta = pauses.into_iter().sum();
        assert!(all >= TimeDelta::days(3) && all < TimeDelta::days(4), "{all}");
        assert_eq!(pause_after(u32::MAX), None);
    }

    #[test]
    fn an_alert_has_a_notice_of_its_own_when_it_stops_codes() {
        let at = DateTime::UNIX_EPOCH;
        let noticed = TrafficAlert {
            id: Id::new_in(at, PLATFORM),
            organization: PLATFORM,
            range: OperatorRange::stored(23_324),
            found_at: at,
            evidence: Evidence::default(),
            stopped_until: None,
            lifted_at: None,
            lifted_by: None,
        };
        let stopped = TrafficAlert { stopped_until: Some(at), ..noticed.clone() };

        assert_eq!(Notice::of_alert(&noticed).key, Notice::of_alert(&noticed).key);
        assert_ne!(Notice::of_alert(&noticed).key, Notice::of_alert(&stopped).key);
    }
}
