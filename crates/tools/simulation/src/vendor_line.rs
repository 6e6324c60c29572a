//! Connection of a process to a vendor: the port that hands messages over, and receives reports.

use std::{
    panic::resume_unwind,
    str::FromStr,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
};

use async_trait::async_trait;
use domain::{
    messaging::{
        callback::{Callback, CallbackMethod, CallbackRefused, MessageRef, Received, VendorReport},
        message::Message,
        outcome::{LookUp, Outcome},
    },
    providers::provider::{Check, CheckStatus},
    shared::id::Id,
};
use futures_util::future::join_all;
use ports::{providers::provider::MessagingProvider, shared::clock::Clock};
use tokio::time::sleep;

use crate::{
    scheduler::{ProcessId, Scheduler},
    trace::Trace,
    vendor::{CallPlan, ReportedEvent, Vendor, unknown},
    virtual_clock::VirtualClock,
    witness::{CallId, Holder, Told, Witness},
};

/// Holder of a message at the moment, as the store knows it.
pub(crate) type HolderOf = Arc<dyn Fn(ProcessId, Id<Message>) -> Holder + Send + Sync>;

/// Callback that delivers a report to any running process: name of the vendor, and the report.
pub(crate) type Reporting = Arc<dyn Fn(String, Callback) + Send + Sync>;

/// Dependencies of a connection to a vendor.
#[derive(Clone)]
pub(crate) struct LineParts {
    pub(crate) scheduler: Scheduler,
    pub(crate) witness: Witness,
    pub(crate) trace: Trace,
    pub(crate) clock: VirtualClock,
    pub(crate) holder: HolderOf,
    pub(crate) reporting: Reporting,
    /// Number of reports on their way.
    pub(crate) reports: Arc<AtomicU64>,
}

/// A process's connection to a vendor.
pub(crate) struct VendorLine {
    vendor: Vendor,
    process: ProcessId,
    parts: LineParts,
}

impl VendorLine {
    pub(crate) const fn new(vendor: Vendor, process: ProcessId, parts: LineParts) -> Self {
        Self { vendor, process, parts }
    }

    /// Lets a message arrive, even if its sender ends meanwhile.
    fn dispatch(&self, message: Id<Message>, plan: &CallPlan) {
        let Some(arrives_after) = plan.arrives_after else { return };
        let reference = match &plan.outcome {
            Some(Outcome::Accepted { reference, .. }) => reference.clone(),
            _ => None,
        };
        let (vendor, parts) = (self.vendor.clone(), self.parts.clone());
        self.parts.scheduler.spawn(ProcessId::WORLD, async move {
            sleep(arrives_after).await;
            let name = parts.witness.name(message);
            let Some((reference, reports)) = vendor.take(message, reference) else {
                parts.trace.note(format_args!("{} knows {name} already", vendor.name()));
                return;
            };
            parts.witness.copy_taken(message);
            parts.trace.note(format_args!("{} takes {name} as {reference}", vendor.name()));
            for report in reports {
                parts.reports.fetch_add(1, Ordering::Relaxed);
                let (vendor, parts, reference) = (vendor.clone(), parts.clone(), reference.clone());
                let scheduler = parts.scheduler.clone();
                scheduler.spawn(ProcessId::WORLD, async move {
                    sleep(report.after).await;
                    vendor.happens(message, report.event);
                    let about = if vendor.traits.names_messages {
                        MessageRef::Vendors(reference)
                    } else {
                        MessageRef::Ours(message)
                    };
                    let callback = callback(&about, report.event);
                    (parts.reporting)(vendor.name().to_owned(), callback);
                });
            }
        });
    }
}

/// Call in flight. The result of an aborted call is unknown.
struct OpenCall<'w> {
    witness: &'w Witness,
    call: CallId,
    told: Told,
}

impl Drop for OpenCall<'_> {
    fn drop(&mut self) {
        self.witness.call_ends(self.call, self.told);
    }
}

impl VendorLine {
    /// Hands a message over. `None` is a panic.
    async fn hand_over(&self, message: &Message) -> Option<Outcome> {
        let Self { vendor, process, parts } = self;
        let holder = (parts.holder)(*process, message.id);
        let name = parts.witness.name(message.id);
        parts.trace.note(format_args!("i{} hands {name} to {}", process.0, vendor.name()));
        let call = parts.witness.call_begins(*process, message.id, holder);
        let mut open = OpenCall { witness: &parts.witness, call, told: Told::Unknown };
        let plan = vendor.plan(message.id);
        self.dispatch(message.id, &plan);
        sleep(plan.ends_after).await;
        open.told = match &plan.outcome {
            Some(Outcome::Accepted { .. }) => Told::Taken,
            Some(Outcome::Rejected(_) | Outcome::NotAccepted { .. }) => Told::Refused,
            Some(Outcome::Unknown(_)) | None => Told::Unknown,
        };
        let told = open.told;
        parts.trace.note(format_args!("i{} hears of {name}: {told:?}", process.0));
        plan.outcome
    }
}

#[async_trait]
impl MessagingProvider for VendorLine {
    async fn send(&self, message: &Message) -> Outcome {
        let outcome = self.hand_over(message).await;
        outcome.unwrap_or_else(|| resume_unwind(Box::new("amid a call")))
    }

    fn group_limit(&self) -> usize {
        self.vendor.traits.group_limit
    }

    async fn send_group(&self, messages: &[Message]) -> Vec<Outcome> {
        let outcomes = join_all(messages.iter().map(|message| self.hand_over(message))).await;
        outcomes.into_iter().map(|outcome| outcome.unwrap_or_else(unknown)).collect()
    }

    async fn look_up(&self, message: &Message) -> LookUp {
        sleep(self.vendor.look_up_time()).await;
        let answer = self.vendor.look_up(message.id);
        let (process, name) = (self.process.0, self.parts.witness.name(message.id));
        let vendor = self.vendor.name();
        self.parts.trace.note(format_args!("i{process} asks {vendor} for {name}: {answer:?}"));
        answer
    }

    async fn check(&self) -> Check {
        Check { status: CheckStatus::Up, message: "it answers".to_owned() }
    }

    fn receive(&self, callback: &Callback) -> Result<Received, CallbackRefused> {
        let body = std::str::from_utf8(&callback.body).map_err(|_| CallbackRefused::Malformed)?;
        let report = read(body).ok_or(CallbackRefused::Malformed)?;
        let (about, event) = report;
        let event = event.at(self.parts.clock.now());
        Ok(Received { reports: vec![VendorReport { about, event }], ..Received::default() })
    }
}

/// Returns a vendor's callback about the message, with the event.
fn callback(about: &MessageRef, event: ReportedEvent) -> Callback {
    let body = match about {
        MessageRef::Ours(id) => format!("ours {id} {}", event.as_str()),
        MessageRef::Vendors(reference) => format!("theirs {reference} {}", event.as_str()),
    };
    Callback {
        method: CallbackMethod::Post,
        url: String::new(),
        query: Vec::new(),
        headers: Vec::new(),
        body: body.into_bytes(),
    }
}

fn read(body: &str) -> Option<(MessageRef, ReportedEvent)> {
    let mut words = body.split(' ');
    let (whose, name, event) = (words.next()?, words.next()?, words.next()?);
    let about = match whose {
        "ours" => MessageRef::Ours(Id::from_str(name).ok()?),
        _ => MessageRef::Vendors(name.to_owned()),
    };
    let event = ReportedEvent::ALL.into_iter().find(|known| known.as_str() == event)?;
    Some((about, event))
}
