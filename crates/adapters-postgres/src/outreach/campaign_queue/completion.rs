//! Completion of a campaign, with the event of it.

use chrono::{DateTime, Utc};
use domain::{
    outreach::campaign::{CampaignAction, CampaignProgress},
    shared::webhook_event::WebhookEvent,
};
use ports::{outreach::campaign_queue::LeasedCampaign, shared::store::StoreError};

use super::NOTHING_WAITS;
use crate::{
    shared::{database::session::PgStore, query::sql::sql},
    webhooks::outbound_events::{DELIVER, PUBLISH},
};

impl PgStore {
    /// Completes a campaign and publishes the event, in one statement.
    pub(super) async fn complete_campaign(
        &self,
        campaign: &LeasedCampaign,
        completed: &CampaignProgress,
        at: DateTime<Utc>,
    ) -> Result<bool, StoreError> {
        let complete = sql!(
            [COMPLETE, NOTHING_WAITS, ENDED, PUBLISH, COMPLETED, DELIVER, "SELECT FROM completed"],
            status = CampaignAction::Complete.target().as_str(),
            at,
            audience = completed.campaign.audience.map(u64::cast_signed),
            organization = campaign.organization,
            id = campaign.id,
            lease = campaign.lease.0,
            event = WebhookEvent::CampaignCompleted.as_str(),
            data = completed.to_json().to_string(),
        );
        self.change(complete).await
    }
}

/// Waiting messages are found by the current counts, including changes that are not folded yet.
const COMPLETE: &str = "\
    WITH completed AS ( \
        UPDATE campaigns campaign SET status = ended.status, completed_at = ended.at, \
            settled_at = ended.at, updated_at = ended.at, audience = ended.audience, \
            due_at = NULL, lease = NULL \
        FROM (SELECT {status}::text AS status, {at}::timestamptz AS at, \
            {audience}::bigint AS audience) AS ended \
        WHERE organization_id = {organization} AND id = {id} AND lease = {lease} \
            AND campaign.status = 'SENDING' AND expanded_at IS NOT NULL AND ";

const ENDED: &str = " RETURNING organization_id, id, ended.at ), ";

const COMPLETED: &str = "\
    SELECT organization_id, uuid_v7_in(at, organization_id), happened.event, completed.id, \
        happened.data, at \
    FROM completed, (SELECT {event}::text AS event, {data}::text AS data) AS happened \
    WHERE listens(completed.organization_id, happened.event)";
