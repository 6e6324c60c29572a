//! Rules of templates.

use super::*;
use crate::shared::{change::Change, channel::Channel, fault::Faults};

const NOW: DateTime<Utc> = DateTime::UNIX_EPOCH;

fn request(body: &str) -> TemplateRequest {
    TemplateRequest {
        name: Some("Order ready".into()),
        channel: Some(Channel::Sms.into()),
        body: Some(body.into()),
        ..TemplateRequest::default()
    }
}

fn template(request: TemplateRequest) -> Template {
    request.template(Id::new(NOW), Id::new(NOW), NOW).unwrap()
}

fn faulty(request: TemplateRequest) -> Faults {
    request.template(Id::new(NOW), Id::new(NOW), NOW).unwrap_err()
}

fn names(names: &[&str]) -> Vec<String> {
    names.iter().map(ToString::to_string).collect()
}

fn vendors(parameters: &[&str], button: Option<&str>) -> VendorTemplateRequest {
    VendorTemplateRequest {
        name: Some("order_ready".into()),
        parameters: Some(names(parameters)),
        button: button.map(str::to_owned),
        ..VendorTemplateRequest::default()
    }
}

#[test]
fn unnamed_variables_come_from_the_texts_in_their_order() {
    let request = TemplateRequest {
        channel: Some(Channel::WhatsApp.into()),
        subject: Some("Order {{order}}".into()),
        vendor_template: Some(vendors(&["name", "shop"], Some("code"))),
        ..request("Hello {{ name }}, {{order}} is ready.")
    };

    let content = template(request).content;

    assert_eq!(content.variables, ["order", "name", "shop", "code"]);
    assert_eq!(content.vendor_template.unwrap().language, "en");
}

#[test]
fn named_variables_must_include_all_used_ones() {
    let named =
        |list: &[&str]| TemplateRequest { variables: Some(names(list)), ..request("{{a}} {{b}}") };

    for list in [&["b", "a"][..], &["b", "c", "a"]] {
        assert_eq!(template(named(list)).content.variables, list);
    }
    for (list, field, fault) in [
        (
            &["a", "b", "{c}"][..],
            "variables.2",
            "must be a name of letters, digits, `_`, `.` and `-`",
        ),
        (&["a", "b", "a"], "variables.2", "is named twice"),
        (&["b"], "variables", "must name {{a}}, which this template uses"),
        (&[], "variables", "must name {{a}}, which this template uses"),
    ] {
        assert_eq!(faulty(named(list)).fields[field][0], fault, "{list:?}");
    }
}

#[test]
fn all_faults_are_reported_together() {
    let request = TemplateRequest {
        name: Some(" ".into()),
        channel: Some(Channel::Sms.into()),
        body: Some("a".repeat(1_601)),
        subject: Some("two\nlines".into()),
        language: Some("in Twi".into()),
        vendor_template: Some(vendors(&[], None)),
        ..TemplateRequest::default()
    };
    let fields: Vec<_> = faulty(request).fields.into_keys().collect();
    assert_eq!(fields, ["body", "language", "name", "subject", "vendorTemplate"]);

    let long = TemplateRequest {
        channel: Some(Channel::Email.into()),
        ..self::request(&"a".repeat(100_001))
    };
    assert_eq!(faulty(long).fields["body"], ["must have at most 100000 characters"]);
    let fields: Vec<_> = faulty(TemplateRequest::default()).fields.into_keys().collect();
    assert_eq!(fields, ["body", "channel", "name"]);

    let vendors = VendorTemplateRequest { name: None, ..vendors(&["a b"], Some("{{a}}")) };
    let whatsapp = TemplateRequest {
        channel: Some(Channel::WhatsApp.into()),
        vendor_template: Some(vendors),
        ..self::request("Hello")
    };
    let fields: Vec<_> = faulty(whatsapp).fields.into_keys().collect();
    assert_eq!(
        fields,
        ["vendorTemplate.button", "vendorTemplate.name", "vendorTemplate.parameters.0"]
    );

    let many: Vec<_> = (0..101).map(|number| format!("{{{{v{number}}}}}")).collect();
    assert_eq!(
        faulty(self::request(&many.concat())).fields["body"],
        ["must have at most 100 placeholders"]
    );
}

