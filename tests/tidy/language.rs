//! Language of the code: openings of doc comments, and words that `docs/glossary.md` replaced.

use std::collections::BTreeMap;

use crate::{
    tokens::tokens,
    tree::{assert_none, rust_files},
};

/// Openings that say less than a noun or a verb.
const OPENERS: [&str; 10] =
    ["What", "Who", "Whose", "Whom", "How", "Whether", "Where", "Which", "When", "Why"];

/// Words that no name contains any more, each with the one that replaced it.
const STRUCK: [(&str, &str); 34] = [
    ("announcer", "change_broadcaster"),
    ("ask_for_sender_names", "request_sender_names"),
    ("assignment", "request"),
    ("bell", "wake_signal"),
    ("brake", "fraud_guard"),
    ("bury", "release"),
    ("doorbell", "wake_signal"),
    ("endpoint_line", "endpoint_queue"),
    ("endpoint_lines", "endpoint_queues"),
    ("flaw", "violation"),
    ("flaws", "violations"),
    ("found_organization", "create_organization"),
    ("hand_clock", "manual_clock"),
    ("in_hand", "in_flight"),
    ("keeper", "retrier"),
    ("lane", "priority"),
    ("lanes", "priorities"),
    ("line_capacity", "queue_capacity"),
    ("line_limit", "provider_queue_limit"),
    ("note_told", "mark_notified"),
    ("rings", "wakeups"),
    ("rung", "woken"),
    ("signs_of_life", "heartbeat"),
    ("standing", "state"),
    ("standings", "states"),
    ("stay_alive", "heartbeat"),
    ("telling", "notification"),
    ("tells", "notifies"),
    ("told_event", "outbound_event"),
    ("told_events", "subscribed_events"),
    ("untold", "pending"),
    ("upkeep", "background"),
    ("webhook_lines", "endpoint_queues"),
    ("wording", "text"),
];

/// Words that no name of a production crate contains any more.
const STRUCK_IN_PRODUCTION: [(&str, &str); 9] = [
    ("beat", "heartbeat"),
    ("hear", "receive"),
    ("heard", "received"),
    ("hears", "receives"),
    ("patience", "timeout"),
    ("said", "answer"),
    ("tally", "rate_limit, counter or counts"),
    ("tell", "notify"),
    ("told", "notified, published or reported"),
];

/// Names with struck words: columns of the database, and a function of another crate.
const EXCEPTIONS: [&str; 2] = ["run_upkeep", "tell_at"];

#[test]
fn doc_comments_begin_with_a_thing_or_a_verb() {
    let mut broken = Vec::new();
    for file in rust_files() {
        for (index, line) in file.text.lines().enumerate() {
            let comment = line.trim_start();
            let text = comment.strip_prefix("/// ").or_else(|| comment.strip_prefix("//! "));
            let first = text.and_then(|text| text.split([' ', ',', ':', '.']).next());
            if first.is_some_and(|first| OPENERS.contains(&first)) {
                broken.push(format!("{}:{}: {comment}", file.name, index + 1));
            }
        }
    }
    assert_none(&broken, "a doc comment begins with what a thing is, or with a verb");
}

#[test]
fn struck_words_do_not_come_back() {
    let mut broken = Vec::new();
    for file in rust_files().iter().filter(|file| !file.name.starts_with("tests/tidy/")) {
        let own: &[(&str, &str)] =
            if is_production(&file.name) { &STRUCK_IN_PRODUCTION } else { &[] };
        let tokens = tokens(&file.text);
        let names = tokens.iter().filter(|it| it.is_word() && !EXCEPTIONS.contains(&it.text));
        let lines: BTreeMap<&str, usize> = names.map(|it| (it.text, it.line)).collect();
        for (name, line) in lines {
            let words = words(name);
            for (old, new) in STRUCK.iter().chain(own).filter(|(old, _)| contains(&words, old)) {
                broken.push(format!("{}:{line}: {name}: replace {old} by {new}", file.name));
            }
        }
    }
    assert_none(&broken, "names are those of docs/glossary.md");
}

fn is_production(file: &str) -> bool {
    let mut folders = file.split('/');
    folders.next() == Some("crates")
        && folders.next().is_some_and(|name| name != "tools")
        && folders.next() == Some("src")
}

/// Returns a name in small letters, with `_` between its words.
fn words(name: &str) -> String {
    let mut words = String::with_capacity(name.len());
    let mut ends_word = false;
    for letter in name.chars() {
        if ends_word && letter.is_uppercase() {
            words.push('_');
        }
        ends_word = !letter.is_uppercase() && letter != '_';
        words.extend(letter.to_lowercase());
    }
    words
}

/// True if a name contains words as a whole.
fn contains(words: &str, wanted: &str) -> bool {
    words.match_indices(wanted).any(|(at, _)| {
        let before = words[..at].chars().next_back();
        let after = words[at + wanted.len()..].chars().next();
        [before, after].into_iter().all(|beside| beside.is_none_or(|it| it == '_'))
    })
}

#[test]
fn names_are_split_at_underscores_and_capitals() {
    assert_eq!(words("WebhookLines2Of_URLs"), "webhook_lines2_of_urls");
    assert!(contains(&words("FastLane"), "lane") && contains(&words("IN_HAND"), "in_hand"));
    assert!(!contains(&words("planes"), "lane") && !contains(&words("airplane"), "lane"));
}
