//! Texts that are read as recipients, and texts that are refused.

use phonenumber::Type;
use proptest::prelude::*;

use super::{
    numbering::{PLANS, is_a},
    phone::ghana_mobile,
    *,
};

const PHONES: [Channel; 3] = [Channel::Sms, Channel::WhatsApp, Channel::Voice];

fn country(code: &str) -> Country {
    code.parse().unwrap()
}

fn parsed(channel: Channel, code: &str, text: &str) -> Result<String, InvalidAddress> {
    Address::parse(channel, country(code), text).map(|address| address.to_string())
}

#[test]
fn every_usual_form_of_a_ghana_number_is_read() {
    for text in [
        "0244123456",
        "244123456",
        "233244123456",
        "+233244123456",
        "00233244123456",
        " 024 412 3456 ",
        "024-412-3456",
        "(024) 412.3456",
        "+233 (0)24 412 3456",
        "(+233) 24 412 3456",
        "\u{202a}+233\u{a0}24\u{2011}412\u{2011}3456\u{202c}",
    ] {
        for channel in PHONES {
            assert_eq!(parsed(channel, "GH", text), Ok("+233244123456".into()), "{text}");
        }
    }
}

#[test]
fn the_numbers_of_the_sandbox_are_read() {
    for national in ["0240000000", "0240000001", "0241234567"] {
        let e164 = format!("+233{}", &national[1..]);

        assert_eq!(parsed(Channel::Sms, "GH", national), Ok(e164.clone()));
        assert_eq!(parsed(Channel::Sms, "NG", &e164), Ok(e164));
    }
}

#[test]
fn a_number_with_plus_follows_its_own_country() {
    for (text, e164, owner) in [
        ("+2348031234567", "+2348031234567", "NG"),
        ("+1 415 555 2671", "+14155552671", "US"),
        ("+1 416-555-0123", "+14165550123", "CA"),
        ("+44 (0)7400 123456", "+447400123456", "GB"),
        ("+44 7911 123456", "+447911123456", "GG"),
        ("+393123456789", "+393123456789", "IT"),
        ("+38343201234", "+38343201234", "XK"),
        ("+24740123", "+24740123", "SH"),
    ] {
        let address = Address::parse(Channel::Sms, Country::GH, text).unwrap();

        let found = address.phone_kind().unwrap().country;
        assert_eq!((address.as_str(), found), (e164, country(owner)));
    }
}

#[test]
fn national_and_msisdn_forms_are_read_in_other_countries() {
    for (code, text, e164) in [
        ("NG", "08031234567", "+2348031234567"),
        ("NG", "2348031234567", "+2348031234567"),
        ("KE", "000254712345678", "+254712345678"),
        ("KE", "00254712345678", "+254712345678"),
        ("US", "4155552671", "+14155552671"),
        ("US", "14155552671", "+14155552671"),
        ("US", "0114915123456789", "+4915123456789"),
        ("KR", "002233244123456", "+233244123456"),
        ("DE", "4915123456789", "+4915123456789"),
        ("RU", "89123456789", "+79123456789"),
        ("AD", "376312345", "+376312345"),
        ("PM", "508551234", "+508551234"),
        ("KR", "01020000000", "+821020000000"),
        ("GH", "233000000", "+233233000000"),
        ("IT", "3901234567", "+393901234567"),
        ("IT", "393123456789", "+393123456789"),
        ("IN", "919876543210", "+919876543210"),
        ("CI", "2250712345678", "+2250712345678"),
    ] {
        assert_eq!(parsed(Channel::Sms, code, text), Ok(e164.into()), "{code} {text}");
    }
}

#[test]
fn texts_that_are_no_phone_number_are_refused() {
    let invalid = Err(InvalidAddress::Phone(Country::GH));
    for text in [
        "0",
        "024412345",
        "02441234567",
        "0254123456",
        "0590123456",
        "233",
        "12345678901234567890",
        "0244123456 ext 5",
        "0800-GHANA",
        "tel:0244123456",
        "2348031234567",
        "a@example.com",
        "0244+123456",
    ] {
        assert_eq!(parsed(Channel::Sms, "GH", text), invalid, "{text}");
    }
    for text in [
        "+",
        "+0244123456",
        "+233",
        "+23324412345",
        "+999123456789",
        "+1 2530000",
        "+39023661830000",
    ] {
        let invalid = Err(InvalidAddress::InternationalPhone);
        assert_eq!(parsed(Channel::Sms, "GH", text), invalid, "{text}");
    }
    assert_eq!(parsed(Channel::Sms, "GH", " "), Err(InvalidAddress::Empty));
    assert_eq!(parsed(Channel::Sms, "AQ", "0244123456"), Err(InvalidAddress::Phone(country("AQ"))));
}

