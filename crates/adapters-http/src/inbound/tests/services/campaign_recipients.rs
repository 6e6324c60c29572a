//! Recipients of campaigns, over mocked ports.

use std::sync::Arc;

use ports::shared::{
    clock::Clock,
    mock::{MockCampaignRecipientRepository, MockCampaignRepository},
};
use usecases::{messaging::messages::Messages, outreach::campaign_recipients::CampaignRecipients};

use super::resends;

pub(in crate::inbound::tests) fn campaign_recipients(
    messages: &Messages,
    clock: &Arc<dyn Clock>,
) -> CampaignRecipients {
    let recipients = Arc::new(MockCampaignRecipientRepository::new());
    let campaigns = Arc::new(MockCampaignRepository::new());
    CampaignRecipients::new(recipients, campaigns, resends(messages, clock))
}
