//! Feedback of vendors on recipients: opt-outs, and devices that are gone.

use std::sync::Arc;

use domain::{
    audience::suppression::{OptOut, SuppressionSource},
    messaging::{
        delivery::{Failure, FailureCode},
        message::Message,
    },
    shared::channel::Channel,
};
use ports::{audience::contacts::DeviceTokens, messaging::callbacks::CallbackRepository};

use super::Deliveries;

/// Stores of the state of recipients.
pub struct Recipients {
    /// Texts and opt-outs of recipients.
    pub callbacks: Arc<dyn CallbackRepository>,
    /// Push tokens of their devices.
    pub devices: Arc<dyn DeviceTokens>,
}

impl Deliveries {
    /// Suppresses a recipient that a vendor reports as opted out, and forgets a token that it
    /// reports as leading to no device. The message fails for good in any case, so a failure to
    /// store this does not stop the work on it.
    pub(super) async fn apply_recipient_feedback(&self, message: &Message, failure: &Failure) {
        let Some(Recipients { callbacks, devices }) = &self.deps.recipients else { return };
        let (draft, organization) = (&message.draft, message.organization);
        let applied = match failure.code {
            FailureCode::RecipientOptedOut => {
                let opt_out = OptOut {
                    organization,
                    channel: draft.channel,
                    address: draft.recipient.clone(),
                    source: SuppressionSource::Vendor,
                    at: self.deps.clock.now(),
                };
                callbacks.suppress(&opt_out).await
            }
            FailureCode::DeviceUnregistered if draft.channel == Channel::Push => {
                devices.forget_device_token(organization, &draft.recipient).await
            }
            _ => return,
        };
        if let Err(error) = applied {
            tracing::warn!(
                %error, message_id = %message.id, code = failure.code.as_str(),
                "failed to keep what a vendor said of a recipient"
            );
        }
    }
}
