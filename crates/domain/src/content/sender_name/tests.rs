//! Parsing, claiming and use of senders.

use super::*;
use crate::shared::sender::UsableSenders;

fn parse(channel: Channel, text: &str) -> Result<Sender, InvalidSender> {
    Sender::parse(channel, Country::GH, text)
}

fn country(code: &str) -> Country {
    code.parse().unwrap()
}

#[test]
fn an_sms_sender_is_a_short_name_a_short_code_or_a_number() {
    for (text, sender) in [
        (" Kente  Ltd ", "Kente Ltd"),
        ("A&B-Shop's", "A&B-Shop's"),
        ("1234", "1234"),
        ("0302123456", "+233302123456"),
        ("+233241234567", "+233241234567"),
    ] {
        assert_eq!(parse(Channel::Sms, text).unwrap().as_str(), sender, "{text:?}");
    }
    for text in
        ["", " ", "TwelveLetter", "Kɛntɛ", "a\nb", "-", "12", "+12", "1234567", "+999123456"]
    {
        assert!(parse(Channel::Sms, text).is_err(), "{text:?}");
    }
}

#[test]
fn calls_and_whatsapp_show_numbers_and_mails_no_sender_names() {
    for channel in [Channel::WhatsApp, Channel::Voice] {
        assert_eq!(parse(channel, "0302123456").unwrap().as_str(), "+233302123456");
        assert_eq!(parse(channel, "Kente"), Err(InvalidSender::Number(channel)));
    }
    for channel in [Channel::Email, Channel::Push] {
        assert_eq!(parse(channel, "Kente"), Err(InvalidSender::Channel(channel)));
    }
}

#[test]
fn claims_a_name_in_all_countries_but_a_short_code_in_one() {
    let claim = |text, code| parse(Channel::Sms, text).unwrap().claim(country(code));
    assert_eq!(claim("Kente", "GH"), claim("KENTE", "NG"));
    assert_ne!(claim("Kente", "GH"), claim("Kente Ltd", "GH"));
    assert_eq!(claim("0302123456", "GH"), claim("+233302123456", "NG"));
    assert_ne!(claim("1234", "GH"), claim("1234", "NG"));
}

#[test]
fn accepts_only_senders_approved_for_the_channel_and_country() {
    let approved = |text: &str, channel, code| ApprovedSender {
        sender: Sender::stored(text.to_owned()),
        channel,
        country: country(code),
    };
    let senders = UsableSenders::Approved(Box::new([
        approved("Kente", Channel::Sms, "GH"),
        approved("+233302123456", Channel::Sms, "GH"),
        approved("1234", Channel::Sms, "NG"),
    ]));
    let choose = |channel, code, text| senders.choose(channel, country(code), text);

    assert_eq!(choose(Channel::Sms, "GH", "KENTE").unwrap(), "Kente");
    assert_eq!(choose(Channel::Sms, "GH", "233302123456").unwrap(), "+233302123456");
    assert_eq!(choose(Channel::Sms, "NG", "1234").unwrap(), "1234");
    for (channel, code, text) in [
        (Channel::Sms, "NG", "Kente"),
        (Channel::Sms, "GH", "1234"),
        (Channel::Sms, "GH", "Kente Ltd"),
        (Channel::Sms, "GH", "302123456"),
        (Channel::Voice, "GH", "+233302123456"),
    ] {
        assert!(choose(channel, code, text).is_err(), "{channel} {code} {text}");
    }
    assert_eq!(choose(Channel::Email, "GH", "Ama").unwrap(), "Ama");
    assert_eq!(UsableSenders::Any.choose(Channel::Sms, Country::GH, "Any").unwrap(), "Any");
}

#[test]
fn all_faults_of_a_request_are_reported_together() {
    let now = DateTime::UNIX_EPOCH;
    let faults = |request: SenderNameRequest| {
        let faults = request.sender_name(Id::new(now), now).unwrap_err();
        faults.fields.into_keys().collect::<Vec<_>>()
    };
    let named = SenderNameRequest { name: Some("Kente".into()), ..SenderNameRequest::default() };

    assert_eq!(faults(SenderNameRequest::default()), ["channel", "name"]);
    assert_eq!(
        faults(SenderNameRequest { channel: Some(Channel::Voice), ..named.clone() }),
        ["name"]
    );
    assert_eq!(
        faults(SenderNameRequest { channel: Some(Channel::Push), ..named.clone() }),
        ["channel"]
    );
    let name = SenderNameRequest { channel: Some(Channel::Sms), ..named };
    let name = name.sender_name(Id::new(now), now).unwrap();
    assert_eq!((name.country, name.status), (Country::GH, SenderNameStatus::PendingApproval));
}
