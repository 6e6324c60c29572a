//! Arrays of values, each encoded in one pass.
//!
//! Diesel encodes each element into a buffer of its own, and appends that to one that grows step by step. The
//! columns of a batch have thousands of elements, which would take a tenth of the processor time of a message.

use std::{
    fmt::{Debug, Formatter},
    io::Write,
};

use chrono::{DateTime, Datelike, NaiveDate, Utc};
use diesel::{
    pg::Pg,
    serialize::{IsNull, Output, Result, ToSql},
    sql_types::{self, HasSqlType},
};
use domain::shared::{id::Id, money::Money};
use serde::Serialize;
use uuid::Uuid;

use super::json::{self, Json};

/// Number of bytes before the elements.
pub(super) const HEADER: usize = 20;
/// Number of bytes before each element, which contain its length.
const LENGTH: usize = 4;
/// Length of an element that is null.
const NULL: i32 = -1;
/// Microseconds from the Unix epoch to 2000-01-01, from which PostgreSQL counts.
const EPOCH_MICROS: i64 = 946_684_800_000_000;
/// Days from the first day of the first year to 2000-01-01, counted as chrono does.
const EPOCH_DAYS: i32 = 730_120;

/// Array that is bound to a statement.
pub(crate) struct Elements<V>(pub(crate) Vec<V>);

/// Value that can be an element of an array.
pub(crate) trait Element {
    /// Usual number of bytes, for which room is made.
    const ROOM: usize;

    /// Appends the value in its binary form.
    fn put(&self, bytes: &mut Vec<u8>) -> Result;
}

impl<V: Element> Elements<V> {
    /// Returns the binary form of an array whose elements have a type with that identifier.
    fn encoded(&self, type_of_elements: u32) -> std::result::Result<Vec<u8>, Error> {
        let room = HEADER + self.0.len() * (LENGTH + V::ROOM);
        let mut bytes = Vec::with_capacity(room);
        self.put_all(&mut bytes, type_of_elements)?;
        Ok(bytes)
    }

    /// Appends the binary form of such an array.
    pub(super) fn put_all(
        &self,
        bytes: &mut Vec<u8>,
        type_of_elements: u32,
    ) -> std::result::Result<(), Error> {
        put_header(bytes, type_of_elements, self.0.len())?;
        for element in &self.0 {
            put_with_length(bytes, |bytes| element.put(bytes))?;
        }
        Ok(())
    }
}

/// Appends what is before the elements of an array.
pub(super) fn put_header(
    bytes: &mut Vec<u8>,
    type_of_elements: u32,
    count: usize,
) -> std::result::Result<(), Error> {
    let (dimensions, flags, lower_bound) = (1_i32, 0_i32, 1_i32);
    bytes.extend_from_slice(&dimensions.to_be_bytes());
    bytes.extend_from_slice(&flags.to_be_bytes());
    bytes.extend_from_slice(&type_of_elements.to_be_bytes());
    bytes.extend_from_slice(&i32::try_from(count)?.to_be_bytes());
    bytes.extend_from_slice(&lower_bound.to_be_bytes());
    Ok(())
}

/// Appends the length of a value, and the value, which `put` appends.
pub(super) fn put_with_length(
    bytes: &mut Vec<u8>,
    put: impl FnOnce(&mut Vec<u8>) -> Result,
) -> std::result::Result<(), Error> {
    let place = bytes.len();
    bytes.extend_from_slice(&NULL.to_be_bytes());
    if let IsNull::No = put(bytes)? {
        let length = i32::try_from(bytes.len() - place - LENGTH)?;
        if let Some(place) = bytes.get_mut(place..place + LENGTH) {
            place.copy_from_slice(&length.to_be_bytes());
        }
    }
    Ok(())
}

type Error = Box<dyn std::error::Error + Send + Sync>;

impl<ST, V> ToSql<sql_types::Array<ST>, Pg> for Elements<V>
where
    ST: 'static,
    V: Element,
    Pg: HasSqlType<ST>,
{
    fn to_sql<'b>(&'b self, out: &mut Output<'b, '_, Pg>) -> Result {
        let type_of_elements = <Pg as HasSqlType<ST>>::metadata(out.metadata_lookup()).oid()?;
        out.write_all(&self.encoded(type_of_elements)?)?;
        Ok(IsNull::No)
    }
}

/// Shows no value, since those of messages are in no log.
impl<V> Debug for Elements<V> {
    fn fmt(&self, f: &mut Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} elements", self.0.len())
    }
}

