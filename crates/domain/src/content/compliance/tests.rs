//! Issues in texts, and their positions.

use std::collections::BTreeSet;

use proptest::{prelude::*, sample::select};

use super::*;

fn codes(text: &str, category: Category) -> Vec<String> {
    assess(text, category).issues.into_iter().map(|issue| issue.code.into_owned()).collect()
}

#[test]
fn an_issue_has_the_passage_as_written_and_its_position() {
    let assessment = assess("Yɛ ntɛm: kindly send your M0M0 P!N to 0241234567", Category::Alert);

    let issue = &assessment.issues[0];
    assert_eq!(issue.code, "SECRET_REQUESTED");
    assert_eq!((issue.found.as_deref(), issue.position), (Some("send your M0M0 P!N"), Some(16)));
    assert!(assessment.requires_approval() && assessment.score >= BLOCKING_THRESHOLD);
}

#[test]
fn promotion_without_an_opt_out_needs_approval() {
    let text = "Sale at Makola this Saturday";
    assert_eq!(assess(text, Category::Marketing).score, APPROVAL_THRESHOLD);
    assert_eq!(assess(text, Category::Transactional).score, 0);
    assert_eq!(assess("Sale this Saturday. Reply STOP to opt out", Category::Marketing).score, 0);
}

#[test]
fn an_unsubscribe_placeholder_or_link_is_an_opt_out() {
    for link in [
        "{{unsubscribe}}",
        "{{ unsubscribe }}",
        "https://notify.example.com/u/7k2m9qd4xw0af",
        "https://notify.example.com/unsubscribe/AQEjRWeJq80af.",
    ] {
        let text = format!("Sale at Makola this Saturday. No more of this: {link}");
        assert_eq!(assess(&text, Category::Marketing).score, 0, "{link}");
    }
    let text = "Sale at Makola this Saturday: https://shop.example/u/kente";
    assert_eq!(assess(text, Category::Marketing).score, APPROVAL_THRESHOLD);
}

#[test]
fn an_issue_is_kept_as_json() {
    let assessment = assess("Send your PIN", Category::Otp);
    let json = serde_json::to_value(&assessment).unwrap();
    assert_eq!(json["issues"][0]["match"], "Send your PIN");
    assert_eq!(serde_json::from_value::<Assessment>(json).unwrap(), assessment);
}

#[test]
fn disclosed_or_guarded_secrets_are_not_requested_ones() {
    for text in [
        "Your code is 4821. Do not share it with anyone",
        "Never share your PIN, OTP or password with anybody.",
        "Beware of fraudsters who ask you to send your PIN.",
        "Use OTP 482113 to log in.",
    ] {
        assert_eq!(codes(text, Category::Otp), Vec::<String>::new(), "{text}");
    }
}

/// Label, category and text of each message, as in the file.
fn messages() -> impl Iterator<Item = (&'static str, Category, &'static str)> {
    include_str!("messages.tsv").lines().map(|line| {
        let mut parts = line.splitn(3, '\t');
        let mut next = || parts.next().unwrap_or_else(|| panic!("{line}"));
        (next(), next().parse().unwrap(), next())
    })
}

