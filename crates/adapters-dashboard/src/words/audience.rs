//! Contacts, work on many of them, and suppressions.

use domain::audience::contact_job::{ContactJobKind, ContactJobStatus};
use domain::audience::suppression::SuppressionSource;
use domain::shared::address::PhoneType;

use super::{InWords, Words};

impl InWords for SuppressionSource {
    fn words(self) -> Words {
        match self {
            Self::Manual => {
                Words::neutral("Added by you", "Somebody of your team put it on the list.")
            }
            Self::Stop => Words::neutral("Wrote STOP", "The person answered a message with STOP."),
            Self::Complaint => {
                Words::bad("Complained", "The person complained about one of your messages.")
            }
            Self::Unsubscribe => {
                Words::neutral("Unsubscribed", "The person used the link or button to unsubscribe.")
            }
            Self::Vendor => Words::neutral(
                "Blocked at the provider",
                "The provider says that the person wants no messages from you.",
            ),
        }
    }
}

impl InWords for ContactJobKind {
    fn words(self) -> Words {
        match self {
            Self::Delete => Words::neutral("Erase", "Contacts are erased, with all that is known."),
            Self::Tag => Words::neutral("Change tags", "Tags are added to contacts or removed."),
        }
    }
}

impl InWords for ContactJobStatus {
    fn words(self) -> Words {
        match self {
            Self::Queued => Words::waiting("Waiting", "The work has not begun yet."),
            Self::Running => {
                Words::waiting("Working", "The work has begun. You can leave this page.")
            }
            Self::Completed => Words::good("Done", "All contacts were worked on."),
            Self::Failed => Words::bad("Stopped", "Not all could be done. What was done stays so."),
        }
    }
}

impl InWords for PhoneType {
    fn words(self) -> Words {
        match self {
            Self::Mobile => Words::neutral("Mobile", "A number of a mobile phone."),
            Self::FixedLine => Words::neutral("Fixed line", "A number that can only be called."),
            Self::Other => {
                Words::neutral("Special", "A number of another kind, such as toll-free.")
            }
        }
    }
}