/// Numbers, in the order of bytes of a network.
macro_rules! numbers {
    ($($type:ty),* $(,)?) => {$(
        impl Element for $type {
            const ROOM: usize = size_of::<$type>();

            fn put(&self, bytes: &mut Vec<u8>) -> Result {
                bytes.extend_from_slice(&self.to_be_bytes());
                Ok(IsNull::No)
            }
        }
    )*};
}

numbers!(i16, i32, i64, f64);

impl Element for bool {
    const ROOM: usize = 1;

    fn put(&self, bytes: &mut Vec<u8>) -> Result {
        bytes.push(u8::from(*self));
        Ok(IsNull::No)
    }
}

/// Texts and bytes, as they are.
macro_rules! bytes {
    ($($type:ty),* $(,)?) => {$(
        impl Element for $type {
            const ROOM: usize = 24;

            fn put(&self, bytes: &mut Vec<u8>) -> Result {
                let value: &[u8] = self.as_ref();
                bytes.extend_from_slice(value);
                Ok(IsNull::No)
            }
        }
    )*};
}

bytes!(String, &str, &String, Vec<u8>, &[u8], &Vec<u8>);

impl Element for Uuid {
    const ROOM: usize = 16;

    fn put(&self, bytes: &mut Vec<u8>) -> Result {
        bytes.extend_from_slice(self.as_bytes());
        Ok(IsNull::No)
    }
}

impl<T> Element for Id<T> {
    const ROOM: usize = Uuid::ROOM;

    fn put(&self, bytes: &mut Vec<u8>) -> Result {
        self.uuid().put(bytes)
    }
}

impl Element for Money {
    const ROOM: usize = i64::ROOM;

    fn put(&self, bytes: &mut Vec<u8>) -> Result {
        self.micros().put(bytes)
    }
}

impl Element for DateTime<Utc> {
    const ROOM: usize = i64::ROOM;

    fn put(&self, bytes: &mut Vec<u8>) -> Result {
        (self.timestamp_micros() - EPOCH_MICROS).put(bytes)
    }
}

impl Element for NaiveDate {
    const ROOM: usize = i32::ROOM;

    fn put(&self, bytes: &mut Vec<u8>) -> Result {
        (self.num_days_from_ce() - EPOCH_DAYS).put(bytes)
    }
}

impl<T: Serialize + ?Sized> Element for Json<'_, T> {
    const ROOM: usize = 96;

    fn put(&self, bytes: &mut Vec<u8>) -> Result {
        bytes.push(json::VERSION);
        serde_json::to_writer(bytes, self.0)?;
        Ok(IsNull::No)
    }
}

impl Element for serde_json::Value {
    const ROOM: usize = 96;

    fn put(&self, bytes: &mut Vec<u8>) -> Result {
        Json(self).put(bytes)
    }
}

impl Element for &serde_json::Value {
    const ROOM: usize = 96;

    fn put(&self, bytes: &mut Vec<u8>) -> Result {
        Json(*self).put(bytes)
    }
}

impl<V: Element> Element for Option<V> {
    const ROOM: usize = V::ROOM;

    fn put(&self, bytes: &mut Vec<u8>) -> Result {
        match self {
            Some(value) => value.put(bytes),
            None => Ok(IsNull::Yes),
        }
    }
}

#[cfg(test)]
mod tests {
    use chrono::TimeZone;

    use super::*;

    #[test]
    fn an_array_has_the_binary_form_of_the_server() {
        let encoded = Elements(vec![Some(258_i16), None]).encoded(21).unwrap();
        let header = [0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 21, 0, 0, 0, 2, 0, 0, 0, 1];
        let elements = [0, 0, 0, 2, 1, 2, 255, 255, 255, 255];
        assert_eq!(encoded, [&header[..], &elements[..]].concat());
    }

    #[test]
    fn times_and_days_are_counted_from_the_year_2000() {
        let mut bytes = Vec::new();
        Utc.timestamp_micros(EPOCH_MICROS - 1).unwrap().put(&mut bytes).unwrap();
        assert_eq!(bytes, (-1_i64).to_be_bytes());

        bytes.clear();
        NaiveDate::from_ymd_opt(2000, 1, 2).unwrap().put(&mut bytes).unwrap();
        assert_eq!(bytes, 1_i32.to_be_bytes());
    }

    #[test]
    fn json_has_its_version_before_it() {
        let mut bytes = Vec::new();
        Json(&["a"]).put(&mut bytes).unwrap();
        assert_eq!(bytes, b"\x01[\"a\"]");
    }
}
