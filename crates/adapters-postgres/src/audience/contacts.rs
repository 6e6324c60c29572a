//! Contacts: the people that organizations write to.

mod consent;
pub(crate) mod deletion;
mod details;
mod erasure;
pub(crate) mod filter;
pub(crate) mod row;
mod search;
mod walk;

use std::collections::HashMap;

use async_trait::async_trait;
use chrono::{DateTime, Utc};
use diesel::{prelude::*, result::Error as DieselError};
use domain::{
    audience::{
        contact::{Contact, ContactDetails, ContactFilter, ContactUpdate},
        segment::Segment,
    },
    identity::organization::Organization,
    shared::{
        address::Address,
        id::Id,
        page::{MOST_FOUND, Page, Paged},
    },
};
use ports::{
    audience::contacts::{
        ContactPart, ContactRepository, DeviceTokens, Inserted, TakenAddress, UniqueField, Updated,
    },
    shared::store::StoreError,
};
use uuid::Uuid;

use self::{
    deletion::delete_contacts,
    row::{ContactRow, NewContactRow},
    walk::{Passing, Search},
};
use crate::shared::{
    database::session::{PgSession, PgStore},
    error::store_error,
    query::{row::row, run_query::RunQueryDsl, sql::sql},
    schema::{contacts, segments},
};

row! {
    /// Number of contacts, and identifiers of those on a page.
    struct NewestRow {
        total: i64,
        ids: Vec<Uuid>,
    }
}

#[async_trait]
impl ContactRepository for PgStore {
    async fn page(
        &self,
        organization: Id<Organization>,
        filter: &ContactFilter,
        page: Page,
    ) -> Result<Paged<Contact>, StoreError> {
        let ContactFilter { search, tag, segment, suppressed, is_consented } = filter;
        let is_search_by_consent = search.is_some() && is_consented.is_some();
        if tag.is_some() || segment.is_some() || suppressed.is_some() || is_search_by_consent {
            return self.page_of_walked(organization, filter, page).await;
        }
        let mut session = self.session().await?;
        let found = match (search, *is_consented) {
            (None, None) => {
                let newest = session.newest_contacts(organization, page).await?;
                let items = session.contacts(organization, &newest.ids).await?;
                let total = newest.total.unsigned_abs();
                return Ok(Paged { items, page, total, is_lower_bound: false });
            }
            (None, Some(is_consented)) => {
                session.newest_by_consent(organization, is_consented).await?
            }
            (Some(text), _) => session.search_contacts(organization, text).await?,
        };
        let total = u64::try_from(found.ids.len()).unwrap_or(u64::MAX);
        let is_lower_bound = found.is_lower_bound;
        let items = session.contacts(organization, &page.cut(found.ids)).await?;
        Ok(Paged { items, page, total, is_lower_bound })
    }

    async fn find(
        &self,
        organization: Id<Organization>,
        id: Id<Contact>,
    ) -> Result<Option<Contact>, StoreError> {
        let query = ContactRow::query()
            .filter(contacts::organization_id.eq(organization.uuid()))
            .filter(contacts::id.eq(id.uuid()));
        let row =
            query.first(self.session().await?.conn()).await.optional().map_err(store_error)?;
        row.map(Contact::try_from).transpose()
    }

    async fn insert(&self, contact: &Contact) -> Result<Inserted, StoreError> {
        let written_at = contacts::updated_at.eq(contact.created_at);
        let insert =
            diesel::insert_into(contacts::table).values((NewContactRow::from(contact), written_at));
        let mut session = self.session().await?;
        let inserted = insert.execute(session.conn()).await.map_err(store_error);
        if matches!(&inserted, Err(StoreError::Conflict { constraint }) if constraint == CLOSED) {
            return Ok(Inserted::Overtaken);
        }
        match session.taken(contact, inserted).await? {
            Some(taken) => Ok(Inserted::Taken(taken)),
            None => Ok(Inserted::Done),
        }
    }

