//! Tests of the messages and forecasts of campaigns.

use proptest::prelude::*;

use super::*;
use crate::{
    audience::contact::{Contact, ContactRequest},
    content::template::VendorTemplate,
    identity::organization::Settings,
    messaging::delivery::{Failure, FailureCode, Status},
    shared::{
        category::Category,
        change::Change,
        country::Country,
        money::Money,
        sender::{ApprovedSender, Sender, UsableSenders},
    },
};

const NOW: DateTime<Utc> = DateTime::UNIX_EPOCH;

fn request(body: &str) -> CampaignRequest {
    CampaignRequest {
        name: Some("Sale".into()),
        channel: Some(Channel::Sms),
        body: Some(body.into()),
        ..CampaignRequest::default()
    }
}

fn made(request: CampaignRequest) -> Result<Campaign, Faults> {
    request.campaign((Id::new(NOW), &Policy::default()), Id::new(NOW), NOW)
}

fn contact(request: ContactRequest) -> Contact {
    request.contact(Id::new(NOW), NOW).unwrap()
}

fn ama() -> Contact {
    let attributes = [("city", "Ho"), ("phone", "none"), ("empty", "")];
    contact(ContactRequest {
        first_name: Some("Ama".into()),
        phone: Some("0241234567".into()),
        attributes: attributes.map(|(name, value)| (name.to_owned(), value.to_owned())).into(),
        ..ContactRequest::default()
    })
}

fn writer(request: CampaignRequest) -> CampaignWriter {
    let campaign = made(request).unwrap();
    let content = CampaignContent::own(campaign.subject.clone(), campaign.body.clone().unwrap());
    CampaignWriter::new(&campaign, content)
}

fn write(body: &str, contact: &Contact) -> CampaignMessage {
    writer(request(body)).write(contact, &Policy::default(), None)
}

fn body(message: CampaignMessage) -> String {
    let CampaignMessage::Ready(draft) = message else { panic!("{message:?}") };
    draft.body
}

fn reason(message: CampaignMessage) -> (FailureCode, String, String) {
    let CampaignMessage::Refused(draft, failure) = message else { panic!("{message:?}") };
    (failure.code, failure.message, draft.body)
}

#[test]
fn fields_and_attributes_of_a_contact_fill_the_placeholders() {
    let text = "{{firstName}} {{phone}} {{countryCode}} {{ city }} {{attributes.phone}}{{empty}}!";
    assert_eq!(body(write(text, &ama())), "Ama +233241234567 GH Ho none!");
}

#[test]
fn a_campaign_on_a_channel_without_links_has_no_place_for_one() {
    let push = |body: &str| CampaignRequest { channel: Some(Channel::Push), ..request(body) };
    assert!(made(push("Sale")).is_ok());
    let faults = made(push("Sale. No more: {{unsubscribe}}")).unwrap_err();
    assert_eq!(faults.fields.keys().collect::<Vec<_>>(), ["body"]);
}

#[test]
fn a_contact_that_lacks_fields_is_refused_with_all_of_them_named() {
    let text = "{{firstName}} {{lastName}} {{town}} {{unsubscribe}}";
    let missing = "the contact has no lastName, town, unsubscribe";
    let expected = (FailureCode::MissingVariable, missing.to_owned(), text.to_owned());
    assert_eq!(reason(write(text, &ama())), expected);
}

#[test]
fn the_unsubscribe_link_is_given_by_the_caller() {
    let writer = writer(request("Stop: {{unsubscribe}}"));
    assert!(writer.has_unsubscribe_link());
    let link = Some("https://a.example/u/x");
    let message = writer.write(&ama(), &Policy::default(), link);
    assert_eq!(body(message), "Stop: https://a.example/u/x");
}

#[test]
fn a_contact_is_reached_on_the_campaign_s_channel_only() {
    let nobody = contact(ContactRequest { first_name: Some("Kofi".into()), ..Default::default() });
    for channel in Channel::ALL {
        let writer = writer(CampaignRequest { channel: Some(channel), ..request("Hi") });
        let unreachable = writer.write(&nobody, &Policy::default(), None);
        assert_eq!(unreachable, CampaignMessage::Unreachable, "{channel}");
        let written = writer.write(&ama(), &Policy::default(), None);
        let reaches_ama = matches!(written, CampaignMessage::Ready(_));
        assert_eq!(reaches_ama, channel.takes_phone_numbers(), "{channel}");
    }
}

