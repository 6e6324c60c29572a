//! How risky a text is, and why.
//!
//! A text is read into tokens (`tokens`): letters are folded, so that spacing, look-alike letters and
//! digits in words hide nothing (`letters`). Words and phrases belong to classes (`words.txt`), and
//! the rules (`rules`) are patterns over classes (`pattern`). What a text forbids or warns of does not
//! count (`negation`). The score is the sum of the weights of the rules that found something.

mod characters;
mod check;
mod forms;
mod letters;
mod links;
mod negation;
mod numbers;
mod pattern;
mod rules;
mod tokens;
mod vocabulary;

use std::borrow::Cow;

use serde::{Deserialize, Serialize};

pub use self::check::{CheckedMessage, MessageCheck};
pub(crate) use self::{characters::instead, check::assess_whole};
use self::{rules::RuleBook, tokens::Reading, vocabulary::Vocabulary};
use crate::shared::category::Category;

/// A text with this score or more is sent only when somebody has approved it.
pub const APPROVAL_THRESHOLD: u8 = 30;
/// A text with this score or more is not sent for an organization that is screened.
pub const BLOCKING_THRESHOLD: u8 = 60;
/// How many characters of a text are read. Of a longer one nobody knows what else it says, which is a
/// reason to have it approved.
pub const MAX_CHARACTERS: usize = 20_000;
/// The highest score.
const MAX_SCORE: u8 = 100;

/// What was found in a text.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Assessment {
    /// The sum of the weights of the issues, at most 100.
    pub score: u8,
    /// What was found, heaviest first. Each rule is told once.
    pub issues: Vec<Issue>,
}

/// What a rule found.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Issue {
    /// The name of the rule. It does not change.
    pub code: Cow<'static, str>,
    /// How grave it is.
    pub severity: Severity,
    /// What was found, in words.
    pub message: Cow<'static, str>,
    /// What to write instead.
    pub remedy: Cow<'static, str>,
    /// The passage as it is written. A rule about what is missing has none.
    #[serde(rename = "match")]
    pub found: Option<String>,
    /// Where the passage begins, in characters.
    pub position: Option<usize>,
    /// What it adds to the score.
    pub weight: u8,
}

/// How grave an issue is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    /// Good to know; no risk.
    Info,
    /// Counts only together with others.
    Low,
    /// Two of these need approval.
    Medium,
    /// Needs approval by itself.
    High,
}

impl Severity {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::Info, Self::Low, Self::Medium, Self::High];

    /// The name on the wire.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Info => "info",
            Self::Low => "low",
            Self::Medium => "medium",
            Self::High => "high",
        }
    }
}

impl Assessment {
    /// Whether somebody must approve the text before it is sent.
    pub const fn requires_approval(&self) -> bool {
        self.score >= APPROVAL_THRESHOLD
    }
}

/// Assesses `text` as a message of `category`.
pub fn assess(text: &str, category: Category) -> Assessment {
    let book = RuleBook::get();
    let reading = read(text, book.vocabulary());
    let mut issues = book.issues(&reading, category, text);
    issues.sort_by_key(|issue| std::cmp::Reverse(issue.weight));
    let score = issues.iter().fold(0_u8, |score, issue| score.saturating_add(issue.weight));
    Assessment { score: score.min(MAX_SCORE), issues }
}

/// Says if a link is in `text`.
pub(crate) fn has_link(text: &str) -> bool {
    text.split_whitespace().any(|word| links::find(&word.to_lowercase()).is_some())
}

/// Reads `text`, as far as patterns ask for it.
fn read(text: &str, vocabulary: &Vocabulary) -> Reading {
    let mut reading = Reading::of(text, vocabulary);
    numbers::classify(&mut reading, vocabulary);
    reading.find_phrases(vocabulary);
    negation::mark(&mut reading, vocabulary);
    reading.note_presence(vocabulary);
    reading
}

#[cfg(test)]
mod tests;
