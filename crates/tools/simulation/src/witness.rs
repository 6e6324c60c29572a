//! Observations of messages from outside the use cases while a world runs, and violations.

use std::{
    collections::BTreeMap,
    fmt,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use domain::{messaging::message::Message, shared::id::Id};

use crate::{scheduler::ProcessId, trace::Trace};

/// Observer of the calls to providers, the losses of processes and the failures of the store.
/// Clones share its observations.
#[derive(Clone)]
pub struct Witness {
    seen: Arc<Mutex<Seen>>,
    trace: Trace,
}

#[derive(Default)]
struct Seen {
    /// Number of observations: later ones have higher numbers.
    count: u64,
    messages: BTreeMap<Id<Message>, History>,
    losses: Vec<(u64, ProcessId, Loss)>,
    violations: Vec<String>,
    tally: Tally,
}

#[derive(Default)]
struct History {
    number: usize,
    calls: Vec<SeenCall>,
    /// Failures of the store, and lost answers, while a step was written.
    store_failures: Vec<u64>,
    /// Last applied report: it ends any lease.
    reported: u64,
    /// Last lease given to each process, and its kind.
    leased: BTreeMap<ProcessId, (u64, Grant)>,
    copies: usize,
}

/// Call that hands a message to a provider.
struct SeenCall {
    at: u64,
    process: ProcessId,
    /// True if the call was made under a lease; if not, its holder may make it as well.
    is_leased: bool,
    told: Option<Told>,
}

/// Loss of a process or its work.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Loss {
    /// The process crashed.
    Crash,
    /// The process stopped for a while, or was released as dead, and may go on under a lease that
    /// it lost.
    Stop,
    /// The process gave up a request whose client had left.
    Request,
}

/// Way in which a process is given a lease.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Grant {
    /// With the acceptance: the message may wait in memory for long, and the lease is checked again
    /// before it is handed over.
    Acceptance,
    /// With a claim, or with the step that begins a call, which is itself the check.
    Store,
}

/// Identifier of a call, to record its result later.
#[derive(Debug, Clone, Copy)]
pub struct CallId {
    message: Id<Message>,
    number: usize,
}

/// Result of a call, as its caller knows it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Told {
    /// The provider took the message: there is no reason to try again.
    Taken,
    /// The provider does not take the message.
    Refused,
    /// The result is uncertain.
    Unknown,
}

/// Holder of the right to call a provider, as the store knows it at that moment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Holder {
    /// The caller, under a lease that has not ended.
    Caller,
    /// Another process, or none.
    NotCaller,
}

/// Counts of observations, to show that the faults took place.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Tally {
    /// Calls to providers.
    pub calls: u64,
    /// Messages that a provider took a second time.
    pub doubled: u64,
    /// Processes that crashed, were stopped or released as dead, and requests that were left.
    pub losses: u64,
    /// Calls of the store that failed, or whose answers were lost.
    pub store_failures: u64,
    /// Reports that were applied.
    pub reports: u64,
}

impl Tally {
    /// Adds two tallies.
    #[must_use]
    pub fn and(self, other: Self) -> Self {
        Self {
            calls: self.calls + other.calls,
            doubled: self.doubled + other.doubled,
            losses: self.losses + other.losses,
            store_failures: self.store_failures + other.store_failures,
            reports: self.reports + other.reports,
        }
    }
}

impl Witness {
    /// Creates a witness without observations.
    pub fn new(trace: Trace) -> Self {
        Self { seen: Arc::default(), trace }
    }

    /// Records that a process is about to hand a message to a provider.
    pub fn call_begins(&self, process: ProcessId, message: Id<Message>, holder: Holder) -> CallId {
        let mut seen = self.seen();
        let at = seen.next();
        seen.tally.calls += 1;
        let number = seen.history(message).calls.len();
        let violations = seen.faults_of_call(process, message, holder);
        let is_leased = holder == Holder::Caller;
        seen.history(message).calls.push(SeenCall { at, process, is_leased, told: None });
        drop(seen);
        for violation in violations {
            self.violation(format_args!("{violation}"));
        }
        CallId { message, number }
    }

    /// Records the result of a call, as its caller knows it.
    pub fn call_ends(&self, call: CallId, told: Told) {
        let mut seen = self.seen();
        let known = seen.history(call.message).calls.get_mut(call.number);
        if let Some(known) = known {
            known.told = Some(told);
        }
    }

