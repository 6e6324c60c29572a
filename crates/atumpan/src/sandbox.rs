//! Provider of sandbox messages.

use async_trait::async_trait;
use domain::{
    messaging::{
        message::Message,
        outcome::{FollowUp, LookUp, Outcome},
    },
    providers::provider::{Check, CheckStatus},
};
use ports::providers::provider::MessagingProvider;

/// Provider that takes every message and sends none.
pub(crate) struct Sandbox;

#[async_trait]
impl MessagingProvider for Sandbox {
    async fn send(&self, _: &Message) -> Outcome {
        Outcome::Accepted { reference: None, follow_up: FollowUp::Nothing }
    }

    async fn look_up(&self, _: &Message) -> LookUp {
        LookUp::Unavailable
    }

    async fn check(&self) -> Check {
        Check { status: CheckStatus::Up, message: "it sends nothing".to_owned() }
    }
}
