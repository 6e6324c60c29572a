//! Price, priority and first provider of messages.

use std::sync::Arc;

use chrono::{DateTime, Utc};
use domain::{
    identity::{caller::Caller, organization::Organization, policy::Policy},
    messaging::{
        attempt::Attempt,
        delivery::{Failure, FailureCode},
        message::{Draft, Message, Terms},
        priority::Origin,
    },
    money::pricing::PriceList,
    platform::fraud_guard,
    shared::{
        fault::Faults,
        id::Id,
        money::Money,
        trace::{TraceContext, TraceHead},
    },
};
use ports::shared::store::StoreError;

use super::Messages;
use crate::messaging::fraud_guard::count_refusal;

/// Organization that sends and pays, and its mode.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Sender {
    /// The organization.
    pub(crate) organization: Id<Organization>,
    /// True if its messages are sandbox messages.
    pub(crate) is_sandbox: bool,
    /// Trace of the request by which it sends.
    pub(crate) trace: TraceHead,
}

impl Sender {
    /// Returns the caller's organization in the mode that a request names, or else the caller's. Adds
    /// the fault of a mode that the caller cannot choose.
    pub(crate) fn choosing(caller: &Caller, is_sandbox: Option<bool>, faults: &mut Faults) -> Self {
        let mode = faults.take("isSandbox", caller.rehearses(is_sandbox));
        let is_sandbox = mode.unwrap_or_else(|| caller.is_sandbox());
        Self { organization: caller.organization, is_sandbox, trace: caller.trace }
    }

    /// Returns an organization whose messages the service sends by itself.
    pub(crate) fn unasked(organization: Id<Organization>, is_sandbox: bool) -> Self {
        Self { organization, is_sandbox, trace: TraceHead::Open }
    }
}

/// Conditions under which messages are accepted.
pub(crate) struct Planning {
    sender: Sender,
    origin: Origin,
    prices: Arc<PriceList>,
    policy: Arc<Policy>,
    now: DateTime<Utc>,
}

impl Messages {
    /// Returns the conditions for messages from now on.
    pub(crate) async fn planning(
        &self,
        sender: Sender,
        origin: Origin,
    ) -> Result<Planning, StoreError> {
        let prices = self.deps.prices.current().await?;
        let policy = match &self.deps.fraud_guard {
            Some(fraud_guard) => fraud_guard.policy(sender.organization).await?,
            None => Arc::default(),
        };
        Ok(Planning { sender, origin, prices, policy, now: self.deps.clock.now() })
    }

    /// Returns a message with its price, its priority and its first attempt.
    pub(crate) fn plan(&self, draft: Draft, planning: &Planning) -> Message {
        let Planning { sender, origin, now, .. } = *planning;
        let terms = self.taken(&draft, planning);
        if let Some(refusal) = &terms.refusal {
            count_refusal(refusal.code);
        }
        let first = self.deps.providers.first_for(&draft, terms.is_sandbox, now);
        let attempts = first.map(|provider| Attempt::plan(provider, now));
        let attempts = attempts.filter(|_| terms.refusal.is_none()).into_iter().collect();
        let message = Message::queue(sender.organization, draft, origin, terms, now);
        let priority = self.urgency.priority(&message, now);
        let own = TraceContext::root(message.id.uuid());
        let trace = self.deps.tracer.trace_of(sender.trace, own);
        Message { attempts, priority, trace, ..message }
    }

    /// Returns the failure code of each draft; `None` if it could be sent now.
    pub(crate) fn refusals(
        &self,
        drafts: &[Draft],
        planning: &Planning,
    ) -> Vec<Option<FailureCode>> {
        let refusal = |draft| self.terms(draft, planning).refusal;
        drafts.iter().map(|draft| refusal(draft).map(|refusal| refusal.code)).collect()
    }

    /// Returns the terms of a draft that is accepted now, and counts it towards its limits.
    fn taken(&self, draft: &Draft, planning: &Planning) -> Terms {
        let terms = self.terms(draft, planning);
        if terms.refusal.is_some() || terms.is_sandbox {
            return terms;
        }
        let Planning { sender, origin, policy, now, .. } = planning;
        let taken = (sender.organization, *origin);
        let fraud_guard = self.deps.fraud_guard.as_ref();
        match fraud_guard.and_then(|it| it.take(taken, draft, policy, *now)) {
            Some(failure) => Terms { cost: Money::ZERO, refusal: Some(failure), ..terms },
            None => terms,
        }
    }

    /// Returns the terms of a draft, without counting it.
    pub(super) fn terms(&self, draft: &Draft, planning: &Planning) -> Terms {
        let is_sandbox = planning.sender.is_sandbox;
        let price = planning.prices.price(
            planning.sender.organization,
            draft.channel,
            draft.country,
            draft.segments,
        );
        let stopped =
            || fraud_guard::stop_refusal(draft, &planning.policy, planning.origin, planning.now);
        let unpriced = || Failure::new(FailureCode::NoRoute, "there is no price for this route");
        let refusal = fraud_guard::country_refusal(draft, &planning.policy)
            .or_else(|| self.refusal(draft, is_sandbox));
        let refusal = match refusal {
            None if !is_sandbox => stopped().or_else(|| price.is_none().then(unpriced)),
            refusal => refusal,
        };
        let is_free = is_sandbox || refusal.is_some();
        let cost = if is_free { Money::ZERO } else { price.unwrap_or_default() };
        Terms { cost, refusal, is_sandbox, is_confidential: false }
    }

    pub(super) fn refusal(&self, draft: &Draft, is_sandbox: bool) -> Option<Failure> {
        let served = self.deps.providers.serves(draft, is_sandbox);
        let refusal = || {
            let (channel, country) = (draft.channel, draft.country);
            Failure::new(FailureCode::NoRoute, format!("no provider serves {channel} to {country}"))
        };
        (!served).then(refusal)
    }
}
