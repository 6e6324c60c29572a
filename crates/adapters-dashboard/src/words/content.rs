//! Templates, approvals, sender names, and the check of texts.

use domain::content::approval::{ApprovalKind, ApprovalState, ApprovalStatus};
use domain::content::compliance::Severity;
use domain::content::sender_name::SenderNameStatus;
use domain::content::template::TemplateStatus;
use domain::content::writing::Style;

use super::{InWords, Words};

words! { TemplateStatus:
    Self::PendingApproval =>
        waiting("Waits for approval", "Somebody has to read it before it can be sent."),
    Self::Approved => good("Approved", "It can be sent."),
    Self::Rejected => bad("Rejected", "It cannot be sent until you change it and it is approved."),
    Self::Withdrawn => neutral("Replaced", "A newer version took its place before a decision."),
}

words! { ApprovalStatus:
    Self::Pending => waiting("Waits", "Nobody has decided yet."),
    Self::Approved => good("Approved", "It may be used."),
    Self::Rejected => bad("Rejected", "It may not be used as it is."),
    Self::Withdrawn => neutral("Withdrawn", "It was changed or deleted before anybody decided."),
}

impl InWords for &ApprovalState {
    fn words(self) -> Words {
        self.status().words()
    }
}

words! { ApprovalKind:
    Self::Template => neutral("Template", "The text of a template."),
    Self::Campaign => neutral("Campaign", "The text of a campaign."),
    Self::SenderName => neutral("Sender name", "A name from which you send."),
}

words! { SenderNameStatus:
    Self::PendingApproval => waiting("Waits for approval", "You cannot send from this name yet."),
    Self::Approved => good("Approved", "You can send from this name."),
    Self::Rejected => bad("Rejected", "You cannot send from this name."),
}

words! { Severity:
    Self::Info => neutral("Hint", "This is allowed."),
    Self::Low => neutral("Small", "This matters only together with other findings."),
    Self::Medium => waiting("Medium", "Two findings like this need approval."),
    Self::High => bad("Serious", "A text with this needs approval."),
}

words! { Style:
    Self::Professional => neutral("Business", "As one company writes to another."),
    Self::Friendly => neutral("Friendly", "As people write who know each other."),
    Self::Urgent => neutral("Urgent", "For something that cannot wait."),
    Self::Formal => neutral("Formal", "As an office writes."),
}
