//! Contacts: the people that organizations write to.

mod consent;
mod erasure;
pub(crate) mod row;
mod search;

use async_trait::async_trait;
use diesel::{
    prelude::*,
    sql_types::{Array, BigInt, Text, Uuid as SqlUuid},
};
use domain::{
    audience::contact::{Contact, ContactFilter, ContactUpdate},
    identity::organization::Organization,
    shared::{
        address::Address,
        id::Id,
        page::{Page, Paged},
    },
};
use ports::{
    audience::contacts::{
        ContactRepository, DeviceTokens, Inserted, TakenAddress, UniqueField, Updated,
    },
    shared::store::StoreError,
};
use uuid::Uuid;

use self::row::{ContactRow, NewContactRow};
use crate::shared::{
    database::session::{PgSession, PgStore},
    error::store_error,
    query::{run_query::RunQueryDsl, statement::Statement},
    schema::contacts,
};

#[async_trait]
impl ContactRepository for PgStore {
    async fn page(
        &self,
        organization: Id<Organization>,
        filter: &ContactFilter,
        page: Page,
    ) -> Result<Paged<Contact>, StoreError> {
        let mut session = self.session().await?;
        let found = match (&filter.search, filter.is_consented) {
            (None, None) => {
                let (total, ids) = session.newest_contacts(organization, page).await?;
                let items = session.contacts(organization, &ids).await?;
                return Ok(Paged { items, page, total, is_lower_bound: false });
            }
            (None, Some(is_consented)) => {
                session.newest_by_consent(organization, is_consented).await?
            }
            (Some(text), is_consented) => {
                let found = session.search_contacts(organization, text).await?;
                session.of_consent(organization, found, is_consented).await?
            }
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
        let insert = diesel::insert_into(contacts::table).values(NewContactRow::from(contact));
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
        let update = diesel::update(own).set(NewContactRow::from(&changed));
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
        let delete = Statement::<BigInt>::returning(&[DELETE])
            .bind::<SqlUuid, _>(organization.uuid())
            .bind::<SqlUuid, _>(id.uuid());
        let deleted: i64 = delete.get_result(session.conn()).await.map_err(store_error)?;
        Ok(deleted > 0)
    }
}

impl PgSession {
    /// Returns the number of contacts, and the identifiers of those on a page.
    async fn newest_contacts(
        &mut self,
        organization: Id<Organization>,
        page: Page,
    ) -> Result<(u64, Vec<Uuid>), StoreError> {
        let query = Statement::<(BigInt, Array<SqlUuid>)>::returning(&[NEWEST])
            .bind::<SqlUuid, _>(organization.uuid())
            .bind::<SqlUuid, _>(organization.uuid())
            .bind::<BigInt, _>(i64::try_from(page.offset()).unwrap_or(i64::MAX))
            .bind::<BigInt, _>(i64::from(page.limit()));
        let (total, ids): (i64, Vec<Uuid>) =
            query.get_result(self.conn()).await.map_err(store_error)?;
        Ok((total.unsigned_abs(), ids))
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
        let query = ContactRow::query()
            .filter(contacts::organization_id.eq(organization.uuid()))
            .filter(contacts::id.eq_any(ids))
            .order(contacts::id.desc());
        let rows = query.load(self.conn()).await.map_err(store_error)?;
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

const NEWEST: &str = "\
    SELECT coalesce((SELECT contacts FROM contact_counts WHERE organization_id = ?), 0), \
        ARRAY(SELECT contacts_after(?, ?, ?))";

/// A contact without an address needs no erasure: nobody can have written to it.
const DELETE: &str = "\
    WITH gone AS ( \
        DELETE FROM contacts WHERE organization_id = ? AND id = ? \
        RETURNING organization_id, id, phone, email, fcm_token \
    ), erasure AS ( \
        INSERT INTO contact_erasures (organization_id, id, phone, email, fcm_token) \
        SELECT * FROM gone WHERE num_nonnulls(phone, email, fcm_token) > 0 \
    ) SELECT count(*) FROM gone";

#[async_trait]
impl DeviceTokens for PgStore {
    async fn forget_device_token(
        &self,
        organization: Id<Organization>,
        token: &Address,
    ) -> Result<(), StoreError> {
        let mut session = self.session().await?;
        Statement::new(&[FORGET])
            .bind::<SqlUuid, _>(organization.uuid())
            .bind::<Text, _>(token.as_str())
            .execute(session.conn())
            .await
            .map_err(store_error)?;
        Ok(())
    }
}

const FORGET: &str =
    "UPDATE contacts SET fcm_token = NULL WHERE organization_id = ? AND fcm_token = ?";
