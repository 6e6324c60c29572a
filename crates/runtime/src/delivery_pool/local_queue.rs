//! Handover of accepted messages to the workers, and the backlog of the workers.

use std::{collections::HashMap, sync::atomic::Ordering};

use domain::messaging::{
    intake::Backlog,
    job::Job,
    message::Message,
    priority::{Priority, ProviderQueue},
};
use ports::{messaging::messages::LocalQueue, shared::signals::DueWork};

use super::{DeliveryPool, LOW_LEVEL};

impl LocalQueue for DeliveryPool {
    fn provider_queue(&self, message: &Message) -> ProviderQueue {
        if message.refusal().is_some() {
            ProviderQueue::FREE
        } else {
            self.providers.provider_queue(message)
        }
    }

    fn room(&self, priority: Priority, provider_queue: ProviderQueue) -> usize {
        if self.workers == 0 || self.is_closing() {
            return 0;
        }
        let capacity = self.providers.queue_capacity(provider_queue, self.clock.now()).capacity;
        let queue = self.queue();
        queue.room(priority).min(capacity.saturating_sub(queue.count(priority, provider_queue)))
    }

    fn offer(&self, jobs: Vec<Job>) -> Vec<Job> {
        if self.workers == 0 || self.is_closing() {
            return jobs;
        }
        let now = self.clock.now();
        let mut refused = Vec::new();
        let mut queue = self.queue();
        for mut job in jobs {
            job.provider_queue = LocalQueue::provider_queue(self, &job.message);
            let provider_queue = self.provider_queue_now(&job, now);
            if self.providers.queue_capacity(provider_queue, now).capacity == 0 {
                refused.push(job);
            } else {
                refused.extend(queue.push(provider_queue, job));
            }
        }
        drop(queue);
        self.job_ready.notify_one();
        refused
    }

    fn wake(&self) {
        self.may_claim_more.store(true, Ordering::Release);
        if self.is_closing() || self.workers == 0 || self.queue().len() >= LOW_LEVEL {
            self.signals.signal(DueWork::Messages);
        } else {
            self.claim_more();
        }
    }

    fn backlog(&self) -> Backlog {
        let mut backlog = Backlog::default();
        if self.is_closing() {
            return backlog;
        }
        let (now, mut left) = (self.clock.now(), HashMap::new());
        for (priority, provider_queue, waiting) in self.queue().counts() {
            if provider_queue == ProviderQueue::FREE {
                continue;
            }
            let capacity = || self.providers.queue_capacity(provider_queue, now).within_second;
            let left = left.entry(provider_queue).or_insert_with(capacity);
            let counted = waiting.min(*left);
            *left -= counted;
            backlog.add(priority, counted);
        }
        backlog
    }
}
