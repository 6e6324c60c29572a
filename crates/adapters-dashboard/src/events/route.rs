//! Ways of an event's messages: its channels in their order, and its rules, in words.

use domain::content::template::TemplateText;
use domain::messaging::delivery::Status;
use domain::messaging::retry::RetryRules;
use domain::outreach::event::{EventTexts, LinkedEvent, NotReady, Wait};

use crate::formats::Formats;
use crate::templates;
use crate::words::{InWords, Words};

pub(super) struct Stop {
    pub(super) channel: &'static str,
    /// Words for the time at which the next channel is tried; `None` for the last one.
    pub(super) next: Option<String>,
    pub(super) text: Option<Text>,
}

pub(super) struct Text {
    pub(super) href: String,
    pub(super) name: String,
    pub(super) status: Words,
}

/// Returns the channels of an event in their order.
pub(super) fn stops(linked: &LinkedEvent, formats: Formats) -> Vec<Stop> {
    let event = &linked.event;
    let channels = event.channels();
    let last = channels.last().copied();
    let stop = |channel| {
        let template = event.template_of(channel);
        let template = linked.templates.iter().find(|it| Some(it.id) == template);
        Stop {
            channel: channel.words().label,
            next: (Some(channel) != last).then(|| wait_in_words(event.wait(), formats)),
            text: template.map(|template| Text {
                href: templates::address(template.id, ""),
                name: template.name.clone(),
                status: template.status.words(),
            }),
        }
    };
    channels.iter().copied().map(stop).collect()
}

/// Returns the texts of an event, or the reason for which it notifies nobody.
pub(super) fn texts(linked: &LinkedEvent) -> Result<EventTexts, NotReady> {
    let texts: Vec<_> = linked.templates.iter().map(TemplateText::from).collect();
    linked.event.texts(&texts)
}

fn wait_in_words(wait: Wait, formats: Formats) -> String {
    match (wait.after, wait.until) {
        (None, _) => "then, if it fails".to_owned(),
        (Some(after), Status::Sent) => {
            format!("then, if not sent after {}", formats.duration(after))
        }
        (Some(after), _) => format!("then, if not there after {}", formats.duration(after)),
    }
}

/// Returns the rules for attempts over one channel.
pub(super) fn retry_in_words(rules: Option<RetryRules>) -> String {
    let RetryRules { max_attempts, backoff_seconds } = rules.unwrap_or_default();
    let attempts = match max_attempts {
        None => "Until the message is too old to be of use".to_owned(),
        Some(1) => return "One attempt.".to_owned(),
        Some(most) => format!("At most {most} attempts"),
    };
    match backoff_seconds {
        None => format!("{attempts}, with growing pauses."),
        Some(1) => format!("{attempts}, a second apart."),
        Some(seconds) => format!("{attempts}, {seconds} seconds apart."),
    }
}

#[cfg(test)]
mod tests {
    use chrono::{DateTime, TimeDelta};
    use domain::shared::country::Country;

    use super::*;

    #[test]
    fn rules_for_attempts_are_whole_sentences() {
        for (max_attempts, backoff_seconds, expected) in [
            (None, None, "Until the message is too old to be of use, with growing pauses."),
            (Some(3), Some(30), "At most 3 attempts, 30 seconds apart."),
            (Some(1), Some(30), "One attempt."),
            (None, Some(1), "Until the message is too old to be of use, a second apart."),
        ] {
            let rules = RetryRules { max_attempts, backoff_seconds };
            assert_eq!(retry_in_words(Some(rules)), expected);
        }
        assert!(retry_in_words(None).starts_with("Until"));
    }

    #[test]
    fn a_wait_says_how_long_and_for_what() {
        let formats = Formats::new("Africa/Accra", Country::GH, DateTime::UNIX_EPOCH);
        let after = Some(TimeDelta::minutes(2));
        for (wait, expected) in [
            (Wait::default(), "then, if it fails"),
            (Wait { after, until: Status::Sent }, "then, if not sent after 2 minutes"),
            (Wait { after, until: Status::Delivered }, "then, if not there after 2 minutes"),
        ] {
            assert_eq!(wait_in_words(wait, formats), expected);
        }
    }
}
