//! What a provider has taken, and what it has said of it.

use std::{
    collections::HashMap,
    sync::{Mutex, MutexGuard, PoisonError},
    time::Instant,
};

use super::manner::{Manner, Reply, reports};

/// What a provider knows of a message.
#[derive(Debug, Clone, Default)]
pub(crate) struct Message {
    calls: u32,
    open_calls: u32,
    /// How often it was taken.
    pub(crate) taken: u32,
    /// The instance that handed it over last.
    pub(crate) handed_over_by: Option<usize>,
    /// How many answers the service could not understand, or did not get.
    pub(crate) unclear: u32,
    /// Whether it was refused for good.
    pub(crate) refused: bool,
    /// What was reported of it, in this order.
    pub(crate) reports: Vec<Report>,
}

/// A report on a message.
#[derive(Debug, Clone)]
pub(crate) struct Report {
    pub(crate) status: &'static str,
    /// Whether the service said that it has it.
    pub(crate) is_acknowledged: bool,
}

#[derive(Default)]
struct State {
    manner: Manner,
    messages: HashMap<String, Message>,
    /// When messages were taken for the first time, in order.
    firsts: Vec<Instant>,
    open_reports: usize,
}

impl Message {
    /// What is wrong if that is the status of the message in the end.
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

    /// A call begins: how it is answered, and what is to be reported.
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
            // What was taken once is not refused.
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

    /// The call was answered, or broke.
    pub(crate) fn end(&self, id: &str) {
        if let Some(message) = self.state().messages.get_mut(id) {
            message.open_calls = message.open_calls.saturating_sub(1);
        }
    }

    /// Whoever calls at present will get no answer.
    pub(crate) fn excuse_open_calls(&self) {
        for message in self.state().messages.values_mut() {
            message.unclear += message.open_calls;
        }
    }

    /// The service said that it has the report of that number.
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
    fn a_message_is_lost_unless_it_is_as_its_provider_says() {
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