    /// Records that a provider took a copy of a message.
    pub fn copy_taken(&self, message: Id<Message>) {
        let mut seen = self.seen();
        let history = seen.history(message);
        history.copies += 1;
        if history.copies == 2 {
            seen.tally.doubled += 1;
        }
    }

    /// Records that a process ended, was stopped for long or released as dead, or that work of it
    /// was given up.
    pub fn lose(&self, process: ProcessId, loss: Loss) {
        let mut seen = self.seen();
        let at = seen.next();
        seen.losses.push((at, process, loss));
        seen.tally.losses += 1;
    }

    /// Records that the store failed, or that its answer was lost.
    pub fn store_failed(&self, message: Option<Id<Message>>) {
        let mut seen = self.seen();
        let at = seen.next();
        seen.tally.store_failures += 1;
        if let Some(message) = message {
            seen.history(message).store_failures.push(at);
        }
    }

    /// Records that a provider's report was applied.
    pub fn report_applied(&self, message: Id<Message>) {
        let mut seen = self.seen();
        let at = seen.next();
        seen.tally.reports += 1;
        seen.history(message).reported = at;
    }

    /// Records that the store gives a process a lease on a message, or lets it keep its lease.
    pub fn lease_given(&self, process: ProcessId, message: Id<Message>, grant: Grant) {
        let mut seen = self.seen();
        let at = seen.next();
        seen.history(message).leased.insert(process, (at, grant));
    }

    /// Returns the name of a message in the trace, by the order in which messages were first seen.
    pub fn name(&self, message: Id<Message>) -> String {
        format!("m{}", self.seen().history(message).number)
    }

    /// Records a violation.
    pub fn violation(&self, what: fmt::Arguments<'_>) {
        self.trace.note(format_args!("VIOLATION: {what}"));
        self.seen().violations.push(what.to_string());
    }

    /// Returns all violations.
    pub fn violations(&self) -> Vec<String> {
        self.seen().violations.clone()
    }

    /// Returns the counts of observations.
    pub fn tally(&self) -> Tally {
        self.seen().tally
    }

    fn seen(&self) -> MutexGuard<'_, Seen> {
        self.seen.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Seen {
    fn next(&mut self) -> u64 {
        self.count += 1;
        self.count
    }

    fn history(&mut self, message: Id<Message>) -> &mut History {
        let number = self.messages.len() + 1;
        self.messages.entry(message).or_insert_with(|| History { number, ..History::default() })
    }

    /// Returns the faults of a call that begins now. It needs a lease, unless a report ended that,
    /// or the process was stopped or released as dead after the store gave it; a process must
    /// notice that if the lease came with the acceptance. After another call it needs a reason: the
    /// result of that call was uncertain, its process was lost, or the store failed to record it.
    fn faults_of_call(
        &self,
        process: ProcessId,
        message: Id<Message>,
        holder: Holder,
    ) -> Vec<String> {
        let Some(history) = self.messages.get(&message) else { return Vec::new() };
        let (caller, name) = (process.0, history.number);
        let mut faults = Vec::new();
        let lease = history.leased.get(&process).copied();
        let (leased, grant) = lease.unwrap_or((0, Grant::Store));
        let was_stopped = grant == Grant::Store && self.was_stopped(process, leased);
        let is_excused = was_stopped || history.reported > leased;
        if holder == Holder::NotCaller && !is_excused {
            faults.push(format!("i{caller} hands m{name} over and has no lease on it"));
        }
        // For a stopped process that does not know that others have the message, nothing more is
        // checked.
        let is_second = holder == Holder::Caller;
        for call in history.calls.iter().filter(|call| is_second && call.is_leased) {
            let has_failed = history.store_failures.iter().any(|failed| *failed > call.at);
            let is_certain = matches!(call.told, None | Some(Told::Taken));
            if is_certain && !has_failed && !self.was_lost(call.process, call.at) {
                let (other, told) = (call.process.0, call.told);
                faults.push(format!(
                    "i{caller} hands m{name} over, as i{other} did before, who was told {told:?}"
                ));
            }
        }
        faults
    }

    fn was_lost(&self, process: ProcessId, since: u64) -> bool {
        self.losses.iter().any(|(at, who, _)| *who == process && *at > since)
    }

    fn was_stopped(&self, process: ProcessId, since: u64) -> bool {
        let stops = self.losses.iter().filter(|(.., loss)| *loss == Loss::Stop);
        stops.into_iter().any(|(at, who, _)| *who == process && *at > since)
    }
}
