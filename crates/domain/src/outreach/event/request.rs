//! Requests for events.

use std::collections::BTreeMap;

use chrono::{DateTime, Utc};
use serde_json::Value;

use super::{Event, EventRetryRules, FallbackRules, check_slug, rules::distinct};
use crate::{
    content::template::{Template, TemplateChannel},
    identity::organization::Organization,
    messaging::message::check_sender,
    shared::{channel::Channel, country::Country, fault::Faults, id::Id, text},
};

/// Maximum length of a name, in characters.
const MAX_NAME: usize = 200;
/// Maximum length of a description, in characters.
const MAX_DESCRIPTION: usize = 1_000;

/// An unchecked request for an event.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct EventRequest {
    /// Name for people. Required.
    pub name: Option<String>,
    /// Name for programs. Required.
    pub slug: Option<String>,
    /// See [`Event::description`].
    pub description: Option<String>,
    /// See [`Event::channel_priority`]; SMS, if absent.
    pub channel_priority: Option<Vec<Channel>>,
    /// See [`Event::template`].
    pub template: Option<Id<Template>>,
    /// See [`Event::templates`]: names of channels, and identifiers.
    pub templates: Option<BTreeMap<String, String>>,
    /// See [`Event::retry_rules`].
    pub retry_rules: Option<Value>,
    /// See [`Event::fallback_rules`].
    pub fallback_rules: Option<Value>,
    /// See [`Event::sender`].
    pub sender: Option<String>,
    /// See [`Event::country`].
    pub country: Option<Country>,
    /// True if it may be triggered; the default.
    pub is_active: Option<bool>,
}

impl EventRequest {
    /// Returns the readable identifiers among the templates that it names.
    pub fn template_ids(&self) -> Vec<Id<Template>> {
        named(self.template, self.templates.as_ref())
    }

    /// Returns the requested event. `known` holds the channels of those of its templates that exist.
    pub fn event(
        self,
        organization: Id<Organization>,
        known: &[(Id<Template>, TemplateChannel)],
        now: DateTime<Utc>,
    ) -> Result<Event, Faults> {
        let mut faults = Faults::default();
        if self.name.is_none() {
            faults.add("name", "is required");
        }
        if self.slug.is_none() {
            faults.add("slug", "is required");
        }
        let event = Event {
            id: Id::new_in(now, organization),
            organization,
            name: self.name.map(|it| checked_name(&it, &mut faults)).unwrap_or_default(),
            slug: self.slug.map(|it| checked_slug(it, &mut faults)).unwrap_or_default(),
            description: checked_description(self.description, &mut faults),
            channel_priority: match self.channel_priority {
                Some(channels) => checked_channels(channels, &mut faults),
                None => vec![Channel::Sms],
            },
            template: self.template,
            templates: checked_templates(self.templates.unwrap_or_default(), &mut faults),
            retry_rules: checked_retry(self.retry_rules, &mut faults),
            fallback_rules: checked_fallback(self.fallback_rules, &mut faults),
            sender: checked_sender(self.sender, &mut faults),
            country: self.country,
            is_active: self.is_active.unwrap_or(true),
            version: 1,
            created_at: now,
        };
        if faults.is_empty() {
            faults = event.check_templates(known);
        }
        faults.or(event)
    }
}

/// Returns the readable identifiers among the templates that a request names.
pub(super) fn named(
    template: Option<Id<Template>>,
    templates: Option<&BTreeMap<String, String>>,
) -> Vec<Id<Template>> {
    let mut ids: Vec<_> = template.into_iter().collect();
    ids.extend(
        templates.into_iter().flatten().filter_map(|(_, id)| id.parse::<Id<Template>>().ok()),
    );
    ids.sort_unstable();
    ids.dedup();
    ids
}

pub(super) fn checked_name(name: &str, faults: &mut Faults) -> String {
    faults.take("name", text::line(name, MAX_NAME)).unwrap_or_default()
}

fn checked_slug(slug: String, faults: &mut Faults) -> String {
    faults.take("slug", check_slug(&slug));
    slug
}

pub(super) fn checked_description(text: Option<String>, faults: &mut Faults) -> Option<String> {
    let text = text?;
    faults.take("description", text::without_nul(&text))?;
    if text.chars().count() > MAX_DESCRIPTION {
        faults.add("description", format!("must have at most {MAX_DESCRIPTION} characters"));
    }
    Some(text)
}

pub(super) fn checked_sender(sender: Option<String>, faults: &mut Faults) -> Option<String> {
    let sender = sender?;
    faults.take("senderId", check_sender(None, &sender))?;
    Some(sender)
}

pub(super) fn checked_channels(channels: Vec<Channel>, faults: &mut Faults) -> Vec<Channel> {
    if channels.is_empty() {
        faults.add("channelPriority", "must have at least 1 item");
    }
    distinct(&channels, "channelPriority", faults);
    channels
}

pub(super) fn checked_templates(
    templates: BTreeMap<String, String>,
    faults: &mut Faults,
) -> BTreeMap<Channel, Id<Template>> {
    let mut checked = BTreeMap::new();
    for (channel, id) in templates {
        let path = format!("templates.{channel}");
        let channel: Option<Channel> = faults.take(&path, channel.parse());
        let id: Option<Id<Template>> = faults.take(&path, id.parse());
        checked.extend(channel.zip(id));
    }
    checked
}

pub(super) fn checked_retry(source: Option<Value>, faults: &mut Faults) -> Option<EventRetryRules> {
    let found = EventRetryRules::parse(source?);
    found.map_err(|found| faults.merge("retryRules", found)).ok()
}

pub(super) fn checked_fallback(
    source: Option<Value>,
    faults: &mut Faults,
) -> Option<FallbackRules> {
    let found = FallbackRules::parse(source?);
    found.map_err(|found| faults.merge("fallbackRules", found)).ok()
}
