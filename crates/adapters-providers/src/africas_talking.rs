//! Africa's Talking: SMS over HTTP, and in `voice.rs` calls.
//!
//! Its documentation: <https://developers.africastalking.com/docs/sms/sending/bulk> and
//! <https://developers.africastalking.com/docs/sms/notifications>. Delivery reports and texts of
//! recipients come by callback, to the address that is entered in the vendor's dashboard; a message
//! cannot be asked for.

mod account;
mod callbacks;
mod codes;
mod voice;

use std::{collections::HashSet, sync::Arc};

use async_trait::async_trait;
use domain::{
    callback::{Callback, CallbackRefused, Received},
    channel::Channel,
    message::Message,
    provider::{Check, LookUp, Outcome},
};
use ports::providers::MessagingProvider;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::{
    answer::Answer,
    declaration::{Declaration, DeclarationError, Deps},
    health,
    kind::{Callbacks, USUAL_PATIENCE, Vendor},
    verdict::unknown,
    wire::amount,
};
use account::{Account, CREDENTIALS};

pub(crate) use voice::VOICE;

const USUAL_URL: &str = "https://api.africastalking.com";
/// The most recipients of one call. The answer to so many can still be read.
const MAX_GROUP: usize = 100;
/// Below this many units of its currency an account is as good as empty.
const LOW_BALANCE: f64 = 1.0;

pub(crate) const SMS: Vendor = Vendor {
    name: "africas-talking",
    channels: &[Channel::Sms],
    required: CREDENTIALS,
    optional: &[],
    options: &[],
    patience: USUAL_PATIENCE,
    callbacks: Callbacks::Token("api_key"),
    check: |declaration| account::access(declaration, USUAL_URL).map(drop),
    build,
};

struct AfricasTalking {
    account: Account,
}

fn build(
    declaration: &Declaration,
    deps: &Deps,
) -> Result<Arc<dyn MessagingProvider>, DeclarationError> {
    Ok(Arc::new(AfricasTalking { account: Account::of(declaration, USUAL_URL, deps)? }))
}

#[async_trait]
impl MessagingProvider for AfricasTalking {
    async fn send(&self, message: &Message) -> Outcome {
        let outcome = self.send_to_all(&[message]).await.pop();
        outcome.unwrap_or_else(|| unknown("the provider was not asked"))
    }

    fn group_limit(&self) -> usize {
        MAX_GROUP
    }

    async fn send_group(&self, messages: &[Message]) -> Vec<Outcome> {
        let mut outcomes: Vec<Option<Outcome>> = vec![None; messages.len()];
        let mut waiting: Vec<_> = messages.iter().enumerate().collect();
        while !waiting.is_empty() {
            // The answer names numbers only, so a number can be in a call but once.
            let mut numbers = HashSet::new();
            let (call, later): (Vec<_>, Vec<_>) = waiting
                .into_iter()
                .partition(|(_, message)| numbers.insert(message.draft.recipient.as_str()));
            let group: Vec<_> = call.iter().map(|(_, message)| *message).collect();
            for ((index, _), outcome) in call.iter().zip(self.send_to_all(&group).await) {
                outcomes[*index] = Some(outcome);
            }
            waiting = later;
        }
        let missing = || unknown("the provider was not asked");
        outcomes.into_iter().map(|outcome| outcome.unwrap_or_else(missing)).collect()
    }

    async fn look_up(&self, _: &Message) -> LookUp {
        LookUp::Unavailable
    }

    async fn check(&self) -> Check {
        let Account { vendor, username } = &self.account;
        let request = vendor.get(&["version1", "user"]).query(&[("username", username)]);
        vendor.look(request, shown).await
    }

    fn can_be_answered(&self) -> bool {
        // Even a sender that is a name can be opted out of, and the vendor tells.
        true
    }

    fn receive(&self, callback: &Callback) -> Result<Received, CallbackRefused> {
        let form = self.account.verified(callback)?;
        callbacks::received(&form, self.account.vendor.now())
    }
}

impl AfricasTalking {
    /// Hands messages of the same text and sender to different numbers over: an outcome for each.
    async fn send_to_all(&self, messages: &[&Message]) -> Vec<Outcome> {
        let Some(first) = messages.first() else { return Vec::new() };
        let numbers: Vec<_> =
            messages.iter().map(|message| message.draft.recipient.as_str()).collect();
        let Account { vendor, username } = &self.account;
        let request = vendor.post(&["version1", "messaging"]).form(&Form {
            username,
            to: &numbers.join(","),
            message: &first.draft.body,
            from: vendor.sender(first),
            bulk_sms_mode: 1,
        });
        match vendor.call(request).await {
            Ok(answer) => codes::outcomes(&answer, &numbers),
            Err(outcome) => vec![outcome; messages.len()],
        }
    }
}

#[derive(Serialize)]
struct Form<'a> {
    username: &'a str,
    to: &'a str,
    message: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    from: Option<&'a str>,
    #[serde(rename = "bulkSMSMode")]
    bulk_sms_mode: u8,
}

#[derive(Deserialize)]
struct User {
    #[serde(rename = "UserData")]
    data: UserData,
}

#[derive(Deserialize)]
struct UserData {
    /// A currency and an amount, such as `GHS 12.50`.
    balance: Value,
}

/// What the balance shows.
fn shown(answer: &Answer) -> Check {
    let balance = answer.json::<User>().map(|user| user.data.balance).unwrap_or_default();
    let currency = balance.as_str().and_then(|text| text.split_whitespace().next());
    health::balance(amount(&balance), currency.unwrap_or_default(), LOW_BALANCE)
}

#[cfg(test)]
mod tests;
