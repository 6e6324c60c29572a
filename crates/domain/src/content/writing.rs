//! Writing of texts on request: new ones, rewritten ones and translations.
//!
//! A [`WritingRequest`] describes the wanted text. A language model writes it, or `rules`, which support
//! some English and never omit a placeholder. [`WritingRequest::violations`] lists the reasons to reject a
//! text of either.
//!
//! ```
//! use domain::{
//!     content::writing::{Constraints, Generation, WritingRequest},
//!     shared::category::Category,
//! };
//!
//! let constraints =
//!     Constraints { channel: None, category: Category::Reminder, max_segments: Some(1) };
//! let request = WritingRequest::Generate(Generation {
//!     goal: "remind of an appointment".to_owned(),
//!     language: "en".to_owned(),
//!     tone: None,
//!     variables: vec!["name".to_owned()],
//!     constraints,
//! });
//! assert_eq!(request.placeholders(), ["name"]);
//! ```

mod request;
mod rules;
mod style;
mod violation;

use crate::{
    content::compliance::{self, Assessment, Sending},
    shared::{
        category::Category,
        channel::Channel,
        placeholder,
        sms::{self, Segmentation},
    },
};

pub use self::{
    request::{GenerateRequest, RewriteRequest, TranslateRequest},
    rules::Note,
    style::Style,
    violation::Violation,
};

/// Maximum length of given and returned texts, in characters, unless the channel allows less.
pub const MAX_CHARACTERS: usize = 10_000;
/// Default language, and the only one that the rules support.
const ENGLISH: &str = "en";

/// Request for a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum WritingRequest {
    /// A new text.
    Generate(Generation),
    /// A text in other words.
    Rewrite(Rewriting),
    /// A text in another language.
    Translate(Translation),
}

/// Request for a new text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Generation {
    /// Purpose of the text, in words.
    pub goal: String,
    /// Language of the text: a code or a name.
    pub language: String,
    /// Tone of the text, in words.
    pub tone: Option<String>,
    /// Names of its placeholders: the text has all of them and no others.
    pub variables: Vec<String>,
    /// Limits of the text.
    pub constraints: Constraints,
}

/// Request for a text in other words.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rewriting {
    /// Text to rewrite.
    pub message: String,
    /// Style of the new text.
    pub style: Style,
    /// Limits of the text.
    pub constraints: Constraints,
}

/// Request for a text in another language.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Translation {
    /// Text to translate.
    pub message: String,
    /// Language of the translation: a code or a name.
    pub target: String,
    /// Language of the given text; `None` if not specified.
    pub source: Option<String>,
    /// Limits of the text.
    pub constraints: Constraints,
}

/// Limits of a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Constraints {
    /// Channel for sending; `None` if unknown.
    pub channel: Option<Channel>,
    /// Category of the text.
    pub category: Category,
    /// Maximum number of parts as a text message; `None` for no limit.
    pub max_segments: Option<u16>,
}

impl Constraints {
    /// Returns the maximum length of the text, in characters.
    pub fn max_characters(self) -> usize {
        self.channel.map_or(MAX_CHARACTERS, |it| it.max_characters().min(MAX_CHARACTERS))
    }

    /// True if the text may be sent as a text message, so that its alphabet affects the cost.
    fn may_be_sms(self) -> bool {
        matches!(self.channel, None | Some(Channel::Sms))
    }
}

/// Text with placeholders, as written.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct WrittenText {
    /// Subject of a mail, or title of a notification.
    pub subject: Option<String>,
    /// Body of the message.
    pub message: String,
}

crate::closed_list! {
    /// Author of a text.
    pub enum Writer {
        /// A language model.
        Model = "model",
        /// The rules.
        Rules = "rules",
    }
}

/// Finished text with its assessment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Written {
    /// Content of the text.
    pub text: WrittenText,
    /// Author of the text.
    pub writer: Writer,
    /// Shortcomings of the text.
    pub notes: Vec<Note>,
    /// Risk of the text. Positions count from the subject, which is a line before the text.
    pub assessment: Assessment,
    /// Segments of the text as a text message.
    pub segmentation: Segmentation,
}

impl WritingRequest {
    /// Returns the limits of the text.
    pub const fn constraints(&self) -> Constraints {
        match self {
            Self::Generate(wanted) => wanted.constraints,
            Self::Rewrite(wanted) => wanted.constraints,
            Self::Translate(wanted) => wanted.constraints,
        }
    }

    /// Returns the client's words: the goal, or the text to change.
    pub fn source(&self) -> &str {
        match self {
            Self::Generate(wanted) => &wanted.goal,
            Self::Rewrite(wanted) => &wanted.message,
            Self::Translate(wanted) => &wanted.message,
        }
    }

    /// Returns the names of the placeholders that the text must have. It may have no others.
    pub fn placeholders(&self) -> Vec<&str> {
        match self {
            Self::Generate(wanted) => wanted.variables.iter().map(String::as_str).collect(),
            Self::Rewrite(_) | Self::Translate(_) => placeholder::names(self.source()),
        }
    }

    /// True if the text needs a subject too.
    pub fn wants_subject(&self) -> bool {
        let has_place = matches!(self.constraints().channel, Some(Channel::Email | Channel::Push));
        has_place && matches!(self, Self::Generate(_))
    }

    /// Returns every reason to reject a text.
    pub fn violations(&self, text: &WrittenText) -> Vec<Violation> {
        violation::of(self, text)
    }

    /// Returns the text of the rules; `None` if they do not support the language.
    pub fn by_rules(&self) -> Option<Written> {
        let (text, notes) = match self {
            Self::Generate(wanted) => rules::generate(wanted)?,
            Self::Rewrite(wanted) => rules::rewrite(wanted),
            Self::Translate(_) => return None,
        };
        let written = Written { notes, ..self.assessed(text, Writer::Rules) };
        Some(written)
    }

    /// Returns the text of a model. Fails with its violations.
    pub fn by_model(&self, text: WrittenText) -> Result<Written, Vec<Violation>> {
        let violations = self.violations(&text);
        if violations.is_empty() { Ok(self.assessed(text, Writer::Model)) } else { Err(violations) }
    }

    fn assessed(&self, text: WrittenText, writer: Writer) -> Written {
        let Constraints { category, channel, .. } = self.constraints();
        let sending = Sending { channel, ..Sending::default() };
        let assessment = match &text.subject {
            Some(subject) => {
                let whole = format!("{subject}\n{}", text.message);
                compliance::assess_whole(&whole, category, sending)
            }
            None => compliance::assess_whole(&text.message, category, sending),
        };
        let segmentation = sms::segment(&text.message);
        Written { text, writer, notes: Vec::new(), assessment, segmentation }
    }
}

/// True for English, as a code or by name.
fn is_english(language: &str) -> bool {
    let language = language.trim().to_ascii_lowercase();
    language == "english" || language.split(['-', '_']).next() == Some(ENGLISH)
}

#[cfg(test)]
mod tests;
