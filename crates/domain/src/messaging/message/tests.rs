//! Checks that turn a request into a draft.

use proptest::prelude::*;

use super::*;
use crate::{
    content::template::VendorTemplate,
    identity::organization::{PLATFORM, Settings},
    shared::text,
};

fn sms(to: &str, body: &str) -> MessageRequest {
    MessageRequest {
        channel: Some(Channel::Sms),
        to: Some(to.into()),
        body: Some(body.into()),
        ..MessageRequest::default()
    }
}

fn template(body: &str) -> TemplateText {
    TemplateText {
        id: Id::new_in(DateTime::UNIX_EPOCH, PLATFORM),
        channel: Channel::Sms.into(),
        category: Category::Otp,
        subject: None,
        body: body.into(),
        format: None,
        vendor_template: None,
        value_rules: crate::content::template::ValueRules::default(),
        is_approved: true,
    }
}

fn named(name: &str, value: &str) -> BTreeMap<String, String> {
    BTreeMap::from([(name.to_owned(), value.to_owned())])
}

#[test]
fn a_local_number_becomes_international() {
    let draft = sms("0241234567", "Akwaaba").draft(None).unwrap();

    assert_eq!(draft.recipient.as_str(), "+233241234567");
    assert_eq!(draft.country, Country::GH);
    assert_eq!(draft.segments, 1);
}

#[test]
fn the_number_decides_the_country_and_not_the_request() {
    let draft = sms("+2348031234567", "Hello").draft(None).unwrap();
    assert_eq!(draft.country.as_str(), "NG");
}

#[test]
fn a_number_of_no_country_belongs_to_none() {
    let ghana = MessageRequest { country: Some(Country::GH), ..sms("+881612345678", "Hello") };
    assert_eq!(ghana.draft(None).unwrap().country, Country::INTERNATIONAL);
}

#[test]
fn a_premium_number_is_a_fault_unless_the_settings_allow_it() {
    let premium = sms("+19002345678", "Hello");

    let faults = premium.draft(None).unwrap_err();
    assert!(faults.fields["to"][0].contains("premium"), "{faults}");

    let settings = Settings { allow_premium_numbers: true, ..Settings::default() };
    let policy = Policy { settings, ..Policy::default() };
    let draft = premium.draft_under(&policy, None).unwrap();
    assert_eq!(draft.country.as_str(), "US");
}

#[test]
fn the_sender_of_an_sms_is_a_short_name_or_a_number() {
    let sent = |channel, sender: &str| {
        let sender = Some(sender.to_owned());
        MessageRequest { channel: Some(channel), sender, ..sms("0241234567", "Hello") }.draft(None)
    };
    for sender in ["Kente Ltd", "ELEVENCHARS", "A-1", "1234", "+233302000000", "233302000000"] {
        assert!(sent(Channel::Sms, sender).is_ok(), "{sender}");
    }
    for sender in ["TWELVE CHARS", "12", "1234567890123456", "Kɛnte", "+", " ", "a\tb", "-"] {
        let faults = sent(Channel::Sms, sender).unwrap_err();
        assert_eq!(faults.fields.keys().collect::<Vec<_>>(), ["senderId"], "{sender:?}");
    }
    assert!(sent(Channel::WhatsApp, "Kente Online Limited").is_ok());
}

#[test]
fn all_faults_are_found_at_once() {
    let composition = MessageRequest {
        channel: Some(Channel::Sms),
        to: Some("nobody".into()),
        body: Some("Dear {{name}}".into()),
        subject: Some("two\nlines".into()),
        sender: Some(String::new()),
        ..MessageRequest::default()
    };

    let faults = composition.draft(None).unwrap_err();

    assert_eq!(faults.fields.keys().collect::<Vec<_>>(), ["body", "senderId", "subject", "to"]);
    assert!(faults.fields["body"][0].contains("{{name}}"));
}

#[test]
fn missing_fields_are_named() {
    let faults = MessageRequest::default().draft(None).unwrap_err();
    assert_eq!(faults.fields.keys().collect::<Vec<_>>(), ["body", "channel", "to"]);
}

#[test]
fn a_body_is_neither_blank_nor_endless_nor_holds_nul() {
    for body in [" ", "a\0b", &"a".repeat(1_601)] {
        let faults = sms("0241234567", body).draft(None).unwrap_err();
        assert_eq!(faults.fields.keys().collect::<Vec<_>>(), ["body"]);
    }
}

