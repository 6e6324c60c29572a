//! Numbers of messages by time and one property, counted on request.

use std::{
    cmp::Reverse,
    collections::{BTreeMap, BTreeSet},
};

use chrono::{DateTime, Utc};
use domain::{
    identity::organization::Organization,
    messaging::{
        delivery::Status,
        message::{Message, Source},
    },
    platform::message_figures::{Dimension, FiguresQuery, MessageCounts, MessageFigure},
    shared::id::Id,
};

use crate::shared::store::MemoryStore;

/// Messages of one interval and value; no value stands for the rest.
type Counted = BTreeMap<(DateTime<Utc>, Option<String>), MessageCounts>;

impl MemoryStore {
    /// Returns the figures that a query asks for. Nothing here has a name.
    pub(super) fn message_figures(
        &self,
        organization: Id<Organization>,
        query: &FiguresQuery,
    ) -> Vec<MessageFigure> {
        let counted = self.counted(organization, query);
        let kept = most_used(&counted, query.values);
        let mut ranked = Counted::new();
        for ((at, value), counts) in counted {
            let value = value.filter(|value| kept.contains(value));
            ranked.entry((at, value)).or_default().add(&counts);
        }
        let mut figures = Vec::with_capacity(ranked.len());
        for ((at, value), counts) in ranked {
            figures.push(MessageFigure {
                at,
                is_other: value.is_none(),
                value: value.filter(|value| !value.is_empty()),
                name: None,
                counts,
            });
        }
        figures.sort_by_key(|figure| (figure.at, figure.is_other));
        figures
    }

    fn counted(&self, organization: Id<Organization>, query: &FiguresQuery) -> Counted {
        let state = self.state();
        let period = query.from..query.until;
        let mut counted = Counted::new();
        for message in state.messages.all() {
            let is_meant = message.organization == organization && !message.is_sandbox;
            if !is_meant || !period.contains(&message.created_at) {
                continue;
            }
            let Some(value) = value_of(message, query.by) else { continue };
            let at = query.interval.floor(message.created_at);
            counted.entry((at, Some(value))).or_default().add(&counts_of(message));
        }
        counted
    }
}

/// Returns the value of a message; empty if no provider has taken it.
fn value_of(message: &Message, by: Dimension) -> Option<String> {
    let status = message.delivery.status();
    match by {
        Dimension::Channel => Some(message.draft.channel.to_string()),
        Dimension::Campaign => message.source.and_then(Source::campaign).map(|id| id.to_string()),
        Dimension::Event => message.event.clone(),
        Dimension::Template => message.draft.template.map(|id| id.to_string()),
        Dimension::Provider => {
            Some(message.counted_provider(status).unwrap_or_default().to_owned())
        }
        Dimension::ErrorCode => {
            message.counted_failure(status).map(|code| code.as_str().to_owned())
        }
        Dimension::Country => message.counted_country().map(|country| country.as_str().to_owned()),
    }
}

fn counts_of(message: &Message) -> MessageCounts {
    let status = message.delivery.status();
    MessageCounts {
        sent: 1,
        delivered: u64::from(status == Status::Delivered),
        failed: u64::from(status == Status::Failed),
        segments: message.draft.segments.into(),
        cost: message.net_cost(),
    }
}

/// Returns the values with the most messages.
fn most_used(counted: &Counted, most: usize) -> BTreeSet<String> {
    let mut totals = BTreeMap::<&str, u64>::new();
    for ((_, value), counts) in counted {
        *totals.entry(value.as_deref().unwrap_or_default()).or_default() += counts.sent;
    }
    let mut values: Vec<(&str, u64)> = totals.into_iter().collect();
    values.sort_by_key(|(value, sent)| (Reverse(*sent), *value));
    values.into_iter().take(most).map(|(value, _)| value.to_owned()).collect()
}
