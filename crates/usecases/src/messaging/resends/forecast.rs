//! Forecast of failed messages that would be sent again.

use std::cmp::Reverse;

use domain::{
    identity::caller::Caller,
    messaging::{delivery::FailureCode, delivery_log::LogFilter, resend::FailedMessages},
    shared::money::Money,
};

use super::Resends;
use crate::Error;

/// Forecast of what a [`ResendMessages`](super::ResendMessages) would do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ResendForecast {
    /// Number of failed messages.
    pub count: u64,
    /// True if there may be more.
    pub is_capped: bool,
    /// Cost of those that would be sent again.
    pub cost: Money,
    /// Messages by the reason for their failure.
    pub by_reason: Vec<ResendableCount>,
}

/// Number of messages that failed for one reason.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ResendableCount {
    /// Reason for the failure.
    pub code: FailureCode,
    /// Number of messages.
    pub count: u64,
    /// Number of those that would be sent again.
    pub resendable: u64,
    /// Cost of those.
    pub cost: Money,
}

impl Resends {
    /// Returns the forecast for what was found under a filter.
    pub(super) async fn forecast_of(
        &self,
        caller: &Caller,
        filter: &LogFilter,
        found: &FailedMessages,
    ) -> Result<ResendForecast, Error> {
        let mut resendable = found.groups.clone();
        resendable.retain(|group| group.kind.is_resendable() && !group.is_resent);
        let mut by_reason = by_reason(found);
        if filter.is_sandbox != Some(true) {
            for reason in &mut by_reason {
                let of_reason = resendable.iter().filter(|group| group.kind.code == reason.code);
                let of_reason: Vec<_> = of_reason.copied().collect();
                reason.cost = self.messages.cost_again(caller, &of_reason).await?;
            }
        }
        let cost = by_reason.iter().map(|reason| reason.cost).sum();
        let count = by_reason.iter().map(|reason| reason.count).sum();
        Ok(ResendForecast { count, is_capped: found.is_capped, cost, by_reason })
    }
}

/// Returns the numbers of messages by reason, most messages first.
pub(super) fn by_reason(found: &FailedMessages) -> Vec<ResendableCount> {
    let mut reasons: Vec<ResendableCount> = Vec::new();
    for group in &found.groups {
        let is_resendable = group.kind.is_resendable() && !group.is_resent;
        let resendable = if is_resendable { group.messages } else { 0 };
        match reasons.iter_mut().find(|reason| reason.code == group.kind.code) {
            Some(reason) => {
                reason.count += group.messages;
                reason.resendable += resendable;
            }
            None => reasons.push(ResendableCount {
                code: group.kind.code,
                count: group.messages,
                resendable,
                cost: Money::ZERO,
            }),
        }
    }
    reasons.sort_by_key(|reason| (Reverse(reason.count), reason.code.as_str()));
    reasons
}
