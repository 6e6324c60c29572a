//! Fields of the form of an event.

use std::collections::BTreeMap;

use domain::{
    outreach::event::{Event, EventRequest, EventRetryRules, EventUpdate, FallbackRules},
    shared::{change::Change, channel::Channel, fault::Faults},
};
use serde_json::{Map, Value};

use crate::frame::{Form, Labels, Posted};

/// Beginning of the name of a channel's field for its place.
pub(super) const PLACE: &str = "place.";
/// Beginning of the name of a channel's field for its text.
pub(super) const TEXT: &str = "text.";

const AFTER: &str = "fallbackRules.afterSeconds";
const UNTIL: &str = "fallbackRules.untilStatus";
const ATTEMPTS: &str = "retryRules.maxAttempts";
const PAUSE: &str = "retryRules.backoffSeconds";

pub(super) const LABELS: Labels = &[
    ("name", "Name"),
    ("slug", "Name for programs"),
    ("description", "Description"),
    ("templates", "Channels"),
    ("templateId", "Text of the other channels"),
    (AFTER, "Time to wait"),
    (UNTIL, "State"),
    (ATTEMPTS, "Attempts"),
    (PAUSE, "Seconds between attempts"),
    ("senderId", "Sender"),
];

pub(super) fn blank() -> Form {
    Form::new(LABELS).with(&format!("{PLACE}{}", Channel::Sms), "1").with("isActive", "yes")
}

pub(super) fn of(event: &Event) -> Form {
    let rule = |source: Option<&Value>, name: &str| match source.and_then(|it| it.get(name)) {
        None => String::new(),
        Some(Value::String(text)) => text.clone(),
        Some(other) => other.to_string(),
    };
    let fallback = event.fallback_rules.as_ref().map(FallbackRules::source);
    let retry = event.retry_rules.as_ref().map(EventRetryRules::source);
    let template = event.template.map(|id| id.to_string());
    let mut form = Form::new(LABELS)
        .with("name", event.name.as_str())
        .with("description", event.description.as_deref().unwrap_or_default())
        .with("templateId", template.unwrap_or_default())
        .with(AFTER, rule(fallback, "afterSeconds"))
        .with(UNTIL, rule(fallback, "untilStatus"))
        .with(ATTEMPTS, rule(retry, "maxAttempts"))
        .with(PAUSE, rule(retry, "backoffSeconds"))
        .with("senderId", event.sender.as_deref().unwrap_or_default());
    for (place, channel) in (1..).zip(event.channels()) {
        form = form.with(&format!("{PLACE}{channel}"), u32::to_string(&place));
    }
    for (channel, id) in &event.templates {
        form = form.with(&format!("{TEXT}{channel}"), id.to_string());
    }
    if event.is_active { form.with("isActive", "yes") } else { form }
}

pub(super) fn request(posted: &Posted, faults: &mut Faults) -> EventRequest {
    let channels = channels(posted, faults);
    EventRequest {
        name: posted.text("name"),
        slug: posted.text("slug").or_else(|| posted.text("name").map(|name| slug_of(&name))),
        description: posted.text("description"),
        templates: Some(templates(posted, &channels, faults)),
        template: posted.parsed("templateId", faults),
        channel_priority: Some(channels),
        retry_rules: retry(posted, None),
        fallback_rules: fallback(posted, None),
        sender: posted.text("senderId"),
        country: None,
        is_active: Some(posted.is_set("isActive")),
    }
}

/// Reads the changes of an event. Rules that the form lacks stay as they are.
pub(super) fn update(posted: &Posted, present: &Event, faults: &mut Faults) -> EventUpdate {
    let channels = channels(posted, faults);
    let templates = templates(posted, &channels, faults);
    let fallback_source = present.fallback_rules.as_ref().map(FallbackRules::source);
    let mut fallback = fallback(posted, fallback_source);
    let is_same_order = channels == present.channels();
    if !is_same_order && let Some(rules) = fallback.as_mut().and_then(Value::as_object_mut) {
        // The order of all channels replaces both lists.
        rules.remove("channels");
    }
    let retry_source = present.retry_rules.as_ref().map(EventRetryRules::source);
    EventUpdate {
        name: Some(posted.raw("name").to_owned()),
        description: Change::Set(posted.text("description")),
        channel_priority: (!is_same_order).then_some(channels),
        template: Change::Set(posted.parsed("templateId", faults)),
        templates: Change::Set(Some(templates)),
        retry_rules: Change::Set(retry(posted, retry_source)),
        fallback_rules: Change::Set(fallback),
        sender: Change::Set(posted.text("senderId")),
        country: Change::Keep,
        is_active: Some(posted.is_set("isActive")),
    }
}

