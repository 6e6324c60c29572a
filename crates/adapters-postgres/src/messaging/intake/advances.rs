//! Campaigns that a batch advances.

use domain::messaging::message::CampaignId;
use std::collections::HashMap;

use diesel::sql_types::{Array, BigInt, Nullable, Uuid as SqlUuid};
use domain::{audience::contact::Contact, identity::organization::Organization, shared::id::Id};
use ports::{
    messaging::messages::{Advance, CampaignAdvance, Submission},
    shared::store::StoreError,
};
use uuid::Uuid;

use crate::shared::{
    database::connection::Connection,
    error::store_error,
    query::{run_query::RunQueryDsl, statement::Statement},
};

/// Position of each campaign that is being sent.
pub(super) type Positions = HashMap<CampaignId, Option<Id<Contact>>>;

/// Advances of campaigns, column by column.
#[derive(Default)]
pub(super) struct CampaignAdvances {
    organizations: Vec<Uuid>,
    campaigns: Vec<Uuid>,
    after: Vec<Option<Uuid>>,
    last: Vec<Uuid>,
    unreachable: Vec<i64>,
    skips: Skips,
}

/// Contacts that campaigns pass over, column by column.
#[derive(Default)]
struct Skips {
    organizations: Vec<Uuid>,
    campaigns: Vec<Uuid>,
    contacts: Vec<Uuid>,
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

    /// Binds the values of [`ADVANCE`].
    pub(super) fn bind<'v, ST>(&self, statement: Statement<'v, ST>) -> Statement<'v, ST> {
        statement
            .bind::<Array<SqlUuid>, _>(self.organizations.clone())
            .bind::<Array<SqlUuid>, _>(self.campaigns.clone())
            .bind::<Array<Nullable<SqlUuid>>, _>(self.after.clone())
            .bind::<Array<SqlUuid>, _>(self.last.clone())
            .bind::<Array<BigInt>, _>(self.unreachable.clone())
            .bind::<Array<SqlUuid>, _>(self.skips.organizations.clone())
            .bind::<Array<SqlUuid>, _>(self.skips.campaigns.clone())
            .bind::<Array<SqlUuid>, _>(self.skips.contacts.clone())
    }
}

/// Returns the positions of the campaigns of submissions. Campaigns that are not being sent are
/// missing, and those that another transaction has locked: a batch has the messages of many
/// organizations, and waits for none of their campaigns.
pub(super) async fn positions(
    mut conn: &Connection,
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
    let rows: Vec<(Uuid, Option<Uuid>)> =
        Statement::<(SqlUuid, Nullable<SqlUuid>)>::returning(&[FIND_POSITIONS])
            .bind::<Array<SqlUuid>, _>(organizations)
            .bind::<Array<SqlUuid>, _>(campaigns)
            .load(&mut conn)
            .await
            .map_err(store_error)?;
    Ok(rows.into_iter().map(|(id, position)| (Id::of(id), position.map(Id::of))).collect())
}

const FIND_POSITIONS: &str = "\
    SELECT campaign.id, campaign.position \
    FROM UNNEST(?, ?) AS wanted (organization_id, id) JOIN campaigns campaign \
        ON campaign.organization_id = ANY(ARRAY[wanted.organization_id]) \
            AND campaign.id = ANY(ARRAY[wanted.id]) \
    WHERE campaign.status = 'SENDING' FOR NO KEY UPDATE OF campaign SKIP LOCKED";

/// Advances campaigns that are being sent and are at the expected position, and records the contacts
/// that they pass over.
pub(super) const ADVANCE: &str = "\
    waiting AS ( \
        SELECT campaign.organization_id, campaign.id, given.last, given.unreachable \
        FROM UNNEST(?, ?, ?, ?, ?) \
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
        FROM UNNEST(?, ?, ?) AS skip (organization_id, campaign_id, contact_id) JOIN waiting \
            ON waiting.organization_id = skip.organization_id AND waiting.id = skip.campaign_id \
    )";
