//! What vendors and recipients tell us on their own.

mod recipients;
mod reports;
mod sweep;

use std::{
    collections::HashSet,
    sync::{Arc, Mutex},
};

use domain::{
    messaging::{
        callback::{Callback, CallbackAnswer, CallbackRefused, Received},
        message::Message,
    },
    providers::provider::SANDBOX,
    shared::id::Id,
};
use ports::{
    messaging::{callbacks::CallbackRepository, messages::Jobs},
    shared::clock::Clock,
};

use crate::{
    Error, Reason, messaging::deliveries::Deliveries, providers::provider_registry::Providers,
};

/// A callback does not prove that it comes from the vendor.
pub const INVALID_SIGNATURE: Reason =
    Reason::new("INVALID_SIGNATURE", "the signature is missing or wrong");

/// Operations on callbacks.
#[derive(Clone)]
pub struct Callbacks {
    providers: Arc<Providers>,
    deliveries: Deliveries,
    jobs: Arc<dyn Jobs>,
    repository: Arc<dyn CallbackRepository>,
    clock: Arc<dyn Clock>,
    /// The providers of which no more early reports are kept for now.
    full: Arc<Mutex<HashSet<String>>>,
}

impl Callbacks {
    /// Takes the callbacks of `providers` in.
    pub fn new(
        providers: Arc<Providers>,
        deliveries: Deliveries,
        jobs: Arc<dyn Jobs>,
        repository: Arc<dyn CallbackRepository>,
        clock: Arc<dyn Clock>,
    ) -> Self {
        Self { providers, deliveries, jobs, repository, clock, full: Arc::default() }
    }

    /// Takes a call of a provider's vendor in, and returns what the vendor wants to hear. Nothing
    /// is believed before the vendor has proved itself.
    pub async fn receive(
        &self,
        provider: &str,
        callback: &Callback,
    ) -> Result<CallbackAnswer, Error> {
        let adapter = self.providers.adapter(provider).filter(|_| provider != SANDBOX);
        let adapter = adapter.ok_or(Error::NotFound("provider"))?;
        let received = adapter.receive(callback).map_err(|reason| refused(provider, reason))?;
        let text = match received.asks_for {
            Some(id) => self.text(provider, id).await?,
            None => None,
        };
        if received.concerns_others {
            for (name, other) in self.providers.of_same_kind(provider) {
                // Each believes what it can verify itself, and takes what concerns its own account.
                if let Ok(theirs) = other.receive(callback) {
                    self.take_in(name, theirs).await?;
                }
            }
        }
        let answer = received.answer.clone();
        self.take_in(provider, received).await?;
        Ok(text.map_or(answer, |text| adapter.read_out(&text)))
    }

    async fn take_in(&self, provider: &str, received: Received) -> Result<(), Error> {
        self.take_reports(provider, received.reports).await?;
        for inbound in received.inbound {
            self.apply_inbound(provider, inbound).await?;
        }
        Ok(self.grant(provider, received.requests).await?)
    }

    /// The text of a message that a provider asks for. It is told of messages that it was given and
    /// that are still on their way, and of no others.
    async fn text(&self, provider: &str, id: Id<Message>) -> Result<Option<String>, Error> {
        let message = self.jobs.find(id).await?.filter(|message| {
            message.was_given_to(provider, None)
                && self.providers.carries(provider, message.draft.channel)
                && !message.delivery.status().is_final()
        });
        Ok(message.map(|message| message.draft.body.clone()))
    }
}

/// Why a call is not taken in, told to the operator too: a vendor whose calls are refused is one
/// that was set up wrongly, and it tells nobody.
fn refused(provider: &str, reason: CallbackRefused) -> Error {
    let (name, error) = match reason {
        CallbackRefused::Unsupported => return Error::NotFound("callback"),
        CallbackRefused::Unauthorized => {
            ("UNAUTHORIZED", Error::Unauthenticated(INVALID_SIGNATURE))
        }
        CallbackRefused::Malformed => {
            ("MALFORMED", Error::Invalid(domain::shared::fault::Faults::form(reason)))
        }
    };
    metrics::counter!(
        "atumpan_callbacks_refused_total", "provider" => provider.to_owned(), "reason" => name
    )
    .increment(1);
    tracing::warn!(provider, %reason, "refused a provider's callback");
    error
}

#[cfg(test)]
mod tests;
