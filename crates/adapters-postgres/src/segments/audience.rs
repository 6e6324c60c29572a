//! Walks over the contacts of an audience.

use async_trait::async_trait;
use diesel::prelude::*;
use diesel_async::RunQueryDsl;
use domain::{
    contact::Contact,
    id::Id,
    organization::Organization,
    segment::{Rules, Segment},
};
use ports::{
    segments::{Audience, AudienceRepository},
    store::StoreError,
};
use uuid::Uuid;

use super::{condition::Fitting, queries::Following};
use crate::{
    contacts::row::ContactRow,
    error::store_error,
    schema::{contacts, segment_members},
    session::PgStore,
};

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
        match audience {
            Audience::Rules(rules) => self.fitting_after(organization, rules, after, limit).await,
            Audience::Segment(segment) if segment.is_dynamic => {
                self.fitting_after(organization, &segment.rules, after, limit).await
            }
            Audience::Segment(segment) => self.frozen_after(segment, after, limit).await,
        }
    }
}

impl PgStore {
    async fn fitting_after(
        &self,
        organization: Id<Organization>,
        rules: &Rules,
        after: Uuid,
        limit: u32,
    ) -> Result<Vec<Contact>, StoreError> {
        let fitting = Fitting::new(organization, rules.rule());
        let mut session = self.session().await?;
        let following = Following::new(fitting, after, limit);
        let rows: Vec<ContactRow> = following.load(session.conn()).await.map_err(store_error)?;
        rows.into_iter().map(Contact::try_from).collect()
    }

    /// Goes through the rows of members until there are enough contacts that are still there.
    async fn frozen_after(
        &self,
        segment: &Segment,
        mut after: Uuid,
        limit: u32,
    ) -> Result<Vec<Contact>, StoreError> {
        use segment_members::{contact_ids, last_contact_id, organization_id, segment_id, table};

        let limit = usize::try_from(limit).unwrap_or(usize::MAX);
        let organization = segment.organization.uuid();
        let mut session = self.session().await?;
        let mut found = Vec::new();
        while found.len() < limit {
            let following = table
                .filter(organization_id.eq(organization))
                .filter(segment_id.eq(segment.id.uuid()))
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
