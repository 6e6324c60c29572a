//! Statements that select the contacts of a job. Their texts depend on the filter, so they are
//! prepared for one use.

use chrono::{DateTime, Utc};
use diesel::{
    dsl::{AsSelect, SqlTypeOf},
    pg::Pg,
    prelude::*,
    query_builder::{AstPass, Query, QueryFragment},
    sql_types::{Array, BigInt, Text, Timestamptz, Uuid as SqlUuid},
};
use domain::{
    audience::contact_job::{ContactJob, ContactTask, SAMPLE},
    identity::organization::Organization,
    shared::id::Id,
};
use uuid::Uuid;

use crate::audience::contacts::{filter::FilteredContacts, row::ContactRow};

/// Maximum number of contacts in a part: the work on it takes some hundredths of a second.
const PART: i64 = 500;

type ContactColumns = <ContactRow as Selectable<Pg>>::SelectExpression;

/// Number of the selected contacts, with each of the newest of them; no rows if there are none.
pub(super) struct Sample {
    organization: Uuid,
    filtered: FilteredContacts,
    size: i64,
    columns: ContactColumns,
}

impl Sample {
    pub(super) fn new(organization: Id<Organization>, filtered: FilteredContacts) -> Self {
        let columns = <ContactRow as Selectable<Pg>>::construct_selection();
        Self { organization: organization.uuid(), filtered, size: SAMPLE.into(), columns }
    }
}

impl QueryFragment<Pg> for Sample {
    fn walk_ast<'b>(&'b self, mut out: AstPass<'_, 'b, Pg>) -> QueryResult<()> {
        out.unsafe_to_cache_prepared();
        out.push_sql("WITH chosen AS MATERIALIZED (SELECT id FROM contacts WHERE ");
        self.filtered.push(&mut out)?;
        out.push_sql(") SELECT (SELECT count(*) FROM chosen), ");
        self.columns.walk_ast(out.reborrow())?;
        out.push_sql(" FROM contacts WHERE organization_id = ");
        out.push_bind_param::<SqlUuid, _>(&self.organization)?;
        out.push_sql(" AND id = ANY(ARRAY(SELECT id FROM chosen ORDER BY id DESC LIMIT ");
        out.push_bind_param::<BigInt, _>(&self.size)?;
        out.push_sql(")) ORDER BY id DESC");
        Ok(())
    }
}

impl Query for Sample {
    type SqlType = (BigInt, SqlTypeOf<AsSelect<ContactRow, Pg>>);
}

/// Statement that adds a job with its contacts in parts. Returns the number of contacts.
pub(super) struct Choice {
    organization: Uuid,
    id: Uuid,
    kind: &'static str,
    status: &'static str,
    added: Vec<String>,
    removed: Vec<String>,
    created_by: Uuid,
    created_at: DateTime<Utc>,
    filtered: FilteredContacts,
    part: i64,
}

impl Choice {
    pub(super) fn new(job: &ContactJob, filtered: FilteredContacts) -> Self {
        let (added, removed) = match &job.task {
            ContactTask::Delete => (Vec::new(), Vec::new()),
            ContactTask::Tag(change) => (change.add.clone(), change.remove.clone()),
        };
        Self {
            organization: job.organization.uuid(),
            id: job.id.uuid(),
            kind: job.task.kind().as_str(),
            status: job.status.as_str(),
            added,
            removed,
            created_by: job.created_by.uuid(),
            created_at: job.created_at,
            filtered,
            part: PART,
        }
    }
}

impl QueryFragment<Pg> for Choice {
    fn walk_ast<'b>(&'b self, mut out: AstPass<'_, 'b, Pg>) -> QueryResult<()> {
        out.unsafe_to_cache_prepared();
        out.push_sql("WITH part AS (INSERT INTO contact_job_parts SELECT ");
        out.push_bind_param::<SqlUuid, _>(&self.organization)?;
        out.push_sql(", ");
        out.push_bind_param::<SqlUuid, _>(&self.id)?;
        out.push_sql(
            ", ids[cardinality(ids)], ids FROM (SELECT array_agg(id ORDER BY id) AS ids FROM (\
             SELECT id, (row_number() OVER (ORDER BY id) - 1) / ",
        );
        out.push_bind_param::<BigInt, _>(&self.part)?;
        out.push_sql(" AS part FROM contacts WHERE ");
        self.filtered.push(&mut out)?;
        out.push_sql(
            ") AS chosen GROUP BY part) AS parts RETURNING cardinality(contact_ids) AS size) \
             INSERT INTO contact_jobs (organization_id, id, kind, status, added_tags, \
             removed_tags, created_by, created_at, contact_count) SELECT ",
        );
        out.push_bind_param::<SqlUuid, _>(&self.organization)?;
        out.push_sql(", ");
        out.push_bind_param::<SqlUuid, _>(&self.id)?;
        out.push_sql(", ");
        out.push_bind_param::<Text, _>(&self.kind)?;
        out.push_sql(", ");
        out.push_bind_param::<Text, _>(&self.status)?;
        out.push_sql(", ");
        out.push_bind_param::<Array<Text>, _>(&self.added)?;
        out.push_sql(", ");
        out.push_bind_param::<Array<Text>, _>(&self.removed)?;
        out.push_sql(", ");
        out.push_bind_param::<SqlUuid, _>(&self.created_by)?;
        out.push_sql(", ");
        out.push_bind_param::<Timestamptz, _>(&self.created_at)?;
        out.push_sql(", (SELECT coalesce(sum(size), 0) FROM part) RETURNING contact_count");
        Ok(())
    }
}

impl Query for Choice {
    type SqlType = BigInt;
}
