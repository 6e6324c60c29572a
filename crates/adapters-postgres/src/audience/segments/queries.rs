//! Statements that evaluate rules. Their texts depend on the rules, so they are prepared for one
//! use: a connection keeps no plans for them, and each is planned for its values.

use diesel::{
    dsl::{AsSelect, SqlTypeOf},
    pg::Pg,
    prelude::*,
    query_builder::{AstPass, Query, QueryFragment},
    sql_types::{Array, BigInt, Uuid as SqlUuid},
};
use domain::{audience::segment::SAMPLE, identity::organization::Organization, shared::id::Id};
use uuid::Uuid;

use super::condition::Fitting;
use crate::audience::contacts::row::ContactRow;

type ContactColumns = <ContactRow as Selectable<Pg>>::SelectExpression;
type ContactSqlType = SqlTypeOf<AsSelect<ContactRow, Pg>>;

/// Number of contacts that match.
pub(super) struct Count<'r>(pub(super) Fitting<'r>);

/// Number of matching contacts with identifiers below a bound.
pub(super) struct CountUntil<'r> {
    pub(super) fitting: Fitting<'r>,
    pub(super) until: Uuid,
}

/// Number of contacts that match, with each of the newest of them; no rows if there are none.
pub(super) struct Sample<'r> {
    organization: Uuid,
    fitting: Fitting<'r>,
    size: i64,
    columns: ContactColumns,
}

/// Matching contacts after a given one, in the order of their identifiers.
pub(super) struct Following<'r> {
    fitting: Fitting<'r>,
    after: Uuid,
    limit: i64,
    columns: ContactColumns,
}

/// Identifiers of segments, each with the number of its contacts.
pub(super) struct Counts<'r> {
    pub(super) organization: Uuid,
    pub(super) dynamic: Vec<Uuid>,
    /// Conditions of the dynamic segments, in the same order.
    pub(super) fitting: Vec<Fitting<'r>>,
    pub(super) frozen: Vec<Uuid>,
}

impl<'r> Sample<'r> {
    pub(super) fn new(organization: Id<Organization>, fitting: Fitting<'r>) -> Self {
        let columns = <ContactRow as Selectable<Pg>>::construct_selection();
        Self { organization: organization.uuid(), fitting, size: SAMPLE.into(), columns }
    }
}

impl<'r> Following<'r> {
    pub(super) fn new(fitting: Fitting<'r>, after: Uuid, limit: u32) -> Self {
        let columns = <ContactRow as Selectable<Pg>>::construct_selection();
        Self { fitting, after, limit: limit.into(), columns }
    }
}

impl QueryFragment<Pg> for Count<'_> {
    fn walk_ast<'b>(&'b self, mut out: AstPass<'_, 'b, Pg>) -> QueryResult<()> {
        out.unsafe_to_cache_prepared();
        push_count(&self.0, &mut out)
    }
}

fn push_count<'b>(fitting: &'b Fitting<'_>, out: &mut AstPass<'_, 'b, Pg>) -> QueryResult<()> {
    out.push_sql("SELECT count(*) FROM contacts WHERE ");
    fitting.push(out)
}

impl QueryFragment<Pg> for CountUntil<'_> {
    fn walk_ast<'b>(&'b self, mut out: AstPass<'_, 'b, Pg>) -> QueryResult<()> {
        out.unsafe_to_cache_prepared();
        push_count(&self.fitting, &mut out)?;
        out.push_sql(" AND id < ");
        out.push_bind_param::<SqlUuid, _>(&self.until)
    }
}

