//! Messages with templates of the vendor.

use domain::content::template::VendorTemplate;

use super::*;

/// The template of a code.
pub(super) fn template(is_approved: bool) -> TemplateText {
    TemplateText {
        id: "018bcfe5-6800-7000-8000-000000000002".parse().unwrap(),
        channel: Channel::Sms.into(),
        category: Category::Otp,
        subject: None,
        body: "Your code is {{ code }}".into(),
        format: None,
        vendor_template: None,
        value_rules: domain::content::template::ValueRules::default(),
        is_approved,
    }
}

fn with_vendors_template(parameters: &[&str]) -> TemplateText {
    let vendor_template = VendorTemplate {
        name: "login_code".into(),
        language: "en_GB".into(),
        parameters: parameters.iter().copied().map(Into::into).collect(),
        button: Some("code".into()),
    };
    TemplateText { vendor_template: Some(vendor_template), ..template(true) }
}

#[tokio::test]
async fn vendor_parameters_are_filled_at_acceptance() {
    let (test_ports, submissions) = TestPorts::open();
    let messages = test_ports.with_template(Some(with_vendors_template(&["code"]))).messages();

    messages.send(&owner(), send_async(by_template())).await.unwrap();

    let submissions = submissions.lock().unwrap();
    let draft = &submissions[0].messages[0].draft;
    let filled = draft.vendor_template.as_ref().unwrap();
    assert_eq!((filled.name.as_str(), filled.language.as_str()), ("login_code", "en_GB"));
    assert_eq!(
        (&filled.values[..], filled.button.as_deref()),
        (&["4711".into()][..], Some("4711"))
    );
    assert_eq!(draft.body, "Your code is 4711");
}

#[tokio::test]
async fn a_parameter_without_a_value_is_a_fault() {
    let test_ports =
        TestPorts::closed().with_template(Some(with_vendors_template(&["code", "shop"])));

    let error = test_ports.messages().send(&owner(), send(by_template())).await.unwrap_err();

    assert_eq!(faults(error).fields["variables"], ["has no value for {{shop}}"]);
}
