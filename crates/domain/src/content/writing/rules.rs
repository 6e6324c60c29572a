//! Texts written by rules: without a model, with the same result every time.
//!
//! A text is split into pieces (`pieces`): words, and parts that rules never change, which are
//! placeholders, links and everything with digits. The rules replace phrases (`phrases`) from a table
//! (`tables`). Each step applies only if its text still fits.

mod alphabet;
mod goal;
mod letter;
mod phrases;
mod pieces;
mod shorten;
mod tables;
mod tone;

use std::fmt;

use super::{Constraints, Generation, Rewriting, Style, WrittenText, is_english};
use crate::{
    content::compliance,
    shared::{category::Category, channel::Channel, sms},
};

/// Shortcoming of a written text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Note {
    /// The rules wrote, since the configured model failed.
    ModelFailed,
    /// The rules do not support the tone.
    UnknownTone,
    /// The text still takes more parts than requested.
    StillTooLong,
    /// The text has letters without a replacement in GSM-7.
    OtherLetters,
}

impl fmt::Display for Note {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::ModelFailed => "the model gave no usable text, so the rules wrote",
            Self::UnknownTone => {
                "the rules know the tones professional, friendly, urgent and formal; this is \
                 professional"
            }
            Self::StillTooLong => {
                "the text takes more parts than asked for: nothing more could be shortened without \
                 losing what it says"
            }
            Self::OtherLetters => {
                "the text has letters that GSM-7 lacks and cannot stand in for, so it stays in UCS-2"
            }
        })
    }
}

/// Opt-out line of promotional text messages.
const WAY_OUT: &str = "Reply STOP to opt out";
const WAY_OUT_OF_MAIL: &str =
    "To get no more of these mails, use the unsubscribe button of your mail program.";
/// Code that [`compliance`] gives to promotion without an opt-out.
const NO_WAY_OUT: &str = "NO_WAY_OUT";

/// Writes a new text; `None` for another language than English.
pub(super) fn generate(wanted: &Generation) -> Option<(WrittenText, Vec<Note>)> {
    if !is_english(&wanted.language) {
        return None;
    }
    let tone = wanted.tone.as_deref().map(|tone| tone.trim().to_ascii_lowercase().parse());
    let style = match tone {
        Some(Ok(style)) => style,
        _ => Style::Professional,
    };
    let unknown = matches!(tone, Some(Err(_))).then_some(Note::UnknownTone);
    let letter = letter::write(wanted, style);
    let text = fitting(tone::apply(&letter.message, style), letter.message, wanted.constraints);
    let (message, mut notes) = finish(text, wanted.constraints);
    notes.extend(unknown);
    Some((WrittenText { subject: letter.subject, message }, notes))
}

/// Writes a text in other words.
pub(super) fn rewrite(wanted: &Rewriting) -> (WrittenText, Vec<Note>) {
    let text = wanted.message.clone();
    let text = fitting(tone::apply(&text, wanted.style), text, wanted.constraints);
    let (message, notes) = finish(text, wanted.constraints);
    (WrittenText { subject: None, message }, notes)
}

/// Adds the opt-out line, and reduces the cost as far as requested.
fn finish(mut text: String, constraints: Constraints) -> (String, Vec<Note>) {
    let mut notes = Vec::new();
    if let Some(line) = missing_way_out(&text, constraints.category, constraints.channel) {
        text = fitting(format!("{}{line}", text.trim_end()), text, constraints);
    }
    if constraints.may_be_sms() {
        match alphabet::plain(&text) {
            Some(plain) => {
                if sms::segment(&plain).segments <= sms::segment(&text).segments {
                    text = fitting(plain, text, constraints);
                }
            }
            None => notes.push(Note::OtherLetters),
        }
    }
    if let Some(most) = constraints.max_segments {
        text = shorten::to(most, text);
        if sms::segment(&text).segments > most {
            notes.push(Note::StillTooLong);
        }
    }
    (text, notes)
}

/// Returns `next`, or `text` if `next` is too long or lacks something.
fn fitting(next: String, text: String, constraints: Constraints) -> String {
    let is_short = next.chars().nth(constraints.max_characters()).is_none();
    if is_short && pieces::keeps_placeholders(&next, &text) { next } else { text }
}

/// Returns the missing opt-out line of a promotion, with its separator.
fn missing_way_out(text: &str, category: Category, channel: Option<Channel>) -> Option<String> {
    let issues = compliance::assess(text, category).issues;
    if issues.iter().all(|issue| issue.code != NO_WAY_OUT) {
        return None;
    }
    match channel {
        None | Some(Channel::Sms | Channel::WhatsApp) => {
            let end = if text.trim_end().ends_with(['.', '!', '?']) { " " } else { ". " };
            Some(format!("{end}{WAY_OUT}"))
        }
        Some(Channel::Email) => Some(format!("\n\n{WAY_OUT_OF_MAIL}")),
        Some(Channel::Push | Channel::Voice) => None,
    }
}
