//! Store that fails, delays calls, and commits without an answer.

use std::{sync::Arc, time::Duration};

use async_trait::async_trait;
use chrono::{DateTime, Utc};
use domain::{
    audience::suppression::OptOut,
    identity::organization::Organization,
    messaging::{
        callback::{Inbound, MessageRef},
        delivery::Failure,
        delivery_log::LogFilter,
        job::{Job, Step},
        message::Message,
    },
    shared::{
        address::Address,
        channel::Channel,
        id::Id,
        page::{Page, Paged},
    },
};
use ports::{
    messaging::{
        callbacks::{CallbackRepository, EarlyReport, MatchedReport},
        delivery_logs::{Accepted, DeliveryLogRepository, LogPart},
        messages::{ClaimLimits, Intake, IntakeError, Jobs, Receipt, Recorded, Submission},
    },
    shared::store::StoreError,
};
use tokio::time::sleep;

use crate::{
    scheduler::{ProcessId, give_way},
    trace::Trace,
    weather::{CallFate, Fault, Weather},
    witness::{Grant, Witness},
};

/// Pause before a step is written again.
const RETRY: Duration = Duration::from_millis(500);

/// Store as one process reaches it. Every call can fail before it is carried out, and after.
#[derive(Clone)]
pub(crate) struct Unreliable<S> {
    store: S,
    intake: Arc<dyn Intake>,
    jobs: Arc<dyn Jobs>,
    process: ProcessId,
    weather: Weather,
    witness: Witness,
    trace: Trace,
}

impl<S> Unreliable<S> {
    /// Returns `store` as `process` reaches it. Messages are accepted and worked on through `core`,
    /// which may have a defect.
    pub(crate) fn new(
        store: S,
        core: Arc<impl Intake + Jobs + 'static>,
        process: ProcessId,
        weather: Weather,
        (witness, trace): (Witness, Trace),
    ) -> Self {
        let intake = Arc::clone(&core) as Arc<dyn Intake>;
        Self { store, intake, jobs: core, process, weather, witness, trace }
    }

    /// Makes a call that a fault may replace or follow.
    async fn call<T, E: From<StoreError>>(
        &self,
        name: &str,
        about: Option<Id<Message>>,
        call: impl Future<Output = Result<T, E>>,
    ) -> Result<T, E> {
        let CallFate { before, after, fault } = self.weather.next(self.process);
        pause(before).await;
        if fault == Some(Fault::Refused) {
            self.fail(name, about, "fails");
            return Err(unavailable().into());
        }
        let answer = call.await;
        pause(after).await;
        if fault == Some(Fault::AnswerLost) {
            self.fail(name, about, "is carried out and fails");
            return Err(unavailable().into());
        }
        answer
    }

    /// Sends a heartbeat to the other processes.
    pub(crate) async fn show_life(&self, seen: impl FnOnce()) -> Result<(), StoreError> {
        self.call("show life", None, async {
            seen();
            Ok(())
        })
        .await
    }

    fn fail(&self, name: &str, about: Option<Id<Message>>, how: &str) {
        let process = self.process.0;
        self.witness.store_failed(about);
        match about {
            Some(message) => {
                let message = self.witness.name(message);
                self.trace.note(format_args!("i{process} {name} {message} {how}"));
            }
            None => self.trace.note(format_args!("i{process} {name} {how}")),
        }
    }

    fn note(&self, what: &str) {
        self.trace.note(format_args!("i{} {what}", self.process.0));
    }

    fn names<'m>(&self, messages: impl IntoIterator<Item = &'m Message>) -> String {
        let names: Vec<_> =
            messages.into_iter().map(|message| self.witness.name(message.id)).collect();
        names.join(" ")
    }
}

async fn pause(duration: Duration) {
    if duration.is_zero() {
        give_way().await;
    } else {
        sleep(duration).await;
    }
}

fn unavailable() -> StoreError {
    StoreError::Unavailable("it was decided so".into())
}

