//! What vendors and recipients tell us on their own.

mod sweep;

use std::sync::Arc;

use domain::{
    callback::{About, Callback, CallbackAnswer, CallbackRefused, Inbound, VendorReport, Wish},
    id::Id,
    message::Message,
    provider::{Report, SANDBOX},
};
use ports::{callbacks::CallbackRepository, clock::Clock, messages::Jobs};

use crate::{Error, deliveries::Deliveries, providers::Providers};

/// Operations on callbacks.
#[derive(Clone)]
pub struct Callbacks {
    providers: Arc<Providers>,
    deliveries: Deliveries,
    jobs: Arc<dyn Jobs>,
    repository: Arc<dyn CallbackRepository>,
    clock: Arc<dyn Clock>,
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
        Self { providers, deliveries, jobs, repository, clock }
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
        let received = adapter.receive(callback).map_err(|refused| match refused {
            CallbackRefused::Unsupported => Error::NotFound("callback"),
            CallbackRefused::Unauthorized => Error::InvalidSignature,
            CallbackRefused::Malformed => Error::Invalid(domain::fault::Faults::form(refused)),
        })?;
        let text = match received.asks_for {
            Some(id) => self.text(provider, id).await?,
            None => None,
        };
        for report in received.reports {
            self.report(provider, report).await?;
        }
        for inbound in received.inbound {
            self.hear(provider, inbound).await?;
        }
        Ok(text.map_or(received.answer, |text| adapter.read_out(&text)))
    }

    /// The text of a message that a provider asks for. It is told of messages that it was given and
    /// that are still on their way, and of no others.
    async fn text(&self, provider: &str, id: Id<Message>) -> Result<Option<String>, Error> {
        let message = self.jobs.find(id).await?.filter(|message| {
            is_its_own(message, provider)
                && self.providers.carries(provider, message.draft.channel)
                && !message.delivery.status().is_final()
        });
        Ok(message.map(|message| message.draft.body.clone()))
    }

    async fn report(&self, provider: &str, report: VendorReport) -> Result<(), Error> {
        let id = match &report.about {
            About::Ours(id) => Some(*id),
            About::Vendors(reference) => self.repository.find_message(provider, reference).await?,
        };
        let message = match id {
            Some(id) => self.jobs.find(id).await?,
            None => None,
        };
        // A provider is believed about messages that it was given, and about no others.
        match message.filter(|message| is_its_own(message, provider)) {
            Some(message) => {
                let report = Report { message: message.id, event: report.event };
                Ok(self.deliveries.report(report).await?)
            }
            None => {
                metrics::counter!("atumpan_unmatched_reports_total", "provider" => provider.to_owned())
                    .increment(1);
                let now = self.clock.now();
                let (about, event) = (&report.about, &report.event);
                Ok(self.repository.keep_unmatched(provider, about, event, now).await?)
            }
        }
    }

    async fn hear(&self, provider: &str, inbound: Inbound) -> Result<(), Error> {
        self.repository.note_inbound(provider, &inbound).await?;
        let Some(wish) = Wish::of(&inbound.text) else { return Ok(()) };
        let (channel, from) = (inbound.channel, &inbound.from);
        for organization in self.repository.writers_to(provider, from).await? {
            match wish {
                Wish::Stop => {
                    let now = self.clock.now();
                    self.repository.suppress(organization, channel, from, now).await?;
                }
                Wish::Start => self.repository.lift(organization, channel, from).await?,
            }
        }
        tracing::info!(provider, from = from.masked(), ?wish, "a recipient made a wish");
        Ok(())
    }
}

/// Whether a message was given to a provider.
fn is_its_own(message: &Message, provider: &str) -> bool {
    message.attempts.iter().any(|attempt| attempt.provider == provider)
}

#[cfg(test)]
mod tests;
