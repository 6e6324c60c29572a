//! Walks over the contacts of an audience.

use async_trait::async_trait;
use diesel::prelude::*;
use domain::{
    audience::{
        contact::Contact,
        segment::{Rule, Segment},
    },
    identity::organization::Organization,
    shared::id::Id,
};
use ports::{
    audience::segments::{Audience, AudienceRepository, EvaluationError},
    shared::store::StoreError,
};
use uuid::Uuid;

use super::{
    condition::Fitting,
    evaluation_error, evaluation_failure,
    queries::{CountUntil, Following},
};
use crate::{
    audience::contacts::row::ContactRow,
    shared::{
        database::session::PgStore,
        error::store_error,
        query::{run_query::RunQueryDsl, sql::sql},
        schema::{contacts, segment_members},
    },
};

/// Rule that every contact matches.
static EVERYBODY: Rule = Rule::All(Vec::new());

/// Way in which an audience is found.
enum Found<'a> {
    /// Evaluates a rule on contacts.
    Fitting(&'a Rule),
    /// Reads the rows of frozen members.
    Members(Id<Segment>),
}

impl<'a> From<Audience<'a>> for Found<'a> {
    fn from(audience: Audience<'a>) -> Self {
        match audience {
            Audience::Rules(rules) => Self::Fitting(rules.rule()),
            Audience::Segment(segment) if segment.is_dynamic => Self::Fitting(segment.rules.rule()),
            Audience::Segment(segment) => Self::Members(segment.id),
            Audience::Members(segment) => Self::Members(segment),
            Audience::Everybody => Self::Fitting(&EVERYBODY),
        }
    }
}

#[async_trait]
impl AudienceRepository for PgStore {
    async fn members_after<'a>(
        &self,
        organization: Id<Organization>,
        audience: Audience<'a>,
        after: Option<Id<Contact>>,
        limit: u32,
    ) -> Result<Vec<Contact>, StoreError> {
        let after = after.map_or(Uuid::nil(), Id::uuid);
        match audience.into() {
            Found::Fitting(rule) => self.fitting_after(organization, rule, after, limit).await,
            Found::Members(segment) => {
                self.frozen_after((organization, segment), after, limit).await
            }
        }
    }

    async fn count_until<'a>(
        &self,
        organization: Id<Organization>,
        audience: Audience<'a>,
        until: Id<Contact>,
    ) -> Result<u64, EvaluationError> {
        let mut session = self.session().await?;
        let counted: i64 = match audience.into() {
            Found::Fitting(rule) => {
                let fitting = Fitting::new(organization, rule);
                let count = CountUntil { fitting, until: until.uuid() };
                count.get_result(session.conn()).await.map_err(evaluation_error)?
            }
            Found::Members(segment) => {
                // Members are looked up a row of them at a time, as far as they still exist.
                let count = sql!(
                    "SELECT coalesce(sum((SELECT count(*) FROM contacts \
                        WHERE organization_id = part.organization_id \
                            AND id = ANY(part.contact_ids) AND id < {until})), 0)::bigint \
                     FROM segment_members AS part \
                     WHERE organization_id = {organization} AND segment_id = {segment}",
                    until,
                    organization,
                    segment,
                );
                count.only(session.conn()).await.map_err(evaluation_failure)?
            }
        };
        Ok(counted.unsigned_abs())
    }
}

impl PgStore {
    async fn fitting_after(
        &self,
        organization: Id<Organization>,
        rule: &Rule,
        after: Uuid,
        limit: u32,
    ) -> Result<Vec<Contact>, StoreError> {
        let fitting = Fitting::new(organization, rule);
        let mut session = self.session().await?;
        let following = Following::new(fitting, after, limit);
        let rows: Vec<ContactRow> = following.load(session.conn()).await.map_err(store_error)?;
        rows.into_iter().map(Contact::try_from).collect()
    }

    /// Reads the rows of members until enough contacts are found that still exist.
    async fn frozen_after(
        &self,
        (organization, segment): (Id<Organization>, Id<Segment>),
        mut after: Uuid,
        limit: u32,
    ) -> Result<Vec<Contact>, StoreError> {
        use segment_members::{contact_ids, last_contact_id, organization_id, segment_id, table};

        let limit = usize::try_from(limit).unwrap_or(usize::MAX);
        let organization = organization.uuid();
        let mut session = self.session().await?;
        let mut found = Vec::new();
        while found.len() < limit {
            let following = table
                .filter(organization_id.eq(organization))
                .filter(segment_id.eq(segment.uuid()))
                .filter(last_contact_id.gt(after))
                .order(last_contact_id)
                .select(contact_ids);
            let ids: Option<Vec<Uuid>> =
                following.first(session.conn()).await.optional().map_err(store_error)?;
            let Some(ids) = ids else { break };
            let left = limit - found.len();
            let ids: Vec<_> = ids.into_iter().filter(|id| *id > after).take(left).collect();
            let Some(last) = ids.last() else { break };
            after = *last;
            let kept = ContactRow::query()
                .filter(contacts::organization_id.eq(organization))
                .filter(contacts::id.eq_any(&ids))
                .order(contacts::id);
            let rows: Vec<ContactRow> = kept.load(session.conn()).await.map_err(store_error)?;
            for row in rows {
                found.push(Contact::try_from(row)?);
            }
        }
        Ok(found)
    }
}