    async fn update(
        &self,
        organization: Id<Organization>,
        id: Id<Contact>,
        update: &ContactUpdate,
    ) -> Result<Updated, StoreError> {
        let mut transaction = self.transaction().await?;
        let query = ContactRow::query()
            .filter(contacts::organization_id.eq(organization.uuid()))
            .filter(contacts::id.eq(id.uuid()))
            .for_update();
        let row = query.first(transaction.conn()).await.optional().map_err(store_error)?;
        let Some(row) = row else { return Ok(Updated::Missing) };
        let changed = match update.apply(row.try_into()?) {
            Ok(changed) => changed,
            Err(faults) => return Ok(Updated::Invalid(faults)),
        };
        let own = contacts::table.find((organization.uuid(), id.uuid()));
        let written_at = contacts::updated_at.eq(diesel::dsl::now);
        let update = diesel::update(own).set((NewContactRow::from(&changed), written_at));
        let updated = update.execute(transaction.conn()).await.map_err(store_error);
        if updated.is_ok() {
            transaction.commit().await?;
            return Ok(Updated::Done(changed));
        }
        drop(transaction);
        let taken = self.session().await?.taken(&changed, updated).await?;
        Ok(taken.map_or(Updated::Done(changed), Updated::Taken))
    }

    async fn delete(
        &self,
        organization: Id<Organization>,
        id: Id<Contact>,
    ) -> Result<bool, StoreError> {
        let mut session = self.session().await?;
        Ok(delete_contacts(session.conn(), organization, &[id.uuid()]).await? > 0)
    }

    async fn older(
        &self,
        organization: Id<Organization>,
        filter: &ContactFilter,
        before: Option<Id<Contact>>,
        limit: usize,
    ) -> Result<ContactPart, StoreError> {
        let mut session = walk::begin(self).await?;
        let Some(filtered) = session.filtered(organization, filter).await? else {
            return Ok(ContactPart { contacts: Vec::new(), next: None });
        };
        let wanted = limit.saturating_add(1);
        let search = Search { filter, filtered: &filtered, before, wanted };
        let Passing { mut ids, reached } = search.run(&mut session).await?;
        let has_more = ids.len() > limit;
        ids.truncate(limit);
        let next = if has_more { ids.last().copied() } else { reached };
        let contacts = session.contacts(organization, &ids).await?;
        session.commit().await?;
        Ok(ContactPart { contacts, next: next.map(Id::of) })
    }

    async fn has_segment(
        &self,
        organization: Id<Organization>,
        segment: Id<Segment>,
    ) -> Result<bool, StoreError> {
        let own = segments::table.find((organization.uuid(), segment.uuid()));
        let mut session = self.session().await?;
        let found = own.select(segments::id).first(session.conn()).await;
        let found: Option<Uuid> = found.optional().map_err(store_error)?;
        Ok(found.is_some())
    }

    async fn details(
        &self,
        organization: Id<Organization>,
        contacts: Vec<Contact>,
        since: DateTime<Utc>,
    ) -> Result<Vec<ContactDetails>, StoreError> {
        if contacts.is_empty() {
            return Ok(Vec::new());
        }
        self.session().await?.contact_details(organization, contacts, since).await
    }

    async fn written_at(
        &self,
        organization: Id<Organization>,
        contacts: &[Id<Contact>],
    ) -> Result<HashMap<Id<Contact>, DateTime<Utc>>, StoreError> {
        self.session().await?.contacts_written_at(organization, contacts).await
    }
}

impl PgStore {
    /// Returns a page of the contacts that a walk finds.
    async fn page_of_walked(
        &self,
        organization: Id<Organization>,
        filter: &ContactFilter,
        page: Page,
    ) -> Result<Paged<Contact>, StoreError> {
        let mut session = walk::begin(self).await?;
        let Some(filtered) = session.filtered(organization, filter).await? else {
            return Ok(Paged::counted(Vec::new(), page, 0));
        };
        let search = Search { filter, filtered: &filtered, before: None, wanted: MOST_FOUND + 1 };
        let Passing { mut ids, reached } = search.run(&mut session).await?;
        let found = u64::try_from(ids.len()).unwrap_or(u64::MAX);
        ids.truncate(MOST_FOUND);
        let items = session.contacts(organization, &page.cut(ids)).await?;
        session.commit().await?;
        let most = u64::try_from(MOST_FOUND).unwrap_or(u64::MAX);
        let paged = Paged::counted_up_to(most, items, page, found);
        let is_lower_bound = paged.is_lower_bound || reached.is_some();
        Ok(Paged { is_lower_bound, ..paged })
    }
}

