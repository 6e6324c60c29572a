//! Counts of messages, computed on request.

use std::collections::BTreeMap;

use async_trait::async_trait;
use chrono::{Datelike, NaiveDate};
use domain::{
    identity::organization::Organization,
    platform::{
        analytics::{Count, Period},
        message_figures::{FiguresQuery, MessageFigure},
    },
    shared::{id::Id, money::Money},
};
use ports::{platform::analytics::AnalyticsRepository, shared::store::StoreError};

use crate::shared::store::MemoryStore;

#[async_trait]
impl AnalyticsRepository for MemoryStore {
    async fn counts(
        &self,
        organization: Id<Organization>,
        since: NaiveDate,
        period: Period,
    ) -> Result<Vec<Count>, StoreError> {
        let state = self.state();
        let mut counts = BTreeMap::new();
        for message in state.messages.all() {
            let day = message.created_at.date_naive();
            if message.organization != organization || message.is_sandbox || day < since {
                continue;
            }
            let (channel, status) = (message.draft.channel, message.delivery.status());
            let since = first_day(day, period);
            let (messages, segments, cost) = (0, 0, Money::ZERO);
            let count = counts.entry((since, channel, status)).or_insert(Count {
                since,
                channel,
                status,
                messages,
                segments,
                cost,
            });
            count.messages += 1;
            count.segments += u64::from(message.draft.segments);
            count.cost += message.cost;
        }
        Ok(counts.into_values().collect())
    }

    async fn figures(
        &self,
        organization: Id<Organization>,
        query: &FiguresQuery,
    ) -> Result<Vec<MessageFigure>, StoreError> {
        Ok(self.message_figures(organization, query))
    }
}

fn first_day(day: NaiveDate, period: Period) -> NaiveDate {
    match period {
        Period::Day => day,
        Period::Month => day.with_day(1).unwrap_or(day),
    }
}
