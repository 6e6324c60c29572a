//! Contacts with what is known about writing to them.

use std::collections::HashMap;

use chrono::{DateTime, Utc};
use domain::{
    audience::contact::{Contact, ContactDetails, LastMessage},
    identity::organization::Organization,
    messaging::{delivery::Status, message::Message},
    shared::{address::Address, id::Id},
};
use ports::shared::store::StoreError;

use crate::shared::{
    database::session::PgSession,
    error::corrupt,
    query::{row::row, sql::sql},
};

row! {
    /// Time at which a contact was last written.
    struct WrittenRow {
        id: Id<Contact>,
        updated_at: DateTime<Utc>,
    }
}

row! {
    /// Newest message to a recipient.
    struct LastMessageRow {
        recipient: String,
        status: String,
        created_at: DateTime<Utc>,
    }
}

impl PgSession {
    /// Returns contacts with their suppressions, and their last messages since a time.
    pub(super) async fn contact_details(
        &mut self,
        organization: Id<Organization>,
        contacts: Vec<Contact>,
        since: DateTime<Utc>,
    ) -> Result<Vec<ContactDetails>, StoreError> {
        let mut ids: Vec<Id<Contact>> = Vec::with_capacity(contacts.len());
        let (mut numbers, mut mails): (Vec<&str>, Vec<&str>) = (Vec::new(), Vec::new());
        for contact in &contacts {
            ids.push(contact.id);
            numbers.extend(contact.phone.as_ref().map(Address::as_str));
            // A suppressed device is stored as a number.
            numbers.extend(contact.fcm_token.as_ref().map(Address::as_str));
            mails.extend(contact.email.as_ref().map(Address::as_str));
        }
        let written_at = self.contacts_written_at(organization, &ids).await?;
        let entries = self.suppressions_of(organization, &numbers, &mails).await?;
        let recipients = [numbers, mails].concat();
        let messages = self.last_messages(organization, since, &recipients).await?;
        let mut details = Vec::with_capacity(contacts.len());
        for contact in contacts {
            let written_at = written_at.get(&contact.id).copied();
            details.push(ContactDetails::of(contact, written_at, &entries, &messages));
        }
        Ok(details)
    }

    /// Returns the times at which contacts were last written.
    pub(super) async fn contacts_written_at(
        &mut self,
        organization: Id<Organization>,
        ids: &[Id<Contact>],
    ) -> Result<HashMap<Id<Contact>, DateTime<Utc>>, StoreError> {
        // Each contact is looked up by itself, whatever the statistics of the table.
        let query = sql!(
            "SELECT contact.id, contact.updated_at FROM UNNEST({ids}::uuid[]) AS given (id) \
             CROSS JOIN LATERAL (SELECT id, updated_at FROM contacts \
                WHERE organization_id = {organization} AND id = given.id LIMIT 1) AS contact",
            ids,
            organization,
        );
        let rows: Vec<WrittenRow> = query.rows(self.conn()).await?;
        Ok(rows.into_iter().map(|row| (row.id, row.updated_at)).collect())
    }

    async fn last_messages(
        &mut self,
        organization: Id<Organization>,
        since: DateTime<Utc>,
        recipients: &[&str],
    ) -> Result<Vec<LastMessage>, StoreError> {
        if recipients.is_empty() {
            return Ok(Vec::new());
        }
        let query = sql!(
            "SELECT recipient, status, created_at \
             FROM last_messages({organization}, {since}, {recipients})",
            organization,
            since = Id::<Message>::floor(since),
            recipients,
        );
        let rows: Vec<LastMessageRow> = query.rows(self.conn()).await?;
        let mut messages = Vec::with_capacity(rows.len());
        for row in rows {
            let status: Result<Status, _> = row.status.parse();
            messages.push(LastMessage {
                recipient: Address::stored(row.recipient),
                at: row.created_at,
                status: status.map_err(|_| corrupt("delivery_logs", organization))?,
            });
        }
        Ok(messages)
    }
}
