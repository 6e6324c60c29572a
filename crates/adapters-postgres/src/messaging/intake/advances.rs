//! Campaigns that a batch advances.

use domain::messaging::message::CampaignId;
use std::collections::HashMap;

use domain::{audience::contact::Contact, identity::organization::Organization, shared::id::Id};
use ports::{
    messaging::messages::{Advance, CampaignAdvance, Submission},
    shared::store::StoreError,
};
use uuid::Uuid;

use crate::shared::{
    database::connection::Connection,
    query::{row::row, sql::sql},
};

/// Position of each campaign that is being sent.
pub(super) type Positions = HashMap<CampaignId, Option<Id<Contact>>>;

/// Advances of campaigns, column by column.
#[derive(Default)]
pub(super) struct CampaignAdvances {
    pub(super) organizations: Vec<Uuid>,
    pub(super) campaigns: Vec<Uuid>,
    pub(super) after: Vec<Option<Uuid>>,
    pub(super) last: Vec<Uuid>,
    pub(super) unreachable: Vec<i64>,
    pub(super) skips: Skips,
}

/// Contacts that campaigns pass over, column by column.
#[derive(Default)]
pub(super) struct Skips {
    pub(super) organizations: Vec<Uuid>,
    pub(super) campaigns: Vec<Uuid>,
    pub(super) contacts: Vec<Uuid>,
}

row! {
    struct PositionRow {
        id: CampaignId,
        position: Option<Id<Contact>>,
    }
}

impl CampaignAdvances {
    pub(super) fn add(&mut self, organization: Id<Organization>, advance: &CampaignAdvance) {
        self.organizations.push(organization.uuid());
        self.campaigns.push(advance.campaign.uuid());
        self.after.push(advance.after.map(Id::uuid));
        self.last.push(advance.last.uuid());
        self.unreachable.push(i64::try_from(advance.unreachable.len()).unwrap_or(i64::MAX));
        for contact in &advance.unreachable {
            self.skips.organizations.push(organization.uuid());
            self.skips.campaigns.push(advance.campaign.uuid());
            self.skips.contacts.push(contact.uuid());
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.campaigns.is_empty()
    }

    /// Returns the number of campaigns to advance.
    pub(super) fn count(&self) -> i64 {
        i64::try_from(self.campaigns.len()).unwrap_or(i64::MAX)
    }
}

/// Returns the positions of the campaigns of submissions. Campaigns that are not being sent are
/// missing, and those that another transaction has locked: a batch has the messages of many
/// organizations, and waits for none of their campaigns.
pub(super) async fn positions(
    conn: &Connection,
    submissions: &[&Submission],
) -> Result<Positions, StoreError> {
    let (mut organizations, mut campaigns) = (Vec::new(), Vec::new());
    for submission in submissions {
        if let Some(Advance::Campaign(advance)) = &submission.advance {
            organizations.push(submission.organization.uuid());
            campaigns.push(advance.campaign.uuid());
        }
    }
    if campaigns.is_empty() {
        return Ok(Positions::new());
    }
    let find = sql!(
        "SELECT campaign.id, campaign.position \
         FROM UNNEST({organizations}::uuid[], {campaigns}::uuid[]) \
            AS wanted (organization_id, id) JOIN campaigns campaign \
            ON campaign.organization_id = ANY(ARRAY[wanted.organization_id]) \
                AND campaign.id = ANY(ARRAY[wanted.id]) \
         WHERE campaign.status = 'SENDING' FOR NO KEY UPDATE OF campaign SKIP LOCKED",
        organizations,
        campaigns,
    );
    let rows: Vec<PositionRow> = find.rows(conn).await?;
    Ok(rows.into_iter().map(|row| (row.id, row.position)).collect())
}

/// Advances campaigns that are being sent and are at the expected position, and records the contacts
/// that they pass over.
pub(super) const ADVANCE: &str = "\
    waiting AS ( \
        SELECT campaign.organization_id, campaign.id, given.last, given.unreachable \
        FROM UNNEST({advanced_organizations}::uuid[], {advanced_campaigns}::uuid[], \
                {after}::uuid[], {last}::uuid[], {unreachable}::bigint[]) \
            AS given (organization_id, id, after, last, unreachable) JOIN campaigns campaign \
            ON campaign.organization_id = ANY(ARRAY[given.organization_id]) \
                AND campaign.id = ANY(ARRAY[given.id]) \
        WHERE campaign.status = 'SENDING' AND campaign.position IS NOT DISTINCT FROM given.after \
        FOR NO KEY UPDATE OF campaign SKIP LOCKED \
    ), advanced AS ( \
        UPDATE campaigns campaign SET position = waiting.last, \
            unreachable = campaign.unreachable + waiting.unreachable \
        FROM waiting \
        WHERE campaign.organization_id = ANY(ARRAY[waiting.organization_id]) \
            AND campaign.id = ANY(ARRAY[waiting.id]) \
        RETURNING 1 \
    ), passed_over AS ( \
        INSERT INTO campaign_skips (organization_id, campaign_id, contact_id, reason) \
        SELECT skip.organization_id, skip.campaign_id, skip.contact_id, 'NO_ADDRESS' \
        FROM UNNEST({skip_organizations}::uuid[], {skip_campaigns}::uuid[], \
                {skipped_contacts}::uuid[]) \
            AS skip (organization_id, campaign_id, contact_id) JOIN waiting \
            ON waiting.organization_id = skip.organization_id AND waiting.id = skip.campaign_id \
    )";
