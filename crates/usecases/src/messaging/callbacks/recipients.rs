//! Texts, complaints and unsubscriptions of recipients.

use chrono::TimeDelta;
use domain::{
    audience::suppression::{OptOut, SuppressionSource},
    messaging::callback::{Inbound, OptKeyword, RecipientRequest, RecipientRequestKind},
};
use ports::shared::store::StoreError;

use super::{Callbacks, reports::name};

/// Maximum age of a text. Older texts open no messaging window.
const OLDEST_TEXT: TimeDelta = TimeDelta::days(7);

impl Callbacks {
    /// Records a text of a recipient, which opens a messaging window and may be an opt-out or
    /// opt-in. Its time is at most now, whatever its vendor says: a later one would keep the window
    /// open.
    pub(super) async fn apply_inbound(
        &self,
        provider: &str,
        inbound: Inbound,
    ) -> Result<(), StoreError> {
        let now = self.clock.now();
        let inbound = Inbound { at: inbound.at.min(now).max(now - OLDEST_TEXT), ..inbound };
        self.repository.note_inbound(provider, &inbound).await?;
        let Some(wish) = OptKeyword::of(&inbound.text) else { return Ok(()) };
        let (channel, from) = (inbound.channel, &inbound.from);
        for organization in self.repository.senders_to(provider, from).await? {
            match wish {
                OptKeyword::Stop => {
                    let opt_out = OptOut {
                        organization,
                        channel,
                        address: from.clone(),
                        source: SuppressionSource::Stop,
                        at: now,
                    };
                    self.repository.suppress(&opt_out).await?;
                }
                OptKeyword::Start => {
                    self.repository.unsuppress(organization, channel, from).await?;
                }
            }
        }
        tracing::info!(provider, from = from.masked(), ?wish, "a recipient wrote STOP or START");
        Ok(())
    }

    /// Suppresses recipients who complained about messages or unsubscribed, for the organizations
    /// that sent them. The recipient is that of the message, even if the vendor names another.
    pub(super) async fn grant(
        &self,
        provider: &str,
        requests: Vec<RecipientRequest>,
    ) -> Result<(), StoreError> {
        if requests.is_empty() {
            return Ok(());
        }
        let requests: Vec<_> = requests
            .into_iter()
            .map(|request| RecipientRequest { about: name(request.about), ..request })
            .collect();
        let named = requests.iter().map(|request| request.about.clone()).collect();
        let messages = self.messages(provider, named).await?;
        for request in requests {
            let Some(message) = messages.get(&request.about) else {
                tracing::info!(provider, kind = ?request.kind, "a request names an unknown message");
                continue;
            };
            let source = match request.kind {
                RecipientRequestKind::Complaint => SuppressionSource::Complaint,
                RecipientRequestKind::Unsubscribe => SuppressionSource::Unsubscribe,
            };
            let opt_out = OptOut {
                organization: message.organization,
                channel: message.draft.channel,
                address: message.draft.recipient.clone(),
                source,
                at: self.clock.now(),
            };
            self.repository.suppress(&opt_out).await?;
            let recipient = opt_out.address.masked();
            let source = source.as_str();
            tracing::info!(message_id = %message.id, recipient, source, "suppressed a recipient");
        }
        Ok(())
    }
}
