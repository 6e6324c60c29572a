//! Provider whose calls all run on one runtime.
//!
//! A connection is driven by the runtime that opened it, and ends with it. The runtime of a thread
//! that serves requests ends before the workers, which share its connections: their calls would
//! break off, and the messages would be sent twice. For the same reason, a call continues if its
//! caller is dropped.

use std::{panic::resume_unwind, sync::Arc};

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
use tokio::runtime::Handle;
use tracing::Instrument;

use crate::{health, verdict::unknown};

/// Provider, and the runtime of its calls.
struct RuntimeBound {
    adapter: Arc<dyn MessagingProvider>,
    runtime: Handle,
}

/// Wraps an adapter so that all its calls run on `runtime`, which must outlive the callers.
pub(crate) fn runtime_bound(
    adapter: Arc<dyn MessagingProvider>,
    runtime: Handle,
) -> Arc<dyn MessagingProvider> {
    Arc::new(RuntimeBound { adapter, runtime })
}

impl RuntimeBound {
    /// Runs a call to its end, even if the caller is dropped. `None` if the runtime ends first.
    async fn run<T, C>(&self, call: impl FnOnce(Arc<dyn MessagingProvider>) -> C) -> Option<T>
    where
        T: Send + 'static,
        C: Future<Output = T> + Send + 'static,
    {
        let call = call(Arc::clone(&self.adapter)).in_current_span();
        match self.runtime.spawn(call).await.map_err(tokio::task::JoinError::try_into_panic) {
            Ok(result) => Some(result),
            Err(Ok(panic)) => resume_unwind(panic),
            Err(Err(_)) => None,
        }
    }
}

/// Returns the outcome of a call whose runtime ended before the response arrived.
fn cut_off() -> Outcome {
    unknown("the service stopped before the provider answered")
}

#[async_trait]
impl MessagingProvider for RuntimeBound {
    async fn send(&self, message: &Message) -> Outcome {
        let message = message.clone();
        let outcome = self.run(|adapter| async move { adapter.send(&message).await }).await;
        outcome.unwrap_or_else(cut_off)
    }

    fn group_limit(&self) -> usize {
        self.adapter.group_limit()
    }

    async fn send_group(&self, messages: &[Message]) -> Vec<Outcome> {
        let (count, messages) = (messages.len(), messages.to_vec());
        let outcomes = self.run(|adapter| async move { adapter.send_group(&messages).await }).await;
        outcomes.unwrap_or_else(|| vec![cut_off(); count])
    }

    async fn look_up(&self, message: &Message) -> LookUp {
        let message = message.clone();
        let found = self.run(|adapter| async move { adapter.look_up(&message).await }).await;
        found.unwrap_or(LookUp::Unavailable)
    }

    async fn check(&self) -> Check {
        let check = self.run(|adapter| async move { adapter.check().await }).await;
        check.unwrap_or_else(|| health::check_of(cut_off()))
    }

    fn can_be_answered(&self) -> bool {
        self.adapter.can_be_answered()
    }

    fn session_window(&self) -> Option<TimeDelta> {
        self.adapter.session_window()
    }

    fn receive(&self, callback: &Callback) -> Result<Received, CallbackRefused> {
        self.adapter.receive(callback)
    }

    fn read_out(&self, text: &str) -> CallbackAnswer {
        self.adapter.read_out(text)
    }
}
