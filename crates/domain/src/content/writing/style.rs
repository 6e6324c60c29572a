//! Styles of texts.

use std::str::FromStr;

/// Style of a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Style {
    /// Tone between companies.
    Professional,
    /// Tone between acquaintances.
    Friendly,
    /// Tone of matters that cannot wait.
    Urgent,
    /// Tone of authorities.
    Formal,
}

/// Error for an unknown style.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("must be one of professional, friendly, urgent, formal")]
pub struct UnknownStyle;

impl Style {
    /// All styles.
    pub const ALL: [Self; 4] = [Self::Professional, Self::Friendly, Self::Urgent, Self::Formal];

    /// Name on the wire.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Professional => "professional",
            Self::Friendly => "friendly",
            Self::Urgent => "urgent",
            Self::Formal => "formal",
        }
    }
}

impl FromStr for Style {
    type Err = UnknownStyle;

    fn from_str(text: &str) -> Result<Self, UnknownStyle> {
        Self::ALL.into_iter().find(|style| style.as_str() == text).ok_or(UnknownStyle)
    }
}
