//! Tests of triggers.

use std::collections::BTreeMap;

use chrono::DateTime;

use super::*;
use crate::{
    audience::contact::{Contact, ContactRequest},
    content::template::TemplateText,
    identity::{organization::PLATFORM, policy::Policy},
    messaging::message::Metadata,
    outreach::event::EventTexts,
    shared::{category::Category, country::Country, fault::Faults},
};

fn texts(channels: &[Channel]) -> EventTexts {
    let text = |channel: Channel| TemplateText {
        id: "018bcfe5-6800-7000-8000-000000000001".parse().unwrap(),
        channel: channel.into(),
        category: Category::Transactional,
        subject: None,
        body: "Hello {{firstName}}".into(),
        format: None,
        vendor_template: None,
        value_rules: crate::content::template::ValueRules::default(),
        is_approved: true,
    };
    let channels = channels.iter().map(|channel| (*channel, text(*channel))).collect();
    EventTexts {
        channels,
        names: vec!["firstName".into()],
        retry: None,
        sender: None,
        country: None,
        wait: Wait::default(),
    }
}

fn to(to: &str) -> TriggerRequest {
    TriggerRequest {
        event: Some("parcel".into()),
        to: Some(to.into()),
        variables: BTreeMap::from([("firstName".into(), "Ama".into())]),
        ..TriggerRequest::default()
    }
}

fn contact() -> Contact {
    let request = ContactRequest {
        first_name: Some("Esi".into()),
        phone: Some("0241234567".into()),
        email: Some("esi@example.com".into()),
        attributes: BTreeMap::from([
            ("firstName".into(), "x".into()),
            ("city".into(), "Ho".into()),
        ]),
        ..ContactRequest::default()
    };
    request.contact(PLATFORM, DateTime::UNIX_EPOCH).unwrap()
}

fn plan(request: &TriggerRequest, channels: &[Channel]) -> Result<Plan, Faults> {
    request.plan(&texts(channels), None, &Policy::default())
}

fn states(plan: &Plan) -> Vec<ChannelState> {
    plan.channels.iter().map(|it| it.state).collect()
}

const SKIPPED: ChannelState = ChannelState::Skipped(FailureCode::InvalidRecipient);
const UNROUTED: ChannelState = ChannelState::Skipped(FailureCode::NoRoute);
use Channel::{Email, Push, Sms};
use ChannelState::Left;

#[test]
fn rejects_a_trigger_without_recipient() {
    let request = TriggerRequest { event: Some("parcel".into()), ..TriggerRequest::default() };
    assert_eq!(request.faults().to_string(), "either `to` or `contactId` is required");
    let unnamed = TriggerRequest { event: None, ..to("0241234567") };
    assert_eq!(unnamed.faults().fields.into_keys().collect::<Vec<_>>(), ["event"]);
}

#[test]
fn channels_that_cannot_use_an_address_are_skipped() {
    for (address, expected) in [
        ("0241234567", [Left, SKIPPED, SKIPPED]),
        ("ama@example.com", [SKIPPED, Left, SKIPPED]),
        ("token:APA91b", [SKIPPED, SKIPPED, Left]),
    ] {
        let plan = plan(&to(address), &[Sms, Email, Push]).unwrap();
        assert_eq!((states(&plan), plan.drafts.len()), (expected.to_vec(), 1), "{address}");
    }
    let faults = plan(&to("ama@example.com"), &[Sms, Push]).unwrap_err();
    assert!(faults.fields["to"][0].starts_with("is not a valid phone number"), "{faults}");
    assert!(plan(&to("0241234567"), &[Push]).unwrap_err().fields.contains_key("to"));
}

#[test]
fn a_contact_gives_addresses_and_values_that_are_not_given() {
    let request = TriggerRequest { to: None, variables: BTreeMap::new(), ..to("") };
    let made = request.plan(&texts(&[Push, Sms, Email]), Some(&contact()), &Policy::default());
    let made = made.unwrap();
    assert_eq!(states(&made), [SKIPPED, Left, Left]);
    let recipients: Vec<_> = made.drafts.iter().map(|it| it.recipient.as_str()).collect();
    assert_eq!(recipients, ["+233241234567", "esi@example.com"]);
    assert!(made.drafts.iter().all(|it| it.body == "Hello Esi"), "{:?}", made.drafts);

    let named = TriggerRequest { to: None, ..to("") };
    let named = named.plan(&texts(&[Sms]), Some(&contact()), &Policy::default()).unwrap();
    assert_eq!(named.drafts[0].body, "Hello Ama");
    let elsewhere = to("0201112223");
    let elsewhere = elsewhere.plan(&texts(&[Sms]), Some(&contact()), &Policy::default()).unwrap();
    assert_eq!(elsewhere.drafts[0].recipient.as_str(), "+233201112223");

    let faults = request.plan(&texts(&[Push]), Some(&contact()), &Policy::default()).unwrap_err();
    assert_eq!(faults.fields["contactId"], ["has no address for PUSH"]);
}

