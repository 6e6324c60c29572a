//! Previews of messages, as if they were sent now.

use chrono::{DateTime, Utc};
use domain::{
    identity::{caller::Caller, permission::Permission},
    messaging::{
        delivery::FailureCode,
        message::{Draft, MAX_FILLED_BYTES, MessageRequest},
        priority::Origin,
    },
    shared::{fault::Faults, money::Money},
};

use super::{Messages, Sender, TOO_MUCH_TEXT, partial::draft, planning::Planning};
use crate::Error;

/// Message as it would be accepted now.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PreviewedMessage {
    /// The message with its placeholders filled.
    pub draft: Draft,
    /// Price; zero if it would be refused.
    pub cost: Money,
    /// Reason for which it would not be sent; `None` if it would.
    pub refusal: Option<FailureCode>,
    /// Provider that would get it first; `None` if none would.
    pub provider: Option<String>,
}

impl Messages {
    /// Returns the messages as they would be accepted now, in their order; in the place of a wrong one its
    /// faults. Nothing is stored, counted or charged. Suppression lists and sending windows are not
    /// looked up.
    pub async fn preview(
        &self,
        caller: &Caller,
        requests: &[MessageRequest],
    ) -> Result<Vec<Result<PreviewedMessage, Faults>>, Error> {
        caller.authorize(Permission::SendMessages)?;
        let sender = Sender::unasked(caller.organization, caller.is_sandbox());
        let origin = if requests.len() == 1 { Origin::Single } else { Origin::Bulk };
        let planning = self.planning(sender, origin).await?;
        let templates = self.known_templates(caller.organization, requests).await?;
        let now = self.deps.clock.now();
        let (mut previews, mut filled) = (Vec::with_capacity(requests.len()), 0);
        for request in requests {
            let draft = draft(request, &templates, &caller.policy, Faults::default());
            filled += draft.as_ref().map_or(0, Draft::filled_bytes);
            if filled > MAX_FILLED_BYTES {
                return Err(Faults::form(TOO_MUCH_TEXT).into());
            }
            previews.push(draft.map(|draft| self.previewed(draft, &planning, now)));
        }
        Ok(previews)
    }

    fn previewed(&self, draft: Draft, planning: &Planning, now: DateTime<Utc>) -> PreviewedMessage {
        let terms = self.terms(&draft, planning);
        let refusal = terms.refusal.map(|refusal| refusal.code);
        let provider = match refusal {
            Some(_) => None,
            None => self.deps.providers.first_for(&draft, terms.is_sandbox, now).map(str::to_owned),
        };
        PreviewedMessage { draft, cost: terms.cost, refusal, provider }
    }
}
