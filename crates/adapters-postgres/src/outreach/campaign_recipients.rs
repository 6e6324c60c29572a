//! Recipients of campaigns: their messages, then the contacts without an address.

use async_trait::async_trait;
use diesel::prelude::*;
use domain::{
    identity::organization::Organization,
    messaging::{
        delivery::{FailureCode, Status},
        message::Message,
    },
    outreach::campaign::{
        CampaignRecipient, RecipientFilter, RecipientOutcome, RecipientPlace, RecipientReason,
        RecipientsOf, SelectedMessages,
    },
    shared::id::Id,
};
use ports::{
    outreach::campaign_recipients::{CampaignRecipientRepository, RecipientPart},
    shared::store::StoreError,
};
use uuid::Uuid;

use crate::shared::{
    database::session::{PgSession, PgStore},
    error::{corrupt, store_error},
    query::{row::row, run_query::RunQueryDsl, sql::sql},
    schema::campaign_skips,
};

/// Maximum number of messages of a campaign that a part looks at.
const LOOKED_AT: i64 = 5_000;

#[async_trait]
impl CampaignRecipientRepository for PgStore {
    async fn recipients(
        &self,
        organization: Id<Organization>,
        of: RecipientsOf,
        filter: RecipientFilter,
        after: Option<RecipientPlace>,
        limit: usize,
    ) -> Result<RecipientPart, StoreError> {
        let mut session = self.session().await?;
        let mut part = RecipientPart { recipients: Vec::new(), next: None };
        let after_contact = match after {
            Some(RecipientPlace::AfterContact(contact)) => Some(contact.uuid()),
            Some(RecipientPlace::AfterMessage(_)) | None => None,
        };
        if after_contact.is_none()
            && let Some(selected) = filter.messages()
        {
            let before = match after {
                Some(RecipientPlace::AfterMessage(message)) => Some(message),
                Some(RecipientPlace::AfterContact(_)) | None => None,
            };
            part = session.messaged((organization, of), &selected, before, limit).await?;
        }
        if part.next.is_some() || !filter.has_unaddressed() {
            return Ok(part);
        }
        let left = limit.saturating_sub(part.recipients.len());
        session.unaddressed((organization, of), after_contact, left, &mut part).await?;
        Ok(part)
    }
}

row! {
    struct MessagedRow {
        id: Uuid,
        contact_id: Option<Uuid>,
        recipient: Option<String>,
        status: String,
        error_code: Option<String>,
        /// False if the row only says how far the walk came.
        is_match: bool,
    }
}

#[derive(Queryable)]
struct SkipRow {
    contact: Uuid,
    reason: String,
}

impl PgSession {
    /// Returns the recipients that have a message, older than `before`.
    async fn messaged(
        &mut self,
        (organization, of): (Id<Organization>, RecipientsOf),
        selected: &SelectedMessages,
        before: Option<Id<Message>>,
        limit: usize,
    ) -> Result<RecipientPart, StoreError> {
        let codes = match selected {
            SelectedMessages::Any | SelectedMessages::Accepted => None,
            SelectedMessages::FailedFor(codes) => Some(codes),
        };
        let codes: Option<Vec<&str>> =
            codes.map(|codes| codes.iter().map(|code| code.as_str()).collect());
        let wanted = i64::try_from(limit.saturating_add(1)).unwrap_or(i64::MAX);
        let messaged = sql!(
            "SELECT id, contact_id, recipient, status, error_code, is_match \
             FROM campaign_messages_of({organization}, {campaign}, {since}, {below}, {looked_at}, \
                {wanted}, {is_accepted}, {codes})",
            organization,
            campaign = of.campaign,
            since = Id::<Message>::floor(of.since),
            below = before.map_or(Uuid::max(), Id::uuid),
            looked_at = LOOKED_AT,
            wanted,
            is_accepted = *selected == SelectedMessages::Accepted,
            codes,
        );
        let rows: Vec<MessagedRow> = messaged.rows(self.conn()).await?;
        let mut part = RecipientPart { recipients: Vec::new(), next: None };
        let mut reached = None;
        for row in rows {
            let message = Id::of(row.id);
            if !row.is_match {
                reached = Some(message);
            } else if part.recipients.len() < limit {
                part.recipients.push(row.try_into()?);
            } else {
                reached = part.recipients.last().and_then(|last| last.message);
            }
        }
        part.next = reached.map(RecipientPlace::AfterMessage);
        Ok(part)
    }

    /// Adds up to `left` contacts without an address to a part, and its end.
    async fn unaddressed(
        &mut self,
        (organization, of): (Id<Organization>, RecipientsOf),
        after: Option<Uuid>,
        left: usize,
        part: &mut RecipientPart,
    ) -> Result<(), StoreError> {
        let query = campaign_skips::table
            .filter(campaign_skips::organization_id.eq(organization.uuid()))
            .filter(campaign_skips::campaign_id.eq(of.campaign.uuid()))
            .filter(campaign_skips::contact_id.lt(after.unwrap_or(Uuid::max())))
            .order(campaign_skips::contact_id.desc())
            .limit(i64::try_from(left.saturating_add(1)).unwrap_or(i64::MAX))
            .select((campaign_skips::contact_id, campaign_skips::reason));
        let rows: Vec<SkipRow> = query.load(self.conn()).await.map_err(store_error)?;
        let has_more = rows.len() > left;
        for row in rows.into_iter().take(left) {
            let reason = row.reason.parse();
            let reason = reason.map_err(|_| corrupt("campaign_skips", row.contact))?;
            part.recipients.push(CampaignRecipient {
                contact: Some(Id::of(row.contact)),
                recipient: None,
                outcome: RecipientOutcome::Skipped,
                reason: Some(reason),
                message: None,
            });
        }
        part.next = match part.recipients.last() {
            Some(last) if has_more => Some(match (last.message, last.contact) {
                (None, Some(contact)) => RecipientPlace::AfterContact(contact),
                // The part was filled by messages: the contacts begin after all of them.
                (Some(message), _) => RecipientPlace::AfterMessage(message),
                (None, None) => return Err(corrupt("campaign_skips", of.campaign)),
            }),
            _ => None,
        };
        Ok(())
    }
}

impl TryFrom<MessagedRow> for CampaignRecipient {
    type Error = StoreError;

    fn try_from(row: MessagedRow) -> Result<Self, StoreError> {
        let corrupt = || corrupt("delivery_logs", row.id);
        let status: Status = row.status.parse().map_err(|_| corrupt())?;
        let code = row.error_code.as_deref().filter(|_| status == Status::Failed);
        let code: Option<FailureCode> = code.map(str::parse).transpose().map_err(|_| corrupt())?;
        Ok(Self {
            contact: row.contact_id.map(Id::of),
            recipient: row.recipient,
            outcome: RecipientOutcome::of(status, code).ok_or_else(corrupt)?,
            reason: code.map(RecipientReason::Failure),
            message: Some(Id::of(row.id)),
        })
    }
}
