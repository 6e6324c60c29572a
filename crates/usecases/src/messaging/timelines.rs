//! Timelines of messages.

use std::sync::Arc;

use derive_more::Constructor;
use domain::{
    identity::{caller::Caller, permission::Permission},
    messaging::{
        message::{Message, Source},
        timeline::{Entry, Surroundings},
    },
};
use ports::messaging::timelines::{Neighbours, TimelineRepository};

use crate::Error;

/// Operations on the timelines of messages.
#[derive(Clone, Constructor)]
pub struct Timelines {
    repository: Arc<dyn TimelineRepository>,
}

impl Timelines {
    /// Returns the timeline of a message that the caller has read, oldest entry first. Calls of webhooks
    /// are shown to those who may read the webhook endpoints.
    pub async fn of(&self, caller: &Caller, message: &Message) -> Result<Vec<Entry>, Error> {
        let neighbours = match message.source.and_then(Source::trigger) {
            Some(_) => self.repository.neighbours(message).await?,
            None => Neighbours::default(),
        };
        let deliveries = if caller.authorize(Permission::ReadIntegrations).is_ok() {
            self.repository.event_deliveries(message).await?
        } else {
            Vec::new()
        };
        let Neighbours { previous, next } = neighbours;
        Ok(message.timeline(&Surroundings { previous, next, deliveries }))
    }
}
