//! Requests for texts.

use super::{Constraints, ENGLISH, Generation, Rewriting, Style, Translation, WritingRequest};
use crate::shared::{category::Category, channel::Channel, fault::Faults, placeholder, text};

/// The longest goal, in characters. This leaves more than half of the text to placeholders.
const MAX_GOAL: usize = 2_000;
/// Number of characters of a placeholder besides its name: the braces, and one after it.
const BRACES: usize = 5;
/// The longest name of a language and of a tone, in characters.
const MAX_WORD: usize = 40;
/// Limits of templates: maximum number of placeholders, and the longest name.
const MAX_VARIABLES: usize = 100;
const MAX_VARIABLE: usize = 64;
/// Maximum number of requested parts: the limit of a text message.
const MAX_SEGMENTS: i32 = 10;

/// Request for a new text, not validated yet.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct GenerateRequest {
    /// Purpose of the text, in words. Required.
    pub goal: Option<String>,
    /// Channel for sending. Required.
    pub channel: Option<Channel>,
    /// Category of the text.
    pub category: Option<Category>,
    /// Language of the text; English if absent.
    pub language: Option<String>,
    /// Tone of the text, in words.
    pub tone: Option<String>,
    /// Names of its placeholders.
    pub variables: Option<Vec<String>>,
    /// Maximum number of parts as a text message.
    pub max_segments: Option<i32>,
}

/// Request for a text in other words, not validated yet.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RewriteRequest {
    /// Text to rewrite. Required.
    pub message: Option<String>,
    /// Style of the new text. Required.
    pub style: Option<Style>,
    /// Channel for sending.
    pub channel: Option<Channel>,
    /// Category of the text.
    pub category: Option<Category>,
    /// Maximum number of parts as a text message.
    pub max_segments: Option<i32>,
}

/// Request for a text in another language, not validated yet.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TranslateRequest {
    /// Text to translate. Required.
    pub message: Option<String>,
    /// Language of the translation. Required.
    pub target_language: Option<String>,
    /// Language of the given text.
    pub source_language: Option<String>,
    /// Channel for sending.
    pub channel: Option<Channel>,
    /// Category of the text.
    pub category: Option<Category>,
}

impl GenerateRequest {
    /// Returns the validated request. Fails with all its faults.
    pub fn request(self) -> Result<WritingRequest, Faults> {
        let mut faults = Faults::default();
        if self.channel.is_none() {
            faults.add("channel", "is required");
        }
        let constraints =
            checked_constraints(self.channel, self.category, self.max_segments, &mut faults);
        let longest = MAX_GOAL.min(constraints.max_characters() / 8 * 3);
        let goal = checked_text("goal", self.goal, longest, &mut faults);
        let language = self.language.unwrap_or_else(|| ENGLISH.to_owned());
        let language = faults.take("language", text::line(&language, MAX_WORD));
        let tone = self.tone.map(|tone| text::line(&tone, MAX_WORD));
        let tone = tone.and_then(|tone| faults.take("tone", tone));
        let given = self.variables.unwrap_or_default();
        let variables = checked_variables(given, goal.as_deref().unwrap_or_default(), &mut faults);
        let room = constraints.max_characters() / 2;
        if variables.iter().map(|name| name.len() + BRACES).sum::<usize>() > room {
            faults.add("variables", format!("must fit into {room} characters, with their braces"));
        }
        let wanted = goal.zip(language).map(|(goal, language)| {
            WritingRequest::Generate(Generation { goal, language, tone, variables, constraints })
        });
        faults.require(wanted)
    }
}

impl RewriteRequest {
    /// Returns the validated request. Fails with all its faults.
    pub fn request(self) -> Result<WritingRequest, Faults> {
        let mut faults = Faults::default();
        if self.style.is_none() {
            faults.add("style", "is required");
        }
        let constraints =
            checked_constraints(self.channel, self.category, self.max_segments, &mut faults);
        let message =
            checked_text("message", self.message, constraints.max_characters(), &mut faults);
        let wanted = message.zip(self.style).map(|(message, style)| {
            WritingRequest::Rewrite(Rewriting { message, style, constraints })
        });
        faults.require(wanted)
    }
}

impl TranslateRequest {
    /// Returns the validated request. Fails with all its faults.
    pub fn request(self) -> Result<WritingRequest, Faults> {
        let mut faults = Faults::default();
        let constraints = checked_constraints(self.channel, self.category, None, &mut faults);
        let message =
            checked_text("message", self.message, constraints.max_characters(), &mut faults);
        let target = self.target_language.ok_or_else(|| "is required".to_owned());
        let target = target.and_then(|language| text::line(&language, MAX_WORD));
        let target = faults.take("targetLanguage", target);
        let source = self.source_language.map(|language| text::line(&language, MAX_WORD));
        let source = source.and_then(|language| faults.take("sourceLanguage", language));
        let wanted = message.zip(target).map(|(message, target)| {
            WritingRequest::Translate(Translation { message, target, source, constraints })
        });
        faults.require(wanted)
    }
}

/// Validates a required text, in which double braces occur only in placeholders.
fn checked_text(
    field: &str,
    given: Option<String>,
    longest: usize,
    faults: &mut Faults,
) -> Option<String> {
    let given = given.ok_or_else(|| "is required".to_owned());
    let checked = given.and_then(|given| {
        let text = text::lines(text::with_plain_line_breaks(given), longest)?;
        if text.chars().any(|c| c.is_control() && !c.is_whitespace()) {
            return Err("must not contain control characters".to_owned());
        }
        if placeholder::has_stray_braces(&text) {
            return Err("has double braces that belong to no placeholder".to_owned());
        }
        Ok(text)
    });
    faults.take(field, checked)
}

/// Returns the given names, followed by the other names in the goal.
fn checked_variables(given: Vec<String>, goal: &str, faults: &mut Faults) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    if given.len() > MAX_VARIABLES {
        faults.add("variables", format!("must have at most {MAX_VARIABLES} items"));
    }
    for (at, name) in given.into_iter().take(MAX_VARIABLES).enumerate() {
        let path = format!("variables.{at}");
        if !placeholder::is_name(&name) {
            faults.add(path, "must be the name of a placeholder, without braces");
        } else if name.len() > MAX_VARIABLE {
            faults.add(path, format!("must have at most {MAX_VARIABLE} characters"));
        } else if names.contains(&name) {
            faults.add(path, "is named twice");
        } else {
            names.push(name);
        }
    }
    for name in placeholder::names(goal) {
        if !names.iter().any(|known| known == name) {
            names.push(name.to_owned());
        }
    }
    names
}

fn checked_constraints(
    channel: Option<Channel>,
    category: Option<Category>,
    max_segments: Option<i32>,
    faults: &mut Faults,
) -> Constraints {
    let mut constraints =
        Constraints { channel, category: category.unwrap_or_default(), max_segments: None };
    if let Some(most) = max_segments {
        if !constraints.may_be_sms() {
            faults.add("maxSegments", "is only for the channel SMS");
        }
        if (1..=MAX_SEGMENTS).contains(&most) {
            constraints.max_segments = u16::try_from(most).ok();
        } else {
            faults.add("maxSegments", format!("must be from 1 to {MAX_SEGMENTS}"));
        }
    }
    constraints
}
