//! Webhooks: their events, deliveries and failures.

use domain::shared::webhook_event::WebhookEvent;
use domain::webhooks::webhook::{
    CallFailure, Deactivation, DeliveryRecord, DeliveryRecordStatus, WebhookEndpoint,
};

use super::{InWords, Words};

impl InWords for DeliveryRecordStatus {
    fn words(self) -> Words {
        match self {
            Self::Pending => {
                Words::waiting("Waiting", "Your webhook is called, or is called again.")
            }
            Self::Delivered => Words::good("Received", "Your webhook took the event."),
            Self::Failed => Words::bad("Failed", "Your webhook did not take the event in time."),
        }
    }
}

impl InWords for CallFailure {
    fn words(self) -> Words {
        match self {
            Self::UrlRefused => {
                Words::bad("Address not allowed", "This address may not be called.")
            }
            Self::NotResolved => {
                Words::bad("Name not found", "The name of the server is not known.")
            }
            Self::AddressRefused => {
                Words::bad("Private address", "The server is in a network that may not be called.")
            }
            Self::NotConnected => Words::bad("No connection", "The server could not be reached."),
            Self::TlsFailed => {
                Words::bad("Not secure", "The server has no valid certificate for this name.")
            }
            Self::TimedOut => Words::bad("Too slow", "The server did not answer in time."),
            Self::Broken => {
                Words::bad("Cut off", "The connection broke, or the answer made no sense.")
            }
        }
    }
}

impl InWords for Deactivation {
    fn words(self) -> Words {
        match self {
            Self::Gone => {
                Words::bad("Gone", "The server answered that the address is gone for good.")
            }
            Self::Failing => Words::bad("Kept failing", "Calls failed for five days."),
        }
    }
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

impl InWords for WebhookEvent {
    fn words(self) -> Words {
        match self {
            Self::MessageStatusUpdated => {
                Words::neutral("Message", "A message was sent, was delivered, or failed.")
            }
            Self::ContactOptedOut => Words::neutral("Opt-out", "A person wants no more messages."),
            Self::CampaignCompleted => Words::neutral("Campaign finished", "A campaign ended."),
            Self::CampaignStarted => Words::neutral("Campaign started", "A campaign began."),
            Self::ImportCompleted => Words::neutral("Import done", "All rows of a file were read."),
            Self::TemplateApproved => {
                Words::neutral("Template approved", "A template may be sent.")
            }
            Self::TemplateRejected => {
                Words::neutral("Template rejected", "A template may not be sent.")
            }
            Self::WalletLow => Words::neutral("Wallet low", "Your wallet is nearly empty."),
            Self::TopUpCompleted => Words::neutral("Top-up paid", "A payment is in your wallet."),
        }
    }
}
