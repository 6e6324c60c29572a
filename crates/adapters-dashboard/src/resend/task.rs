//! Work on failed messages, as pages show it.

use domain::messaging::delivery::Status;
use domain::messaging::resend::{ResendStatus, ResendTask};
use domain::shared::id::Id;
use form_urlencoded::Serializer;

use crate::formats::{Formats, Moment};
use crate::words::{InWords, Words};

pub(super) struct Task {
    pub(super) href: String,
    pub(super) state: Words,
    /// Sentence that says why it ended early.
    pub(super) failure: Option<&'static str>,
    pub(super) count: String,
    /// True if there may be more messages than `count`.
    pub(super) is_capped: bool,
    pub(super) resent: String,
    pub(super) skipped: String,
    /// Number of messages, and of those that were looked at, for a bar.
    pub(super) whole: u64,
    pub(super) done: u64,
    pub(super) is_live: bool,
    pub(super) asked: Moment,
    pub(super) ended: Option<Moment>,
    /// Time since which its messages were accepted.
    pub(super) since: Option<Moment>,
    pub(super) reason: Option<&'static str>,
    pub(super) channel: Option<&'static str>,
    /// The failed messages in the log.
    pub(super) log: String,
}

impl Task {
    pub(super) fn of(task: &ResendTask, formats: &Formats) -> Self {
        let filter = &task.filter;
        let done = task.resent + task.skipped;
        let bounds = [
            ("status", Status::Failed.as_str().to_owned()),
            ("reason", filter.error_code.map(|it| it.as_str().to_owned()).unwrap_or_default()),
            ("channel", filter.channel.map(|it| it.as_str().to_owned()).unwrap_or_default()),
            ("from", filter.from.map(|from| formats.field_time(from)).unwrap_or_default()),
        ];
        Self {
            href: address_of(task.id),
            state: task.status.words(),
            failure: task.failure.map(|failure| failure.words().meaning),
            count: formats.count(task.count),
            is_capped: task.is_capped,
            resent: formats.count(task.resent),
            skipped: formats.count(task.skipped),
            whole: task.count.max(done),
            done,
            is_live: matches!(task.status, ResendStatus::Queued | ResendStatus::Processing),
            asked: formats.time(task.created_at),
            ended: task.completed_at.map(|at| formats.time(at)),
            since: filter.from.map(|from| formats.time(from)),
            reason: filter.error_code.map(|code| code.words().label),
            channel: filter.channel.map(|channel| channel.words().label),
            log: log_of(&bounds),
        }
    }
}

pub(super) fn address_of(id: Id<ResendTask>) -> String {
    format!("/app/resend/{id}")
}

/// Returns the address of the log with these filters. Those with blank values are left out.
pub(super) fn log_of(filters: &[(&str, String)]) -> String {
    let mut query = Serializer::new(String::new());
    for (name, value) in filters.iter().filter(|(_, value)| !value.is_empty()) {
        query.append_pair(name, value);
    }
    format!("/app/messages?{}", query.finish())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_log_has_the_filters_that_are_not_blank() {
        let filters = [
            ("status", "FAILED".to_owned()),
            ("reason", String::new()),
            ("from", "2026-11-26T14:05".to_owned()),
        ];

        assert_eq!(log_of(&filters), "/app/messages?status=FAILED&from=2026-11-26T14%3A05");
    }
}