#[test]
fn clean_messages_stay_below_the_threshold_and_scams_reach_it() {
    let mut wrong = Vec::new();
    for (label, category, text) in messages() {
        let assessment = assess(text, category);
        let is_expected = match label {
            "clean" | "borderline-clean" => !assessment.requires_approval(),
            "scam" | "borderline-risky" => assessment.requires_approval(),
            _ => panic!("{label} is no label"),
        };
        if !is_expected {
            wrong.push(format!("{label} {text}: {assessment:#?}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(messages().count() >= 120);
}

#[test]
fn every_rule_finds_something_in_the_messages() {
    let found: BTreeSet<String> =
        messages().flat_map(|(_, category, text)| codes(text, category)).collect();
    let missing: Vec<_> = rules::codes().filter(|code| !found.contains(*code)).collect();
    // An oversized text does not fit into a line of the file.
    assert_eq!(missing, ["TOO_LONG_TO_READ"]);
}

#[test]
fn reads_a_long_text_up_to_the_limit() {
    let text = "Akwaaba ".repeat(MAX_CHARACTERS / 8);
    assert_eq!(codes(&text, Category::Alert), Vec::<String>::new());
    assert_eq!(codes(&(text + "x"), Category::Alert), ["TOO_LONG_TO_READ"]);
}

fn scam() -> impl Strategy<Value = (Category, &'static str)> {
    let scams: Vec<_> = messages()
        .filter(|(label, _, text)| *label == "scam" && text.is_ascii())
        .map(|(_, category, text)| (category, text))
        .collect();
    select(scams)
}

const PUNCTUATION: [char; 5] = ['.', ',', '!', '?', ':'];

/// True if a word may be disguised: it is not a link, address, code or number.
fn is_word(word: &str) -> bool {
    word.trim_end_matches(PUNCTUATION).chars().all(|c| c.is_ascii_alphabetic())
}

/// Returns `text` with its words changed by `change`.
fn rewritten(text: &str, change: impl Fn(char) -> char) -> String {
    let words = text.split(' ').map(|word| {
        if is_word(word) { word.chars().map(&change).collect() } else { word.to_owned() }
    });
    words.collect::<Vec<_>>().join(" ")
}

fn lookalike(c: char) -> char {
    match c {
        'a' => 'а',
        'e' => 'е',
        'o' => 'ο',
        'p' => 'р',
        'c' => 'ｃ',
        'i' => 'í',
        'P' => 'Ρ',
        'I' => 'І',
        'N' => 'Ｎ',
        's' => '𝐬',
        _ => c,
    }
}

fn leet(c: char) -> char {
    match c {
        'a' => '4',
        'e' => '3',
        'i' | 'I' => '1',
        'o' | 'O' => '0',
        's' => '$',
        _ => c,
    }
}

proptest! {
    #[test]
    fn recognises_scams_in_lookalike_letters((category, text) in scam()) {
        let text = rewritten(text, lookalike);
        prop_assert!(assess(&text, category).requires_approval(), "{}", text);
    }

    #[test]
    fn recognises_scams_with_digits_in_words((category, text) in scam()) {
        let text = rewritten(text, leet);
        prop_assert!(assess(&text, category).requires_approval(), "{}", text);
    }

    #[test]
    fn recognises_scams_with_separated_letters(
        (category, text) in scam(),
        separator in select(vec![" ", ".", "-", "_", "\u{200b}", "*"]),
    ) {
        let words = text.split(' ').map(|word| {
            let plain = word.trim_end_matches(PUNCTUATION);
            let letters: Vec<String> = plain.chars().map(String::from).collect();
            if is_word(word) && letters.len() > 2 {
                letters.join(separator) + &word[plain.len()..]
            } else {
                word.to_owned()
            }
        });
        let text = words.collect::<Vec<_>>().join("  ");
        prop_assert!(assess(&text, category).requires_approval(), "{}", text);
    }

    #[test]
    fn recognises_scams_in_any_case((category, text) in scam(), is_upper: bool) {
        let text = if is_upper { text.to_uppercase() } else { text.to_lowercase() };
        prop_assert!(assess(&text, category).requires_approval(), "{}", text);
    }

    #[test]
    fn a_passage_begins_at_its_position(text in "[a-zA-Z0-9 .,!?*#@$:/{}ɛɔ₵𝐏\u{301}\n-]{0,200}") {
        for issue in assess(&text, Category::Marketing).issues {
            if let (Some(found), Some(position)) = (issue.found, issue.position) {
                let there: String = text.chars().skip(position).take(found.chars().count()).collect();
                prop_assert_eq!(there, found);
            }
        }
    }

    #[test]
    fn any_text_is_assessed_within_bounds(text: String) {
        let assessment = assess(&text, Category::Marketing);
        prop_assert!(assessment.score <= 100);
        prop_assert_eq!(assess(&text, Category::Marketing), assessment);
    }
}
