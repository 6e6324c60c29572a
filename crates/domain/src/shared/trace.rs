//! Traces: the way of a request or a message through the service, as spans under one identifier.
//!
//! A context is written as in the header `traceparent` of W3C Trace Context.
//!
//! ```
//! use domain::shared::trace::TraceParent;
//!
//! let header = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";
//! let parent: TraceParent = header.parse().unwrap();
//! assert!(parent.is_sampled);
//! assert_eq!(parent.context.to_string(), header);
//! ```

use std::{
    fmt,
    hash::{DefaultHasher, Hash, Hasher},
    str::FromStr,
};

use uuid::Uuid;

/// Span of a trace that is exported: the identifiers of both, neither of which is zero.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct TraceContext {
    trace: u128,
    span: u64,
}

/// Context that a caller gives, with the caller's decision on its trace.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TraceParent {
    /// Span of the caller.
    pub context: TraceContext,
    /// True if the caller exports its spans.
    pub is_sampled: bool,
}

/// Decision that was made at the head of a trace.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum TraceHead {
    /// There is no request at the head: each message decides for itself.
    #[default]
    Open,
    /// The spans are not exported.
    Dropped,
    /// The spans are exported, below this one.
    Kept(TraceContext),
}

/// The text is not a `traceparent`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("is not a traceparent")]
pub struct InvalidTraceParent;

impl TraceContext {
    /// Returns the first span of the trace that is named by an identifier.
    pub fn root(id: Uuid) -> Self {
        Self { trace: id.as_u128().max(1), span: span_of(id) }
    }

    /// Returns the span of that identifier in the same trace.
    #[must_use]
    pub fn at(self, id: Uuid) -> Self {
        Self { span: span_of(id), ..self }
    }

    /// Returns the span below this one that `name` tells from its siblings.
    #[must_use]
    pub fn child(self, name: impl Hash) -> Self {
        Self { span: digest(&(self, name)).max(1), ..self }
    }

    /// Returns the first span of a trace of its own.
    #[must_use]
    pub fn apart(self) -> Self {
        let (high, low) = (digest(&(self, "high")), digest(&(self, "low")));
        let trace = (u128::from(high) << 64) | u128::from(low);
        Self { trace: trace.max(1), span: digest(&(self, "span")).max(1) }
    }

    /// Identifier of the trace.
    pub const fn trace_id(self) -> u128 {
        self.trace
    }

    /// Identifier of the span.
    pub const fn span_id(self) -> u64 {
        self.span
    }
}

impl fmt::Display for TraceContext {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "00-{:032x}-{:016x}-01", self.trace, self.span)
    }
}

impl FromStr for TraceParent {
    type Err = InvalidTraceParent;

    fn from_str(text: &str) -> Result<Self, InvalidTraceParent> {
        let mut parts = text.split('-');
        let mut next = |digits| parts.next().and_then(|part| hexadecimal(part, digits));
        let read = (next(2), next(32), next(16), next(2));
        let (Some(version), Some(trace), Some(span), Some(flags)) = read else {
            return Err(InvalidTraceParent);
        };
        // Later versions may append parts; 255 is no version.
        if version == 255 || (version == 0 && parts.next().is_some()) || trace == 0 {
            return Err(InvalidTraceParent);
        }
        match u64::try_from(span) {
            Ok(span) if span > 0 => {
                let context = TraceContext { trace, span };
                Ok(Self { context, is_sampled: flags & 1 == 1 })
            }
            _ => Err(InvalidTraceParent),
        }
    }
}

fn hexadecimal(part: &str, digits: usize) -> Option<u128> {
    let is_digit = |byte: &u8| matches!(byte, b'0'..=b'9' | b'a'..=b'f');
    let is_valid = part.len() == digits && part.as_bytes().iter().all(is_digit);
    is_valid.then(|| u128::from_str_radix(part, 16).ok()).flatten()
}

/// Returns the identifier of a span that another identifier names: its last, random half.
fn span_of(id: Uuid) -> u64 {
    let (_, low) = id.as_u64_pair();
    low.max(1)
}

fn digest(value: &impl Hash) -> u64 {
    let mut hasher = DefaultHasher::new();
    value.hash(&mut hasher);
    hasher.finish()
}