#[test]
fn a_message_of_a_campaign_is_promotion_and_valid_for_three_days() {
    let CampaignMessage::Ready(draft) = write("Hi", &ama()) else { panic!() };
    assert_eq!((draft.category, draft.validity.num_seconds()), (Category::Marketing, 259_200));
}

#[test]
fn a_number_or_sender_that_is_not_allowed_has_no_route() {
    let dear =
        contact(ContactRequest { phone: Some("+448712345678".into()), ..Default::default() });
    let voice = || CampaignRequest { channel: Some(Channel::Voice), ..request("Hi") };
    let (code, why, _) = reason(writer(voice()).write(&dear, &Policy::default(), None));
    assert_eq!(code, FailureCode::NoRoute);
    assert!(why.contains("premium-rate"), "{why}");
    let settings = Settings { allow_premium_numbers: true, ..Settings::default() };
    let allowed = Policy { settings, ..Policy::default() };
    let written = writer(voice()).write(&dear, &allowed, None);
    assert!(matches!(written, CampaignMessage::Ready(_)));

    let sender = ApprovedSender {
        sender: Sender::stored("Kente".into()),
        channel: Channel::Sms,
        country: "NG".parse().unwrap(),
    };
    let senders = UsableSenders::Approved([sender].into());
    let policy = Policy { senders, ..Policy::default() };
    let asked = CampaignRequest { sender: Some("kente".into()), ..request("Hi") };
    let campaign = asked.campaign((Id::new(NOW), &policy), Id::new(NOW), NOW).unwrap();
    let writer = CampaignWriter::new(&campaign, CampaignContent::own(None, "Hi".into()));
    let (code, why, _) = reason(writer.write(&ama(), &policy, None));
    assert_eq!(code, FailureCode::NoRoute);
    assert!(why.contains("approved sender names"), "{why}");
    let unknown = CampaignRequest { sender: Some("Adinkra".into()), ..request("Hi") };
    let faults = unknown.campaign((Id::new(NOW), &policy), Id::new(NOW), NOW).unwrap_err();
    assert!(faults.fields.contains_key("senderId"));
}

#[test]
fn values_of_the_vendor_s_template_are_needed_too() {
    let campaign =
        Campaign { template: Some(Id::new_in(NOW, Id::new(NOW))), ..made(request("Hi")).unwrap() };
    let vendors = VendorTemplate {
        name: "sale".into(),
        language: "en".into(),
        parameters: vec!["firstName".into()],
        button: Some("code".into()),
    };
    let content = CampaignContent {
        vendor_template: Some(vendors),
        ..CampaignContent::own(None, "Hi {{firstName}}".into())
    };
    let (code, why, _) =
        reason(CampaignWriter::new(&campaign, content).write(&ama(), &Policy::default(), None));
    assert_eq!((code, why.as_str()), (FailureCode::MissingVariable, "the contact has no code"));
}

#[test]
fn a_text_that_grows_too_long_fails_for_that_contact_alone() {
    let attributes = [("about".to_owned(), "a".repeat(500))].into();
    let contact = Contact { attributes, ..ama() };
    assert_eq!(body(write("{{about}}{{about}}{{about}}", &contact)), "a".repeat(1_500));
    let (code, why, _) = reason(write("{{about}}{{about}}{{about}}{{about}}", &contact));
    assert_eq!(code, FailureCode::MissingVariable);
    assert!(why.contains("at most 1600 characters"), "{why}");
}

