//! Finished spans, as plain values.
//!
//! ```
//! use chrono::DateTime;
//! use domain::shared::{
//!     span::{Span, SpanKind},
//!     trace::TraceContext,
//! };
//! use uuid::Uuid;
//!
//! let context = TraceContext::root(Uuid::from_u128(7));
//! let times = (DateTime::UNIX_EPOCH, DateTime::UNIX_EPOCH);
//! let span = Span::new("accept message", SpanKind::Producer, context, times);
//! assert_eq!(span.with("atumpan.sandbox", true).attributes.len(), 1);
//! ```

use std::borrow::Cow;

use chrono::{DateTime, Utc};

use super::trace::TraceContext;

/// Maximum number of links of a span.
pub const MAX_LINKS: usize = 128;

/// Finished span of a trace.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Span {
    /// Identifiers of the trace and the span.
    pub context: TraceContext,
    /// Span above it; `None` if it is the first of its trace.
    pub parent: Option<TraceContext>,
    /// Name, which few spans of another kind share.
    pub name: Cow<'static, str>,
    /// Relation to other spans.
    pub kind: SpanKind,
    /// Time of the beginning.
    pub began_at: DateTime<Utc>,
    /// Time of the end.
    pub ended_at: DateTime<Utc>,
    /// Facts about it. None of them is personal.
    pub attributes: Vec<(&'static str, SpanValue)>,
    /// Reason why it failed; `None` if it did not.
    pub error: Option<Cow<'static, str>>,
    /// Spans of other traces that it concerns, at most [`MAX_LINKS`].
    pub links: Vec<TraceContext>,
}

/// Relation of a span to the spans around it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SpanKind {
    /// Answers a request.
    Server,
    /// Waits for the answer to a request.
    Client,
    /// Begins work that is done later.
    Producer,
    /// Does work that was begun earlier.
    Consumer,
    /// Any other work of the service.
    Internal,
}

/// Value of an attribute.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SpanValue {
    /// Text.
    Text(Cow<'static, str>),
    /// Number.
    Number(i64),
    /// Flag.
    Flag(bool),
}

impl Span {
    /// Creates a span without attributes that did not fail.
    pub fn new(
        name: impl Into<Cow<'static, str>>,
        kind: SpanKind,
        context: TraceContext,
        (began_at, ended_at): (DateTime<Utc>, DateTime<Utc>),
    ) -> Self {
        Self {
            context,
            parent: None,
            name: name.into(),
            kind,
            began_at,
            // A clock that was set back does not end a span before its beginning.
            ended_at: ended_at.max(began_at),
            attributes: Vec::new(),
            error: None,
            links: Vec::new(),
        }
    }

    /// Returns the span below that one.
    #[must_use]
    pub fn below(self, parent: TraceContext) -> Self {
        Self { parent: (parent != self.context).then_some(parent), ..self }
    }

    /// Returns the span with one more attribute.
    #[must_use]
    pub fn with(mut self, name: &'static str, value: impl Into<SpanValue>) -> Self {
        self.attributes.push((name, value.into()));
        self
    }

    /// Returns the span as failed for that reason, if there is one.
    #[must_use]
    pub fn failed(self, error: Option<impl Into<Cow<'static, str>>>) -> Self {
        Self { error: error.map(Into::into), ..self }
    }

    /// Returns the span with links to other traces.
    #[must_use]
    pub fn linked(self, links: impl IntoIterator<Item = TraceContext>) -> Self {
        Self { links: links.into_iter().take(MAX_LINKS).collect(), ..self }
    }
}

impl From<&'static str> for SpanValue {
    fn from(text: &'static str) -> Self {
        Self::Text(text.into())
    }
}

impl From<String> for SpanValue {
    fn from(text: String) -> Self {
        Self::Text(text.into())
    }
}

impl From<i64> for SpanValue {
    fn from(number: i64) -> Self {
        Self::Number(number)
    }
}

impl From<bool> for SpanValue {
    fn from(flag: bool) -> Self {
        Self::Flag(flag)
    }
}
