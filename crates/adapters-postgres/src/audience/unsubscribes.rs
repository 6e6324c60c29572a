//! Codes of the links by which recipients unsubscribe.

use std::collections::HashMap;

use async_trait::async_trait;
use diesel::sql_types::{Array, Nullable, Text, Uuid as SqlUuid};
use domain::{
    audience::{
        contact::Contact,
        suppression::OptOut,
        unsubscribe::{Subscription, UnsubscribeCode},
    },
    identity::organization::Organization,
    shared::{address::Address, channel::Channel, id::Id},
};
use ports::{audience::unsubscribes::UnsubscribeRepository, shared::store::StoreError};
use uuid::Uuid;

use crate::shared::{
    database::session::PgStore,
    error::{corrupt, store_error},
    query::{run_query::RunQueryDsl, statement::Statement},
};

#[async_trait]
impl UnsubscribeRepository for PgStore {
    async fn codes(
        &self,
        organization: Id<Organization>,
        proposed: &[(Id<Contact>, UnsubscribeCode)],
    ) -> Result<HashMap<Id<Contact>, UnsubscribeCode>, StoreError> {
        let (contacts, codes): (Vec<_>, Vec<_>) =
            proposed.iter().map(|(contact, code)| (contact.uuid(), code.as_str())).unzip();
        let assign = Statement::<(SqlUuid, Text)>::returning(&[ASSIGN])
            .bind::<SqlUuid, _>(organization.uuid())
            .bind::<Array<SqlUuid>, _>(&contacts)
            .bind::<SqlUuid, _>(organization.uuid())
            .bind::<Array<SqlUuid>, _>(&contacts)
            .bind::<Array<Text>, _>(&codes)
            .bind::<Array<Text>, _>(&codes);
        let mut session = self.session().await?;
        let rows: Vec<(Uuid, String)> = assign.load(session.conn()).await.map_err(store_error)?;
        let code = |(contact, code): (Uuid, String)| {
            let code = code.parse().map_err(|_| corrupt("unsubscribe_codes", contact))?;
            Ok((Id::of(contact), code))
        };
        rows.into_iter().map(code).collect()
    }

    async fn subscription(
        &self,
        code: &UnsubscribeCode,
    ) -> Result<Option<Subscription>, StoreError> {
        let find = Statement::<(SqlUuid, Nullable<Text>)>::returning(&[HOLDER])
            .bind::<Text, _>(code.as_str());
        let mut session = self.session().await?;
        let rows: Vec<(Uuid, Option<String>)> =
            find.load(session.conn()).await.map_err(store_error)?;
        let subscription = |(organization, phone): (Uuid, Option<String>)| {
            let (organization, address) = (Id::of(organization), Address::stored(phone?));
            Some(Subscription { organization, channel: Channel::Sms, address })
        };
        Ok(rows.into_iter().next().and_then(subscription))
    }

    async fn opt_out(&self, opt_out: &OptOut) -> Result<bool, StoreError> {
        self.session().await?.opt_out(opt_out).await
    }
}

/// A contact is locked while it gets its code, so that it is not deleted meanwhile, and is found by
/// both columns of the key, even by a plan that was made for an empty table. If another statement
/// was first, its code is returned.
const ASSIGN: &str = "\
    WITH known AS ( \
        SELECT contact_id, code FROM unsubscribe_codes \
        WHERE organization_id = ? AND contact_id = ANY(?) \
    ), proposed AS ( \
        SELECT ?::uuid AS organization_id, contact_id, code \
        FROM UNNEST(?, ?) AS proposed (contact_id, code) \
        WHERE contact_id NOT IN (SELECT contact_id FROM known) \
            AND code NOT IN (SELECT code FROM unsubscribe_codes WHERE code = ANY(?)) \
    ), held AS ( \
        SELECT proposed.* FROM proposed CROSS JOIN LATERAL (SELECT FROM contacts \
            WHERE contacts.organization_id = proposed.organization_id \
                AND contacts.id = proposed.contact_id FOR KEY SHARE) AS contact \
    ), assigned AS ( \
        INSERT INTO unsubscribe_codes AS kept (organization_id, contact_id, code) \
        SELECT organization_id, contact_id, code FROM held ORDER BY contact_id \
        ON CONFLICT (organization_id, contact_id) DO UPDATE SET code = kept.code \
        RETURNING kept.contact_id, kept.code \
    ) SELECT contact_id, code FROM known UNION ALL SELECT contact_id, code FROM assigned";

const HOLDER: &str = "\
    SELECT organization_id, (SELECT phone FROM contacts contact \
        WHERE contact.organization_id = kept.organization_id AND contact.id = kept.contact_id) \
    FROM unsubscribe_codes kept WHERE code = ?";
