//! Callbacks: reports and requests that vendors and recipients send on their own.

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
use metrics::Counter;
use ports::{
    messaging::{callbacks::CallbackRepository, messages::Jobs},
    shared::clock::Clock,
};

use crate::{
    Error, messaging::deliveries::Deliveries, providers::provider_registry::Providers,
    shared::refusals::INVALID_SIGNATURE,
};

/// Reasons of refusals, as the metrics count them.
const UNAUTHORIZED: &str = "UNAUTHORIZED";
const MALFORMED: &str = "MALFORMED";

/// Operations on callbacks.
#[derive(Clone)]
pub struct Callbacks {
    providers: Arc<Providers>,
    deliveries: Deliveries,
    jobs: Arc<dyn Jobs>,
    repository: Arc<dyn CallbackRepository>,
    clock: Arc<dyn Clock>,
    /// Providers whose early reports are not stored for now.
    full: Arc<Mutex<HashSet<String>>>,
}

impl Callbacks {
    /// Receives the callbacks of `providers`.
    pub fn new(
        providers: Arc<Providers>,
        deliveries: Deliveries,
        jobs: Arc<dyn Jobs>,
        repository: Arc<dyn CallbackRepository>,
        clock: Arc<dyn Clock>,
    ) -> Self {
        Self { providers, deliveries, jobs, repository, clock, full: Arc::default() }
    }

    /// Receives a callback of a provider's vendor, and returns the answer that the vendor expects.
    /// Fails if the vendor is not authenticated.
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
                // Each verifies the callback itself, and takes what concerns its own account.
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

    /// Returns the text of a message that a provider requests; `None` unless the provider was given
    /// the message and it is still on its way.
    async fn text(&self, provider: &str, id: Id<Message>) -> Result<Option<String>, Error> {
        let message = self.jobs.find(id).await?.filter(|message| {
            message.was_given_to(provider, None)
                && self.providers.carries(provider, message.draft.channel)
                && !message.delivery.status().is_final()
        });
        Ok(message.map(|message| message.draft.body.clone()))
    }
}

/// Returns the error of a refused callback. It is also counted and logged: its cause is a wrong
/// setup of the vendor, which only the operator can see.
fn refused(provider: &str, reason: CallbackRefused) -> Error {
    let (name, error) = match reason {
        CallbackRefused::Unsupported => return Error::NotFound("callback"),
        CallbackRefused::Unauthorized => (UNAUTHORIZED, Error::Unauthenticated(INVALID_SIGNATURE)),
        CallbackRefused::Malformed => {
            (MALFORMED, Error::Invalid(domain::shared::fault::Faults::form(reason)))
        }
    };
    refusals(provider, name).increment(1);
    tracing::warn!(provider, %reason, "refused a provider's callback");
    error
}

/// Registers the counters of a provider's callbacks, so that they exist before the first.
pub fn register_callbacks(provider: &str) {
    for reason in [UNAUTHORIZED, MALFORMED] {
        refusals(provider, reason).increment(0);
    }
    reports::unmatched(provider).increment(0);
}

fn refusals(provider: &str, reason: &'static str) -> Counter {
    metrics::counter!(
        "atumpan_callbacks_refused_total", "provider" => provider.to_owned(), "reason" => reason
    )
}

#[cfg(test)]
mod tests;
