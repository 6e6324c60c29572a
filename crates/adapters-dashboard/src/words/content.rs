//! Templates, approvals, sender names, and the check of texts.

use domain::content::approval::{ApprovalKind, ApprovalState, ApprovalStatus, Verdict};
use domain::content::compliance::Severity;
use domain::content::sender_name::SenderNameStatus;
use domain::content::template::TemplateStatus;
use domain::content::writing::Style;

use super::{InWords, Words};

impl InWords for TemplateStatus {
    fn words(self) -> Words {
        match self {
            Self::PendingApproval => Words::waiting(
                "Waits for approval",
                "Somebody has to read it before it can be sent.",
            ),
            Self::Approved => Words::good("Approved", "It can be sent."),
            Self::Rejected => {
                Words::bad("Rejected", "It cannot be sent until you change it and it is approved.")
            }
            Self::Withdrawn => {
                Words::neutral("Replaced", "A newer version took its place before a decision.")
            }
        }
    }
}

impl InWords for ApprovalStatus {
    fn words(self) -> Words {
        match self {
            Self::Pending => Words::waiting("Waits", "Nobody has decided yet."),
            Self::Approved => Words::good("Approved", "It may be used."),
            Self::Rejected => Words::bad("Rejected", "It may not be used as it is."),
            Self::Withdrawn => {
                Words::neutral("Withdrawn", "It was changed or deleted before anybody decided.")
            }
        }
    }
}

impl InWords for &ApprovalState {
    fn words(self) -> Words {
        let status = match self {
            ApprovalState::Pending => ApprovalStatus::Pending,
            ApprovalState::Withdrawn => ApprovalStatus::Withdrawn,
            ApprovalState::Decided(decision) => match decision.verdict {
                Verdict::Approved => ApprovalStatus::Approved,
                Verdict::Rejected => ApprovalStatus::Rejected,
            },
        };
        status.words()
    }
}

impl InWords for ApprovalKind {
    fn words(self) -> Words {
        match self {
            Self::Template => Words::neutral("Template", "The text of a template."),
            Self::Campaign => Words::neutral("Campaign", "The text of a campaign."),
            Self::SenderName => Words::neutral("Sender name", "A name from which you send."),
        }
    }
}

impl InWords for SenderNameStatus {
    fn words(self) -> Words {
        match self {
            Self::PendingApproval => {
                Words::waiting("Waits for approval", "You cannot send from this name yet.")
            }
            Self::Approved => Words::good("Approved", "You can send from this name."),
            Self::Rejected => Words::bad("Rejected", "You cannot send from this name."),
        }
    }
}

impl InWords for Severity {
    fn words(self) -> Words {
        match self {
            Self::Info => Words::neutral("Hint", "This is allowed."),
            Self::Low => Words::neutral("Small", "This matters only together with other findings."),
            Self::Medium => Words::waiting("Medium", "Two findings like this need approval."),
            Self::High => Words::bad("Serious", "A text with this needs approval."),
        }
    }
}

impl InWords for Style {
    fn words(self) -> Words {
        match self {
            Self::Professional => Words::neutral("Business", "As one company writes to another."),
            Self::Friendly => Words::neutral("Friendly", "As people write who know each other."),
            Self::Urgent => Words::neutral("Urgent", "For something that cannot wait."),
            Self::Formal => Words::neutral("Formal", "As an office writes."),
        }
    }
}
