//! Texts of the rules for all kinds of requests.

use proptest::prelude::*;

use super::*;
use crate::content::compliance::APPROVAL_THRESHOLD;

fn rewriting(message: &str, style: Style, constraints: Constraints) -> WritingRequest {
    WritingRequest::Rewrite(Rewriting { message: message.to_owned(), style, constraints })
}

fn sms(category: Category) -> Constraints {
    Constraints { channel: Some(Channel::Sms), category, max_segments: None }
}

#[test]
fn a_rewritten_text_keeps_what_it_says_and_costs_less() {
    let text = "Dear valued customer, kindly note that your order {{order}} worth ₵{{amount}} is ready – \
                please collect it at our shop in Osu before 5pm on Saturday. Thank you for choosing us 😀";
    let constraints = Constraints { max_segments: Some(1), ..sms(Category::Transactional) };

    let written = rewriting(text, Style::Professional, constraints).by_rules().unwrap();

    assert_eq!(
        written.text.message,
        "Your order {{order}} worth GHS {{amount}} is ready - please collect it at our shop in Osu \
         before 5pm on Saturday."
    );
    assert_eq!((written.writer, written.notes), (Writer::Rules, vec![]));
    assert_eq!((written.segmentation.segments, sms::segment(text).segments), (1, 3));
}

#[test]
fn adds_an_opt_out_to_promotion_without_one() {
    let text = "Kente is cheaper this week";
    let write = |text: &str, channel| {
        let constraints = Constraints { channel, ..sms(Category::Marketing) };
        rewriting(text, Style::Friendly, constraints).by_rules().unwrap()
    };
    let written = write(text, Some(Channel::Sms));
    assert_eq!(written.text.message, "Kente is cheaper this week. Reply STOP to opt out");
    assert!(written.assessment.score < APPROVAL_THRESHOLD);
    assert_eq!(write(&written.text.message, None).text, written.text);
    let mail = write(text, Some(Channel::Email));
    assert!(mail.text.message.ends_with("the unsubscribe button of your mail program."));
    assert!(mail.assessment.score < APPROVAL_THRESHOLD);
    let call = write(text, Some(Channel::Voice));
    assert_eq!(call.text.message, text);
    assert!(call.assessment.requires_approval());
}

#[test]
fn notes_the_shortcomings_of_the_rules() {
    let constraints = Constraints { max_segments: Some(1), ..sms(Category::Transactional) };
    let long = "Ama Kofi Esi Yaw ".repeat(20);
    let notes = |text: &str| rewriting(text, Style::Formal, constraints).by_rules().unwrap().notes;
    assert_eq!(notes(&long), [Note::StillTooLong]);
    assert_eq!(notes("您好"), [Note::OtherLetters]);
    let request = |tone: &str| GenerateRequest {
        goal: Some("Thank donors for their gift".into()),
        channel: Some(Channel::Sms),
        tone: Some(tone.into()),
        ..Default::default()
    };
    let notes = |tone| request(tone).request().unwrap().by_rules().unwrap().notes;
    assert_eq!((notes("Friendly"), notes("witty")), (vec![], vec![Note::UnknownTone]));
}

#[test]
fn the_rules_support_only_english() {
    let generate = |language: Option<&str>| {
        let goal = Some("Thank donors for their gift".to_owned());
        let (channel, language) = (Some(Channel::Sms), language.map(str::to_owned));
        let request = GenerateRequest { goal, channel, language, ..Default::default() };
        request.request().unwrap().by_rules()
    };
    for language in [None, Some("en"), Some("en-GH"), Some("English")] {
        assert_eq!(generate(language).unwrap().text.message, "Thank you for your gift.");
    }
    assert_eq!((generate(Some("tw")), generate(Some("Ewe"))), (None, None));
    let message = Some("Akwaaba".to_owned());
    let target_language = Some("en".to_owned());
    let request = TranslateRequest { message, target_language, ..Default::default() };
    assert_eq!(request.request().unwrap().by_rules(), None);
}

#[test]
fn a_generated_code_needs_no_approval() {
    let request = GenerateRequest {
        goal: Some("Send a login code".into()),
        channel: Some(Channel::Sms),
        category: Some(Category::Otp),
        variables: Some(vec!["name".into(), "code".into()]),
        ..Default::default()
    };
    let written = request.request().unwrap().by_rules().unwrap();
    let expected = "Hello {{name}}, your code is {{code}}. Do not share it with anyone.";
    assert_eq!((written.text.message.as_str(), written.assessment.score), (expected, 0));
}

#[test]
fn a_name_in_the_goal_is_greeted() {
    let goal = Some("Remind {{name}} about their visit on {{ date }}".into());
    let request = GenerateRequest { goal, channel: Some(Channel::Sms), ..Default::default() };
    let written = request.request().unwrap().by_rules().unwrap();
    let expected = "Hello {{name}}, this is a reminder about your visit on {{ date }}.";
    assert_eq!(written.text.message, expected);
}

