//! Texts that are written for somebody who asks: new ones, rewritten ones and translations.
//!
//! An [`WritingRequest`] says what is wanted. A language model writes it, or `rules`, which know some English
//! and never leave a placeholder out. Whoever wrote it, [`WritingRequest::violations`] says why a text must not be
//! handed out.

mod request;
mod rules;
mod style;
mod violation;

use crate::{
    content::compliance::{self, Assessment},
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
    style::{Style, UnknownStyle},
    violation::Violation,
};

/// The longest text that is taken and given, in characters, where the channel does not say less.
pub const MAX_CHARACTERS: usize = 10_000;
/// The language that is written where none is asked for, and the only one that the rules know.
const ENGLISH: &str = "en";

/// What is to be written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum WritingRequest {
    /// A new text.
    Generate(Generation),
    /// A text in other words.
    Rewrite(Rewriting),
    /// A text in another language.
    Translate(Translation),
}

/// A new text that somebody wants.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Generation {
    /// What the text is to achieve, in words.
    pub goal: String,
    /// Its language: a code or a name.
    pub language: String,
    /// How it is to sound, in words.
    pub tone: Option<String>,
    /// The names of its placeholders: it has all of them and no others.
    pub variables: Vec<String>,
    /// What it is for.
    pub constraints: Constraints,
}

/// A text that somebody wants in other words.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rewriting {
    /// The text.
    pub message: String,
    /// How it is to sound.
    pub style: Style,
    /// What it is for.
    pub constraints: Constraints,
}

/// A text that somebody wants in another language.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Translation {
    /// The text.
    pub message: String,
    /// The language that is wanted: a code or a name.
    pub target: String,
    /// The language in which it is written, if somebody said so.
    pub source: Option<String>,
    /// What it is for.
    pub constraints: Constraints,
}

/// What a text is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Constraints {
    /// How it is to travel, if that is known.
    pub channel: Option<Channel>,
    /// What it is about.
    pub category: Category,
    /// How many parts it may take as a text message.
    pub max_segments: Option<u16>,
}

impl Constraints {
    /// The longest text that fits, in characters.
    pub fn max_characters(self) -> usize {
        self.channel.map_or(MAX_CHARACTERS, |it| it.max_characters().min(MAX_CHARACTERS))
    }

    /// Whether it may travel as a text message, so that its alphabet decides what it costs.
    fn may_be_sms(self) -> bool {
        matches!(self.channel, None | Some(Channel::Sms))
    }
}

/// What was written, with placeholders.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct WrittenText {
    /// The subject of a mail, or the title of a notification.
    pub subject: Option<String>,
    /// The text.
    pub message: String,
}

/// Who wrote.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Writer {
    /// A language model.
    Model,
    /// Rules.
    Rules,
}

impl Writer {
    /// All of them.
    pub const ALL: [Self; 2] = [Self::Model, Self::Rules];

    /// The name on the wire.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Model => "model",
            Self::Rules => "rules",
        }
    }
}

/// A text as it is handed out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Written {
    /// What it says.
    pub text: WrittenText,
    /// Who wrote it.
    pub writer: Writer,
    /// What the writer could not do.
    pub notes: Vec<Note>,
    /// How risky it is, and why. Positions count from the subject, which stands before the text on a
    /// line of its own.
    pub assessment: Assessment,
    /// How many parts the text takes as a text message.
    pub segmentation: Segmentation,
}

impl WritingRequest {
    /// What the text is for.
    pub const fn constraints(&self) -> Constraints {
        match self {
            Self::Generate(wanted) => wanted.constraints,
            Self::Rewrite(wanted) => wanted.constraints,
            Self::Translate(wanted) => wanted.constraints,
        }
    }

    /// What somebody wrote: the goal, or the text as it is.
    pub fn source(&self) -> &str {
        match self {
            Self::Generate(wanted) => &wanted.goal,
            Self::Rewrite(wanted) => &wanted.message,
            Self::Translate(wanted) => &wanted.message,
        }
    }

    /// The names of the placeholders that the text must have. It may have no others.
    pub fn placeholders(&self) -> Vec<&str> {
        match self {
            Self::Generate(wanted) => wanted.variables.iter().map(String::as_str).collect(),
            Self::Rewrite(_) | Self::Translate(_) => placeholder::names(self.source()),
        }
    }

    /// Whether the text is to have a subject too.
    pub fn wants_subject(&self) -> bool {
        let has_place = matches!(self.constraints().channel, Some(Channel::Email | Channel::Push));
        has_place && matches!(self, Self::Generate(_))
    }

    /// Everything because of which a text must not be handed out.
    pub fn violations(&self, text: &WrittenText) -> Vec<Violation> {
        violation::of(self, text)
    }

    /// The text that the rules write. `None` if it takes more than rules to write it: another language
    /// than English.
    pub fn by_rules(&self) -> Option<Written> {
        let (text, notes) = match self {
            Self::Generate(wanted) => rules::generate(wanted)?,
            Self::Rewrite(wanted) => rules::rewrite(wanted),
            Self::Translate(_) => return None,
        };
        let written = Written { notes, ..self.hand_out(text, Writer::Rules) };
        Some(written)
    }

    /// The text that a model wrote, if nothing is wrong with it.
    pub fn by_model(&self, text: WrittenText) -> Result<Written, Vec<Violation>> {
        let violations = self.violations(&text);
        if violations.is_empty() { Ok(self.hand_out(text, Writer::Model)) } else { Err(violations) }
    }

    fn hand_out(&self, text: WrittenText, writer: Writer) -> Written {
        let Constraints { category, channel, .. } = self.constraints();
        let assessment = match &text.subject {
            Some(subject) => {
                let whole = format!("{subject}\n{}", text.message);
                compliance::assess_whole(&whole, category, channel)
            }
            None => compliance::assess_whole(&text.message, category, channel),
        };
        let segmentation = sms::segment(&text.message);
        Written { text, writer, notes: Vec::new(), assessment, segmentation }
    }
}

/// Whether that is English, as a code or by name.
fn is_english(language: &str) -> bool {
    let language = language.trim().to_ascii_lowercase();
    language == "english" || language.split(['-', '_']).next() == Some(ENGLISH)
}

#[cfg(test)]
mod tests;
