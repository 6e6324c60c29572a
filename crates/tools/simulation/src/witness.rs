//! What is seen of messages from outside the use cases while a world runs, and what must not be seen.

use std::{
    collections::BTreeMap,
    fmt,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use domain::{messaging::message::Message, shared::id::Id};

use crate::{scheduler::ProcessId, trace::Trace};

/// Sees the calls to providers, the losses of processes and the failures of the store. Clones see the
/// same.
#[derive(Clone)]
pub struct Witness {
    seen: Arc<Mutex<Seen>>,
    trace: Trace,
}

#[derive(Default)]
struct Seen {
    /// How much was seen: what is seen later has a higher number.
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
    /// When the store failed, or did not say what it had done, while a step was written.
    store_failures: Vec<u64>,
    /// When a report was last applied: it ends any lease.
    reported: u64,
    /// When each process was last given a lease on it, and with what.
    leased: BTreeMap<ProcessId, (u64, Grant)>,
    copies: usize,
}

/// A call by which a provider is given a message.
struct SeenCall {
    at: u64,
    process: ProcessId,
    /// Whether it was made under a lease; one that was not may be made by its holder as well.
    is_leased: bool,
    told: Option<Told>,
}

/// What may happen to a process while it works.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Loss {
    /// It crashed.
    Crash,
    /// It stopped for a while, or was taken for dead, and may go on under a lease that it lost.
    Stop,
    /// It gave a request up whose client had left.
    Request,
}

/// With what a process is given a lease.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Grant {
    /// With the acceptance: the message may wait in memory for long, and the lease is looked at again
    /// before it is handed over.
    Acceptance,
    /// With a claim, or with the step that begins a call: that is what was looked at.
    Store,
}

/// A call, for what is told of it later.
#[derive(Debug, Clone, Copy)]
pub struct CallId {
    message: Id<Message>,
    number: usize,
}

/// What whoever called a provider was told.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Told {
    /// The provider took it: there is no reason to try again.
    Taken,
    /// The provider does not take it.
    Refused,
    /// Nothing certain.
    Unknown,
}

/// Who may call a provider, as the store knows it at that moment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Holder {
    /// The caller, under a lease that has not ended.
    Caller,
    /// Somebody else, or nobody.
    NotCaller,
}

/// How much was seen, to show that the faults took place.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Tally {
    /// Calls to providers.
    pub calls: u64,
    /// Messages of which a provider took a second copy.
    pub doubled: u64,
    /// Processes that crashed, were stopped or taken for dead, and requests that were left.
    pub losses: u64,
    /// Calls of the store that failed, or of which nobody heard.
    pub store_failures: u64,
    /// Reports that were applied.
    pub reports: u64,
}

impl Tally {
    /// Both together.
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
    /// Has seen nothing yet.
    pub fn new(trace: Trace) -> Self {
        Self { seen: Arc::default(), trace }
    }

    /// A process is about to hand a message to a provider.
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

    /// Whoever made a call hears what came of it.
    pub fn call_ends(&self, call: CallId, told: Told) {
        let mut seen = self.seen();
        let known = seen.history(call.message).calls.get_mut(call.number);
        if let Some(known) = known {
            known.told = Some(told);
        }
    }

    /// A provider took a copy of a message.
    pub fn copy_taken(&self, message: Id<Message>) {
        let mut seen = self.seen();
        let history = seen.history(message);
        history.copies += 1;
        if history.copies == 2 {
            seen.tally.doubled += 1;
        }
    }

    /// A process ended, was stopped for long or taken for dead, or work of it was given up.
    pub fn lose(&self, process: ProcessId, loss: Loss) {
        let mut seen = self.seen();
        let at = seen.next();
        seen.losses.push((at, process, loss));
        seen.tally.losses += 1;
    }

    /// The store failed, or did not say what it had done.
    pub fn store_failed(&self, message: Option<Id<Message>>) {
        let mut seen = self.seen();
        let at = seen.next();
        seen.tally.store_failures += 1;
        if let Some(message) = message {
            seen.history(message).store_failures.push(at);
        }
    }

    /// A provider's report was applied.
    pub fn report_applied(&self, message: Id<Message>) {
        let mut seen = self.seen();
        let at = seen.next();
        seen.tally.reports += 1;
        seen.history(message).reported = at;
    }

    /// The store gives a process a lease on a message, or lets it keep the one that it has.
    pub fn lease_given(&self, process: ProcessId, message: Id<Message>, grant: Grant) {
        let mut seen = self.seen();
        let at = seen.next();
        seen.history(message).leased.insert(process, (at, grant));
    }

    /// How a message is called in the trace: by the order in which messages were first seen.
    pub fn name(&self, message: Id<Message>) -> String {
        format!("m{}", self.seen().history(message).number)
    }

    /// Something was seen that must not be.
    pub fn violation(&self, what: fmt::Arguments<'_>) {
        self.trace.note(format_args!("VIOLATION: {what}"));
        self.seen().violations.push(what.to_string());
    }

    /// All that was seen and must not be.
    pub fn violations(&self) -> Vec<String> {
        self.seen().violations.clone()
    }

    /// How much was seen.
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

    /// What is wrong with a call that begins now. It needs a lease, unless a report ended that, or the
    /// process was stopped or taken for dead after the store gave it; of a lease that came with the
    /// acceptance a process must know that. After another call it needs a reason: that one came to
    /// nothing certain, its process was lost, or the store failed to note it.
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
        // One that was stopped and does not know that others have the message: nothing more to say.
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
