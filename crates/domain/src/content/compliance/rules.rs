//! Rules and their matches.

mod signs;
mod table;

use std::{ops::Range, sync::LazyLock};

use super::{
    APPROVAL_THRESHOLD, Issue, Severity, forms,
    pattern::{Pattern, PatternBook, Search},
    tokens::Reading,
    vocabulary::Vocabulary,
};
use crate::shared::category::Category;

/// Fault of texts, with its evidence.
#[derive(Debug)]
struct Rule {
    code: &'static str,
    weight: u8,
    /// Description of the fault.
    message: &'static str,
    /// Advice for changing the text.
    remedy: &'static str,
    holds_for: HoldsFor,
    evidence: Evidence,
}

/// Returns a rule for all categories.
const fn rule(
    code: &'static str,
    weight: u8,
    message: &'static str,
    remedy: &'static str,
    evidence: Evidence,
) -> Rule {
    Rule { code, weight, message, remedy, holds_for: HoldsFor::All, evidence }
}

/// Categories of messages that a rule is for.
#[derive(Debug)]
enum HoldsFor {
    All,
    Only(&'static [Category]),
}

/// Evidence for breaking a rule.
#[derive(Debug)]
enum Evidence {
    /// The text matches one of these patterns.
    Contains(&'static [&'static str]),
    /// The text matches none of these patterns.
    Lacks(&'static [&'static str]),
    /// Most of the text is in capitals, or it has many exclamation marks.
    Shouted,
    /// The text is longer than the part that is read.
    TooLong,
}

/// Code of the rule about promotion without a way out.
pub(super) const NO_WAY_OUT: &str = "NO_WAY_OUT";
/// Weight from which two issues need approval.
const MEDIUM: u8 = 15;
/// Words of the classes that patterns name.
const WORDS: &str = include_str!("words.txt");
/// Pattern of a text that is stopped by a reply and in no other way.
const ONLY_REPLY: &str = "<reply> ..1 <stop> & !<way-out>|<ussd> & !<stop> to <number>";
/// Minimum number of letters of a shouted text.
const MIN_SHOUTED_LETTERS: usize = 25;
/// Number of exclamation marks that counts as shouting.
const MANY_EXCLAMATION_MARKS: usize = 5;

/// Rules ready for matching.
pub(super) struct RuleBook {
    vocabulary: Vocabulary,
    patterns: PatternBook,
    rules: Vec<(&'static Rule, Vec<Pattern>)>,
    /// Patterns of texts whose only way out is a reply.
    only_reply: Vec<Pattern>,
}

static RULE_BOOK: LazyLock<RuleBook> = LazyLock::new(|| RuleBook::read().0);

impl RuleBook {
    /// Returns the rules, which are read once.
    pub(super) fn get() -> &'static Self {
        &RULE_BOOK
    }

    /// Reads the rules. Also returns the faults of their patterns; a test ensures that there are none.
    fn read() -> (Self, Vec<String>) {
        let mut vocabulary = Vocabulary::new(&forms::NAMES, WORDS);
        for word in forms::WORDS {
            vocabulary.intern(word);
        }
        let mut book = PatternBook::default();
        let (mut rules, mut faults) = (Vec::new(), Vec::new());
        for rule in all() {
            let sources = match rule.evidence {
                Evidence::Contains(sources) | Evidence::Lacks(sources) => sources,
                Evidence::Shouted | Evidence::TooLong => &[],
            };
            let mut patterns = Vec::new();
            for source in sources {
                match book.read(source, &mut vocabulary) {
                    Ok(pattern) => patterns.push(pattern),
                    Err(fault) => faults.push(format!("{}: {source}: {fault}", rule.code)),
                }
            }
            rules.push((rule, patterns));
        }
        let mut only_reply = Vec::new();
        match book.read(ONLY_REPLY, &mut vocabulary) {
            Ok(pattern) => only_reply.push(pattern),
            Err(fault) => faults.push(format!("{ONLY_REPLY}: {fault}")),
        }
        (Self { vocabulary, patterns: book, rules, only_reply }, faults)
    }

    /// Returns the words that the rules use.
    pub(super) fn vocabulary(&self) -> &Vocabulary {
        &self.vocabulary
    }

    /// Returns the issues that the rules find in `reading` of `text`.
    pub(super) fn issues(&self, reading: &Reading, category: Category, text: &str) -> Vec<Issue> {
        let mut search = Search::new(&self.patterns, reading);
        let mut issues = Vec::new();
        for (rule, patterns) in self.rules.iter().filter(|(rule, _)| rule.holds_for(category)) {
            let mut found = || patterns.iter().find_map(|pattern| search.find(pattern));
            let passage = match rule.evidence {
                Evidence::Contains(_) => found().map(Some),
                Evidence::Lacks(_) => found().is_none().then_some(None),
                Evidence::Shouted => is_shouted(reading).then_some(None),
                Evidence::TooLong => reading.is_cut.then_some(None),
            };
            let Some(passage) = passage else { continue };
            let passage = passage.and_then(|tokens| reading.passage(tokens));
            issues.push(Issue {
                code: rule.code.into(),
                severity: rule.severity(),
                message: rule.message.into(),
                remedy: rule.remedy.into(),
                position: passage.as_ref().map(|(position, _)| *position),
                found: passage.and_then(|(_, bytes)| text.get(bytes).map(str::to_owned)),
                weight: rule.weight,
            });
        }
        issues
    }

    /// Returns the passage that asks for a reply, if that is the only way out: its start in characters, and
    /// its range in bytes.
    pub(super) fn only_reply(&self, reading: &Reading) -> Option<(usize, Range<usize>)> {
        let mut search = Search::new(&self.patterns, reading);
        let found = self.only_reply.iter().find_map(|pattern| search.find(pattern));
        found.and_then(|tokens| reading.passage(tokens))
    }
}

/// Returns all rules.
fn all() -> impl Iterator<Item = &'static Rule> {
    table::RULES.iter().chain(signs::RULES)
}

/// Returns the codes of all rules.
#[cfg(test)]
pub(super) fn codes() -> impl Iterator<Item = &'static str> {
    all().map(|rule| rule.code)
}

impl Rule {
    fn severity(&self) -> Severity {
        match self.weight {
            0..MEDIUM => Severity::Low,
            MEDIUM..APPROVAL_THRESHOLD => Severity::Medium,
            APPROVAL_THRESHOLD.. => Severity::High,
        }
    }

    fn holds_for(&self, category: Category) -> bool {
        match self.holds_for {
            HoldsFor::All => true,
            HoldsFor::Only(categories) => categories.contains(&category),
        }
    }
}

fn is_shouted(reading: &Reading) -> bool {
    let is_loud = reading.letter_count >= MIN_SHOUTED_LETTERS
        && reading.capital_count * 3 >= reading.letter_count * 2;
    is_loud || reading.exclamation_count >= MANY_EXCLAMATION_MARKS
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::content::compliance::vocabulary::Classes;

    #[test]
    fn the_patterns_name_classes_that_exist() {
        let (book, faults) = RuleBook::read();
        assert_eq!(faults, Vec::<String>::new());
        let count = u32::try_from(book.vocabulary.class_count()).unwrap();
        assert!(count <= Classes::BITS, "{count} classes");
    }

    #[test]
    fn every_rule_has_a_code_of_its_own_and_says_what_to_do() {
        let codes: BTreeSet<_> = codes().collect();
        assert_eq!(codes.len(), all().count());
        for rule in all() {
            assert!(rule.weight > 0 && !rule.message.is_empty() && !rule.remedy.is_empty());
        }
    }
}
