//! The parts of an event that programs read: its slug and its rules.

use std::{collections::BTreeSet, ops::RangeInclusive};

use chrono::TimeDelta;
use serde_json::{Map, Value};

use crate::{
    messaging::{delivery::Status, retry::RetryRules},
    shared::{channel::Channel, fault::Faults},
};

/// Maximum length of a slug, in characters.
const MAX_SLUG: usize = 100;
/// Maximum length of rules, in bytes of JSON.
const MAX_RULES: usize = 4_096;
/// Allowed number of rounds in which a provider is called.
const ATTEMPTS: RangeInclusive<i64> = 1..=100;
/// Allowed number of seconds between two rounds.
const BACKOFF: RangeInclusive<i64> = 1..=3_600;
/// Allowed number of seconds to wait for a channel.
const AFTER: RangeInclusive<i64> = 1..=259_200;

/// The text is not a slug.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("must be 1 to {MAX_SLUG} of the characters a to z, 0 to 9, `.`, `_` and `-`")]
pub struct InvalidSlug;

/// Checks a slug.
pub fn check_slug(text: &str) -> Result<(), InvalidSlug> {
    let is_of_slugs = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || "._-".contains(c);
    let is_slug = (1..=MAX_SLUG).contains(&text.len()) && text.chars().all(is_of_slugs);
    if is_slug { Ok(()) } else { Err(InvalidSlug) }
}

/// The time to wait for a channel before the next one is tried. A channel whose message fails is
/// not waited for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Wait {
    /// Time from the acceptance of its message; `None` to wait without end.
    pub after: Option<TimeDelta>,
    /// Status that its message must reach by then: `SENT` or `DELIVERED`.
    pub until: Status,
}

impl Default for Wait {
    fn default() -> Self {
        Self { after: None, until: Status::Delivered }
    }
}

/// Rules for retries of an event's messages, with their source.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EventRetryRules {
    source: Value,
    /// The part of the rules that the service understands.
    pub(super) rules: RetryRules,
}

impl EventRetryRules {
    /// Parses the rules in the field `retryRules`. Unknown keys are kept.
    pub fn parse(source: Value) -> Result<Self, Faults> {
        let mut faults = Faults::default();
        let known = object(&source, &mut faults);
        let attempts = whole_number(known, "maxAttempts", &ATTEMPTS, &mut faults);
        let backoff = whole_number(known, "backoffSeconds", &BACKOFF, &mut faults);
        let rules = RetryRules {
            max_attempts: attempts.and_then(|it| it.try_into().ok()),
            backoff_seconds: backoff.and_then(|it| it.try_into().ok()),
        };
        faults.or(Self { source, rules })
    }

    /// Returns the rules as they were written.
    pub fn source(&self) -> &Value {
        &self.source
    }
}

/// The channels that are tried after the others, and their timing, with their source.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FallbackRules {
    source: Value,
    pub(super) channels: Vec<Channel>,
    pub(super) wait: Wait,
}

impl FallbackRules {
    /// Parses the rules in the field `fallbackRules`. Unknown keys are kept.
    pub fn parse(source: Value) -> Result<Self, Faults> {
        let mut faults = Faults::default();
        let known = object(&source, &mut faults);
        let channels = known.and_then(|known| known.get("channels"));
        let channels = channels.map(|value| channels_of(value, &mut faults)).unwrap_or_default();
        let after = whole_number(known, "afterSeconds", &AFTER, &mut faults);
        let until = known.and_then(|known| known.get("untilStatus"));
        let until = until.and_then(|value| status_of(value, &mut faults));
        let wait = Wait {
            after: after.map(TimeDelta::seconds),
            until: until.unwrap_or(Status::Delivered),
        };
        faults.or(Self { source, channels, wait })
    }

    /// Returns the rules as they were written.
    pub fn source(&self) -> &Value {
        &self.source
    }
}

fn object<'v>(source: &'v Value, faults: &mut Faults) -> Option<&'v Map<String, Value>> {
    let text = source.to_string();
    if text.len() > MAX_RULES {
        faults.form.push(format!("must have at most {MAX_RULES} bytes of JSON"));
    }
    if text.contains("\\u0000") {
        faults.form.push("must not contain the character NUL".to_owned());
    }
    let object = source.as_object();
    if object.is_none() {
        faults.form.push("must be an object".to_owned());
    }
    object
}

/// Checks that each channel occurs once.
pub(super) fn distinct(channels: &[Channel], path: &str, faults: &mut Faults) {
    let mut known = BTreeSet::new();
    for (at, channel) in channels.iter().enumerate() {
        if !known.insert(channel) {
            faults.add(format!("{path}.{at}"), "is there already");
        }
    }
}

fn channels_of(value: &Value, faults: &mut Faults) -> Vec<Channel> {
    let Some(items) = value.as_array() else {
        faults.add("channels", "must be an array");
        return Vec::new();
    };
    let mut channels = Vec::with_capacity(items.len());
    for (at, item) in items.iter().enumerate() {
        let path = format!("channels.{at}");
        match item.as_str() {
            Some(name) => channels.extend(faults.take::<Channel, _>(&path, name.parse())),
            None => faults.add(path, "must be a string"),
        }
    }
    if channels.len() == items.len() {
        distinct(&channels, "channels", faults);
    }
    channels
}

fn status_of(value: &Value, faults: &mut Faults) -> Option<Status> {
    match value.as_str() {
        Some("SENT") => Some(Status::Sent),
        Some("DELIVERED") => Some(Status::Delivered),
        _ => {
            faults.add("untilStatus", "must be one of SENT, DELIVERED");
            None
        }
    }
}

fn whole_number(
    known: Option<&Map<String, Value>>,
    name: &str,
    allowed: &RangeInclusive<i64>,
    faults: &mut Faults,
) -> Option<i64> {
    let number = known?.get(name)?.as_i64().filter(|number| allowed.contains(number));
    if number.is_none() {
        let (least, most) = (allowed.start(), allowed.end());
        faults.add(name, format!("must be a whole number from {least} to {most}"));
    }
    number
}
