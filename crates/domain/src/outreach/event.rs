//! Events: what organizations notify of, and over which channels.

mod request;
mod rules;
mod texts;
mod update;

use std::collections::BTreeMap;

use chrono::{DateTime, Utc};

pub use self::{
    request::EventRequest,
    rules::{EventRetryRules, FallbackRules, InvalidSlug, Wait, check_slug},
    texts::{EventTexts, NotReady},
    update::EventUpdate,
};
use crate::{
    content::template::{Template, TemplateChannel},
    identity::organization::Organization,
    messaging::retry::RetryRules,
    shared::{channel::Channel, fault::Faults, id::Id},
};

/// How many events an organization may have.
pub const MAX_EVENTS: u64 = 200;

/// Something of which an organization notifies people.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Event {
    /// Which event this is.
    pub id: Id<Event>,
    /// Whose it is.
    pub organization: Id<Organization>,
    /// Its name, for people.
    pub name: String,
    /// Its name, for programs. An organization has it once.
    pub slug: String,
    /// What it is for.
    pub description: Option<String>,
    /// The channels that are tried first, in their order.
    pub channel_priority: Vec<Channel>,
    /// The template of all channels that have none of their own.
    pub template: Option<Id<Template>>,
    /// The templates of single channels.
    pub templates: BTreeMap<Channel, Id<Template>>,
    /// How its messages are tried, where it says so.
    pub retry_rules: Option<EventRetryRules>,
    /// The channels that are tried after those, and when.
    pub fallback_rules: Option<FallbackRules>,
    /// Whether it may be triggered.
    pub is_active: bool,
    /// How often it was changed, and one.
    pub version: i32,
    /// When it was made.
    pub created_at: DateTime<Utc>,
}

/// An event with the templates that it names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LinkedEvent {
    /// The event.
    pub event: Event,
    /// The templates, in no order.
    pub templates: Vec<Template>,
}

impl Event {
    /// The channels in the order in which they are tried, each once.
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

    /// The template that gives the text on a channel.
    pub fn template_of(&self, channel: Channel) -> Option<Id<Template>> {
        self.templates.get(&channel).copied().or(self.template)
    }

    /// The templates that it names, each once.
    pub fn template_ids(&self) -> Vec<Id<Template>> {
        let mut ids: Vec<_> = self.template.into_iter().collect();
        ids.extend(self.templates.values());
        ids.sort_unstable();
        ids.dedup();
        ids
    }

    /// How its messages are tried, if not as usual.
    pub fn retry(&self) -> Option<RetryRules> {
        self.retry_rules.as_ref().map(|written| written.rules)
    }

    /// How long a channel is waited for before the next one is tried.
    pub fn wait(&self) -> Wait {
        self.fallback_rules.as_ref().map(|rules| rules.wait).unwrap_or_default()
    }

    /// What is wrong with the templates, as far as that follows from what they are. `known` holds the
    /// channels of those that exist.
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

const NO_TEMPLATE: &str = "is not a template of this organization";

#[cfg(test)]
mod tests;
