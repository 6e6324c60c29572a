//! Jobs.

use async_trait::async_trait;
use domain::{
    messaging::{
        job::{Job, Step},
        message::Message,
    },
    shared::id::Id,
};
use ports::{
    messaging::messages::{ClaimLimits, Jobs, Recorded},
    shared::store::StoreError,
};

use crate::shared::store::MemoryStore;

#[async_trait]
impl Jobs for MemoryStore {
    async fn claim(&self, limits: &ClaimLimits) -> Result<Vec<Job>, StoreError> {
        let now = self.now();
        let mut state = self.state();
        let lease = state.lease(self.instance);
        let claimed = state.jobs.claim(limits, lease, now);
        let jobs = claimed.into_iter().filter_map(|job| {
            let message = state.messages.find(job.message)?.clone();
            let (rounds, provider_queue) = (job.rounds, job.provider_queue);
            Some(Job { message, lease, rounds, provider_queue, is_scored: false })
        });
        Ok(jobs.collect())
    }

    async fn record(&self, step: Step) -> Result<Recorded, StoreError> {
        let now = self.now();
        Ok(self.state().record(&step, now))
    }

    async fn release(&self, jobs: &[Job]) -> Result<(), StoreError> {
        self.give_back(jobs);
        Ok(())
    }

    async fn find(&self, id: Id<Message>) -> Result<Option<Message>, StoreError> {
        Ok(self.state().messages.find(id).cloned())
    }
}

impl MemoryStore {
    /// Releases jobs that no worker has started.
    pub(crate) fn give_back(&self, jobs: &[Job]) {
        let now = self.now();
        let mut state = self.state();
        for job in jobs {
            state.release(job, now);
        }
    }
}
