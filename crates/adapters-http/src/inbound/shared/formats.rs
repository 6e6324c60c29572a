//! The formats of values in JSON, and their schemas.

mod failure_codes;

use std::{borrow::Cow, marker::PhantomData};

use chrono::{DateTime, Utc};
use domain::{
    identity::{organization::Role, user::PlatformRole},
    messaging::{
        attempt::AttemptOutcome,
        delivery::{FailureCode, Status},
    },
    shared::{category::Category, channel::Channel, text_format::TextFormat, time_text},
};
use serde::{Serialize, Serializer};
use utoipa::{
    PartialSchema, ToSchema,
    openapi::{ObjectBuilder, RefOr, Schema, schema::Type},
};

/// A point in time: RFC 3339 in UTC, to the millisecond.
#[derive(ToSchema)]
#[schema(value_type = String, format = DateTime, example = "2026-01-31T09:00:00.000Z")]
pub(crate) struct Timestamp(DateTime<Utc>);

impl From<DateTime<Utc>> for Timestamp {
    fn from(at: DateTime<Utc>) -> Self {
        Self(at)
    }
}

impl Timestamp {
    /// Returns the text used in answers.
    pub(crate) fn text(&self) -> String {
        time_text::to_the_millisecond(self.0)
    }
}

impl Serialize for Timestamp {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.text())
    }
}

/// Closed set of names in the domain, with its documentation.
pub(crate) trait Vocabulary {
    /// The title of its schema.
    const TITLE: &'static str;
    /// Meaning of the names.
    const DESCRIPTION: &'static str;

    /// All names.
    fn names() -> Vec<&'static str>;
}

/// Documents the names of a `V`.
pub(crate) struct Names<V>(PhantomData<V>);

/// Channels of messages.
pub(crate) type ChannelName = Names<Channel>;
/// Categories of messages.
pub(crate) type CategoryName = Names<Category>;
/// Formats of texts.
pub(crate) type TextFormatName = Names<TextFormat>;
/// States of messages.
pub(crate) type StatusName = Names<Status>;
/// Roles in an organization.
pub(crate) type RoleName = Names<Role>;

/// Reasons for failures and delays of messages.
pub(crate) type FailureCodeName = Names<FailureCode>;
/// Outcomes of attempts.
pub(crate) type AttemptOutcomeName = Names<AttemptOutcome>;
/// Roles on the platform.
pub(crate) type PlatformRoleName = Names<PlatformRole>;

impl Vocabulary for FailureCode {
    const TITLE: &'static str = "FailureCode";
    const DESCRIPTION: &'static str = failure_codes::ABOUT;

    fn names() -> Vec<&'static str> {
        Self::ALL.map(Self::as_str).into()
    }
}

impl Vocabulary for AttemptOutcome {
    const TITLE: &'static str = "AttemptOutcome";
    const DESCRIPTION: &'static str = "The outcome of an attempt to hand a message to a provider.";

    fn names() -> Vec<&'static str> {
        Self::ALL.map(Self::as_str).into()
    }
}

impl Vocabulary for PlatformRole {
    const TITLE: &'static str = "PlatformRole";
    const DESCRIPTION: &'static str = "The role of a user on the platform.";

    fn names() -> Vec<&'static str> {
        Self::ALL.map(Self::as_str).into()
    }
}

impl Vocabulary for Channel {
    const TITLE: &'static str = "Channel";
    const DESCRIPTION: &'static str = "The channel of a message.";

    fn names() -> Vec<&'static str> {
        Self::ALL.map(Self::as_str).into()
    }
}

impl Vocabulary for TextFormat {
    const TITLE: &'static str = "TextFormat";
    const DESCRIPTION: &'static str = "The format of a text.";

    fn names() -> Vec<&'static str> {
        Self::ALL.map(Self::as_str).into()
    }
}

impl Vocabulary for Category {
    const TITLE: &'static str = "Category";
    const DESCRIPTION: &'static str = "The category of a message.";

    fn names() -> Vec<&'static str> {
        Self::ALL.map(Self::as_str).into()
    }
}

impl Vocabulary for Status {
    const TITLE: &'static str = "Status";
    const DESCRIPTION: &'static str = "The state of a message.";

    fn names() -> Vec<&'static str> {
        Self::ALL.map(Self::as_str).into()
    }
}

impl Vocabulary for Role {
    const TITLE: &'static str = "Role";
    const DESCRIPTION: &'static str = "The role of a member in an organization.";

    fn names() -> Vec<&'static str> {
        Self::ALL.map(Self::as_str).into()
    }
}

impl<V: Vocabulary> PartialSchema for Names<V> {
    fn schema() -> RefOr<Schema> {
        ObjectBuilder::new()
            .schema_type(Type::String)
            .description(Some(V::DESCRIPTION))
            .enum_values(Some(V::names()))
            .into()
    }
}

impl<V: Vocabulary> ToSchema for Names<V> {
    fn name() -> Cow<'static, str> {
        Cow::Borrowed(V::TITLE)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_have_milliseconds_and_a_z() {
        let time = Timestamp(DateTime::from_timestamp_nanos(1_700_000_000_120_456_789));
        assert_eq!(serde_json::to_string(&time).unwrap(), "\"2023-11-14T22:13:20.120Z\"");
    }
}