impl QueryFragment<Pg> for Sample<'_> {
    /// If contacts are found by tag, or by a campaign, the newest are taken from all that match: a
    /// walk from the newest contact until enough match would take as long as a full scan, or longer,
    /// if only old contacts do. All others are counted by a full scan, and then the walk is quicker.
    fn walk_ast<'b>(&'b self, mut out: AstPass<'_, 'b, Pg>) -> QueryResult<()> {
        out.unsafe_to_cache_prepared();
        let are_collected = self.fitting.is_found_by_tag() || self.fitting.names_campaign();
        if are_collected {
            out.push_sql("WITH fitting AS MATERIALIZED (SELECT id FROM contacts WHERE ");
            self.fitting.push(&mut out)?;
            out.push_sql(") SELECT (SELECT count(*) FROM fitting), ");
        } else {
            out.push_sql("SELECT (");
            push_count(&self.fitting, &mut out)?;
            out.push_sql("), ");
        }
        self.columns.walk_ast(out.reborrow())?;
        out.push_sql(" FROM contacts WHERE organization_id = ");
        out.push_bind_param::<SqlUuid, _>(&self.organization)?;
        if are_collected {
            out.push_sql(" AND id = ANY(ARRAY(SELECT id FROM fitting");
        } else {
            out.push_sql(" AND id = ANY(ARRAY(SELECT id FROM contacts WHERE ");
            self.fitting.push_in_order(&mut out)?;
        }
        out.push_sql(" ORDER BY id DESC LIMIT ");
        out.push_bind_param::<BigInt, _>(&self.size)?;
        out.push_sql(")) ORDER BY id DESC");
        Ok(())
    }
}

impl QueryFragment<Pg> for Following<'_> {
    fn walk_ast<'b>(&'b self, mut out: AstPass<'_, 'b, Pg>) -> QueryResult<()> {
        out.unsafe_to_cache_prepared();
        out.push_sql("SELECT ");
        self.columns.walk_ast(out.reborrow())?;
        out.push_sql(" FROM contacts WHERE ");
        self.fitting.push_in_order(&mut out)?;
        out.push_sql(" AND id > ");
        out.push_bind_param::<SqlUuid, _>(&self.after)?;
        out.push_sql(" ORDER BY id LIMIT ");
        out.push_bind_param::<BigInt, _>(&self.limit)
    }
}

impl QueryFragment<Pg> for Counts<'_> {
    /// All contacts are scanned once, for all segments together, except segments that are found by
    /// tag. Frozen members are looked up by their identifiers, a row of them at a time: the planner
    /// knows nothing about the number of members in a row, and this form leaves it no other plan.
    fn walk_ast<'b>(&'b self, mut out: AstPass<'_, 'b, Pg>) -> QueryResult<()> {
        out.unsafe_to_cache_prepared();
        out.push_sql("SELECT unnest(");
        out.push_bind_param::<Array<SqlUuid>, _>(&self.dynamic)?;
        out.push_sql("), unnest(ARRAY[");
        for (index, fitting) in self.fitting.iter().enumerate() {
            out.push_sql(if index == 0 { "" } else { ", " });
            if fitting.is_found_by_tag() {
                out.push_sql("(");
                push_count(fitting, &mut out)?;
                out.push_sql(")");
            } else {
                out.push_sql("count(*) FILTER (WHERE ");
                fitting.push_rule(&mut out)?;
                out.push_sql(")");
            }
        }
        out.push_sql("]::bigint[])");
        if self.fitting.iter().any(|fitting| !fitting.is_found_by_tag()) {
            out.push_sql(" FROM contacts WHERE organization_id = ");
            out.push_bind_param::<SqlUuid, _>(&self.organization)?;
        }
        if !self.frozen.is_empty() {
            out.push_sql(
                " UNION ALL SELECT segment_id, sum((SELECT count(*) FROM contacts \
                 WHERE organization_id = part.organization_id AND id = ANY(part.contact_ids)))::bigint \
                 FROM segment_members AS part WHERE organization_id = ",
            );
            out.push_bind_param::<SqlUuid, _>(&self.organization)?;
            out.push_sql(" AND segment_id = ANY(");
            out.push_bind_param::<Array<SqlUuid>, _>(&self.frozen)?;
            out.push_sql(") GROUP BY segment_id");
        }
        Ok(())
    }
}

impl Query for Count<'_> {
    type SqlType = BigInt;
}

impl Query for CountUntil<'_> {
    type SqlType = BigInt;
}

impl Query for Sample<'_> {
    type SqlType = (BigInt, ContactSqlType);
}

impl Query for Following<'_> {
    type SqlType = ContactSqlType;
}

impl Query for Counts<'_> {
    type SqlType = (SqlUuid, BigInt);
}
