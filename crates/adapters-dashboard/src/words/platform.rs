//! Figures of the first page, the balance, recommendations, and states of organizations and of the service.

use domain::{identity::organization::Settings, platform::recommendation::RecommendationCode};
use ports::platform::background_tasks::BackgroundTaskState;

use super::{InWords, Words};

words! { RecommendationCode:
    Self::WalletRunsDry =>
        bad("Wallet almost empty", "Top up in time. With an empty wallet no message is accepted."),
    Self::WorseChannel =>
        waiting("Better channel",
                "More of your messages would arrive over the other channel. Try that one first."),
    Self::EventWithoutFallback =>
        waiting("No second channel",
                "Give the event a second channel, so that the news arrives all the same."),
    Self::ApiKeyExpires =>
        waiting("Key ends soon",
                "A system of yours sends with this key. Make another one in time, and use that."),
    Self::UnreachableRecipients =>
        waiting("Nobody reached", "Correct their numbers or addresses, or write to them no more."),
    Self::CostlyCharacters =>
        waiting("Dear characters",
                "One such character makes a text message longer and dearer. Write plain ones."),
    Self::WebhookFails =>
        bad("Webhook fails",
            "A system of yours does not hear what became of your messages. Let a developer look."),
}

impl InWords for &Settings {
    fn words(self) -> Words {
        if self.closed_at.is_some() {
            Words::neutral("Closed", "Its owner closed it. Nothing can be sent or changed.")
        } else if self.suspension.is_some() {
            Words::bad("Suspended", "It sends nothing until an administrator lifts that.")
        } else {
            Words::good("Active", "It may send.")
        }
    }
}

impl InWords for &BackgroundTaskState {
    fn words(self) -> Words {
        if self.is_failing() {
            Words::bad("Fails", "It is tried again.")
        } else if self.last_succeeded_at.is_none() {
            Words::neutral("Not begun", "Its first turn has not ended.")
        } else {
            Words::good("Works", "Its last turn succeeded.")
        }
    }
}

/// Returns the number of background tasks that fail, as a sentence.
pub(crate) fn failing_tasks(failing: usize) -> String {
    match failing {
        0 => "Every task of this instance works.".to_owned(),
        1 => "One task of this instance fails. It is tried again.".to_owned(),
        _ => format!("{failing} tasks of this instance fail. They are tried again."),
    }
}

/// Returns the words for a part of the service that is in order, or is not.
pub(crate) fn service_part(is_in_order: bool) -> Words {
    if is_in_order {
        Words::good("In order", "Nothing is to be done.")
    } else {
        Words::bad("Out of order", "An operator has to look.")
    }
}

/// Returns the comparison of a figure with the thirty days before.
pub(crate) fn compared(before: &str) -> String {
    format!("{before} in the 30 days before")
}

/// Returns a share of what has ended, and the same for the thirty days before.
pub(crate) fn share_compared(now: &str, before: &str) -> String {
    format!("{now} of those that ended, {before} before")
}

/// Returns the time for which a balance lasts, in days, at the pace of the last seven days. It is used
/// up on the day `end`. `None` means that nothing is spent.
pub(crate) fn balance_lasts(days: Option<u64>, end: Option<&str>) -> String {
    match (days, end) {
        (None, _) => "Nothing was spent in the last 7 days.".to_owned(),
        (Some(0), _) => "At the pace of the last 7 days it is used up within a day.".to_owned(),
        (Some(days), Some(end)) => {
            let unit = if days == 1 { "day" } else { "days" };
            format!("At the pace of the last 7 days it lasts for {days} {unit}, until {end}.")
        }
        (Some(_), None) => {
            "At the pace of the last 7 days it lasts for more than a year.".to_owned()
        }
    }
}