#[test]
fn all_faults_of_a_request_are_reported_together() {
    let request = GenerateRequest {
        goal: Some("a".repeat(601)),
        channel: Some(Channel::Sms),
        language: Some(" ".into()),
        tone: Some("a".repeat(41)),
        variables: Some(vec!["a b".into(), "c".into(), "c".into(), "d".repeat(65)]),
        max_segments: Some(11),
        ..Default::default()
    };
    let faults = request.request().unwrap_err();
    let fields: Vec<_> = faults.fields.keys().map(String::as_str).collect();
    let expected =
        ["goal", "language", "maxSegments", "tone", "variables.0", "variables.2", "variables.3"];
    assert_eq!(fields, expected);

    let missing = GenerateRequest::default().request().unwrap_err();
    assert_eq!(missing.fields.keys().collect::<Vec<_>>(), ["channel", "goal"]);
    let missing = RewriteRequest::default().request().unwrap_err();
    assert_eq!(missing.fields.keys().collect::<Vec<_>>(), ["message", "style"]);
    let missing = TranslateRequest::default().request().unwrap_err();
    assert_eq!(missing.fields.keys().collect::<Vec<_>>(), ["message", "targetLanguage"]);
}

#[test]
fn rejects_oversized_texts_and_stray_braces() {
    let faulty = |message: &str, channel, max_segments| {
        let (message, style) = (Some(message.to_owned()), Some(Style::Urgent));
        let request =
            RewriteRequest { message, style, channel, max_segments, ..Default::default() };
        request.request().is_err()
    };
    let long = "a".repeat(1_601);
    assert!(faulty(&long, Some(Channel::Sms), None) && !faulty(&long, None, None));
    assert!(faulty(&"a".repeat(10_001), None, None));
    for text in ["Hi {{first name}}", " ", "a\u{7}", "a\0"] {
        assert!(faulty(text, None, None), "{text:?}");
    }
    assert!(faulty("a", Some(Channel::Email), Some(1)) && faulty("a", None, Some(0)));
    assert!(!faulty("a", Some(Channel::Sms), Some(10)));
}

fn any_text() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        Just("{{name}}"),
        Just("{{ a.b }}"),
        Just("{"),
        Just("}"),
        Just("very "),
        Just("thank you"),
        Just("Dear customer, "),
        Just("please note that "),
        Just("do not "),
        Just("https://x.gh/"),
        Just("😀"),
        Just("₵"),
        Just("ɛ"),
        Just("’"),
        Just("5"),
        Just(" "),
        Just("\n"),
        Just(". "),
        Just("!"),
        Just(","),
        Just("and "),
        Just("hi "),
        Just("您"),
        Just("｛"),
        Just("tell us "),
        Just("remind "),
        Just("about "),
        Just("to "),
        Just("write a "),
        Just("message "),
    ];
    proptest::collection::vec(piece, 1..40).prop_map(|pieces| pieces.concat())
}

fn any_constraints() -> impl Strategy<Value = Constraints> {
    let channel = proptest::option::of(proptest::sample::select(Channel::ALL.to_vec()));
    let category = proptest::sample::select(Category::ALL.to_vec());
    (channel, category, 1..4_u16, any::<bool>()).prop_map(|(channel, category, most, is_asked)| {
        let mut constraints = Constraints { channel, category, max_segments: None };
        constraints.max_segments = Some(most).filter(|_| is_asked && constraints.may_be_sms());
        constraints
    })
}

/// Asserts that the text of the rules has no violations, except that it may be too long.
fn assert_handed_out(wanted: &WritingRequest) -> Written {
    let written = wanted.by_rules().unwrap();
    let violations = wanted.violations(&written.text);
    let is_too_long = written.notes.contains(&Note::StillTooLong);
    // Removing text can bring brackets nearer to each other.
    let may_be = |violation: &&Violation| {
        matches!(violation, Violation::TooManySegments(_) | Violation::Blank(_))
    };
    let rest = violations.iter().filter(|violation| !may_be(violation));
    assert_eq!(rest.count(), 0, "{violations:?} {written:?}");
    assert_eq!(
        violations.iter().any(|violation| matches!(violation, Violation::TooManySegments(_))),
        is_too_long
    );
    written
}

proptest! {
    #[test]
    fn rules_keep_every_placeholder_of_a_text(
        text in any_text(),
        style in proptest::sample::select(Style::ALL.to_vec()),
        constraints in any_constraints(),
    ) {
        let request = RewriteRequest {
            message: Some(text.clone()),
            style: Some(style),
            channel: constraints.channel,
            category: Some(constraints.category),
            max_segments: constraints.max_segments.map(i32::from),
        };
        let Ok(wanted) = request.request() else { return Ok(()) };

        let written = assert_handed_out(&wanted);

        prop_assert_eq!(placeholder::names(&written.text.message), placeholder::names(&text));
        prop_assert_eq!(wanted.by_rules().unwrap(), written);
    }

    #[test]
    fn rules_place_every_variable_of_a_new_text(
        goal in any_text(),
        variables in proptest::collection::vec("[a-zA-Z_.]{1,12}|firstName|code|link|company", 0..12),
        constraints in any_constraints(),
        tone in proptest::option::of(proptest::sample::select(vec!["friendly", "formal", "urgent"])),
    ) {
        let request = GenerateRequest {
            goal: Some(goal),
            channel: constraints.channel,
            category: Some(constraints.category),
            language: None,
            tone: tone.map(str::to_owned),
            variables: Some(variables),
            max_segments: constraints.max_segments.map(i32::from),
        };
        let Ok(wanted) = request.request() else { return Ok(()) };

        assert_handed_out(&wanted);
    }
}