impl PgSession {
    /// Returns the number of contacts, and the identifiers of those on a page.
    async fn newest_contacts(
        &mut self,
        organization: Id<Organization>,
        page: Page,
    ) -> Result<NewestRow, StoreError> {
        let query = sql!(
            "SELECT coalesce((SELECT contacts FROM contact_counts \
                    WHERE organization_id = {organization}), 0) AS total, \
                ARRAY(SELECT contacts_after({organization}, {skipped}, {most})) AS ids",
            organization,
            skipped = i64::try_from(page.offset()).unwrap_or(i64::MAX),
            most = i64::from(page.limit()),
        );
        let row = query.row(self.conn()).await?;
        row.ok_or_else(|| store_error(DieselError::NotFound))
    }

    /// Returns these contacts, newest first.
    async fn contacts(
        &mut self,
        organization: Id<Organization>,
        ids: &[Uuid],
    ) -> Result<Vec<Contact>, StoreError> {
        if ids.is_empty() {
            return Ok(Vec::new());
        }
        // Each contact is looked up by itself. For `id = ANY(…)` the planner may read all contacts
        // of the organization, if its statistics are from before most of them.
        let query = sql!(
            "SELECT contact.* FROM UNNEST({ids}::uuid[]) AS given (id) CROSS JOIN LATERAL ( \
                SELECT id, organization_id, first_name, last_name, phone, email, country_code, \
                    tags, fcm_token, attributes, created_at, consent_at, consent_source \
                FROM contacts WHERE organization_id = {organization} AND id = given.id LIMIT 1 \
             ) AS contact ORDER BY contact.id DESC",
            ids,
            organization,
        );
        let rows: Vec<ContactRow> = query.rows(self.conn()).await?;
        rows.into_iter().map(Contact::try_from).collect()
    }

    /// Returns the address that prevented a contact from being written; `None` if it was written.
    async fn taken(
        &mut self,
        contact: &Contact,
        written: Result<usize, StoreError>,
    ) -> Result<Option<TakenAddress>, StoreError> {
        let conflict = match written {
            Ok(_) => return Ok(None),
            Err(conflict @ StoreError::Conflict { .. }) => conflict,
            Err(error) => return Err(error),
        };
        for (field, address) in
            [(UniqueField::Phone, &contact.phone), (UniqueField::Email, &contact.email)]
        {
            let Some(address) = address else { continue };
            let other = contacts::table
                .filter(contacts::organization_id.eq(contact.organization.uuid()))
                .filter(contacts::id.ne(contact.id.uuid()))
                .select(contacts::id)
                .into_boxed();
            let other = match field {
                UniqueField::Phone => other.filter(contacts::phone.eq(address.as_str())),
                UniqueField::Email => other.filter(contacts::email.eq(address.as_str())),
            };
            let other: Option<Uuid> =
                other.first(self.conn()).await.optional().map_err(store_error)?;
            if let Some(id) = other {
                return Ok(Some(TakenAddress { field, contact: id.into() }));
            }
        }
        // The contact that had it is gone by now.
        Err(StoreError::Unavailable(conflict.into()))
    }
}

/// Constraint that a contact violates if its identifier is before the cutoff of a campaign.
const CLOSED: &str = "contacts_closed";

#[async_trait]
impl DeviceTokens for PgStore {
    async fn forget_device_token(
        &self,
        organization: Id<Organization>,
        token: &Address,
    ) -> Result<(), StoreError> {
        let forget = sql!(
            "UPDATE contacts SET fcm_token = NULL \
             WHERE organization_id = {organization} AND fcm_token = {token}",
            organization,
            token = token.as_str(),
        );
        forget.execute(self.session().await?.conn()).await?;
        Ok(())
    }
}
