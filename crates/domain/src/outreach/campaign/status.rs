//! The states of campaigns.

use std::{fmt, str::FromStr};

use chrono::{DateTime, Utc};

/// How far a campaign has come.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum CampaignStatus {
    /// It can be edited.
    Draft,
    /// It waits for its time.
    Scheduled,
    /// A platform administrator is to decide about its text.
    PendingApproval,
    /// A platform administrator has rejected its text.
    Rejected,
    /// Its messages are being accepted and delivered.
    Sending,
    /// It does not go on until somebody resumes it, or until the wallet can pay.
    Paused,
    /// None of its messages is still to be handed over.
    Completed,
    /// Somebody ended it.
    Cancelled,
    /// It cannot go on.
    Failed,
}

/// Why a campaign is paused.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum PausedReason {
    /// Somebody wanted it so. Messages that were not handed over yet are held back.
    User,
    /// The wallet cannot pay for the next messages. Those that are paid for go on.
    InsufficientBalance,
    /// The organization has spent what it allows itself in a day.
    SpendingLimitReached,
}

/// What changes the status of a campaign.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum CampaignAction {
    /// It begins: when it is confirmed or approved, or when its time has come.
    Start,
    /// It is confirmed or approved before its time.
    Schedule,
    /// It is confirmed, and its text needs approval.
    RequestApproval,
    /// Its text is rejected.
    Reject,
    /// It stops for a while.
    Pause(PausedReason),
    /// It goes on.
    Resume,
    /// Somebody ends it.
    Cancel,
    /// The last of its messages was handed over, or failed.
    Complete,
    /// It cannot go on.
    Fail,
}

impl CampaignStatus {
    /// Every one.
    pub const ALL: [Self; 9] = [
        Self::Draft,
        Self::Scheduled,
        Self::PendingApproval,
        Self::Rejected,
        Self::Sending,
        Self::Paused,
        Self::Completed,
        Self::Cancelled,
        Self::Failed,
    ];

    /// The name on the wire and in the database.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Draft => "DRAFT",
            Self::Scheduled => "SCHEDULED",
            Self::PendingApproval => "PENDING_APPROVAL",
            Self::Rejected => "REJECTED",
            Self::Sending => "SENDING",
            Self::Paused => "PAUSED",
            Self::Completed => "COMPLETED",
            Self::Cancelled => "CANCELLED",
            Self::Failed => "FAILED",
        }
    }

    /// The status after `action`; none if that cannot be done to a campaign with this one.
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

    /// Whether it stays so.
    pub const fn is_final(self) -> bool {
        matches!(self, Self::Rejected | Self::Completed | Self::Cancelled | Self::Failed)
    }
}

impl CampaignAction {
    /// The status to which it leads.
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

    /// The statuses in which it can be done.
    pub fn sources(self) -> Vec<CampaignStatus> {
        CampaignStatus::ALL.into_iter().filter(|it| it.after(self).is_some()).collect()
    }

    /// What is done to a campaign that may go as far as its text is concerned, and is to start at
    /// that time.
    pub fn go(scheduled_at: Option<DateTime<Utc>>, now: DateTime<Utc>) -> Self {
        if scheduled_at.is_some_and(|time| time > now) { Self::Schedule } else { Self::Start }
    }
}

impl PausedReason {
    /// Every one.
    pub const ALL: [Self; 3] = [Self::User, Self::InsufficientBalance, Self::SpendingLimitReached];

    /// The name on the wire and in the database.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::User => "USER",
            Self::InsufficientBalance => "INSUFFICIENT_BALANCE",
            Self::SpendingLimitReached => "SPENDING_LIMIT_REACHED",
        }
    }
}

impl fmt::Display for CampaignStatus {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// The text names no status.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("is no status of a campaign")]
pub struct UnknownCampaignStatus;

impl FromStr for CampaignStatus {
    type Err = UnknownCampaignStatus;

    fn from_str(text: &str) -> Result<Self, UnknownCampaignStatus> {
        Self::ALL.into_iter().find(|status| status.as_str() == text).ok_or(UnknownCampaignStatus)
    }
}

impl FromStr for PausedReason {
    type Err = UnknownCampaignStatus;

    fn from_str(text: &str) -> Result<Self, UnknownCampaignStatus> {
        Self::ALL.into_iter().find(|reason| reason.as_str() == text).ok_or(UnknownCampaignStatus)
    }
}

#[cfg(test)]
mod tests {
    use CampaignStatus::{
        Cancelled, Completed, Draft, Failed, Paused, PendingApproval, Rejected, Scheduled, Sending,
    };

    use super::*;

    const ACTIONS: [CampaignAction; 10] = [
        CampaignAction::Start,
        CampaignAction::Schedule,
        CampaignAction::RequestApproval,
        CampaignAction::Reject,
        CampaignAction::Pause(PausedReason::User),
        CampaignAction::Pause(PausedReason::InsufficientBalance),
        CampaignAction::Resume,
        CampaignAction::Cancel,
        CampaignAction::Complete,
        CampaignAction::Fail,
    ];

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
            let next = |target| ACTIONS.iter().any(|action| status.after(*action) == Some(target));
            let found: Vec<_> = CampaignStatus::ALL.into_iter().filter(|it| next(*it)).collect();
            assert_eq!(found, expected, "{status}");
            assert_eq!(status.is_final(), expected.is_empty(), "{status}");
        }
    }

    #[test]
    fn a_time_that_is_over_means_now() {
        let time = |seconds| DateTime::from_timestamp(seconds, 0);
        let now = time(100).unwrap();
        assert_eq!(CampaignAction::go(time(101), now), CampaignAction::Schedule);
        for started in [time(100), time(99), None] {
            assert_eq!(CampaignAction::go(started, now), CampaignAction::Start);
        }
    }
}
