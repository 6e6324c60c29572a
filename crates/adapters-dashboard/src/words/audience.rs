//! Contacts, work on many of them, and suppressions.

use domain::audience::contact_job::{ContactJobKind, ContactJobStatus};
use domain::audience::suppression::{Suppression, SuppressionSource};
use domain::shared::address::PhoneType;

use super::InWords;

/// Returns the channel and the category to which an entry applies.
pub(crate) fn suppression_scope(entry: &Suppression) -> String {
    let channel = entry.channel.map_or("All channels", |channel| channel.words().label);
    match entry.category {
        Some(category) => format!("{channel}, only “{}”", category.words().label),
        None => channel.to_owned(),
    }
}

words! { SuppressionSource:
    Self::Manual => neutral("Added by you", "Somebody of your team put it on the list."),
    Self::Stop => neutral("Wrote STOP", "The person answered a message with STOP."),
    Self::Complaint => bad("Complained", "The person complained about one of your messages."),
    Self::Unsubscribe =>
        neutral("Unsubscribed", "The person used the link or button to unsubscribe."),
    Self::Vendor =>
        neutral("Blocked at the provider",
                "The provider says that the person wants no messages from you."),
}

words! { ContactJobKind:
    Self::Delete => neutral("Erase", "Contacts are erased, with all that is known."),
    Self::Tag => neutral("Change tags", "Tags are added to contacts or removed."),
}

words! { ContactJobStatus:
    Self::Queued => waiting("Waiting", "The work has not begun yet."),
    Self::Running => waiting("Working", "The work has begun. You can leave this page."),
    Self::Completed => good("Done", "All contacts were worked on."),
    Self::Failed => bad("Stopped", "Not all could be done. What was done stays so."),
}

words! { PhoneType:
    Self::Mobile => neutral("Mobile", "A number of a mobile phone."),
    Self::FixedLine => neutral("Fixed line", "A number that can only be called."),
    Self::Other => neutral("Special", "A number of another kind, such as toll-free."),
}