#[test]
fn the_example_of_every_plan_is_read() {
    for plan in PLANS.iter() {
        let example = plan.descriptors().get(Type::Mobile).and_then(|mobile| mobile.example());
        let Some(national) = example else { continue };
        let e164 = format!("+{}{national}", plan.country_code());

        assert_eq!(parsed(Channel::Sms, "GH", &e164), Ok(e164.clone()));
        if let Ok(home) = plan.id().parse::<Country>() {
            for text in [national, &e164[1..]] {
                assert_eq!(parsed(Channel::Sms, home.as_str(), text), Ok(e164.clone()));
            }
        }
    }
}

#[test]
fn a_fixed_line_can_only_be_called() {
    for (text, e164) in [
        ("0302345678", "+233302345678"),
        ("+390236618300", "+390236618300"),
        ("+441212345678", "+441212345678"),
    ] {
        assert_eq!(parsed(Channel::Voice, "GH", text), Ok(e164.into()));
        for channel in [Channel::Sms, Channel::WhatsApp] {
            assert_eq!(parsed(channel, "GH", text), Err(InvalidAddress::FixedLine(channel)));
        }
    }
}

#[test]
fn the_owner_of_a_fixed_line_with_a_leading_zero_is_known() {
    let kind = Address::stored("+390236618300".into()).phone_kind().unwrap();
    assert_eq!(kind, PhoneKind { country: country("IT"), is_premium: false });
}

#[test]
fn an_address_that_is_no_phone_number_has_no_kind() {
    for text in ["a@example.com", "token", "+", "", "+é"] {
        assert_eq!(Address::stored(text.into()).phone_kind(), None, "{text}");
    }
}

#[test]
fn a_number_outside_any_country_belongs_to_none() {
    for (text, is_premium) in [
        ("+80012345678", false),
        ("+870773123456", false),
        ("+881612345678", false),
        ("+80812345678", true),
        ("+979123456789", true),
    ] {
        for home in ["GH", "NG"] {
            let address = Address::parse(Channel::Voice, country(home), text).unwrap();
            let kind = PhoneKind { country: Country::INTERNATIONAL, is_premium };
            assert_eq!(address.phone_kind(), Some(kind), "{text}");
        }
    }
}

#[test]
fn numbers_for_which_callers_pay_more_are_known() {
    for (text, is_premium) in [
        ("+19002345678", true),
        ("+449012345678", true),
        ("+611900123456", true),
        ("+33810123456", true),
        ("+498001234567", false),
        ("+233302345678", false),
        ("+447400123456", false),
    ] {
        let kind = Address::stored(text.into()).phone_kind();
        assert_eq!(kind.map(|kind| kind.is_premium), Some(is_premium), "{text}");
    }
}

#[test]
fn the_examples_of_every_plan_are_distinguishable() {
    let kind = |plan: &phonenumber::Metadata, kind: Type| {
        let national = plan.descriptors().get(kind)?.example()?;
        Address::stored(format!("+{}{national}", plan.country_code())).phone_kind()
    };
    let mut dear = 0;
    for plan in PLANS.iter() {
        if let Some(mobile) = kind(plan, Type::Mobile) {
            assert!(!mobile.is_premium, "{}", plan.id());
        }
        for premium in [Type::PremiumRate, Type::SharedCost].map(|it| kind(plan, it)) {
            dear += usize::from(premium.is_some_and(|it| it.is_premium));
        }
    }
    assert!(dear > 150, "{dear}");
}

#[test]
fn an_email_address_keeps_its_local_part() {
    for (text, address) in [
        ("Ama.Serwaa+x@Example.COM", "Ama.Serwaa+x@example.com"),
        (" a@b.co\n", "a@b.co"),
        ("o'brien@mail.example.gh", "o'brien@mail.example.gh"),
        ("a@Bücher.example", "a@bücher.example"),
        ("a@उदाहरण.भारत", "a@उदाहरण.भारत"),
        ("a@xn--bcher-kva.example", "a@xn--bcher-kva.example"),
    ] {
        assert_eq!(parsed(Channel::Email, "GH", text), Ok(address.into()));
    }
}

#[test]
fn texts_that_are_no_email_address_are_refused() {
    for text in [
        "a",
        "@example.com",
        "a@",
        "a@localhost",
        "a@example.com.",
        "a@.example.com",
        "a@b..com",
        "a@-b.com",
        "a@b-.com",
        "a@b_c.com",
        "a@127.0.0.1",
        "a@[127.0.0.1]",
        ".a@example.com",
        "a.@example.com",
        "a..b@example.com",
        "a b@example.com",
        "a@b@example.com",
        "\"a b\"@example.com",
        "Ama <a@example.com>",
        "<a@example.com>",
        "a@example.com,b@example.com",
        "a@exam\u{200b}ple.com",
        "a\r\nBcc:b@example.com",
        "mailto:a@example.com",
    ] {
        assert_eq!(parsed(Channel::Email, "GH", text), Err(InvalidAddress::Email), "{text}");
    }
}