#[async_trait]
impl<S: Send + Sync> Intake for Unreliable<S> {
    async fn accept(&self, submission: Submission) -> Result<Receipt, IntakeError> {
        let what = format!("accept {}", self.names(&submission.messages));
        let accepting = async {
            let receipt = self.intake.accept(submission).await;
            if let Ok(Receipt::Accepted(jobs)) = &receipt {
                self.note_leases(jobs, Grant::Acceptance);
            }
            receipt
        };
        let answer = self.call("accept", None, accepting).await;
        match &answer {
            Ok(Receipt::Accepted(_)) => self.note(&format!("{what}: accepted")),
            Ok(Receipt::Replayed(messages)) => {
                self.note(&format!("{what}: replayed {}", self.names(messages)));
            }
            Err(error) => self.note(&format!("{what}: {error}")),
        }
        answer
    }
}

#[async_trait]
impl<S: Send + Sync> Jobs for Unreliable<S> {
    async fn claim(&self, limits: &ClaimLimits) -> Result<Vec<Job>, StoreError> {
        let claiming = async {
            let claimed = self.jobs.claim(limits).await?;
            self.note_leases(&claimed, Grant::Store);
            Ok::<_, StoreError>(claimed)
        };
        let claimed = self.call("claim", None, claiming).await?;
        if !claimed.is_empty() {
            self.note(&format!("claim {}", self.names(claimed.iter().map(|job| &job.message))));
        }
        Ok(claimed)
    }

    /// Writes a step. It is usually written again while the store is unavailable; writing it again
    /// also reveals the result of a lost answer.
    async fn record(&self, step: Step) -> Result<Recorded, StoreError> {
        let message = step.message().id;
        let what = self.describe(&step);
        let answer = loop {
            let writing = async {
                let recorded = self.jobs.record(step.clone()).await?;
                if matches!((&step, recorded), (Step::AttemptBegun(_), Recorded::Done)) {
                    self.witness.lease_given(self.process, message, Grant::Store);
                }
                Ok(recorded)
            };
            let answer: Result<_, StoreError> = self.call("record", Some(message), writing).await;
            if answer.is_ok() || self.weather.is_given_up() {
                break answer;
            }
            sleep(RETRY).await;
        };
        match &answer {
            Ok(recorded) => self.note(&format!("{what}: {recorded:?}")),
            Err(_) => self.note(&format!("{what}: given up")),
        }
        if matches!((&step, &answer), (Step::ReportApplied(_), Ok(Recorded::Done) | Err(_))) {
            self.witness.report_applied(message);
        }
        answer
    }

    async fn release(&self, jobs: &[Job]) -> Result<(), StoreError> {
        self.note(&format!("release {}", self.names(jobs.iter().map(|job| &job.message))));
        self.call("release", None, self.jobs.release(jobs)).await
    }

    async fn find(&self, id: Id<Message>) -> Result<Option<Message>, StoreError> {
        self.call("find", None, self.jobs.find(id)).await
    }
}

impl<S> Unreliable<S> {
    fn note_leases(&self, jobs: &[Job], grant: Grant) {
        for job in jobs.iter().filter(|job| job.lease.is_held()) {
            self.witness.lease_given(self.process, job.message.id, grant);
        }
    }

    fn describe(&self, step: &Step) -> String {
        let (kind, message) = (kind(step), self.witness.name(step.message().id));
        let (from, to) = (step.previous_status(), step.message().delivery.status());
        match step.due_in() {
            Some(wait) => format!("{kind} {message} {from} -> {to}, due in {}", wait.num_seconds()),
            None => format!("{kind} {message} {from} -> {to}"),
        }
    }
}

fn kind(step: &Step) -> &'static str {
    match step {
        Step::AttemptBegun(_) => "begin attempt",
        Step::JobConcluded(_) => "conclude",
        Step::JobPostponed(_) => "postpone",
        Step::ReportApplied(_) => "apply report",
    }
}

