//! Acceptance of messages.

use std::collections::BTreeMap;

use async_trait::async_trait;
use domain::messaging::{job::Job, message::Message, priority::ProviderQueue};
use ports::messaging::messages::{
    FirstWorker, Intake, IntakeError, LocalQueue, Receipt, Submission,
};

use crate::shared::{state::Acceptance, store::MemoryStore};

#[async_trait]
impl Intake for MemoryStore {
    async fn accept(&self, submission: Submission) -> Result<Receipt, IntakeError> {
        let first_worker = submission.first_worker;
        let queue = self.local_queue.as_deref();
        let mut rooms = BTreeMap::new();
        let mut place = |message: &Message| {
            let provider_queue =
                queue.map_or(ProviderQueue::FREE, |queue| queue.provider_queue(message));
            let is_ours = match (first_worker, queue) {
                (FirstWorker::Submitter, _) => true,
                (FirstWorker::Workers, None) => false,
                (FirstWorker::Workers, Some(queue)) => {
                    let place = (message.priority, provider_queue);
                    let room = rooms
                        .entry(place)
                        .or_insert_with(|| queue.room(message.priority, provider_queue));
                    let is_room = *room > 0;
                    *room = room.saturating_sub(1);
                    is_room
                }
            };
            (provider_queue, is_ours)
        };
        let acceptance = Acceptance { now: self.now(), instance: self.instance, place: &mut place };
        let receipt = self.state().accept(submission, acceptance)?;
        if let (Receipt::Accepted(jobs), FirstWorker::Workers, Some(queue)) =
            (&receipt, first_worker, queue)
        {
            self.hand_over(queue, jobs);
        }
        Ok(receipt)
    }
}

impl MemoryStore {
    /// Hands jobs over to the workers of this instance. Jobs that do not fit stay free.
    fn hand_over(&self, queue: &dyn LocalQueue, jobs: &[Job]) {
        let (leased, left): (Vec<_>, Vec<_>) =
            jobs.iter().cloned().partition(|job| job.lease.is_held());
        let refused = queue.offer(leased);
        if !left.is_empty() || !refused.is_empty() {
            self.give_back(&refused);
            queue.wake();
        }
    }
}
