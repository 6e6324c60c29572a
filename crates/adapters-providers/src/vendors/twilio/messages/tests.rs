//! Tests of senders and statuses.

use super::*;

#[test]
fn a_messaging_service_is_no_name_that_begins_like_one() {
    assert!(is_service("MG0123456789abcdef0123456789ABCDEF"));
    for sender in ["MGSHOP", "MG", "+233302123456", "MG0123456789abcdef0123456789abcdeg"] {
        assert!(!is_service(sender), "{sender}");
    }
}

#[test]
fn a_number_on_whatsapp_is_marked_once() {
    assert_eq!(address(Channel::WhatsApp, "+233244123456"), "whatsapp:+233244123456");
    assert_eq!(address(Channel::WhatsApp, "whatsapp:+233244123456"), "whatsapp:+233244123456");
    assert_eq!(address(Channel::Sms, "+233244123456"), "+233244123456");
}

#[test]
fn the_values_of_a_template_are_numbered_as_its_placeholders_are() {
    let template = |values: &[&str]| FilledTemplate {
        name: "HX1".into(),
        language: "en".into(),
        values: values.iter().copied().map(Into::into).collect(),
        button: None,
    };
    let numbered = variables(&template(&["Ama", "\"4711\""]));

    assert_eq!(numbered.as_deref(), Some(r#"{"1":"Ama","2":"\"4711\""}"#));
    assert_eq!(variables(&template(&[])), None);
}

#[test]
fn every_status_of_a_message_is_understood() {
    let at = DateTime::UNIX_EPOCH;
    for (status, expected) in [
        ("accepted", 'A'),
        ("scheduled", 'A'),
        ("queued", 'A'),
        ("sending", 'A'),
        ("sent", 'A'),
        ("delivered", 'C'),
        ("read", 'C'),
        ("undelivered", 'R'),
        ("failed", 'R'),
        ("canceled", 'R'),
        ("receiving", '-'),
        ("received", '-'),
        ("partially_delivered", '-'),
        ("new one", '-'),
    ] {
        let found = match event(status, None, at) {
            Some(DeliveryEvent::Accepted { .. }) => 'A',
            Some(DeliveryEvent::Confirmed { .. }) => 'C',
            Some(DeliveryEvent::Rejected { .. }) => 'R',
            _ => '-',
        };
        assert_eq!(found, expected, "{status}");
    }
}
