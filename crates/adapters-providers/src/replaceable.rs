//! Provider whose adapter is replaced while it is in use, as when a credential changes.

use std::sync::{Arc, PoisonError, RwLock};

use async_trait::async_trait;
use chrono::TimeDelta;
use domain::{
    messaging::{
        callback::{Callback, CallbackAnswer, CallbackRefused, Received},
        message::Message,
        outcome::{LookUp, Outcome},
    },
    providers::provider::Check,
};
use ports::providers::provider::MessagingProvider;

/// Place of an adapter. A call that has begun ends with the adapter with which it began.
#[derive(Clone)]
pub struct AdapterSlot(Arc<RwLock<Arc<dyn MessagingProvider>>>);

impl AdapterSlot {
    /// Creates a place with this adapter in it.
    pub(crate) fn new(adapter: Arc<dyn MessagingProvider>) -> Self {
        Self(Arc::new(RwLock::new(adapter)))
    }

    /// Replaces the adapter for all calls that begin from now on.
    pub fn put(&self, adapter: Arc<dyn MessagingProvider>) {
        *self.0.write().unwrap_or_else(PoisonError::into_inner) = adapter;
    }

    fn current(&self) -> Arc<dyn MessagingProvider> {
        Arc::clone(&self.0.read().unwrap_or_else(PoisonError::into_inner))
    }
}

#[async_trait]
impl MessagingProvider for AdapterSlot {
    async fn send(&self, message: &Message) -> Outcome {
        self.current().send(message).await
    }

    fn group_limit(&self) -> usize {
        self.current().group_limit()
    }

    async fn send_group(&self, messages: &[Message]) -> Vec<Outcome> {
        self.current().send_group(messages).await
    }

    async fn look_up(&self, message: &Message) -> LookUp {
        self.current().look_up(message).await
    }

    async fn check(&self) -> Check {
        self.current().check().await
    }

    fn can_be_answered(&self) -> bool {
        self.current().can_be_answered()
    }

    fn session_window(&self) -> Option<TimeDelta> {
        self.current().session_window()
    }

    fn receive(&self, callback: &Callback) -> Result<Received, CallbackRefused> {
        self.current().receive(callback)
    }

    fn read_out(&self, text: &str) -> CallbackAnswer {
        self.current().read_out(text)
    }
}

#[cfg(test)]
mod tests {
    use domain::shared::channel::Channel;

    use super::*;
    use crate::{
        build_adapter, build_replaceable,
        fixture::{callback, declared, deps},
    };

    fn accepts(provider: &dyn MessagingProvider, secret: &str) -> bool {
        let proof = Callback {
            method: domain::messaging::callback::CallbackMethod::Get,
            ..callback(
                &[("hub.mode", "subscribe"), ("hub.challenge", "7"), ("hub.verify_token", secret)],
                "",
            )
        };
        provider.receive(&proof).is_ok()
    }

    #[test]
    fn a_replaced_adapter_has_the_new_credentials_behind_the_same_limits() {
        let with = |verify_token| {
            let credentials = [
                ("phone_number_id", "1"),
                ("access_token", "a"),
                ("app_secret", "s"),
                ("verify_token", verify_token),
            ];
            declared("whatsapp-cloud", Channel::WhatsApp, &credentials)
        };
        let (old, new) = (with("old"), with("new"));
        let (_, provider, slot) = build_replaceable(&old, &deps()).unwrap();
        assert!(accepts(&*provider, "old") && !accepts(&*provider, "new"));

        slot.put(build_adapter(&old.renewed_by(&new), &deps()).unwrap());

        assert!(accepts(&*provider, "new") && !accepts(&*provider, "old"));
    }
}
