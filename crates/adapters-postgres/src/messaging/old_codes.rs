//! Masking of codes whose messages have no final outcome.

use ports::shared::store::StoreError;

use crate::shared::{database::session::PgStore, query::sql::sql};

impl PgStore {
    /// Masks the codes in messages that were accepted an hour ago, the messages of a minute at a
    /// time, and ends the triggers that keep such drafts. Returns true if more are due. Any number
    /// of instances may do so at once.
    pub async fn mask_old_codes(&self) -> Result<bool, StoreError> {
        let mask = sql!(MASK_OLD_CODES);
        let more: Option<bool> = mask.value(self.session().await?.conn()).await?;
        Ok(more.unwrap_or(false))
    }
}

/// Each row of the log is read once, an hour after it was written, by the index of identifiers: an
/// index of codes would be maintained for every row. Messages that may still be sent are masked by
/// the step that ends them. The expiry of a trigger that has not ended tells when it was last
/// advanced.
const MASK_OLD_CODES: &str = "\
    WITH span AS ( \
        SELECT swept_until AS since, \
            least(swept_until + interval '1 minute', now() - interval '1 hour') AS until \
        FROM code_sweep WHERE swept_until < now() - interval '1 hour' FOR UPDATE SKIP LOCKED \
    ), swept AS ( \
        UPDATE code_sweep SET swept_until = span.until FROM span \
    ), masked AS ( \
        UPDATE delivery_logs log SET \
            body = coalesce(log.text_notes -> 'masked' ->> 'body', log.body), \
            subject = log.text_notes -> 'masked' ->> 'subject', \
            vendor_template = NULL, text_notes = log.text_notes - 'masked' \
        FROM span WHERE log.id >= uuid_floor(span.since) AND log.id < uuid_floor(span.until) \
            AND (log.text_notes -> 'masked') IS NOT NULL \
            AND (log.status NOT IN ('QUEUED', 'PENDING') OR log.expires_at <= now()) \
    ), ended AS ( \
        UPDATE triggers kept SET due_at = NULL, drafts = '[]', ended_at = now(), \
            expires_at = now() + interval '7 days' \
        FROM span WHERE kept.expires_at >= span.since + interval '14 days' \
            AND kept.expires_at < span.until + interval '14 days' \
            AND kept.ended_at IS NULL AND kept.drafts @> '[{\"category\": \"OTP\"}]' \
    ) SELECT span.until < now() - interval '1 hour' FROM span";
