//! Start of a campaign, with the event of it.

use domain::{
    outreach::campaign::CampaignStatus,
    shared::{id::Id, webhook_event::WebhookEvent},
    webhooks::outbound_event::OutboundEvent,
};
use ports::{
    outreach::campaign_queue::{CampaignStart, LeasedCampaign},
    shared::store::StoreError,
};

use super::names;
use crate::{
    outreach::campaigns,
    shared::{
        database::{
            connection::Connection,
            session::{PgSession, PgStore},
        },
        query::sql::sql,
    },
    webhooks::outbound_events,
};

impl PgStore {
    /// Starts a campaign and publishes the event, in one transaction. If nobody listens to the event,
    /// that is one statement.
    pub(super) async fn start_campaign(
        &self,
        campaign: &LeasedCampaign,
        start: &CampaignStart,
    ) -> Result<bool, StoreError> {
        let is_started = begin(self.session().await?.conn(), campaign, start, false).await?;
        if is_started {
            return Ok(true);
        }
        let mut session = self.transaction().await?;
        if !begin(session.conn(), campaign, start, true).await? {
            return Ok(false);
        }
        session.publish_start(campaign, start).await?;
        session.commit().await?;
        Ok(true)
    }
}

/// Starts a campaign; unless the event `is_published` too, only if nobody listens to it. Returns false
/// if the campaign was not started.
async fn begin(
    conn: &Connection,
    campaign: &LeasedCampaign,
    start: &CampaignStart,
    is_published: bool,
) -> Result<bool, StoreError> {
    let audience = start.audience.map(|contacts| i64::try_from(contacts).unwrap_or(i64::MAX));
    // A campaign that was sent without a scheduled time has this status already.
    let sources = names(&[CampaignStatus::Scheduled, CampaignStatus::Sending]);
    let begin = sql!(
        "UPDATE campaigns SET status = 'SENDING', started_at = {at}, updated_at = {at}, \
            contacts_until = {contacts_until}, audience = {audience} \
         WHERE organization_id = {organization} AND id = {id} AND lease = {lease} \
            AND status = ANY({sources}) AND contacts_until IS NULL \
            AND ({is_published}::boolean OR NOT listens({organization}, {event}))",
        at = start.at,
        contacts_until = start.contacts_until,
        audience,
        organization = campaign.organization,
        id = campaign.id,
        lease = campaign.lease.0,
        sources,
        is_published,
        event = WebhookEvent::CampaignStarted.as_str(),
    );
    Ok(begin.execute(conn).await? > 0)
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
