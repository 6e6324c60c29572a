//! Events: occasions on which organizations notify people, and their channels.
//!
//! ```
//! use domain::outreach::event::check_slug;
//!
//! assert!(check_slug("order-shipped").is_ok() && check_slug("Order shipped!").is_err());
//! ```

mod filter;
mod request;
mod rules;
mod texts;
mod update;

use std::collections::BTreeMap;

use chrono::{DateTime, Utc};

pub use self::{
    filter::EventFilter,
    request::EventRequest,
    rules::{EventRetryRules, FallbackRules, InvalidSlug, Wait, check_slug},
    texts::{EventTexts, NotReady},
    update::EventUpdate,
};
use crate::{
    content::template::{Template, TemplateChannel},
    identity::{organization::Organization, policy::Policy},
    messaging::{message::check_sender, retry::RetryRules},
    shared::{channel::Channel, country::Country, fault::Faults, id::Id},
};

/// Maximum number of events of an organization.
pub const MAX_EVENTS: u64 = 200;

/// An occasion on which an organization notifies people.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Event {
    /// Identifier of the event.
    pub id: Id<Event>,
    /// Organization that it belongs to.
    pub organization: Id<Organization>,
    /// Name for people.
    pub name: String,
    /// Name for programs, unique within the organization.
    pub slug: String,
    /// Purpose of the event.
    pub description: Option<String>,
    /// Channels that are tried first, in order.
    pub channel_priority: Vec<Channel>,
    /// Template for all channels without one of their own.
    pub template: Option<Id<Template>>,
    /// Templates of single channels.
    pub templates: BTreeMap<Channel, Id<Template>>,
    /// Rules for retries of its messages; `None` for the usual ones.
    pub retry_rules: Option<EventRetryRules>,
    /// Channels that are tried after the first ones, and their timing.
    pub fallback_rules: Option<FallbackRules>,
    /// Sender of its messages on the channels that can have it, unless a trigger names another.
    pub sender: Option<String>,
    /// Country whose numbers may be written without calling code, unless a trigger names another.
    pub country: Option<Country>,
    /// True if it may be triggered.
    pub is_active: bool,
    /// Number of changes plus one.
    pub version: i32,
    /// Time of creation.
    pub created_at: DateTime<Utc>,
}

/// An event with the templates that it names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LinkedEvent {
    /// The event.
    pub event: Event,
    /// Templates that it names, in no order.
    pub templates: Vec<Template>,
}

impl Event {
    /// Returns the channels in the order in which they are tried, each once.
    pub fn channels(&self) -> Vec<Channel> {
        let fallback = self.fallback_rules.iter().flat_map(|rules| &rules.channels);
        let mut channels = Vec::new();
        for channel in self.channel_priority.iter().chain(fallback) {
            if !channels.contains(channel) {
                channels.push(*channel);
            }
        }
        channels
    }

    /// Returns the template for the text on a channel.
    pub fn template_of(&self, channel: Channel) -> Option<Id<Template>> {
        self.templates.get(&channel).copied().or(self.template)
    }

    /// Returns the templates that it names, each once.
    pub fn template_ids(&self) -> Vec<Id<Template>> {
        let mut ids: Vec<_> = self.template.into_iter().collect();
        ids.extend(self.templates.values());
        ids.sort_unstable();
        ids.dedup();
        ids
    }

    /// Returns the rules for retries of its messages; `None` for the usual ones.
    pub fn retry(&self) -> Option<RetryRules> {
        self.retry_rules.as_ref().map(|written| written.rules)
    }

    /// Returns the time to wait for a channel before the next one is tried.
    pub fn wait(&self) -> Wait {
        self.fallback_rules.as_ref().map(|rules| rules.wait).unwrap_or_default()
    }

    /// Returns everything that is wrong with its sender under the policy.
    pub fn sender_faults(&self, policy: &Policy) -> Faults {
        let mut faults = Faults::default();
        if let Some(sender) = &self.sender {
            let mut channels = self.channels().into_iter();
            if !channels.any(|channel| may_have(channel, sender, policy)) {
                faults.add("senderId", NO_SENDER);
            }
        }
        faults
    }

    /// Returns everything that is wrong with the choice of templates. `known` holds the channels of
    /// those that exist.
    fn check_templates(&self, known: &[(Id<Template>, TemplateChannel)]) -> Faults {
        let mut faults = Faults::default();
        let find = |id: Id<Template>| known.iter().find(|(other, _)| *other == id);
        if self.template.is_some_and(|id| find(id).is_none()) {
            faults.add("templateId", NO_TEMPLATE);
        }
        for (channel, id) in &self.templates {
            let path = format!("templates.{channel}");
            match find(*id) {
                None => faults.add(path, NO_TEMPLATE),
                Some((_, other)) if *other != TemplateChannel::from(*channel) => {
                    faults.add(path, "is a template of another channel");
                }
                Some(_) => {}
            }
        }
        let channels = self.channels();
        for channel in self.templates.keys().filter(|channel| !channels.contains(channel)) {
            faults.add(format!("templates.{channel}"), "is not a channel of this event");
        }
        if self.template.is_none() && !self.templates.is_empty() {
            let without = channels.iter().filter(|channel| !self.templates.contains_key(channel));
            for channel in without {
                faults.add(
                    "templates",
                    format!("must have one for {channel}, or templateId be there"),
                );
            }
        }
        faults
    }
}

/// True if a message on the channel may have the sender, in at least one country.
pub(super) fn may_have(channel: Channel, sender: &str, policy: &Policy) -> bool {
    channel.takes_phone_numbers()
        && check_sender(Some(channel), sender).is_ok()
        && policy.senders.has(channel, sender)
}

/// Fault of a sender that no channel of an event may have.
pub(super) const NO_SENDER: &str = "must be a sender that a channel of the event may have";
const NO_TEMPLATE: &str = "is not a template of this organization";

#[cfg(test)]
mod tests;
