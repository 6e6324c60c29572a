//! Tests of the rules of events.

use chrono::TimeDelta;
use serde_json::{Value, json};

use super::*;
use crate::{
    content::template::TemplateText,
    identity::organization::PLATFORM,
    messaging::delivery::Status,
    shared::{category::Category, change::Change},
};

const NOW: DateTime<Utc> = DateTime::from_timestamp_nanos(1_700_000_000_000_000_000);

fn id(number: u8) -> Id<Template> {
    format!("018bcfe5-6800-7000-8000-0000000000{number:02}").parse().unwrap()
}

/// Returns an SMS template, a mail template, and a text for in-app messages.
fn known() -> Vec<(Id<Template>, TemplateChannel)> {
    vec![
        (id(1), Channel::Sms.into()),
        (id(2), Channel::Email.into()),
        (id(3), TemplateChannel::InApp),
    ]
}

fn request() -> EventRequest {
    EventRequest {
        name: Some("Parcel".into()),
        slug: Some("parcel.arrived".into()),
        template: Some(id(1)),
        ..EventRequest::default()
    }
}

fn made(request: EventRequest) -> Result<Event, Faults> {
    request.event(PLATFORM, &known(), NOW)
}

fn paths(request: EventRequest) -> Vec<String> {
    made(request).unwrap_err().fields.into_keys().collect()
}

fn fallback(rules: Value) -> EventRequest {
    EventRequest { fallback_rules: Some(rules), ..request() }
}

fn text(id: Id<Template>, channel: TemplateChannel) -> TemplateText {
    TemplateText {
        id,
        channel,
        category: Category::Transactional,
        subject: Some("Your parcel".into()),
        body: "It is here, {{name}}".into(),
        format: None,
        vendor_template: None,
        value_rules: crate::content::template::ValueRules::default(),
        is_approved: true,
    }
}

#[test]
fn an_event_needs_a_name_and_a_slug_and_defaults_to_sms() {
    let event = made(request()).unwrap();
    assert_eq!((event.channels(), event.is_active), (vec![Channel::Sms], true));
    assert_eq!(event.wait(), Wait { after: None, until: Status::Delivered });
    assert_eq!(paths(EventRequest::default()), ["name", "slug"]);
    for slug in ["", "Parcel", "a b", "ɔ", &"a".repeat(101)] {
        let request = EventRequest { slug: Some(slug.to_owned()), ..request() };
        assert_eq!(paths(request), ["slug"], "{slug}");
    }
}

#[test]
fn a_channel_is_tried_once_though_it_is_a_fallback_too() {
    let channels = json!({"channels": ["EMAIL", "SMS", "PUSH"], "note": "kept"});
    let event = made(fallback(channels.clone())).unwrap();
    assert_eq!(event.channels(), [Channel::Sms, Channel::Email, Channel::Push]);
    assert_eq!(event.fallback_rules.unwrap().source(), &channels);
}

#[test]
fn rules_are_checked_as_far_as_they_are_known() {
    for (rules, path) in [
        (json!("SMS"), "fallbackRules"),
        (json!({"channels": "SMS"}), "fallbackRules.channels"),
        (json!({"channels": ["SMS", "PIGEON"]}), "fallbackRules.channels.1"),
        (json!({"channels": ["EMAIL", "EMAIL"]}), "fallbackRules.channels.1"),
        (json!({"afterSeconds": 0}), "fallbackRules.afterSeconds"),
        (json!({"afterSeconds": 1.5}), "fallbackRules.afterSeconds"),
        (json!({"untilStatus": "FAILED"}), "fallbackRules.untilStatus"),
        (json!({"note": "\0"}), "fallbackRules"),
        (json!({"note": "x".repeat(5_000)}), "fallbackRules"),
    ] {
        assert_eq!(paths(fallback(rules.clone())), [path], "{rules}");
    }
    for (rules, path) in [
        (json!({"maxAttempts": 0}), "retryRules.maxAttempts"),
        (json!({"maxAttempts": 101}), "retryRules.maxAttempts"),
        (json!({"backoffSeconds": 3_601}), "retryRules.backoffSeconds"),
        (json!([]), "retryRules"),
    ] {
        let request = EventRequest { retry_rules: Some(rules.clone()), ..request() };
        assert_eq!(paths(request), [path], "{rules}");
    }
    let rules = json!({"afterSeconds": 60, "untilStatus": "SENT"});
    let wait = Wait { after: Some(TimeDelta::seconds(60)), until: Status::Sent };
    assert_eq!(made(fallback(rules)).unwrap().wait(), wait);
}

