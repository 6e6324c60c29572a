//! How a text sounds.

use std::str::FromStr;

/// How a text sounds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Style {
    /// As one company writes to another.
    Professional,
    /// As somebody writes who knows the reader.
    Friendly,
    /// As what cannot wait.
    Urgent,
    /// As an authority writes.
    Formal,
}

/// There is no such style.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("must be one of professional, friendly, urgent, formal")]
pub struct UnknownStyle;

impl Style {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::Professional, Self::Friendly, Self::Urgent, Self::Formal];

    /// The name on the wire.
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
