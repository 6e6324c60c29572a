//! What vendors and recipients tell us on their own.

use std::sync::Arc;

use domain::{
    callback::{About, Callback, CallbackAnswer, CallbackRefused, Inbound, VendorReport, Wish},
    provider::{Report, SANDBOX},
};
use ports::{callbacks::CallbackRepository, clock::Clock, messages::Jobs, store::StoreError};

use crate::{Error, deliveries::Deliveries, providers::Providers};

/// How many kept reports are taken in at a time.
const SWEEP: usize = 200;

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
        for report in received.reports {
            self.report(provider, report).await?;
        }
        for inbound in received.inbound {
            self.hear(provider, inbound).await?;
        }
        Ok(received.answer)
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
        let is_its_own = |message: &domain::message::Message| {
            message.attempts.iter().any(|attempt| attempt.provider == provider)
        };
        match message.filter(is_its_own) {
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

    /// Takes in kept reports whose messages are known by now. To be called every second or so.
    pub async fn sweep(&self) -> Result<(), StoreError> {
        let matched = self.repository.matched(SWEEP).await?;
        if matched.is_empty() {
            return Ok(());
        }
        let ids: Vec<_> = matched.iter().map(|matched| matched.id).collect();
        for matched in matched {
            self.deliveries.report(matched.report).await?;
        }
        self.repository.forget(&ids).await
    }
}

#[cfg(test)]
mod tests;
