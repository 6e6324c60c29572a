//! Opt-outs by recipients and vendors: entries in suppression lists, and the events of them.

use domain::{
    audience::suppression::{OptOut, Suppression},
    shared::{
        address::Address, category::Category, channel::Channel, id::Id, webhook_event::WebhookEvent,
    },
};
use ports::shared::store::StoreError;

use crate::{
    shared::{database::session::PgSession, query::sql::sql},
    webhooks::outbound_events::{DELIVER, PUBLISH},
};

impl PgSession {
    /// Adds an address to an organization's suppression list and publishes an event of it. Returns
    /// false if the entry existed with the same scope.
    pub(crate) async fn opt_out(&mut self, opt_out: &OptOut) -> Result<bool, StoreError> {
        let (phone, email) = columns(opt_out.channel, &opt_out.address);
        let enter = sql!(
            [ENTER, PUBLISH, OPTED_OUT, DELIVER, "SELECT count(*) FROM entered"],
            id = Id::<Suppression>::new_in(opt_out.at, opt_out.organization),
            organization = opt_out.organization,
            phone,
            email,
            channel = opt_out.channel.as_str(),
            category = opt_out.category().map(Category::as_str),
            source = opt_out.source.as_str(),
            reason = opt_out.source.reason(),
            at = opt_out.at,
            event = WebhookEvent::ContactOptedOut.as_str(),
        );
        let entered: i64 = enter.only(self.conn()).await?;
        Ok(entered > 0)
    }
}

/// Returns the columns `phone` and `email` of an address.
fn columns(channel: Channel, address: &Address) -> (Option<&str>, Option<&str>) {
    match channel {
        Channel::Email => (None, Some(address.as_str())),
        _ => (Some(address.as_str()), None),
    }
}

const ENTER: &str = "\
    WITH entered AS ( \
        INSERT INTO suppressions \
            (id, organization_id, phone, email, channel, category, source, reason, created_at) \
        VALUES ({id}, {organization}, {phone}, {email}, {channel}, {category}, {source}, {reason}, \
            {at}) ON CONFLICT DO NOTHING \
        RETURNING organization_id, id, phone, email, channel, source, created_at \
    ), ";

/// An organization has a number and a mail address at most once; the token of a device is stored in
/// the column of numbers and is not a number.
const OPTED_OUT: &str = "\
    SELECT organization_id, uuid_v7_in(created_at, organization_id), happened.event, id, \
        (jsonb_build_object('contactId', CASE \
            WHEN email IS NOT NULL THEN (SELECT id FROM contacts contact \
                WHERE contact.organization_id = ANY(ARRAY[entered.organization_id]) \
                    AND contact.email = ANY(ARRAY[lower(entered.email)])) \
            WHEN channel = 'PUSH' THEN (SELECT id FROM contacts contact \
                WHERE contact.organization_id = entered.organization_id \
                    AND contact.fcm_token = entered.phone LIMIT 1) \
            ELSE (SELECT id FROM contacts contact \
                WHERE contact.organization_id = ANY(ARRAY[entered.organization_id]) \
                    AND contact.phone = ANY(ARRAY[entered.phone])) END, \
            'channel', channel, 'source', source) \
        || jsonb_strip_nulls(jsonb_build_object( \
            'phone', CASE WHEN channel <> 'PUSH' THEN phone END, 'email', email)))::text, \
        created_at \
    FROM entered, (SELECT {event}::text AS event) AS happened \
    WHERE listens(entered.organization_id, happened.event)";
