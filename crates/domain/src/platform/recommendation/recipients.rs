//! Recipients who get none of their messages.

use std::collections::BTreeMap;

use super::{Facts, NewMessage, Recommendation, RecommendationCode};
use crate::{
    messaging::delivery::{FailureCode, Status},
    platform::analytics::number,
};

/// Minimum number of failed messages to a recipient.
const LEAST_FAILED: u64 = 3;

/// Outcomes of the messages to one recipient.
#[derive(Default)]
struct Attempts {
    in_vain: u64,
    /// True if a message arrived or may still arrive, or the recipient was suppressed.
    is_settled: bool,
}

pub(super) fn recommend(facts: &Facts) -> Option<Recommendation> {
    let mut recipients = BTreeMap::<_, Attempts>::new();
    for message in &facts.newest {
        let recipient = (message.channel, message.recipient.as_str());
        recipients.entry(recipient).or_default().add(message);
    }
    let in_vain = |attempts: &&Attempts| !attempts.is_settled && attempts.in_vain >= LEAST_FAILED;
    let (mut count, mut messages) = (0, 0);
    for attempts in recipients.values().filter(in_vain) {
        count += 1;
        messages += attempts.in_vain;
    }
    let subject = match count {
        0 => return None,
        1 => "One recipient gets".to_owned(),
        _ => format!("{count} recipients get"),
    };
    Some(Recommendation {
        code: RecommendationCode::UnreachableRecipients,
        title: format!("{subject} no messages"),
        message: format!(
            "{subject} none of the messages that are sent to them: {messages} of the newest ones failed, \
             and none arrived. `GET /analytics/failures` shows the last failures. Correct the addresses, \
             or suppress them.",
        ),
        value: number(count),
        messages_at_stake: facts.scaled(messages),
    })
}

impl Attempts {
    fn add(&mut self, message: &NewMessage) {
        match (message.status, message.failure) {
            (Status::Failed, Some(FailureCode::RecipientSuppressed)) | (Status::Delivered, _) => {
                self.is_settled = true;
            }
            (Status::Failed, Some(code)) if is_of_recipient(code) => self.in_vain += 1,
            // A provider has the message and has not reported a failure.
            (Status::Sent, None) => self.is_settled = true,
            _ => {}
        }
    }
}

/// True if the code concerns the recipient rather than a route, a provider or the message.
const fn is_of_recipient(code: FailureCode) -> bool {
    matches!(
        code,
        FailureCode::InvalidRecipient
            | FailureCode::RecipientOptedOut
            | FailureCode::DeviceUnregistered
            | FailureCode::RecipientUnreachable
            | FailureCode::Undelivered
    )
}
