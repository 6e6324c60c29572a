//! Words for people: plain English names and sentences for every status and reason on the pages.
//!
//! Every sentence of this kind is in this folder, one file for each subject, so that all can be
//! translated together. A new variant in `domain` does not compile without its words.

/// Writes the words for each value of a type, by its tone.
macro_rules! words {
    ($type:ty: $($value:pat => $tone:ident($label:literal, $meaning:literal),)+) => {
        impl $crate::words::InWords for $type {
            fn words(self) -> $crate::words::Words {
                match self {
                    $($value => $crate::words::Words::$tone($label, $meaning),)+
                }
            }
        }
    };
}

mod api_key;
mod attempt;
mod audience;
mod audit;
mod channel;
mod content;
mod delivery;
mod import;
mod log_export;
mod money;
mod outreach;
mod platform;
mod provider;
mod sending_window;
mod team;
mod webhook;

pub(crate) use self::{
    api_key::{REFUSALS, key_mode, right},
    attempt::attempt_words,
    audience::suppression_scope,
    audit::{act, act_in_words},
    channel::message_noun,
    delivery::Explanation,
    import::row_fault,
    platform::{balance_lasts, compared, failing_tasks, service_part, share_compared},
    provider::{health, route_country},
    sending_window::{day_name, days_in_words},
    team::{naming_roles, permission_words},
    webhook::undelivered,
};

/// Words for a status, a reason or a kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Words {
    /// Name for tags, filters and tables, without a full stop.
    pub(crate) label: &'static str,
    /// Sentence that says what it means.
    pub(crate) meaning: &'static str,
    pub(crate) tone: Tone,
}

/// Tone of a coloured tag. The tag has a text too, so that no information is given by colour alone.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Tone {
    /// Done as wanted.
    Good,
    /// Not done yet.
    Waiting,
    /// Gone wrong.
    Bad,
    /// None of these.
    Neutral,
}

impl Tone {
    pub(crate) const fn class(self) -> &'static str {
        match self {
            Self::Good => "tag-good",
            Self::Waiting => "tag-waiting",
            Self::Bad => "tag-bad",
            Self::Neutral => "tag-neutral",
        }
    }
}

/// A value that has words.
pub(crate) trait InWords {
    fn words(self) -> Words;
}

impl Words {
    const fn good(label: &'static str, meaning: &'static str) -> Self {
        Self { label, meaning, tone: Tone::Good }
    }

    const fn waiting(label: &'static str, meaning: &'static str) -> Self {
        Self { label, meaning, tone: Tone::Waiting }
    }

    const fn bad(label: &'static str, meaning: &'static str) -> Self {
        Self { label, meaning, tone: Tone::Bad }
    }

    const fn neutral(label: &'static str, meaning: &'static str) -> Self {
        Self { label, meaning, tone: Tone::Neutral }
    }
}

#[cfg(test)]
mod tests;