#[test]
fn a_score_of_30_or_a_supervised_category_needs_approval() {
    let content = |category| {
        template(TemplateRequest { category: Some(category), ..request("Hello") }).content
    };
    for category in Category::ALL {
        let is_supervised =
            matches!(category, Category::Healthcare | Category::Insurance | Category::Fintech);
        for (score, is_risky) in [(0, false), (29, false), (30, true), (100, true)] {
            let assessment = Assessment { score, issues: Vec::new() };
            let expected = if is_supervised || is_risky {
                TemplateStatus::PendingApproval
            } else {
                TemplateStatus::Approved
            };
            let status = TemplateStatus::of_new(&content(category), &assessment);
            assert_eq!(status, expected, "{category} {score}");
            let vendors = vendors(&[], None).checked("en").unwrap();
            let content = TemplateContent { vendor_template: Some(vendors), ..content(category) };
            let status = TemplateStatus::of_new(&content, &assessment);
            assert_eq!(status, TemplateStatus::PendingApproval, "the operator gives it");
        }
    }
}

#[test]
fn assesses_subject_and_text_together() {
    let harmless = template(request("Hello {{name}}, your order is ready."));
    assert_eq!((harmless.risk_score, harmless.status), (0, TemplateStatus::Approved));

    let scam = TemplateRequest {
        subject: Some("Send your PIN".into()),
        category: Some(Category::Marketing),
        ..request("Akwaaba")
    };
    let scam = template(scam);
    assert_eq!(
        scam.content.assess(),
        Assessment { score: scam.risk_score, issues: scam.issues.clone() }
    );
    assert!(scam.risk_score >= 30, "{:?}", scam.issues);
    assert_eq!(scam.status, TemplateStatus::PendingApproval);
}

#[test]
fn a_content_edit_makes_a_new_version_without_the_decision() {
    let template = template(request("Hello {{name}}, {{order}} is ready."));
    let rejected = Template {
        status: TemplateStatus::Rejected,
        comment: Some("who are you?".into()),
        content: TemplateContent { variables: names(&["order", "name"]), ..template.content },
        ..template
    };

    let update = TemplateUpdate { name: Some("Ready".into()), ..TemplateUpdate::default() };
    let renamed = update.apply(&rejected).unwrap();
    assert_eq!(renamed, Template { name: "Ready".into(), ..rejected.clone() });

    let body = Some("{{order}} is ready, {{name}}.".to_owned());
    let edited = TemplateUpdate { body, ..TemplateUpdate::default() }.apply(&rejected).unwrap();
    assert_eq!((edited.version, edited.status), (2, TemplateStatus::Approved));
    assert_eq!((edited.comment, edited.content.variables), (None, names(&["order", "name"])));

    let body = Some("{{shop}}: ready!".to_owned());
    let edited = TemplateUpdate { body, ..TemplateUpdate::default() }.apply(&rejected).unwrap();
    assert_eq!(edited.content.variables, ["shop"]);

    let variables = Change::Set(Some(names(&["name"])));
    let update = TemplateUpdate { variables, ..TemplateUpdate::default() };
    assert!(update.apply(&rejected).unwrap_err().fields.contains_key("variables"));

    let category = Some(Category::Fintech);
    let edited = TemplateUpdate { category, ..TemplateUpdate::default() }.apply(&rejected).unwrap();
    assert_eq!((edited.version, edited.status), (2, TemplateStatus::PendingApproval));
}

#[test]
fn creator_and_editor_of_a_template_are_its_authors() {
    let (organization, maker, editor) = (Id::new(NOW), Id::new(NOW), Id::new(NOW));
    let request = TemplateRequest { category: Some(Category::Insurance), ..request("Hello") };
    let template = request.template(organization, maker, NOW).unwrap();

    let approval = template.needed_approval([7; 32], editor, NOW).unwrap();

    assert_eq!(approval.requested_by, editor);
    assert_eq!(approval.authors, [editor, maker]);
    assert_eq!(template.needed_approval([7; 32], maker, NOW).unwrap().authors, [maker]);
    let approved = Template { status: TemplateStatus::Approved, ..template };
    assert_eq!(approved.needed_approval([7; 32], maker, NOW), None);
}

#[test]
fn in_app_is_a_channel_of_templates_only() {
    assert_eq!("IN_APP".parse(), Ok(TemplateChannel::InApp));
    assert!("IN_APP".parse::<Channel>().is_err());
    for channel in TemplateChannel::ALL {
        assert_eq!(channel.as_str().parse(), Ok(channel));
    }
    assert!("FAX".parse::<TemplateChannel>().is_err());
}
