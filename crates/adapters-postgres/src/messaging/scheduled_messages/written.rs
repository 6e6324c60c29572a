//! Scheduled messages of a batch that is accepted.

use chrono::{DateTime, Utc};
use domain::messaging::job::Job;
use uuid::Uuid;

/// Scheduled messages to be written, column by column.
#[derive(Default)]
pub(crate) struct ScheduledWritten {
    pub(crate) organizations: Vec<Uuid>,
    pub(crate) ids: Vec<Uuid>,
    pub(crate) due_at: Vec<DateTime<Utc>>,
    pub(crate) priorities: Vec<i16>,
    pub(crate) provider_queues: Vec<i32>,
}

impl ScheduledWritten {
    /// Collects those of `jobs` whose messages wait for their time.
    pub(crate) fn of(jobs: &[&Job]) -> Self {
        let mut written = Self::default();
        for job in jobs {
            let message = &job.message;
            let Some(due_at) = message.scheduled_at.filter(|_| message.is_scheduled()) else {
                continue;
            };
            written.organizations.push(message.organization.uuid());
            written.ids.push(message.id.uuid());
            written.due_at.push(due_at);
            written.priorities.push(message.priority.rank());
            written.provider_queues.push(job.provider_queue.0);
        }
        written
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.ids.is_empty()
    }
}

/// Writes the messages, which have no jobs until they are due.
pub(crate) const WRITE: &str = "\
    INSERT INTO scheduled_messages (organization_id, id, due_at, priority, line) \
    SELECT * FROM UNNEST({scheduled_organizations}::uuid[], {scheduled_messages}::uuid[], \
        {due_at}::timestamptz[], {scheduled_priorities}::smallint[], \
        {scheduled_queues}::integer[])";
