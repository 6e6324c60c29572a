//! Changes of events.

use std::collections::BTreeMap;

use serde_json::Value;

use super::{
    Event,
    request::{
        checked_channels, checked_description, checked_fallback, checked_name, checked_retry,
        checked_sender, checked_templates, named,
    },
};
use crate::{
    content::template::{Template, TemplateChannel},
    shared::{change::Change, channel::Channel, country::Country, fault::Faults, id::Id},
};

/// Unchecked changes of an event. Absent fields stay unchanged. The slug never changes, since
/// programs refer to it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct EventUpdate {
    /// See [`Event::name`].
    pub name: Option<String>,
    /// See [`Event::description`].
    pub description: Change<String>,
    /// See [`Event::channel_priority`].
    pub channel_priority: Option<Vec<Channel>>,
    /// See [`Event::template`].
    pub template: Change<Id<Template>>,
    /// The new templates of single channels, replacing all others.
    pub templates: Change<BTreeMap<String, String>>,
    /// See [`Event::retry_rules`].
    pub retry_rules: Change<Value>,
    /// See [`Event::fallback_rules`].
    pub fallback_rules: Change<Value>,
    /// See [`Event::sender`].
    pub sender: Change<String>,
    /// See [`Event::country`].
    pub country: Change<Country>,
    /// See [`Event::is_active`].
    pub is_active: Option<bool>,
}

impl EventUpdate {
    /// Returns the readable identifiers among the templates that it names.
    pub fn template_ids(&self) -> Vec<Id<Template>> {
        let template = if let Change::Set(template) = &self.template { *template } else { None };
        let templates = if let Change::Set(it) = &self.templates { it.as_ref() } else { None };
        named(template, templates)
    }

    /// True if it names a sender, or channels. The sender has to fit them then, and not whenever
    /// something else changes: it may have lost its approval.
    pub const fn chooses_sender(&self) -> bool {
        matches!(self.sender, Change::Set(Some(_)))
            || self.channel_priority.is_some()
            || matches!(self.fallback_rules, Change::Set(_))
    }

    /// Returns the event after the changes. `known` holds the channels of the existing templates of
    /// the event and of the changes.
    pub fn apply(
        self,
        mut event: Event,
        known: &[(Id<Template>, TemplateChannel)],
    ) -> Result<Event, Faults> {
        let mut faults = Faults::default();
        if let Some(name) = &self.name {
            event.name = checked_name(name, &mut faults);
        }
        if let Change::Set(description) = self.description {
            event.description = checked_description(description, &mut faults);
        }
        if let Some(channels) = self.channel_priority {
            event.channel_priority = checked_channels(channels, &mut faults);
        }
        self.template.apply(&mut event.template);
        if let Change::Set(templates) = self.templates {
            event.templates = checked_templates(templates.unwrap_or_default(), &mut faults);
        }
        if let Change::Set(source) = self.retry_rules {
            event.retry_rules = checked_retry(source, &mut faults);
        }
        if let Change::Set(source) = self.fallback_rules {
            event.fallback_rules = checked_fallback(source, &mut faults);
        }
        if let Change::Set(sender) = self.sender {
            event.sender = checked_sender(sender, &mut faults);
        }
        self.country.apply(&mut event.country);
        event.is_active = self.is_active.unwrap_or(event.is_active);
        event.version += 1;
        if faults.is_empty() {
            faults = event.check_templates(known);
        }
        faults.or(event)
    }
}
