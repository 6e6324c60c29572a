//! Risk assessment of texts.
//!
//! A text is read into tokens (`tokens`): letters are folded, so that spacing, look-alike letters and
//! digits in words hide nothing (`letters`). Words and phrases belong to classes (`words.txt`), and the
//! rules (`rules`) are patterns over classes (`pattern`). Things that a text forbids or warns of do not
//! count (`negation`). The score is the sum of the weights of the matching rules.
//!
//! ```
//! use domain::{content::compliance::assess, shared::category::Category};
//!
//! let assessment = assess("Your parcel has arrived.", Category::Transactional);
//! assert!(!assessment.requires_approval());
//! ```

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
mod ways_out;

use std::borrow::Cow;

use serde::{Deserialize, Serialize};

pub(crate) use self::check::assess_whole;
pub use self::{
    characters::instead,
    check::{CheckedMessage, MessageCheck},
    ways_out::{Sending, assess_sent},
};
use self::{rules::RuleBook, tokens::Reading, vocabulary::Vocabulary};
use crate::shared::category::Category;

/// Score from which a text needs approval before it is sent.
pub const APPROVAL_THRESHOLD: u8 = 30;
/// Score from which a text is not sent for an organization under screening.
pub const BLOCKING_THRESHOLD: u8 = 60;
/// Maximum number of characters read. The rest of a longer text is unknown, so such a text needs approval.
pub const MAX_CHARACTERS: usize = 20_000;
/// Maximum score.
const MAX_SCORE: u8 = 100;

/// Result of assessing a text.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Assessment {
    /// Sum of the weights of the issues, at most 100.
    pub score: u8,
    /// Issues, heaviest first. Each rule occurs at most once.
    pub issues: Vec<Issue>,
}

/// Match of a rule.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Issue {
    /// Code of the rule, which never changes.
    pub code: Cow<'static, str>,
    /// Severity of the issue.
    pub severity: Severity,
    /// Description of the match, for people.
    pub message: Cow<'static, str>,
    /// Advice for changing the text.
    pub remedy: Cow<'static, str>,
    /// Matching passage as written; `None` for rules about missing passages.
    #[serde(rename = "match")]
    pub found: Option<String>,
    /// Start of the passage, in characters.
    pub position: Option<usize>,
    /// Contribution to the score.
    pub weight: u8,
}

crate::closed_list! {
    /// Severity of an issue, in ascending order.
    #[derive(PartialOrd, Ord)]
    pub enum Severity {
        /// Information only, without risk.
        Info = "info",
        /// Relevant only together with other issues.
        Low = "low",
        /// Two of these need approval.
        Medium = "medium",
        /// Needs approval by itself.
        High = "high",
    }
    impl Serialize;
    impl Deserialize;
}

impl Assessment {
    /// True if the text needs approval before it is sent.
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

/// True if `text` contains a link.
pub(crate) fn has_link(text: &str) -> bool {
    text.split_whitespace().any(|word| links::find(&word.to_lowercase()).is_some())
}

/// Reads `text` with everything that patterns need.
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
