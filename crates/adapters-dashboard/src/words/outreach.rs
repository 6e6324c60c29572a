//! Campaigns, their recipients, events, and messages that are sent again.

use domain::messaging::resend::{ResendFailure, ResendStatus};
use domain::outreach::campaign::{CampaignStatus, PausedReason, RecipientOutcome, RecipientReason};
use domain::outreach::event::NotReady;

use super::{InWords, Words};

impl InWords for CampaignStatus {
    fn words(self) -> Words {
        match self {
            Self::Draft => Words::neutral("Draft", "You can still change it. Nothing was sent."),
            Self::Scheduled => Words::waiting("Scheduled", "It starts by itself at its time."),
            Self::PendingApproval => {
                Words::waiting("Waits for approval", "Somebody has to read its text first.")
            }
            Self::Rejected => {
                Words::bad("Rejected", "Its text was not approved. Nothing was sent.")
            }
            Self::Sending => Words::waiting("Sending", "Its messages are on their way."),
            Self::Paused => Words::waiting("Paused", "It has stopped, and can go on."),
            Self::Completed => Words::good("Finished", "No message is left to be sent."),
            Self::Cancelled => Words::neutral("Cancelled", "Somebody of your team ended it."),
            Self::Failed => Words::bad("Failed", "It cannot go on. What was sent stays sent."),
        }
    }
}

impl InWords for PausedReason {
    fn words(self) -> Words {
        match self {
            Self::User => Words::neutral("Paused by you", "Somebody of your team paused it."),
            Self::InsufficientBalance => {
                Words::bad("Wallet empty", "It goes on by itself once you have topped up.")
            }
            Self::SpendingLimitReached => Words::waiting(
                "Daily limit reached",
                "It goes on by itself tomorrow, or once you raise the limit.",
            ),
        }
    }
}

impl InWords for RecipientOutcome {
    fn words(self) -> Words {
        match self {
            Self::Sent => Words::good("Sent", "A provider took the message for this person."),
            Self::Skipped => Words::neutral("Skipped", "Nothing was to be sent to this person."),
            Self::Failed => Words::bad("Failed", "The message for this person did not arrive."),
        }
    }
}

impl InWords for RecipientReason {
    fn words(self) -> Words {
        match self {
            Self::NoAddress => Words::neutral(
                "No number or address",
                "The contact has no number or address for this channel.",
            ),
            Self::Failure(code) => code.words(),
        }
    }
}

impl InWords for NotReady {
    fn words(self) -> Words {
        match self {
            Self::Inactive => Words::neutral("Switched off", "The event is not active."),
            Self::NoTemplate(_) => {
                Words::bad("Text missing", "One of the channels of the event has no template.")
            }
            Self::Unapproved(_) => {
                Words::waiting("Not approved", "A template of the event may not be sent yet.")
            }
        }
    }
}

impl InWords for ResendStatus {
    fn words(self) -> Words {
        match self {
            Self::Queued => Words::waiting("Waiting", "The work has not begun yet."),
            Self::Processing => {
                Words::waiting("Working", "Messages are being sent again. You can leave this page.")
            }
            Self::Completed => Words::good("Done", "All messages were looked at."),
            Self::Failed => Words::bad("Stopped", "It ended early. What was sent again stays so."),
        }
    }
}

impl InWords for ResendFailure {
    fn words(self) -> Words {
        match self {
            Self::InsufficientBalance => {
                Words::bad("Wallet empty", "Top up, and send the rest again.")
            }
            Self::SpendingLimitReached => {
                Words::bad("Daily limit reached", "Send the rest tomorrow, or raise the limit.")
            }
            Self::OrganizationGone => Words::bad("Closed", "The organization was closed."),
        }
    }
}
