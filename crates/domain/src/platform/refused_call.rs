//! Refused calls: requests of authenticated callers that were answered with an error.
//!
//! ```
//! use domain::platform::refused_call::{kept_text, sampling};
//!
//! assert_eq!(kept_text("a\nb"), "ab");
//! assert_eq!((sampling(1), sampling(1_001)), (1, 10));
//! ```

use chrono::{DateTime, TimeDelta, Utc};

use crate::{
    identity::{actor::RequestId, api_key::ApiKey, organization::Organization, user::User},
    shared::id::Id,
};

/// Time for which refused calls are kept.
pub const KEPT: TimeDelta = TimeDelta::days(7);
/// Number of refused calls of an organization in an hour that are all kept. Of further ones, a
/// sample is kept.
pub const ALL_KEPT: u64 = 1_000;
/// Maximum number of characters kept of a path or a message.
pub const MAX_TEXT: usize = 255;

/// Call that was answered with an error.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RefusedCall {
    /// Identifier of the record.
    pub id: Id<RefusedCall>,
    /// Organization in which the caller acted.
    pub organization: Id<Organization>,
    /// Identifier of the request, as in the `X-Request-Id` of its answer.
    pub request: RequestId,
    /// Method of the request.
    pub method: String,
    /// Path of the request, without its query.
    pub path: String,
    /// Status of the answer.
    pub status: u16,
    /// Stable name of the error.
    pub code: String,
    /// Message of the error.
    pub message: String,
    /// API key with which the call was made; `None` for sessions.
    pub key: Option<Id<ApiKey>>,
    /// User who made the call; `None` for API keys.
    pub user: Option<Id<User>>,
    /// Network address of the client.
    pub address: String,
    /// True if it stands for several similar ones, which are not kept.
    pub is_sampled: bool,
    /// Time of the answer.
    pub at: DateTime<Utc>,
}

/// Filter for refused calls. All parts that are set must match.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct RefusedCallFilter {
    /// Identifier of the request.
    pub request: Option<String>,
    /// Status of the answer.
    pub status: Option<u16>,
    /// Stable name of the error.
    pub code: Option<String>,
    /// API key with which the calls were made.
    pub key: Option<Id<ApiKey>>,
}

/// Returns the number of refused calls of which one is kept, for the call with that number, from 1,
/// of an organization in an hour.
pub const fn sampling(number: u64) -> u64 {
    if number <= ALL_KEPT {
        1
    } else if number <= 10 * ALL_KEPT {
        10
    } else if number <= 100 * ALL_KEPT {
        100
    } else {
        1_000
    }
}

/// Returns a text as it is kept: without control characters, and cut.
pub fn kept_text(text: &str) -> String {
    text.chars().filter(|letter| !letter.is_control()).take(MAX_TEXT).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_thousand_calls_are_kept_and_then_ever_fewer() {
        let kept = |calls: u64| {
            (1..=calls).filter(|number| number.is_multiple_of(sampling(*number))).count()
        };
        for (calls, expected) in
            [(1, 1), (1_000, 1_000), (10_000, 1_900), (100_000, 2_800), (1_000_000, 3_700)]
        {
            assert_eq!(kept(calls), expected, "{calls}");
        }
    }

    #[test]
    fn long_texts_are_cut_and_control_characters_dropped() {
        assert_eq!(kept_text("/a\0b\n"), "/ab");
        assert_eq!(kept_text(&"ɛ".repeat(300)).chars().count(), MAX_TEXT);
    }
}