/// Share of traces that are exported, and the say of callers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Sampler {
    /// Traces that are kept, of a million.
    pub per_million: u32,
    /// True if a caller's decision on its trace holds here as well.
    pub follows_callers: bool,
}

/// Number of traces of which [`Sampler::per_million`] are kept.
pub const MILLION: u32 = 1_000_000;

impl Sampler {
    /// Decides on a new trace. All instances decide alike.
    pub fn keeps(self, context: TraceContext) -> bool {
        digest(&context.trace) % u64::from(MILLION) < u64::from(self.per_million)
    }

    /// Decides on a trace that may have begun at a caller.
    pub fn keeps_below(self, parent: Option<TraceParent>, context: TraceContext) -> bool {
        match parent {
            Some(parent) if self.follows_callers => parent.is_sampled,
            _ => self.keeps(context),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const GIVEN: &str = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";

    fn parsed(text: &str) -> Option<TraceParent> {
        text.parse().ok()
    }

    #[test]
    fn a_context_is_written_as_it_was_read() {
        let parent = parsed(GIVEN).unwrap();

        assert!(parent.is_sampled);
        assert_eq!(parent.context.to_string(), GIVEN);
        assert_eq!(parent.context.trace_id(), 0x4bf9_2f35_77b3_4da6_a3ce_929d_0e0e_4736);
        assert_eq!(parent.context.span_id(), 0x00f0_67aa_0ba9_02b7);
    }

    #[test]
    fn only_the_last_bit_of_the_flags_says_that_a_caller_samples() {
        for (flags, is_sampled) in [("00", false), ("02", false), ("03", true), ("ff", true)] {
            let text = GIVEN.replace("-01", &format!("-{flags}"));
            assert_eq!(parsed(&text).map(|it| it.is_sampled), Some(is_sampled), "{flags}");
        }
    }

    #[test]
    fn what_the_specification_does_not_allow_is_ignored() {
        let later = GIVEN.replacen("00", "01", 1);
        assert!(parsed(&format!("{later}-more")).is_some(), "a later version may say more");
        for text in [
            String::new(),
            format!("{GIVEN}-more"),
            GIVEN.replacen("00", "ff", 1),
            GIVEN.to_uppercase(),
            GIVEN.replace("4bf92f3577b34da6a3ce929d0e0e4736", &"0".repeat(32)),
            GIVEN.replace("00f067aa0ba902b7", &"0".repeat(16)),
            GIVEN.replace("00f067aa0ba902b7", "+0f067aa0ba902b7"),
            GIVEN.replace('-', " "),
        ] {
            assert_eq!(parsed(&text), None, "{text}");
        }
    }

    #[test]
    fn spans_below_one_differ_by_their_names_and_stay_in_its_trace() {
        let parent = parsed(GIVEN).unwrap().context;
        let (one, other) = (parent.child(1), parent.child(2));

        assert_ne!(one, other);
        assert_eq!(one, parent.child(1));
        assert_eq!(one.trace_id(), parent.trace_id());
        assert_ne!(parent.apart().trace_id(), parent.trace_id());
    }

    #[test]
    fn about_the_share_of_new_traces_is_kept() {
        let traces = || (1..=100_000).map(|number| TraceContext::root(Uuid::from_u128(number)));
        let kept = |per_million| {
            let sampler = Sampler { per_million, follows_callers: true };
            traces().filter(|context| sampler.keeps(*context)).count()
        };

        assert_eq!(kept(0), 0);
        assert_eq!(kept(MILLION), 100_000);
        assert!((800..1_200).contains(&kept(10_000)), "{}", kept(10_000));
    }

    #[test]
    fn a_caller_decides_only_where_it_has_a_say() {
        let parent = parsed(GIVEN).unwrap();
        let dropped = TraceParent { is_sampled: false, ..parent };
        for (per_million, follows_callers, parent, is_kept) in [
            (0, true, Some(parent), true),
            (MILLION, true, Some(dropped), false),
            (MILLION, true, None, true),
            (0, false, Some(parent), false),
            (MILLION, false, Some(dropped), true),
        ] {
            let sampler = Sampler { per_million, follows_callers };
            let context = TraceContext::root(Uuid::from_u128(7));
            assert_eq!(sampler.keeps_below(parent, context), is_kept, "{sampler:?} {parent:?}");
        }
    }
}