#[test]
fn a_value_that_a_later_channel_lacks_is_reported_at_once() {
    let request = TriggerRequest { variables: BTreeMap::new(), ..to("0241234567") };
    let faults = plan(&request, &[Email, Sms]).unwrap_err();
    assert_eq!(faults.fields["variables"], ["has no value for {{firstName}}"]);
}

#[test]
fn channels_without_a_route_are_left_out_if_another_has_one() {
    let request = TriggerRequest { to: None, ..to("") };
    let made = request.plan(&texts(&[Sms, Email]), Some(&contact()), &Policy::default()).unwrap();
    let no_route = Some(FailureCode::NoRoute);
    let (some, all) = (made.clone().without(&[no_route, None]), made.without(&[no_route; 2]));
    assert_eq!((states(&some), some.drafts[0].channel), (vec![UNROUTED, Left], Email));
    assert_eq!((states(&all), all.drafts[0].channel), (vec![Left, UNROUTED], Sms));
    assert_eq!((some.drafts.len(), all.drafts.len()), (1, 1));
}

#[test]
fn a_sender_is_used_on_the_channels_that_can_have_it() {
    let of_event = EventTexts { sender: Some("Adinkra".into()), ..texts(&[Sms, Email]) };
    let plan = |sender: Option<&str>, texts: &EventTexts| {
        let request = TriggerRequest { to: None, sender: sender.map(str::to_owned), ..to("") };
        request.plan(texts, Some(&contact()), &Policy::default())
    };
    for (named, used) in [(Some("Kente"), "Kente"), (None, "Adinkra")] {
        let drafts = plan(named, &of_event).unwrap().drafts;
        let senders: Vec<_> = drafts.iter().map(|it| it.sender.as_deref()).collect();
        assert_eq!(senders, [Some(used), None]);
    }
    for (named, channels) in [("Kente", [Email]), ("too long for a sender", [Sms])] {
        let faults = plan(Some(named), &texts(&channels)).unwrap_err();
        assert_eq!(faults.fields.into_keys().collect::<Vec<_>>(), ["senderId"], "{named}");
    }
}

#[test]
fn a_number_is_read_in_the_country_of_the_trigger_or_else_of_the_event() {
    let nigeria = Some("NG".parse().unwrap());
    let of_event = EventTexts { country: nigeria, ..texts(&[Sms]) };
    let elsewhere = TriggerRequest { country: Some(Country::GH), ..to("0241234567") };
    for (request, recipient) in
        [(to("08031234567"), "+2348031234567"), (elsewhere, "+233241234567")]
    {
        let made = request.plan(&of_event, None, &Policy::default()).unwrap();
        assert_eq!(made.drafts[0].recipient.as_str(), recipient);
    }
}

#[test]
fn the_messages_of_all_channels_have_the_metadata() {
    let metadata = Metadata::new(BTreeMap::from([("order".into(), "4711".into())])).unwrap();
    let request = TriggerRequest { to: None, metadata: metadata.clone(), ..to("") };
    let made = request.plan(&texts(&[Sms, Email]), Some(&contact()), &Policy::default()).unwrap();
    assert_eq!(made.drafts.len(), 2);
    assert!(made.drafts.iter().all(|it| it.metadata == metadata), "{:?}", made.drafts);
}

#[test]
fn a_trigger_goes_on_from_channel_to_channel() {
    let request = TriggerRequest { to: None, ..to("") };
    let channels = texts(&[Push, Sms, Email]);
    let plan = request.plan(&channels, Some(&contact()), &Policy::default()).unwrap();
    let id = |number: u8| format!("018bcfe5-6800-7000-8000-0000000000{number:02}");
    let trigger = plan.trigger(id(1).parse().unwrap(), PLATFORM, false);
    let (first, second) = (id(2).parse().unwrap(), id(3).parse().unwrap());

    let begun = trigger.going_on_with(first);
    assert_eq!((begun.tried(), begun.left[0].channel), (1, Email));
    let ended = begun.going_on_with(second);
    assert_eq!((ended.tried(), ended.left.len()), (2, 0));
    assert_eq!(ended.messages().collect::<Vec<_>>(), [first, second]);
    assert_eq!(ended.clone().going_on_with(first), ended, "nothing is left");
}

#[test]
fn a_field_of_a_contact_comes_before_an_attribute_of_its_name() {
    let contact = contact();
    assert_eq!(contact.field("firstName"), Some("Esi"));
    assert_eq!((contact.field("city"), contact.field("attributes.city")), (Some("Ho"), Some("Ho")));
    assert_eq!((contact.field("lastName"), contact.address(Push)), (None, None));
}
