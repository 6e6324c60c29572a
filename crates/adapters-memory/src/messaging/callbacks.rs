//! Reports and texts that vendors and recipients send by callback.

use async_trait::async_trait;
use chrono::{DateTime, Utc};
use domain::{
    audience::suppression::OptOut,
    identity::organization::Organization,
    messaging::{
        attempt::{Attempt, AttemptOutcome, AttemptState},
        callback::{Inbound, MessageRef},
        delivery::Failure,
        message::Message,
    },
    shared::{address::Address, channel::Channel, id::Id},
};
use ports::{
    messaging::callbacks::{CallbackRepository, EarlyReport, MatchedReport},
    shared::store::StoreError,
};

use crate::shared::store::MemoryStore;

#[async_trait]
impl CallbackRepository for MemoryStore {
    async fn resolve(
        &self,
        provider: &str,
        named: &[MessageRef],
    ) -> Result<Vec<Option<Message>>, StoreError> {
        let state = self.state();
        let found = named.iter().map(|about| {
            let id = match about {
                MessageRef::Ours(id) => *id,
                MessageRef::Vendors(reference) => state.vendors.named(provider, reference)?,
            };
            state.messages.find(id).cloned()
        });
        Ok(found.collect())
    }

    async fn close_attempts(
        &self,
        organization: Id<Organization>,
        message: Id<Message>,
        provider: &str,
        failure: &Failure,
    ) -> Result<(), StoreError> {
        let mut state = self.state();
        let Some(kept) = state.messages.find_mut(message) else { return Ok(()) };
        let status = kept.delivery.status();
        if kept.organization == organization && !status.is_final() {
            for attempt in kept.attempts.iter_mut().filter(|it| it.provider == provider) {
                close(attempt, failure);
            }
        }
        Ok(())
    }

    async fn keep_early(
        &self,
        provider: &str,
        reports: &[EarlyReport],
        now: DateTime<Utc>,
    ) -> Result<(), StoreError> {
        let mut state = self.state();
        for report in reports {
            let id = state.identifier(now, None);
            state.vendors.keep_early(id, provider, report);
        }
        Ok(())
    }

    /// A report is always matched at once here, so none is matched again.
    async fn matched(
        &self,
        _recent: DateTime<Utc>,
        last: Option<Id<MatchedReport>>,
        limit: usize,
    ) -> Result<Vec<MatchedReport>, StoreError> {
        Ok(self.state().vendors.matched(last, limit))
    }

    async fn forget(&self, reports: &[Id<MatchedReport>]) -> Result<(), StoreError> {
        self.state().vendors.forget(reports);
        Ok(())
    }

    async fn forget_old(
        &self,
        before: DateTime<Utc>,
        most: usize,
    ) -> Result<Vec<String>, StoreError> {
        Ok(self.state().vendors.forget_old(before, most))
    }

    async fn note_inbound(&self, provider: &str, inbound: &Inbound) -> Result<(), StoreError> {
        self.state().vendors.note_inbound(provider, &inbound.from, inbound.at);
        Ok(())
    }

    async fn last_inbound(
        &self,
        provider: &str,
        address: &Address,
    ) -> Result<Option<DateTime<Utc>>, StoreError> {
        Ok(self.state().vendors.last_inbound(provider, address))
    }

    async fn senders_to(
        &self,
        provider: &str,
        address: &Address,
    ) -> Result<Vec<Id<Organization>>, StoreError> {
        Ok(self.state().vendors.senders_to(provider, address))
    }

    async fn suppress(&self, opt_out: &OptOut) -> Result<(), StoreError> {
        self.state().opt_out(opt_out);
        Ok(())
    }

    async fn unsuppress(
        &self,
        organization: Id<Organization>,
        channel: Channel,
        address: &Address,
    ) -> Result<(), StoreError> {
        self.state().suppressions.lift(organization, channel, address);
        Ok(())
    }
}

/// Closes an attempt in which a provider accepted the message, or may have accepted it.
fn close(attempt: &mut Attempt, failure: &Failure) {
    if let AttemptState::Ended(end) = &mut attempt.state
        && matches!(end.outcome, AttemptOutcome::Accepted | AttemptOutcome::Unknown)
    {
        end.outcome = AttemptOutcome::Rejected;
        end.error_code = Some(failure.code);
        if failure.vendor_code.is_some() {
            end.vendor_code.clone_from(&failure.vendor_code);
        }
    }
}
