//! Language of the code: openings of doc comments, and words that `docs/glossary.md` replaced.

use crate::tree::{assert_none, rust_files};

/// Openings that say less than a noun or a verb.
const OPENERS: [&str; 10] =
    ["What", "Who", "Whose", "Whom", "How", "Whether", "Where", "Which", "When", "Why"];

/// Words that are no part of names any more, each with the word that is.
const STRUCK: [(&str, &str); 12] = [
    ("announcer", "change_broadcaster"),
    ("brake", "fraud_guard"),
    ("doorbell", "wake_signal"),
    ("in_hand", "in_flight"),
    ("lane", "priority"),
    ("lanes", "priorities"),
    ("note_told", "mark_notified"),
    ("rung", "woken"),
    ("signs_of_life", "heartbeat"),
    ("told_events", "subscribed_events"),
    ("untold", "pending"),
    ("upkeep", "background"),
];

/// Words of other fields that a struck word is part of.
const OTHERS: [&str; 2] = ["LANES", "<upkeep>"];

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
        for (index, line) in file.text.lines().enumerate() {
            let is_code = !line.trim_start().starts_with("//");
            let words = line.split(|c: char| !c.is_alphanumeric() && c != '_');
            for word in words.filter(|_| is_code && !OTHERS.iter().any(|it| line.contains(it))) {
                let lower = word.to_lowercase();
                if let Some((old, new)) = STRUCK.iter().find(|(old, _)| *old == lower) {
                    broken.push(format!("{}:{}: {old}; say {new}", file.name, index + 1));
                }
            }
        }
    }
    assert_none(&broken, "names are those of docs/glossary.md");
}
