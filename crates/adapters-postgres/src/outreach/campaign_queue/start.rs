//! Start of a campaign, with the event of it.

use diesel::sql_types::{Array, BigInt, Nullable, Text, Timestamptz, Uuid as SqlUuid};
use domain::{
    outreach::campaign::CampaignStatus,
    shared::{id::Id, webhook_event::WebhookEvent},
    webhooks::outbound_event::OutboundEvent,
};
use ports::{
    outreach::campaign_queue::{CampaignStart, LeasedCampaign},
    shared::store::StoreError,
};

use super::{held, names};
use crate::{
    outreach::campaigns,
    shared::{
        database::session::{PgSession, PgStore},
        error::store_error,
        query::{run_query::RunQueryDsl, statement::Statement},
    },
    webhooks::outbound_events,
};

impl PgStore {
    /// Starts a campaign and publishes the event, in one transaction.
    pub(super) async fn start_campaign(
        &self,
        campaign: &LeasedCampaign,
        start: &CampaignStart,
    ) -> Result<bool, StoreError> {
        let audience = start.audience.map(|contacts| i64::try_from(contacts).unwrap_or(i64::MAX));
        // A campaign that was sent without a scheduled time has this status already.
        let sources = names(&[CampaignStatus::Scheduled, CampaignStatus::Sending]);
        let statement = Statement::new(&[START])
            .bind::<Timestamptz, _>(start.at)
            .bind::<Timestamptz, _>(start.at)
            .bind::<SqlUuid, _>(start.contacts_until.uuid())
            .bind::<Nullable<BigInt>, _>(audience);
        let statement = held(statement, campaign).bind::<Array<Text>, _>(sources);
        let mut session = self.transaction().await?;
        if statement.execute(session.conn()).await.map_err(store_error)? == 0 {
            return Ok(false);
        }
        session.publish_start(campaign, start).await?;
        session.commit().await?;
        Ok(true)
    }
}

impl PgSession {
    async fn publish_start(
        &mut self,
        campaign: &LeasedCampaign,
        start: &CampaignStart,
    ) -> Result<(), StoreError> {
        let (organization, event) = (campaign.organization, WebhookEvent::CampaignStarted);
        if !outbound_events::listens(self.conn(), organization, event).await? {
            return Ok(());
        }
        let found = campaigns::find_progress(self.conn(), organization, campaign.id).await?;
        let Some(progress) = found else { return Ok(()) };
        let published = OutboundEvent {
            id: Id::new_in(start.at, organization),
            organization,
            event,
            subject: campaign.id.uuid(),
            data: progress.to_json().to_string(),
            at: start.at,
        };
        outbound_events::publish(self.conn(), &published).await
    }
}

const START: &str = "\
    UPDATE campaigns SET status = 'SENDING', started_at = ?, updated_at = ?, contacts_until = ?, \
        audience = ? \
    WHERE organization_id = ? AND id = ? AND lease = ? AND status = ANY(?) \
        AND contacts_until IS NULL";