#[test]
fn the_lines_of_a_body_end_with_lf() {
    let draft = sms("0241234567", "a\r\nb\rc\n\r.\r\n\r\nd").draft(None).unwrap();
    assert_eq!(draft.body, "a\nb\nc\n\n.\n\nd");

    let broken =
        MessageRequest { variables: named("name", "Ama\rKofi"), ..sms("0241234567", "{{name}}") };
    assert_eq!(broken.draft(None).unwrap().body, "Ama\nKofi");

    let eighty = sms("0241234567", &"\r\n".repeat(79).replacen("\r\n", "x\r\n", 80));
    assert_eq!(eighty.draft(None).unwrap().segments, 1, "a break counts once");
}

#[test]
fn values_of_variables_make_no_html() {
    let mail = |body: &str, format| MessageRequest {
        channel: Some(Channel::Email),
        to: Some("ama@example.com".into()),
        body: Some(body.into()),
        subject: Some("For {{name}}".into()),
        format,
        variables: named("name", "<a href='x'>Ama</a>\r\n& Co"),
        ..MessageRequest::default()
    };
    let text = mail("Hello {{name}}", None).draft(None).unwrap();
    assert_eq!(text.format, TextFormat::Text);
    assert_eq!(text.body, "Hello <a href='x'>Ama</a>\n& Co");

    for html in [mail("<b>{{name}}</b>", None), mail("{{name}}", Some(TextFormat::Html))] {
        let html = html.draft(None).unwrap();
        assert_eq!(html.format, TextFormat::Html);
        assert!(
            html.body.contains("&lt;a href=&#39;x&#39;&gt;Ama&lt;/a&gt;\n&amp; Co"),
            "{}",
            html.body
        );
        assert_eq!(html.subject.unwrap(), "For <a href='x'>Ama</a> & Co");
    }
    let template = TemplateText {
        channel: Channel::Email.into(),
        category: Category::Transactional,
        format: Some(TextFormat::Text),
        ..template("<b>{{name}}</b>")
    };
    let filled = mail("", Some(TextFormat::Html)).draft(Some(&template)).unwrap();
    assert_eq!(filled.format, TextFormat::Text, "a template's own format wins");
    let sms = MessageRequest { format: Some(TextFormat::Text), ..sms("0241234567", "Akwaaba") };
    assert!(sms.draft(None).unwrap_err().fields.contains_key("format"));
}

#[test]
fn only_messages_with_codes_have_masked_texts() {
    let template = template("Your code is {{ code }}");
    let request = MessageRequest {
        variables: named("code", "4711"),
        subject: Some("{{code}}".into()),
        ..sms("0241234567", "{{code}} x")
    };
    let draft = request.draft(Some(&template)).unwrap();
    let masked = draft.masked.clone().unwrap();
    assert_eq!(masked.body, "Your code is ••••••");
    assert_eq!(masked.subject.as_deref(), Some("••••••"));
    assert_eq!(request.draft(None).unwrap().masked, None);

    let terms =
        Terms { cost: Money::ZERO, refusal: None, is_sandbox: false, is_confidential: false };
    let message = Message::queue(PLATFORM, draft, Origin::Single, terms, DateTime::UNIX_EPOCH);
    let sent = |after: TimeDelta| {
        let at = message.created_at + after;
        Message { delivery: Delivery::Sent { at }, ..message.clone() }
            .shown(true)
            .draft
            .body
            .clone()
    };
    assert_eq!(sent(TimeDelta::minutes(1)), "Your code is 4711");
    assert_eq!(sent(TimeDelta::minutes(61)), "Your code is ••••••");
    assert_eq!(message.clone().shown(false).draft.body, "Your code is ••••••");
    let at = message.created_at;
    let delivered = Delivery::Delivered { sent_at: Some(at), at };
    let delivered = Message { delivery: delivered, ..message }.shown(true);
    assert_eq!(delivered.draft.body, "Your code is ••••••");
}

#[test]
fn values_are_bounded_one_by_one_and_together() {
    let values = |count: usize, length: usize| {
        let variables = (0..count).map(|it| (format!("v{it}"), "é".repeat(length))).collect();
        MessageRequest { variables, ..sms("0241234567", "Akwaaba") }.draft(None)
    };
    assert!(values(10, 10_000).is_ok());
    let faults = values(1, 10_001).unwrap_err();
    assert_eq!(faults.fields["variables.v0"], ["must have at most 10000 characters"]);
    let faults = values(101, 1_000).unwrap_err();
    assert!(faults.fields["variables"][0].contains("100000"), "{faults}");
}

