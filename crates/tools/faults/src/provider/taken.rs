//! Messages that a provider has taken, and its answers and reports on them.

use std::{
    collections::HashMap,
    sync::{Mutex, MutexGuard, PoisonError},
    time::Instant,
};

use super::manner::{Manner, Reply, reports};

/// Record of a message at a provider.
#[derive(Debug, Clone, Default)]
pub(crate) struct Message {
    calls: u32,
    open_calls: u32,
    /// Number of times that it was taken.
    pub(crate) taken: u32,
    /// Instance that handed it over last.
    pub(crate) handed_over_by: Option<usize>,
    /// Number of answers that the service could not understand, or did not get.
    pub(crate) unclear: u32,
    /// True if it was refused for good.
    pub(crate) refused: bool,
    /// Reports on it, in this order.
    pub(crate) reports: Vec<Report>,
}

/// Report on a message.
#[derive(Debug, Clone)]
pub(crate) struct Report {
    pub(crate) status: &'static str,
    /// True if the service acknowledged the report.
    pub(crate) is_acknowledged: bool,
}

#[derive(Default)]
struct State {
    manner: Manner,
    messages: HashMap<String, Message>,
    /// Times at which messages were taken for the first time, in order.
    firsts: Vec<Instant>,
    open_reports: usize,
}

impl Message {
    /// Returns the contradiction to the final status of the message, if there is one.
    pub(crate) fn contradicts(&self, status: Option<&str>) -> Option<String> {
        let Some(status) = status else { return Some("has no row".to_owned()) };
        let reported = self.reports.iter().find(|report| report.is_acknowledged);
        let is_right = match (status, reported) {
            // The first report is final.
            ("DELIVERED" | "FAILED", Some(reported)) => status == reported.status,
            ("SENT", None) => self.taken > 0,
            ("FAILED", None) => self.refused,
            _ => false,
        };
        let (taken, reports) = (self.taken, &self.reports);
        (!is_right).then(|| format!("is {status}, was taken {taken} times, reports: {reports:?}"))
    }
}

/// All messages that a provider was called with.
#[derive(Default)]
pub(crate) struct Taken(Mutex<State>);

impl Taken {
    pub(crate) fn set_manner(&self, manner: Manner) {
        self.state().manner = manner;
    }

    pub(crate) fn manner(&self) -> Manner {
        self.state().manner
    }

    /// Begins a call; returns the answer, and the statuses to report.
    pub(crate) fn begin(
        &self,
        id: &str,
        to: &str,
        instance: Option<usize>,
    ) -> (Reply, &'static [&'static str]) {
        let mut state = self.state();
        let manner = state.manner;
        let message = state.messages.entry(id.to_owned()).or_default();
        let is_first = message.taken == 0;
        let reply = match manner.reply(id, to, message.calls == 0) {
            // A message that was taken once is not refused.
            Reply::Refused | Reply::OutOfOrder if !is_first => Reply::Taken,
            reply => reply,
        };
        message.calls += 1;
        message.open_calls += 1;
        match reply {
            Reply::Refused => message.refused = true,
            Reply::OutOfOrder => {}
            Reply::Taken | Reply::Lie(_) => {
                message.taken += 1;
                message.handed_over_by = instance;
            }
        }
        if matches!(reply, Reply::Lie(lie) if lie.is_unclear()) {
            message.unclear += 1;
        }
        if !is_first || message.taken == 0 {
            return (reply, &[]);
        }
        let statuses = reports(id, reply);
        let unsaid = |status| Report { status, is_acknowledged: false };
        message.reports = statuses.iter().copied().map(unsaid).collect();
        state.open_reports += statuses.len();
        state.firsts.push(Instant::now());
        (reply, statuses)
    }

    /// Ends a call that was answered, or broke.
    pub(crate) fn end(&self, id: &str) {
        if let Some(message) = self.state().messages.get_mut(id) {
            message.open_calls = message.open_calls.saturating_sub(1);
        }
    }

    /// Marks the open calls as calls that will get no answer.
    pub(crate) fn excuse_open_calls(&self) {
        for message in self.state().messages.values_mut() {
            message.unclear += message.open_calls;
        }
    }

    /// Marks the report of that number as acknowledged by the service.
    pub(crate) fn acknowledge(&self, id: &str, number: usize) {
        let mut state = self.state();
        let report = state.messages.get_mut(id).and_then(|message| message.reports.get_mut(number));
        if let Some(report) = report {
            report.is_acknowledged = true;
            state.open_reports -= 1;
        }
    }

    pub(crate) fn open_reports(&self) -> usize {
        self.state().open_reports
    }

    pub(crate) fn first_after(&self, since: Instant) -> Option<Instant> {
        let state = self.state();
        let later = state.firsts.partition_point(|at| *at < since);
        state.firsts.get(later).copied()
    }

    pub(crate) fn messages(&self) -> HashMap<String, Message> {
        self.state().messages.clone()
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn message(taken: u32, refused: bool, reports: &[&'static str]) -> Message {
        let report = |status: &&'static str| Report { status, is_acknowledged: true };
        let reports = reports.iter().map(report).collect();
        Message { taken, refused, reports, ..Message::default() }
    }

    #[test]
    fn a_message_is_lost_unless_its_provider_confirms_its_status() {
        for (is_lost, status, message) in [
            (false, Some("SENT"), message(1, false, &[])),
            (false, Some("DELIVERED"), message(1, false, &["DELIVERED", "FAILED"])),
            (false, Some("FAILED"), message(1, false, &["FAILED"])),
            (false, Some("FAILED"), message(0, true, &[])),
            (true, None, message(1, false, &[])),
            (true, Some("QUEUED"), message(0, false, &[])),
            (true, Some("PENDING"), message(1, false, &[])),
            (true, Some("SENT"), message(0, false, &[])),
            (true, Some("SENT"), message(1, false, &["DELIVERED"])),
            (true, Some("DELIVERED"), message(1, false, &[])),
            (true, Some("FAILED"), message(1, false, &["DELIVERED", "FAILED"])),
            (true, Some("FAILED"), message(0, false, &[])),
        ] {
            assert_eq!(message.contradicts(status).is_some(), is_lost, "{status:?} {message:?}");
        }
    }
}