#[test]
fn templates_must_exist_and_fit_their_channels() {
    let with = |templates: &[(&str, Id<Template>)], template| EventRequest {
        channel_priority: Some(vec![Channel::Sms, Channel::Email]),
        template,
        templates: Some(
            templates.iter().map(|(name, id)| ((*name).into(), id.to_string())).collect(),
        ),
        ..request()
    };
    assert!(made(with(&[("SMS", id(1)), ("EMAIL", id(2))], None)).is_ok());
    assert!(made(with(&[("EMAIL", id(2))], Some(id(3)))).is_ok(), "any text will do for the rest");
    for (request, expected) in [
        (with(&[], Some(id(9))), "templateId"),
        (with(&[("SMS", id(9))], Some(id(1))), "templates.SMS"),
        (with(&[("SMS", id(2))], Some(id(1))), "templates.SMS"),
        (with(&[("PIGEON", id(1))], Some(id(1))), "templates.PIGEON"),
        (with(&[("SMS", id(1))], None), "templates"),
        (EventRequest { channel_priority: Some(vec![]), ..request() }, "channelPriority"),
        (
            EventRequest { channel_priority: Some(vec![Channel::Sms; 2]), ..request() },
            "channelPriority.1",
        ),
    ] {
        assert_eq!(paths(request), [expected]);
    }
    let unused = with(&[("PUSH", id(1))], Some(id(1)));
    assert_eq!(paths(unused), ["templates.PUSH"]);
}

#[test]
fn a_change_keeps_unnamed_fields_and_clears_null_ones() {
    let event =
        made(EventRequest { description: Some("d".into()), ..fallback(json!({})) }).unwrap();
    let update = EventUpdate {
        name: Some("Parcels".into()),
        description: Change::Set(None),
        is_active: Some(false),
        ..EventUpdate::default()
    };
    let changed = update.apply(event.clone(), &known()).unwrap();
    let expected =
        Event { name: "Parcels".into(), description: None, is_active: false, version: 2, ..event };
    assert_eq!(changed, expected);
    let update = EventUpdate { name: Some(String::new()), ..EventUpdate::default() };
    assert!(update.apply(expected, &known()).is_err());
}

#[test]
fn a_text_of_another_channel_stands_in_and_only_mails_take_its_subject() {
    let rules = json!({"channels": ["EMAIL", "PUSH"]});
    let event = made(fallback(rules)).unwrap();
    let texts = event.texts(&[text(id(1), Channel::Sms.into())]).unwrap();
    let subjects: Vec<_> =
        texts.channels.iter().map(|(channel, text)| (*channel, text.subject.is_some())).collect();
    assert_eq!(subjects, [(Channel::Sms, true), (Channel::Email, true), (Channel::Push, false)]);
    assert_eq!(texts.names, ["name"]);
    assert!(texts.channels.iter().all(|(channel, text)| text.channel == (*channel).into()));
}

#[test]
fn an_event_without_text_or_approval_is_not_ready() {
    let event = made(request()).unwrap();
    let unapproved = TemplateText { is_approved: false, ..text(id(1), Channel::Sms.into()) };
    let inactive = Event { is_active: false, ..event.clone() };
    assert_eq!(event.texts(&[]), Err(NotReady::NoTemplate(Channel::Sms)));
    assert_eq!(event.texts(&[unapproved]), Err(NotReady::Unapproved(id(1))));
    assert_eq!(inactive.texts(&[text(id(1), Channel::Sms.into())]), Err(NotReady::Inactive));
}
