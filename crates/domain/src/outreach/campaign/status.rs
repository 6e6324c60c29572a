//! The states of campaigns.

use chrono::{DateTime, Utc};

crate::closed_list! {
    /// Status of a campaign.
    pub enum CampaignStatus {
        /// Can be edited.
        Draft = "DRAFT",
        /// Waits for its start time.
        Scheduled = "SCHEDULED",
        /// Waits for a platform administrator to decide about its text.
        PendingApproval = "PENDING_APPROVAL",
        /// Its text was rejected by a platform administrator.
        Rejected = "REJECTED",
        /// Its messages are being accepted and delivered.
        Sending = "SENDING",
        /// Is stopped until a user resumes it or the wallet can pay.
        Paused = "PAUSED",
        /// No message is left to be handed over.
        Completed = "COMPLETED",
        /// Was ended by a user.
        Cancelled = "CANCELLED",
        /// Cannot continue.
        Failed = "FAILED",
    }
    impl Display;
    impl FromStr else "is no status of a campaign";
}

crate::closed_list! {
    /// Reason for which a campaign is paused.
    pub enum PausedReason {
        /// A user paused it. Messages that were not handed over yet are held back.
        User = "USER",
        /// The wallet cannot pay for the next messages. Paid messages go on.
        InsufficientBalance = "INSUFFICIENT_BALANCE",
        /// The organization has reached its daily spending limit.
        SpendingLimitReached = "SPENDING_LIMIT_REACHED",
    }
    impl FromStr else "is no status of a campaign";
}

/// An action that changes the status of a campaign.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum CampaignAction {
    /// Begins: on confirmation or approval, or at its start time.
    Start,
    /// Is confirmed or approved before its start time.
    Schedule,
    /// Is confirmed with a text that needs approval.
    RequestApproval,
    /// Its text is rejected.
    Reject,
    /// Stops for a while.
    Pause(PausedReason),
    /// Goes on.
    Resume,
    /// Is ended by a user.
    Cancel,
    /// Its last message was handed over or failed.
    Complete,
    /// Cannot continue.
    Fail,
}

impl CampaignStatus {
    /// Returns the status after `action`; `None` if the action is not possible in this status.
    pub const fn after(self, action: CampaignAction) -> Option<Self> {
        use CampaignAction as A;

        let can_be_done = match self {
            Self::Draft => {
                matches!(action, A::Start | A::Schedule | A::RequestApproval | A::Cancel)
            }
            Self::Scheduled => matches!(action, A::Start | A::Cancel),
            Self::PendingApproval => {
                matches!(action, A::Start | A::Schedule | A::Reject | A::Cancel)
            }
            Self::Sending => matches!(action, A::Pause(_) | A::Complete | A::Fail | A::Cancel),
            Self::Paused => matches!(action, A::Resume | A::Cancel),
            Self::Rejected | Self::Completed | Self::Cancelled | Self::Failed => false,
        };
        if can_be_done { Some(action.target()) } else { None }
    }

    /// True if the status never changes again.
    pub const fn is_final(self) -> bool {
        matches!(self, Self::Rejected | Self::Completed | Self::Cancelled | Self::Failed)
    }
}

impl CampaignAction {
    /// All actions, each pause with its reason.
    pub const ALL: [Self; 11] = [
        Self::Start,
        Self::Schedule,
        Self::RequestApproval,
        Self::Reject,
        Self::Pause(PausedReason::User),
        Self::Pause(PausedReason::InsufficientBalance),
        Self::Pause(PausedReason::SpendingLimitReached),
        Self::Resume,
        Self::Cancel,
        Self::Complete,
        Self::Fail,
    ];

    /// Returns the name for people, as in "the campaign was …".
    pub const fn name(self) -> &'static str {
        match self {
            Self::Start => "started",
            Self::Schedule => "scheduled",
            Self::RequestApproval => "sent for approval",
            Self::Reject => "rejected",
            Self::Pause(PausedReason::User) => "paused by a user",
            Self::Pause(PausedReason::InsufficientBalance) => "paused for lack of balance",
            Self::Pause(PausedReason::SpendingLimitReached) => "paused at the daily limit",
            Self::Resume => "resumed",
            Self::Cancel => "cancelled",
            Self::Complete => "completed",
            Self::Fail => "failed",
        }
    }

    /// Returns the status after the action.
    pub const fn target(self) -> CampaignStatus {
        match self {
            Self::Start | Self::Resume => CampaignStatus::Sending,
            Self::Schedule => CampaignStatus::Scheduled,
            Self::RequestApproval => CampaignStatus::PendingApproval,
            Self::Reject => CampaignStatus::Rejected,
            Self::Pause(_) => CampaignStatus::Paused,
            Self::Cancel => CampaignStatus::Cancelled,
            Self::Complete => CampaignStatus::Completed,
            Self::Fail => CampaignStatus::Failed,
        }
    }

    /// Returns the statuses in which the action is possible.
    pub fn sources(self) -> Vec<CampaignStatus> {
        CampaignStatus::ALL.into_iter().filter(|it| it.after(self).is_some()).collect()
    }

    /// Returns the action for a campaign whose text may be sent and that is to start at `scheduled_at`.
    pub fn go(scheduled_at: Option<DateTime<Utc>>, now: DateTime<Utc>) -> Self {
        if scheduled_at.is_some_and(|time| time > now) { Self::Schedule } else { Self::Start }
    }
}

#[cfg(test)]
mod tests {
    use CampaignStatus::{
        Cancelled, Completed, Draft, Failed, Paused, PendingApproval, Rejected, Scheduled, Sending,
    };

    use super::*;

    #[test]
    fn each_status_leads_to_these_and_no_others() {
        for (status, expected) in [
            (Draft, vec![Scheduled, PendingApproval, Sending, Cancelled]),
            (Scheduled, vec![Sending, Cancelled]),
            (PendingApproval, vec![Scheduled, Rejected, Sending, Cancelled]),
            (Rejected, vec![]),
            (Sending, vec![Paused, Completed, Cancelled, Failed]),
            (Paused, vec![Sending, Cancelled]),
            (Completed, vec![]),
            (Cancelled, vec![]),
            (Failed, vec![]),
        ] {
            let next = |target| {
                CampaignAction::ALL.iter().any(|action| status.after(*action) == Some(target))
            };
            let found: Vec<_> = CampaignStatus::ALL.into_iter().filter(|it| next(*it)).collect();
            assert_eq!(found, expected, "{status}");
            assert_eq!(status.is_final(), expected.is_empty(), "{status}");
        }
    }

    #[test]
    fn a_time_in_the_past_means_now() {
        let time = |seconds| DateTime::from_timestamp(seconds, 0);
        let now = time(100).unwrap();
        assert_eq!(CampaignAction::go(time(101), now), CampaignAction::Schedule);
        for started in [time(100), time(99), None] {
            assert_eq!(CampaignAction::go(started, now), CampaignAction::Start);
        }
    }
}
