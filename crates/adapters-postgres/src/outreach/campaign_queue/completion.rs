//! Completion of a campaign, with the event of it.

use chrono::{DateTime, Utc};
use diesel::sql_types::{BigInt, Nullable, Text, Timestamptz};
use domain::{
    outreach::campaign::{CampaignAction, CampaignProgress},
    shared::webhook_event::WebhookEvent,
};
use ports::{outreach::campaign_queue::LeasedCampaign, shared::store::StoreError};

use super::{NOTHING_WAITS, bind_counts, held};
use crate::{
    shared::{database::session::PgStore, query::statement::Statement},
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
        let statement = Statement::new(COMPLETE)
            .bind::<Text, _>(CampaignAction::Complete.target().as_str())
            .bind::<Timestamptz, _>(at)
            .bind::<Nullable<BigInt>, _>(completed.campaign.audience.map(u64::cast_signed));
        let statement = bind_counts(held(statement, campaign), campaign)
            .bind::<Text, _>(WebhookEvent::CampaignCompleted.as_str())
            .bind::<Text, _>(completed.to_json().to_string());
        self.change(statement).await
    }
}

/// Waiting messages are found by the current counts, including changes that are not folded yet.
const COMPLETE: &[&str] = &[
    "WITH completed AS ( \
        UPDATE campaigns campaign SET status = ended.status, completed_at = ended.at, \
            settled_at = ended.at, updated_at = ended.at, audience = ended.audience, \
            due_at = NULL, lease = NULL \
        FROM (SELECT ?::text AS status, ?::timestamptz AS at, ?::bigint AS audience) AS ended \
        WHERE organization_id = ? AND id = ? AND lease = ? AND campaign.status = 'SENDING' \
            AND expanded_at IS NOT NULL AND ",
    NOTHING_WAITS,
    " RETURNING organization_id, id, ended.at \
    ), ",
    PUBLISH,
    "SELECT organization_id, uuid_v7_in(at, organization_id), happened.event, completed.id, happened.data, at \
        FROM completed, (SELECT ?::text AS event, ?::text AS data) AS happened \
        WHERE listens(completed.organization_id, happened.event)",
    DELIVER,
    "SELECT FROM completed",
];
