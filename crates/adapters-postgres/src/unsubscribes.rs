//! The codes of links by which recipients unsubscribe, and the key of signed ones.

use std::collections::HashMap;

use async_trait::async_trait;
use diesel::sql_types::{Array, Binary, Nullable, Text, Uuid as SqlUuid};
use diesel_async::RunQueryDsl;
use domain::{
    address::Address, contact::Contact, id::Id, organization::Organization, suppression::OptOut,
    unsubscribe::UnsubscribeCode,
};
use ports::{store::StoreError, unsubscribes::UnsubscribeRepository};
use uuid::Uuid;

use crate::{
    error::{corrupt, store_error},
    session::PgStore,
    statement::Statement,
};

/// The name under which the key of signed links is kept.
const LINK_KEY: &str = "unsubscribe links";

#[async_trait]
impl UnsubscribeRepository for PgStore {
    async fn codes(
        &self,
        organization: Id<Organization>,
        proposed: &[(Id<Contact>, UnsubscribeCode)],
    ) -> Result<HashMap<Id<Contact>, UnsubscribeCode>, StoreError> {
        let (contacts, codes): (Vec<_>, Vec<_>) =
            proposed.iter().map(|(contact, code)| (contact.uuid(), code.as_str())).unzip();
        let assign = Statement::<Assign, (SqlUuid, Text)>::new(&[ASSIGN])
            .bind::<SqlUuid, _>(organization.uuid())
            .bind::<Array<SqlUuid>, _>(contacts)
            .bind::<Array<Text>, _>(codes);
        let mut session = self.session().await?;
        let rows: Vec<(Uuid, String)> = assign.load(session.conn()).await.map_err(store_error)?;
        let code = |(contact, code): (Uuid, String)| {
            let code = code.parse().map_err(|_| corrupt("unsubscribe_codes", contact))?;
            Ok((Id::of(contact), code))
        };
        rows.into_iter().map(code).collect()
    }

    async fn holder(
        &self,
        code: &UnsubscribeCode,
    ) -> Result<Option<(Id<Organization>, Option<Address>)>, StoreError> {
        let find = Statement::<Holder, (SqlUuid, Nullable<Text>)>::new(&[HOLDER])
            .bind::<Text, _>(code.as_str());
        let mut session = self.session().await?;
        let rows: Vec<(Uuid, Option<String>)> =
            find.load(session.conn()).await.map_err(store_error)?;
        let holder = rows.into_iter().next();
        Ok(holder.map(|(organization, phone)| (Id::of(organization), phone.map(Address::stored))))
    }

    async fn opt_out(&self, opt_out: &OptOut) -> Result<bool, StoreError> {
        self.session().await?.opt_out(opt_out).await
    }
}

impl PgStore {
    /// The key with which links are signed: the same for all instances and for good. It is `proposed`
    /// if there is none yet.
    pub async fn link_key(&self, proposed: [u8; 32]) -> Result<Vec<u8>, StoreError> {
        let mut session = self.session().await?;
        let keep = Statement::<KeepKey>::new(&[KEEP_KEY])
            .bind::<Text, _>(LINK_KEY)
            .bind::<Binary, _>(proposed.to_vec());
        keep.execute(session.conn()).await.map_err(store_error)?;
        let kept = Statement::<KeptKey, Binary>::new(&[KEPT_KEY]).bind::<Text, _>(LINK_KEY);
        kept.get_result(session.conn()).await.map_err(store_error)
    }
}

/// A contact is held while it gets its code, so that it is not deleted meanwhile. Who is told a code at
/// the same time by somebody else gets that one.
struct Assign;
const ASSIGN: &str = "\
    WITH proposed AS ( \
        SELECT ?::uuid AS organization_id, contact_id, code \
        FROM UNNEST(?, ?) AS proposed (contact_id, code) \
    ), known AS ( \
        SELECT kept.contact_id, kept.code FROM proposed JOIN unsubscribe_codes kept \
            ON kept.organization_id = ANY(ARRAY[proposed.organization_id]) \
                AND kept.contact_id = ANY(ARRAY[proposed.contact_id]) \
    ), held AS ( \
        SELECT contact.organization_id, contact.id AS contact_id, proposed.code \
        FROM proposed JOIN contacts contact \
            ON contact.organization_id = ANY(ARRAY[proposed.organization_id]) \
                AND contact.id = ANY(ARRAY[proposed.contact_id]) \
        WHERE proposed.contact_id NOT IN (SELECT contact_id FROM known) \
            AND NOT EXISTS (SELECT FROM unsubscribe_codes other \
                WHERE other.code = ANY(ARRAY[proposed.code])) \
        FOR KEY SHARE OF contact \
    ), assigned AS ( \
        INSERT INTO unsubscribe_codes AS kept (organization_id, contact_id, code) \
        SELECT organization_id, contact_id, code FROM held ORDER BY contact_id \
        ON CONFLICT (organization_id, contact_id) DO UPDATE SET code = kept.code \
        RETURNING kept.contact_id, kept.code \
    ) SELECT contact_id, code FROM known UNION ALL SELECT contact_id, code FROM assigned";

struct Holder;
const HOLDER: &str = "\
    SELECT contact.organization_id, contact.phone FROM unsubscribe_codes kept JOIN contacts contact \
        ON contact.organization_id = ANY(ARRAY[kept.organization_id]) \
            AND contact.id = ANY(ARRAY[kept.contact_id]) \
    WHERE kept.code = ?";

struct KeepKey;
const KEEP_KEY: &str =
    "INSERT INTO service_keys (name, secret) VALUES (?, ?) ON CONFLICT DO NOTHING";

struct KeptKey;
const KEPT_KEY: &str = "SELECT secret FROM service_keys WHERE name = ?";