#[test]
fn a_draft_has_at_most_one_text_and_no_misspelt_placeholders() {
    let template = Some(Id::new_in(NOW, Id::new(NOW)));
    for (request, fields) in [
        (CampaignRequest::default(), vec!["channel", "name"]),
        (CampaignRequest { template, ..request("Hi") }, vec!["body"]),
        (
            CampaignRequest { template, body: None, subject: Some("Hi".into()), ..request("") },
            vec!["subject"],
        ),
        (request("{{first name}}"), vec!["body"]),
        (CampaignRequest { subject: Some("{{x".into()), ..request(" ") }, vec!["body", "subject"]),
        (CampaignRequest { sender: Some(" ".into()), ..request("Hi") }, vec!["senderId"]),
        (request(&"a".repeat(1_601)), vec!["body"]),
    ] {
        let faults = made(request).unwrap_err();
        assert_eq!(faults.fields.keys().collect::<Vec<_>>(), fields);
    }
    assert!(made(CampaignRequest { body: None, ..request("") }).is_ok(), "it may get one later");
}

#[test]
fn an_edit_keeps_unnamed_fields_and_the_authors() {
    let draft = made(request("Hi")).unwrap();
    let editor = Id::new(NOW);
    let update = CampaignUpdate { sender: Change::Set(Some("Kente".into())), ..Default::default() };
    let edited = update.apply(&draft, &Policy::default(), editor, NOW).unwrap();
    let expected = Campaign {
        sender: Some("Kente".into()),
        version: 2,
        authors: vec![draft.created_by, editor],
        ..draft.clone()
    };
    assert_eq!(edited, expected);
    let cleared = CampaignUpdate { body: Change::Set(None), ..Default::default() };
    let cleared = cleared.apply(&edited, &Policy::default(), editor, NOW).unwrap();
    assert_eq!((cleared.body, cleared.authors.len()), (None, 2));
}

#[test]
fn a_risky_text_needs_the_approval_of_another_person() {
    let (writer, sender) = (Id::new(NOW), Id::new(NOW));
    let campaign = Campaign { authors: vec![writer], ..made(request("Hi")).unwrap() };
    let of = |body: &str| Confirmation {
        content: CampaignContent::own(Some("Sale".into()), body.into()),
        hash: [7; 32],
        rules: None,
    };
    let harmless = "Akwaaba. Reply STOP to opt out";
    let none = WaysOut::default();
    assert_eq!(of(harmless).needed_approval(&campaign, sender, &none, NOW), None);

    let risky = of("You won GHS 5,000! Send your MoMo PIN to claim it.");
    let approval = risky.needed_approval(&campaign, sender, &none, NOW).unwrap();

    assert_eq!((approval.kind, approval.resource), (ApprovalKind::Campaign, campaign.id.uuid()));
    assert_eq!((approval.hash, approval.authors), ([7; 32], vec![sender, writer]));
    assert!(approval.risk_score >= 30 && !approval.issues.is_empty());
}

#[test]
fn messages_that_are_not_sent_cost_nothing() {
    let mut total = CampaignTotal::default();
    let price = Money::from_micros(35_000);
    let long = "a".repeat(161);
    total.add(&write(&long, &ama()), Some(price * 2));
    total.add(&write("Hi", &ama()), None);
    total.add(&write("{{town}}", &ama()), None);
    total.add(&CampaignMessage::Unreachable, Some(Money::ZERO));
    let expected = CampaignTotal {
        audience: 4,
        unreachable: 1,
        refused: 2,
        without_consent: 0,
        segments: 2,
        cost: price * 2,
    };
    assert_eq!(total, expected);
}

#[test]
fn contacts_that_would_get_nothing_are_counted_by_the_reason() {
    let mut refusals = CampaignRefusals::default();
    let suppressed = Failure::new(FailureCode::RecipientSuppressed, "is suppressed");
    refusals.add(&write("Hi", &ama()), None);
    refusals.add(&CampaignMessage::Unreachable, None);
    refusals.add(&write("Hi", &ama()), Some(&suppressed));
    refusals.add(&write("Hi", &ama()), Some(&suppressed));

    let counts = |audience| -> Vec<(&str, u64)> {
        let counts = refusals.clone().projected_on(audience, 4);
        counts.into_iter().map(|it| (it.reason.as_str(), it.count)).collect()
    };
    assert_eq!(counts(4), [("RECIPIENT_SUPPRESSED", 2), ("NO_ADDRESS", 1)]);
    assert_eq!(counts(4_000), [("RECIPIENT_SUPPRESSED", 2_000), ("NO_ADDRESS", 1_000)]);
    assert!(CampaignRefusals::default().projected_on(4, 0).is_empty());
}

