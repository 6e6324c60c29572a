//! Scheduled messages of a batch that is accepted.

use chrono::{DateTime, Utc};
use diesel::sql_types::{Array, Integer, SmallInt, Timestamptz, Uuid as SqlUuid};
use domain::messaging::job::Job;
use uuid::Uuid;

use crate::shared::query::statement::Statement;

/// Scheduled messages to be written, column by column.
#[derive(Default)]
pub(crate) struct ScheduledWritten {
    organizations: Vec<Uuid>,
    ids: Vec<Uuid>,
    due_at: Vec<DateTime<Utc>>,
    priorities: Vec<i16>,
    lines: Vec<i32>,
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
            written.lines.push(job.provider_queue.0);
        }
        written
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.ids.is_empty()
    }

    /// Binds the values of [`WRITE`].
    pub(crate) fn bind<'v, ST>(&self, statement: Statement<'v, ST>) -> Statement<'v, ST> {
        statement
            .bind::<Array<SqlUuid>, _>(self.organizations.clone())
            .bind::<Array<SqlUuid>, _>(self.ids.clone())
            .bind::<Array<Timestamptz>, _>(self.due_at.clone())
            .bind::<Array<SmallInt>, _>(self.priorities.clone())
            .bind::<Array<Integer>, _>(self.lines.clone())
    }
}

/// Writes the messages, which have no jobs until they are due.
pub(crate) const WRITE: &str = "\
    INSERT INTO scheduled_messages (organization_id, id, due_at, priority, line) \
    SELECT * FROM UNNEST(?, ?, ?, ?, ?)";
