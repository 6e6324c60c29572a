//! Codes of the links by which recipients unsubscribe.

use std::collections::HashMap;

use async_trait::async_trait;
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

use crate::shared::{
    database::session::PgStore,
    error::corrupt,
    query::{row::row, sql::sql},
};

row! {
    struct CodeRow {
        contact_id: Id<Contact>,
        code: String,
    }
}

row! {
    /// Contact that has a code.
    struct HolderRow {
        organization_id: Id<Organization>,
        phone: Option<String>,
    }
}

#[async_trait]
impl UnsubscribeRepository for PgStore {
    async fn codes(
        &self,
        organization: Id<Organization>,
        proposed: &[(Id<Contact>, UnsubscribeCode)],
    ) -> Result<HashMap<Id<Contact>, UnsubscribeCode>, StoreError> {
        let (contacts, codes): (Vec<_>, Vec<_>) =
            proposed.iter().map(|(contact, code)| (*contact, code.as_str())).unzip();
        let assign = sql!(ASSIGN, organization, contacts, codes);
        let rows: Vec<CodeRow> = assign.rows(self.session().await?.conn()).await?;
        let code = |row: CodeRow| {
            let code = row.code.parse();
            let code = code.map_err(|_| corrupt("unsubscribe_codes", row.contact_id))?;
            Ok((row.contact_id, code))
        };
        rows.into_iter().map(code).collect()
    }

    async fn subscription(
        &self,
        code: &UnsubscribeCode,
    ) -> Result<Option<Subscription>, StoreError> {
        let find = sql!(
            "SELECT organization_id, (SELECT phone FROM contacts contact \
                WHERE contact.organization_id = kept.organization_id \
                    AND contact.id = kept.contact_id) AS phone \
             FROM unsubscribe_codes kept WHERE code = {code}",
            code = code.as_str(),
        );
        let holder: Option<HolderRow> = find.row(self.session().await?.conn()).await?;
        let subscription = |holder: HolderRow| {
            let (organization, address) = (holder.organization_id, Address::stored(holder.phone?));
            Some(Subscription { organization, channel: Channel::Sms, address })
        };
        Ok(holder.and_then(subscription))
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
        WHERE organization_id = {organization} AND contact_id = ANY({contacts}) \
    ), proposed AS ( \
        SELECT {organization}::uuid AS organization_id, contact_id, code \
        FROM UNNEST({contacts}::uuid[], {codes}::text[]) AS proposed (contact_id, code) \
        WHERE contact_id NOT IN (SELECT contact_id FROM known) \
            AND code NOT IN (SELECT code FROM unsubscribe_codes WHERE code = ANY({codes})) \
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