proptest! {
    #[test]
    fn a_message_has_no_more_text_than_its_channel_carries(
        channel in prop::sample::select(&Channel::ALL[..]),
        (times, length) in (0..3_000_usize, 0..3_000_usize),
    ) {
        let text = Some("{{a}}".repeat(times) + "x");
        let request = MessageRequest {
            channel: Some(channel),
            to: Some(if channel == Channel::Email { "a@b.gh" } else { "+233241234567" }.into()),
            body: text.clone(),
            subject: text,
            variables: named("a", &"é".repeat(length)),
            ..MessageRequest::default()
        };

        let most = 2 * (channel.max_characters() + text::MAX_SUBJECT);
        match request.draft(None) {
            Ok(draft) => prop_assert!(draft.filled_bytes() <= most),
            Err(_) => prop_assert!(2 * times * length + 1 > 2 * text::MAX_SUBJECT),
        }
    }
}

#[test]
fn a_subject_is_one_line_of_characters_that_can_be_seen() {
    for subject in ["two\nlines", "two\rlines", "bell\u{7}", "\u{1b}[31m", "a\tb", "a\u{85}b"] {
        let composition =
            MessageRequest { subject: Some(subject.into()), ..sms("0241234567", "Akwaaba") };
        let faults = composition.draft(None).unwrap_err();
        assert!(faults.fields.contains_key("subject"), "{subject:?}");
    }
}

#[test]
fn a_template_gives_text_and_category() {
    let template = template("Your code is {{ code }}");
    let composition = MessageRequest { variables: named("code", "4711"), ..sms("0241234567", "x") };

    let draft = composition.draft(Some(&template)).unwrap();

    assert_eq!(draft.body, "Your code is 4711");
    assert_eq!(draft.category, Category::Otp);
}

#[test]
fn a_template_without_its_values_is_a_fault_of_the_variables() {
    let faults = sms("0241234567", "x").draft(Some(&template("{{code}}"))).unwrap_err();
    assert!(faults.fields["variables"][0].contains("{{code}}"));
}

#[test]
fn a_vendors_template_is_filled_with_the_same_values() {
    let vendors = VendorTemplate {
        name: "login".into(),
        language: "en".into(),
        parameters: vec!["code".into()],
        button: None,
    };
    let template = TemplateText { vendor_template: Some(vendors), ..template("It is {{ code }}") };
    let composition = MessageRequest { variables: named("code", "4711"), ..sms("0241234567", "x") };

    let draft = composition.draft(Some(&template)).unwrap();

    assert_eq!(draft.body, "It is 4711");
    assert_eq!(draft.vendor_template.unwrap().values, ["4711"]);

    let faults = sms("0241234567", "x").draft(Some(&template)).unwrap_err();
    assert_eq!(faults.fields["variables"], ["has no value for {{code}}"], "it is told once");
}

#[test]
fn both_forms_of_the_identifier_are_read() {
    let id = Id::<Message>::new_in(DateTime::UNIX_EPOCH, PLATFORM);
    assert_eq!(Id::parse_either(&id.internal()), Ok(id));
    assert_eq!(Id::parse_either(&id.to_string()), Ok(id));
    assert_eq!(Id::<Message>::parse_either("msg_1"), Err(InvalidId));
}

#[test]
fn the_category_sets_the_validity_unless_the_sender_does() {
    let validity = |category, validity| {
        let composition =
            MessageRequest { category: Some(category), validity, ..sms("0241234567", "Akwaaba") };
        composition.draft(None).map(|draft| draft.validity.num_seconds())
    };
    assert_eq!(validity(Category::Otp, None), Ok(600));
    assert_eq!(validity(Category::Otp, Some(60)), Ok(60));
    assert_eq!(validity(Category::Otp, Some(259_200)), Ok(3_600), "a code is masked after an hour");
    assert_eq!(validity(Category::Marketing, Some(259_200)), Ok(259_200));
    for odd in [i64::MIN, 0, 59, 259_201, i64::MAX] {
        let faults = validity(Category::Alert, Some(odd)).unwrap_err();
        assert_eq!(faults.fields["validityPeriod"], ["must be from 60 to 259200 seconds"]);
    }
}