/// Returns the channels in the order of their places.
fn channels(posted: &Posted, faults: &mut Faults) -> Vec<Channel> {
    let mut placed: Vec<(u32, Channel)> = Vec::new();
    for channel in Channel::ALL {
        let place: Option<u32> = posted.parsed(&format!("{PLACE}{channel}"), faults);
        placed.extend(place.map(|place| (place, channel)));
    }
    placed.sort_by_key(|(place, _)| *place);
    let has_ties = placed.iter().zip(placed.iter().skip(1)).any(|(one, next)| one.0 == next.0);
    if placed.is_empty() {
        faults.add("templates", "must have a first one");
    } else if has_ties {
        faults.add("templates", "must have a place of their own each");
    }
    placed.into_iter().map(|(_, channel)| channel).collect()
}

/// Returns the templates of the channels by their names.
fn templates(
    posted: &Posted,
    channels: &[Channel],
    faults: &mut Faults,
) -> BTreeMap<String, String> {
    let mut templates = BTreeMap::new();
    for channel in channels {
        match posted.text(&format!("{TEXT}{channel}")) {
            Some(id) => {
                templates.insert(channel.to_string(), id);
            }
            None if posted.text("templateId").is_none() => {
                faults.add("templates", "must have a text each, or a text for the others");
            }
            None => {}
        }
    }
    templates
}

fn retry(posted: &Posted, present: Option<&Value>) -> Option<Value> {
    let values = [
        ("maxAttempts", posted.text(ATTEMPTS).map(number)),
        ("backoffSeconds", posted.text(PAUSE).map(number)),
    ];
    changed(present, values)
}

fn fallback(posted: &Posted, present: Option<&Value>) -> Option<Value> {
    let after = posted.text(AFTER).map(number);
    let until = posted.text(UNTIL).filter(|_| after.is_some()).map(Value::String);
    changed(present, [("afterSeconds", after), ("untilStatus", until)])
}

/// Returns rules with these values; `None` if they are empty then.
fn changed(present: Option<&Value>, values: [(&str, Option<Value>); 2]) -> Option<Value> {
    let mut rules: Map<String, Value> =
        present.and_then(Value::as_object).cloned().unwrap_or_default();
    for (name, value) in values {
        match value {
            Some(value) => {
                rules.insert(name.to_owned(), value);
            }
            None => {
                rules.remove(name);
            }
        }
    }
    if rules.is_empty() { None } else { Some(Value::Object(rules)) }
}

/// Returns a number. A text that is none is refused by the rules.
fn number(text: String) -> Value {
    text.parse::<i64>().map_or(Value::String(text), Value::from)
}

/// Returns a name for programs: letters and digits of a name, with dots between words.
fn slug_of(name: &str) -> String {
    let words = name.split(|c: char| !c.is_ascii_alphanumeric()).filter(|word| !word.is_empty());
    let words: Vec<_> = words.map(str::to_ascii_lowercase).collect();
    words.join(".").chars().take(100).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn the_name_for_programs_comes_from_the_name() {
        for (name, expected) in [
            ("Order ready", "order.ready"),
            ("  Parcel – arrived! ", "parcel.arrived"),
            ("2FA code", "2fa.code"),
            ("₵₵₵", ""),
        ] {
            assert_eq!(slug_of(name), expected, "{name}");
        }
        assert_eq!(slug_of(&"a".repeat(300)).len(), 100);
    }

    #[test]
    fn rules_keep_what_the_form_does_not_know() {
        let present = json!({ "channels": ["EMAIL"], "afterSeconds": 60, "note": "x" });
        let after = ("afterSeconds", Some(number("300".into())));

        let rules = changed(Some(&present), [after, ("untilStatus", None)]).unwrap();

        assert_eq!(rules, json!({ "channels": ["EMAIL"], "afterSeconds": 300, "note": "x" }));
        let none = [("afterSeconds", None), ("untilStatus", None)];
        assert_eq!(changed(Some(&json!({ "afterSeconds": 60 })), none), None);
        assert_eq!(number("many".into()), json!("many"));
    }
}