#[test]
fn an_email_address_is_as_long_as_mail_allows() {
    let local = "a".repeat(64);
    let label = "b".repeat(63);
    let longest = format!("{local}@{label}.{label}.{}", "c".repeat(61));

    assert_eq!(longest.len(), 254);
    assert!(parsed(Channel::Email, "GH", &longest).is_ok());
    for text in [format!("{longest}c"), format!("a{local}@example.com"), format!("a@b{label}.com")]
    {
        assert_eq!(parsed(Channel::Email, "GH", &text), Err(InvalidAddress::Email), "{text}");
    }
}

#[test]
fn a_push_token_is_opaque() {
    let longest = "t".repeat(MAX_TOKEN_BYTES);
    let push = |text: &str| parsed(Channel::Push, "GH", text);

    assert_eq!(push(" dGVzdA:APA91b_x-y== "), Ok("dGVzdA:APA91b_x-y==".into()));
    assert_eq!(push(&longest), Ok(longest.clone()));
    assert_eq!(push(&(longest + "t")), Err(InvalidAddress::TokenTooLong));
    assert_eq!(push("a b"), Err(InvalidAddress::Token));
    assert_eq!(push("a\u{0}b"), Err(InvalidAddress::Token));
    assert_eq!(push("\t"), Err(InvalidAddress::Empty));
}

#[test]
fn a_masked_address_can_not_be_written_to() {
    for (text, masked) in [
        ("+233241234567", "+233*****4567"),
        ("+24740123", "+247****3"),
        ("+290", "+290"),
        ("ama@example.com", "a***@example.com"),
        ("token-of-a-phone", "tok***"),
        ("tok@secret", "tok***"),
        ("", "***"),
    ] {
        let address = Address::stored(text.into());

        assert_eq!(address.masked(), masked);
        assert_eq!(format!("{address:?}"), masked);
    }
}

#[test]
fn errors_follow_the_name_of_the_field() {
    for (error, text) in [
        (
            InvalidAddress::Phone(Country::GH),
            "is not a valid phone number for GH; that of another country begins with + and its \
             calling code",
        ),
        (InvalidAddress::FixedLine(Channel::Sms), "is a fixed line, which cannot receive SMS"),
        (InvalidAddress::Email, "is not a valid email address"),
    ] {
        assert_eq!(error.to_string(), text);
    }
    assert!(InvalidAddress::TokenTooLong.to_string().contains(&MAX_TOKEN_BYTES.to_string()));
}

#[test]
fn json_holds_the_normalised_form() {
    let address = Address::stored("+233241234567".into());
    let json = serde_json::to_string(&address).unwrap();

    assert_eq!(json, "\"+233241234567\"");
    assert_eq!(serde_json::from_str::<Address>(&json).unwrap(), address);
}

proptest! {
    #[test]
    fn the_short_way_for_ghana_agrees_with_the_long_one(
        code in "GH|NG|US",
        prefix in "0|233|[+]233|00233|",
        national in "[235][0-9]{8}|[1-9][0-9]{6,9}|233[0-9]{6}",
    ) {
        let digits = prefix + &national;
        let mobile = Number::read(country(&code), &digits)
            .filter(|number| number.calling_code == 233)
            .filter(|number| is_a(number.region, Type::Mobile, &number.national))
            .map(|number| number.e164());
        let short = ghana_mobile(country(&code), &digits).map(|n| format!("+233{n}"));

        prop_assert_eq!(short, mobile);
    }

    #[test]
    fn a_normalised_number_stays_the_same(code in "GH|NG|US|IT|KE|AR|MX", text in "0?[0-9]{7,12}") {
        for channel in PHONES {
            if let Ok(e164) = parsed(channel, &code, &text) {
                prop_assert_eq!(parsed(channel, "GH", &e164), Ok(e164.clone()));
                prop_assert_eq!(parsed(channel, "US", &e164), Ok(e164.clone()));
                prop_assert!(Address::stored(e164).phone_kind().is_some());
            }
        }
    }

    #[test]
    fn email_addresses_are_read_and_stay_the_same(
        text in "[A-Za-z0-9+_-]{1,20}@[A-Za-z0-9]{1,9}[.][A-Za-z]{2,9}",
    ) {
        let address = parsed(Channel::Email, "GH", &text).unwrap();

        prop_assert!(address.eq_ignore_ascii_case(&text));
        prop_assert_eq!(parsed(Channel::Email, "GH", &address), Ok(address.clone()));
    }

    #[test]
    fn no_text_panics(text in any::<String>(), digits in "[+0-9 ()-]{0,30}") {
        for channel in [Channel::Sms, Channel::Email, Channel::Push] {
            for text in [&text, &digits] {
                for code in ["GH", "US", "IT", "BR", "AR", "AQ"] {
                    let _ = parsed(channel, code, text);
                }
                let _ = Address::stored(text.clone()).masked();
                let _ = Address::stored(text.clone()).phone_kind();
            }
        }
    }
}
