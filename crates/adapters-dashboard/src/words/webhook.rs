//! Webhooks: their events, deliveries and failures.

use domain::shared::webhook_event::WebhookEvent;
use domain::webhooks::webhook::{
    CallFailure, Deactivation, DeliveryRecord, DeliveryRecordStatus, WebhookEndpoint,
};

use super::{InWords, Words};

words! { DeliveryRecordStatus:
    Self::Pending => waiting("Waiting", "Your webhook is called, or is called again."),
    Self::Delivered => good("Received", "Your webhook took the event."),
    Self::Failed => bad("Failed", "Your webhook did not take the event in time."),
}

words! { CallFailure:
    Self::UrlRefused => bad("Address not allowed", "This address may not be called."),
    Self::NotResolved => bad("Name not found", "The name of the server is not known."),
    Self::AddressRefused =>
        bad("Private address", "The server is in a network that may not be called."),
    Self::NotConnected => bad("No connection", "The server could not be reached."),
    Self::TlsFailed => bad("Not secure", "The server has no valid certificate for this name."),
    Self::TimedOut => bad("Too slow", "The server did not answer in time."),
    Self::Broken => bad("Cut off", "The connection broke, or the answer made no sense."),
}

words! { Deactivation:
    Self::Gone => bad("Gone", "The server answered that the address is gone for good."),
    Self::Failing => bad("Kept failing", "Calls failed for five days."),
}

impl InWords for &WebhookEndpoint {
    fn words(self) -> Words {
        match self.deactivation {
            Some(reason) => reason.words(),
            None if !self.is_active => Words::neutral("Stopped", "Your team stopped it."),
            None if self.failing_since.is_some() => {
                Words::bad("Failing", "If calls fail for five days, it is stopped.")
            }
            None => Words::good("Running", "Your server is called."),
        }
    }
}

/// Returns the reason for which a delivery has not succeeded, if it has not.
pub(crate) fn undelivered(record: &DeliveryRecord) -> Option<Words> {
    if let Some(name) = &record.failure {
        let failure = CallFailure::ALL.into_iter().find(|failure| failure.as_str() == name);
        let other = Words::bad("Failed", "The call failed.");
        return Some(failure.map_or(other, InWords::words));
    }
    match record.status_code {
        Some(status) if !(200..300).contains(&status) => {
            Some(Words::bad("Refused", "Your server answered with an error."))
        }
        _ if record.status == DeliveryRecordStatus::Failed => {
            Some(Words::bad("Webhook stopped", "It was stopped before your server was called."))
        }
        _ => None,
    }
}

words! { WebhookEvent:
    Self::MessageStatusUpdated =>
        neutral("Message", "A message was sent, was delivered, or failed."),
    Self::ContactOptedOut => neutral("Opt-out", "A person wants no more messages."),
    Self::CampaignCompleted => neutral("Campaign finished", "A campaign ended."),
    Self::CampaignStarted => neutral("Campaign started", "A campaign began."),
    Self::ImportCompleted => neutral("Import done", "All rows of a file were read."),
    Self::TemplateApproved => neutral("Template approved", "A template may be sent."),
    Self::TemplateRejected => neutral("Template rejected", "A template may not be sent."),
    Self::WalletLow => neutral("Wallet low", "Your wallet is nearly empty."),
    Self::TopUpCompleted => neutral("Top-up paid", "A payment is in your wallet."),
}
