//! Campaigns, their recipients, events, and messages that are sent again.

use domain::messaging::resend::{ResendFailure, ResendStatus};
use domain::outreach::campaign::{CampaignStatus, PausedReason, RecipientOutcome, RecipientReason};
use domain::outreach::event::NotReady;

use super::{InWords, Words};

words! { CampaignStatus:
    Self::Draft => neutral("Draft", "You can still change it. Nothing was sent."),
    Self::Scheduled => waiting("Scheduled", "It starts by itself at its time."),
    Self::PendingApproval => waiting("Waits for approval", "Somebody has to read its text first."),
    Self::Rejected => bad("Rejected", "Its text was not approved. Nothing was sent."),
    Self::Sending => waiting("Sending", "Its messages are on their way."),
    Self::Paused => waiting("Paused", "It has stopped, and can go on."),
    Self::Completed => good("Finished", "No message is left to be sent."),
    Self::Cancelled => neutral("Cancelled", "Somebody of your team ended it."),
    Self::Failed => bad("Failed", "It cannot go on. What was sent stays sent."),
}

words! { PausedReason:
    Self::User => neutral("Paused by you", "Somebody of your team paused it."),
    Self::InsufficientBalance =>
        bad("Wallet empty", "It goes on by itself once you have topped up."),
    Self::SpendingLimitReached =>
        waiting("Daily limit reached",
                "It goes on by itself tomorrow, or once you raise the limit."),
}

words! { RecipientOutcome:
    Self::Sent => good("Sent", "A provider took the message for this person."),
    Self::Skipped => neutral("Skipped", "Nothing was to be sent to this person."),
    Self::Failed => bad("Failed", "The message for this person did not arrive."),
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

words! { NotReady:
    Self::Inactive => neutral("Switched off", "The event is not active."),
    Self::NoTemplate(_) => bad("Text missing", "One of the channels of the event has no template."),
    Self::Unapproved(_) => waiting("Not approved", "A template of the event may not be sent yet."),
}

words! { ResendStatus:
    Self::Queued => waiting("Waiting", "The work has not begun yet."),
    Self::Processing =>
        waiting("Working", "Messages are being sent again. You can leave this page."),
    Self::Completed => good("Done", "All messages were looked at."),
    Self::Failed => bad("Stopped", "It ended early. What was sent again stays so."),
}

words! { ResendFailure:
    Self::InsufficientBalance => bad("Wallet empty", "Top up, and send the rest again."),
    Self::SpendingLimitReached =>
        bad("Daily limit reached", "Send the rest tomorrow, or raise the limit."),
    Self::OrganizationGone => bad("Closed", "The organization was closed."),
}