#[async_trait]
impl<S: DeliveryLogRepository> DeliveryLogRepository for Unreliable<S> {
    async fn find(
        &self,
        organization: Id<Organization>,
        id: Id<Message>,
    ) -> Result<Option<Message>, StoreError> {
        self.call("read", None, self.store.find(organization, id)).await
    }

    async fn find_accepted(
        &self,
        organization: Id<Organization>,
        is_sandbox: bool,
        key: &str,
    ) -> Result<Option<Accepted>, StoreError> {
        let found = self.store.find_accepted(organization, is_sandbox, key);
        self.call("find accepted", None, found).await
    }

    async fn page(
        &self,
        organization: Id<Organization>,
        filter: &LogFilter,
        page: Page,
    ) -> Result<Paged<Message>, StoreError> {
        self.call("page", None, self.store.page(organization, filter, page)).await
    }

    async fn older(
        &self,
        organization: Id<Organization>,
        filter: &LogFilter,
        before: Option<Id<Message>>,
        limit: usize,
    ) -> Result<LogPart, StoreError> {
        self.call("older", None, self.store.older(organization, filter, before, limit)).await
    }
}

#[async_trait]
impl<S: CallbackRepository> CallbackRepository for Unreliable<S> {
    async fn resolve(
        &self,
        provider: &str,
        named: &[MessageRef],
    ) -> Result<Vec<Option<Message>>, StoreError> {
        self.call("resolve", None, self.store.resolve(provider, named)).await
    }

    async fn close_attempts(
        &self,
        organization: Id<Organization>,
        message: Id<Message>,
        provider: &str,
        failure: &Failure,
    ) -> Result<(), StoreError> {
        let closed = self.store.close_attempts(organization, message, provider, failure);
        self.call("close attempts", None, closed).await
    }

    async fn keep_early(
        &self,
        provider: &str,
        reports: &[EarlyReport],
        now: DateTime<Utc>,
    ) -> Result<(), StoreError> {
        self.note(&format!("keep {} early reports of {provider}", reports.len()));
        self.call("keep early", None, self.store.keep_early(provider, reports, now)).await
    }

    async fn matched(
        &self,
        recent: DateTime<Utc>,
        last: Option<Id<MatchedReport>>,
        limit: usize,
    ) -> Result<Vec<MatchedReport>, StoreError> {
        self.call("matched", None, self.store.matched(recent, last, limit)).await
    }

    async fn forget(&self, reports: &[Id<MatchedReport>]) -> Result<(), StoreError> {
        self.call("forget", None, self.store.forget(reports)).await
    }

    async fn forget_old(
        &self,
        before: DateTime<Utc>,
        most: usize,
    ) -> Result<Vec<String>, StoreError> {
        self.call("forget old", None, self.store.forget_old(before, most)).await
    }

    async fn note_inbound(&self, provider: &str, inbound: &Inbound) -> Result<(), StoreError> {
        self.call("note inbound", None, self.store.note_inbound(provider, inbound)).await
    }

    async fn last_inbound(
        &self,
        provider: &str,
        address: &Address,
    ) -> Result<Option<DateTime<Utc>>, StoreError> {
        self.call("last heard", None, self.store.last_inbound(provider, address)).await
    }

    async fn senders_to(
        &self,
        provider: &str,
        address: &Address,
    ) -> Result<Vec<Id<Organization>>, StoreError> {
        self.call("senders", None, self.store.senders_to(provider, address)).await
    }

    async fn suppress(&self, opt_out: &OptOut) -> Result<(), StoreError> {
        self.call("suppress", None, self.store.suppress(opt_out)).await
    }

    async fn unsuppress(
        &self,
        organization: Id<Organization>,
        channel: Channel,
        address: &Address,
    ) -> Result<(), StoreError> {
        self.call("unsuppress", None, self.store.unsuppress(organization, channel, address)).await
    }
}
