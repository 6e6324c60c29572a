//! How values look on the wire, and what the documentation says of them.

use std::borrow::Cow;

use chrono::{DateTime, SecondsFormat, Utc};
use domain::{category::Category, channel::Channel, delivery::Status, organization::Role};
use serde::{Serialize, Serializer};
use utoipa::{
    PartialSchema, ToSchema,
    openapi::{ObjectBuilder, RefOr, Schema, schema::Type},
};

/// A point in time: RFC 3339 in UTC, to the millisecond.
#[derive(ToSchema)]
#[schema(value_type = String, format = DateTime, example = "2026-01-31T09:00:00.000Z")]
pub(super) struct Timestamp(DateTime<Utc>);

impl From<DateTime<Utc>> for Timestamp {
    fn from(at: DateTime<Utc>) -> Self {
        Self(at)
    }
}

impl Timestamp {
    /// The text that goes on the wire.
    pub(super) fn text(&self) -> String {
        self.0.to_rfc3339_opts(SecondsFormat::Millis, true)
    }
}

impl Serialize for Timestamp {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.text())
    }
}

/// Documents the names of something, as the domain has them.
macro_rules! names {
    ($type:ident, $title:literal, $description:literal, $names:expr) => {
        #[doc = $description]
        pub(super) enum $type {}

        impl PartialSchema for $type {
            fn schema() -> RefOr<Schema> {
                ObjectBuilder::new()
                    .schema_type(Type::String)
                    .description(Some($description))
                    .enum_values(Some($names))
                    .into()
            }
        }

        impl ToSchema for $type {
            fn name() -> Cow<'static, str> {
                Cow::Borrowed($title)
            }
        }
    };
}

names!(ChannelName, "Channel", "How a message travels.", Channel::ALL.map(Channel::as_str));
names!(CategoryName, "Category", "What a message is about.", Category::ALL.map(Category::as_str));
names!(StatusName, "Status", "How far a message has come.", Status::ALL.map(Status::as_str));
names!(RoleName, "Role", "What a member is to an organization.", Role::ALL.map(Role::as_str));

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_have_milliseconds_and_a_z() {
        let time = Timestamp(DateTime::from_timestamp_nanos(1_700_000_000_120_456_789));
        assert_eq!(serde_json::to_string(&time).unwrap(), "\"2023-11-14T22:13:20.120Z\"");
    }
}