proptest! {
    #[test]
    fn a_projection_on_the_same_audience_changes_nothing(
        audience in 1..10_000_u64, unreachable: u32, segments: u32, cost in 0..i64::from(u32::MAX),
    ) {
        let total = CampaignTotal {
            audience,
            unreachable: unreachable.into(),
            refused: 0,
            without_consent: unreachable.into(),
            segments: segments.into(),
            cost: Money::from_micros(cost),
        };
        prop_assert_eq!(total.projected_on(audience), total);
        let tenfold = total.projected_on(audience * 10);
        prop_assert_eq!(tenfold.segments, total.segments * 10);
        prop_assert_eq!(tenfold.cost.micros(), cost * 10);
    }
}

#[test]
fn an_empty_sample_projects_nothing() {
    let projected = CampaignTotal::default().projected_on(7);
    assert_eq!(projected, CampaignTotal { audience: 7, ..CampaignTotal::default() });
}

#[test]
fn mails_take_the_contact_s_country_and_numbers_their_own() {
    let contact = contact(ContactRequest {
        phone: Some("+2348031234567".into()),
        email: Some("ama@example.com".into()),
        country: Some(Country::GH),
        ..ContactRequest::default()
    });
    let country = |channel| {
        let writer = writer(CampaignRequest { channel: Some(channel), ..request("Hi") });
        let message = writer.write(&contact, &Policy::default(), None);
        let CampaignMessage::Ready(draft) = message else { panic!("{message:?}") };
        draft.country.to_string()
    };
    assert_eq!((country(Channel::Sms), country(Channel::Email)), ("NG".into(), "GH".into()));
}

#[test]
fn only_an_update_of_the_time_alone_moves_a_scheduled_campaign() {
    let time = |time| {
        let scheduled_at = Change::Set(time);
        CampaignUpdate { scheduled_at, ..CampaignUpdate::default() }
    };

    assert_eq!(time(Some(NOW)).moved_to(), Some(Ok(NOW)));
    let faults = time(None).moved_to().unwrap().unwrap_err();
    assert_eq!(faults.fields.into_keys().collect::<Vec<_>>(), ["scheduledAt"]);
    let also_named = CampaignUpdate { name: Some("Sale".into()), ..time(Some(NOW)) };
    assert_eq!(also_named.moved_to(), None);
    assert_eq!(CampaignUpdate::default().moved_to(), None);
}

#[test]
fn those_who_were_sent_skipped_or_failed_add_up_to_those_who_were_passed() {
    let mut campaign = made(request("Hello")).unwrap();
    campaign.unreachable = 3;
    let mut counts = CampaignCounts::default();
    for (status, messages) in [(Status::Sent, 4), (Status::Delivered, 5), (Status::Failed, 6)] {
        counts.add(status, messages, Money::from_micros(10));
    }
    counts.failures = vec![
        FailureCount { code: FailureCode::RecipientSuppressed, messages: 2 },
        FailureCount { code: FailureCode::Undelivered, messages: 3 },
        FailureCount { code: FailureCode::MissingVariable, messages: 1 },
    ];
    let progress = CampaignProgress { campaign, counts };

    assert_eq!((progress.sent(), progress.skipped(), progress.failed()), (9, 6, 3));
    assert_eq!(progress.passed(), 9 + 6 + 3);
    assert_eq!(progress.counts.cost, Money::from_micros(20));
    let by_reason = progress.by_reason();
    let reasons: Vec<_> = by_reason.iter().map(|it| (it.reason.as_str(), it.count)).collect();
    assert_eq!(
        reasons,
        [
            ("NO_ADDRESS", 3),
            ("UNDELIVERED", 3),
            ("RECIPIENT_SUPPRESSED", 2),
            ("MISSING_VARIABLE", 1)
        ]
    );
}
