//! Task that continues triggers with their next channel.

use std::{collections::HashMap, sync::Arc, time::Duration};

use domain::{identity::organization::Organization, outreach::trigger::Trigger, shared::id::Id};
use ports::shared::store::StoreError;
use tokio::{
    sync::Mutex,
    task::{self, JoinError, JoinSet},
};
use usecases::outreach::events::TriggerWork;

use crate::{
    background::{Task, again_if},
    service::{stores::BackgroundStores, wiring::Wiring},
    supervisor::panic_text,
};

/// Interval between looks for triggers to continue, and pause after a failure.
const LOOK: Duration = Duration::from_millis(500);
const RETRY: Duration = Duration::from_secs(5);
/// Number of triggers continued at the same time, and number of those per organization, so that an
/// obstacle of one organization, such as a locked wallet, does not delay others.
const AT_ONCE: usize = 128;
const AT_ONCE_OF_ONE: usize = 32;

pub(super) fn tasks(wiring: &Wiring, stores: &BackgroundStores) -> Vec<Task> {
    let (queues, messages) = (Arc::clone(&stores.queues), wiring.api.messages.clone());
    let work = TriggerWork::new(queues, messages, wiring.core.policies.clone());
    let running = Arc::new(Mutex::new(RunningTriggers::new(work)));
    vec![
        Task::every("triggers", LOOK, running, |running| async move {
            again_if(running.lock().await.begin_due().await)
        })
        .retry_after(RETRY),
    ]
}

/// Triggers whose next channel is being tried. Dropping it ends that; they are taken again later.
struct RunningTriggers {
    work: TriggerWork,
    tasks: JoinSet<()>,
    organizations: HashMap<task::Id, Id<Organization>>,
}

impl RunningTriggers {
    fn new(work: TriggerWork) -> Self {
        Self { work, tasks: JoinSet::new(), organizations: HashMap::new() }
    }

    /// Begins with triggers whose messages failed, or did not reach the required status in time, once
    /// there is room for one. Returns true if there may be more.
    async fn begin_due(&mut self) -> Result<bool, StoreError> {
        self.forget_ended().await;
        let room = (AT_ONCE - self.tasks.len()).min(AT_ONCE_OF_ONE);
        let due = self.work.take(room, &self.busy()).await?;
        let is_full = due.len() == room;
        for trigger in due {
            self.begin(trigger);
        }
        Ok(is_full)
    }

    fn begin(&mut self, trigger: Trigger) {
        let (work, organization) = (self.work.clone(), trigger.organization);
        let task = self.tasks.spawn(async move {
            if let Err(error) = work.go_on(trigger).await {
                tracing::warn!(%error, %organization, "failed to try the next channel of a trigger");
            }
        });
        self.organizations.insert(task.id(), organization);
    }

    /// Forgets the triggers that are done. If there is no room, it waits for one, which the limits on its
    /// statements end.
    async fn forget_ended(&mut self) {
        if self.tasks.len() >= AT_ONCE
            && let Some(ended) = self.tasks.join_next_with_id().await
        {
            self.forget(ended);
        }
        while let Some(ended) = self.tasks.try_join_next_with_id() {
            self.forget(ended);
        }
    }

    fn forget(&mut self, ended: Result<(task::Id, ()), JoinError>) {
        let id = match &ended {
            Ok((id, ())) => *id,
            Err(error) => error.id(),
        };
        let organization = self.organizations.remove(&id);
        if let Err(error) = ended
            && let Ok(panic) = error.try_into_panic()
        {
            let panic = panic_text(panic.as_ref());
            let organization = organization.map(tracing::field::display);
            tracing::error!(panic, organization, "the next channel of a trigger panicked");
        }
    }

    /// Returns the organizations that have as many running triggers as they may have.
    fn busy(&self) -> Vec<Id<Organization>> {
        let mut running = HashMap::<_, usize>::new();
        for organization in self.organizations.values() {
            *running.entry(*organization).or_default() += 1;
        }
        running.retain(|_, triggers| *triggers >= AT_ONCE_OF_ONE);
        running.into_keys().collect()
    }
}
