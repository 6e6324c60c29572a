//! Rows of composite types, bound to a statement as one array.
//!
//! From an array for each column the server makes a table for each column, and a row from all of them. That takes
//! a third of the time in which it writes a line of the log.

use std::{
    fmt::{self, Debug, Formatter},
    io::Write,
};

use chrono::{DateTime, Utc};
use diesel::{
    pg::{Pg, PgTypeMetadata},
    serialize::{self, IsNull, Output, ToSql},
    sql_types::{HasSqlType, SqlType},
};
use ports::shared::store::StoreError;
use serde::Serialize;
use serde_json::Value;
use uuid::Uuid;

use super::{
    array::{Element, Elements, HEADER, put_header, put_with_length},
    json::Json,
    row::row,
    sql::sql,
    value::Parameter,
};
use crate::shared::database::{composite_types::CompositeTypes, connection::Connection};

/// Error of a value that has no binary form.
pub(crate) type FieldError = Box<dyn std::error::Error + Send + Sync>;

/// Row of a composite type of the database.
pub(crate) trait Record {
    /// Name of the type.
    const TYPE: &'static str;
    /// Usual number of bytes, for which room is made.
    const ROOM: usize;

    /// Puts all fields, in the order of the type.
    fn put(&self, fields: &mut Fields<'_>) -> Result<(), FieldError>;
}

/// Fields of a row, in their binary form.
pub(crate) struct Fields<'b> {
    bytes: &'b mut Vec<u8>,
    count: i32,
}

impl Fields<'_> {
    /// Adds the next field.
    #[expect(clippy::needless_pass_by_value, reason = "most fields are made for it")]
    pub(crate) fn add<V: Field>(&mut self, value: V) -> Result<(), FieldError> {
        self.count += 1;
        self.bytes.extend_from_slice(&V::TYPE_NUMBER.to_be_bytes());
        put_with_length(self.bytes, |bytes| value.put(bytes))
    }
}

/// Value that can be a field of a row.
pub(crate) trait Field: Element {
    /// Number that every server has for the type of the field.
    const TYPE_NUMBER: u32;
}

/// Rows that are bound to a statement.
pub(crate) struct Records<R> {
    type_number: u32,
    rows: Vec<R>,
}

impl<R: Record> Records<R> {
    /// Prepares rows for a statement on a connection, whose server has a number of its own for the type.
    pub(crate) async fn new(conn: &Connection, rows: Vec<R>) -> Result<Self, StoreError> {
        let types = conn.composite_types().get_or_try_init(|| read_types(conn)).await?;
        Ok(Self { type_number: types.number(R::TYPE)?, rows })
    }

    fn encoded(&self) -> Result<Vec<u8>, FieldError> {
        let mut bytes = Vec::with_capacity(HEADER + self.rows.len() * R::ROOM);
        put_header(&mut bytes, self.type_number, self.rows.len())?;
        for row in &self.rows {
            put_with_length(&mut bytes, |bytes| {
                let place = bytes.len();
                bytes.extend_from_slice(&0_i32.to_be_bytes());
                let mut fields = Fields { bytes, count: 0 };
                row.put(&mut fields)?;
                let count = fields.count.to_be_bytes();
                if let Some(place) = bytes.get_mut(place..place + count.len()) {
                    place.copy_from_slice(&count);
                }
                Ok(IsNull::No)
            })?;
        }
        Ok(bytes)
    }
}

row! {
    struct TypeRow {
        name: String,
        number: i64,
    }
}

async fn read_types(conn: &Connection) -> Result<CompositeTypes, StoreError> {
    let rows: Vec<TypeRow> = sql!(COMPOSITE_TYPES).rows(conn).await?;
    Ok(CompositeTypes::new(rows.into_iter().map(|row| (row.name, row.number))))
}

const COMPOSITE_TYPES: &str = "\
    SELECT typname::text AS name, pg_type.oid::bigint AS number \
    FROM pg_type JOIN pg_class ON pg_class.oid = typrelid \
    WHERE relkind = 'c' AND pg_type_is_visible(pg_type.oid)";

/// Array whose type is the one that the statement names.
#[derive(SqlType)]
pub(crate) struct NamedInStatement;

impl HasSqlType<NamedInStatement> for Pg {
    /// Returns no number, for which the server takes the type of the statement. Diesel would otherwise encode all
    /// values twice to find the places of numbers that it does not know.
    fn metadata(_: &mut Self::MetadataLookup) -> PgTypeMetadata {
        PgTypeMetadata::new(0, 0)
    }
}

impl<R> Parameter for Records<R> {
    type SqlType = NamedInStatement;
    type Sent = Self;

    fn sent(self) -> Self {
        self
    }
}

impl<R: Record> ToSql<NamedInStatement, Pg> for Records<R> {
    fn to_sql<'b>(&'b self, out: &mut Output<'b, '_, Pg>) -> serialize::Result {
        out.write_all(&self.encoded()?)?;
        Ok(IsNull::No)
    }
}

/// Shows no value, since those of messages are in no log.
impl<R> Debug for Records<R> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "{} rows", self.rows.len())
    }
}

/// Types that are fields, and their numbers.
macro_rules! fields {
    ($($type:ty => $number:literal),* $(,)?) => {$(
        impl Field for $type {
            const TYPE_NUMBER: u32 = $number;
        }
    )*};
}

fields! {
    bool => 16,
    &[u8] => 17,
    i64 => 20,
    i16 => 21,
    i32 => 23,
    &str => 25,
    DateTime<Utc> => 1184,
    Uuid => 2950,
    Elements<Uuid> => 2951,
    Value => 3802,
}

impl<T: Serialize + ?Sized> Field for Json<'_, T> {
    const TYPE_NUMBER: u32 = Value::TYPE_NUMBER;
}

impl<V: Field> Field for Option<V> {
    const TYPE_NUMBER: u32 = V::TYPE_NUMBER;
}

impl<V: Field> Element for Elements<V> {
    const ROOM: usize = 96;

    fn put(&self, bytes: &mut Vec<u8>) -> serialize::Result {
        self.put_all(bytes, V::TYPE_NUMBER)?;
        Ok(IsNull::No)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Numbered(i16, Option<bool>);

    impl Record for Numbered {
        const TYPE: &'static str = "numbered";
        const ROOM: usize = 32;

        fn put(&self, fields: &mut Fields<'_>) -> Result<(), FieldError> {
            fields.add(self.0)?;
            fields.add(self.1)
        }
    }

    #[test]
    fn rows_have_the_binary_form_of_the_server() {
        let rows = vec![Numbered(258, Some(true)), Numbered(1, None)];

        let encoded = Records { type_number: 513, rows }.encoded().unwrap();

        let header = [0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 2, 1, 0, 0, 0, 2, 0, 0, 0, 1];
        let first =
            [0, 0, 0, 23, 0, 0, 0, 2, 0, 0, 0, 21, 0, 0, 0, 2, 1, 2, 0, 0, 0, 16, 0, 0, 0, 1, 1];
        let second = [
            0, 0, 0, 22, 0, 0, 0, 2, 0, 0, 0, 21, 0, 0, 0, 2, 0, 1, 0, 0, 0, 16, 255, 255, 255, 255,
        ];
        assert_eq!(encoded, [&header[..], &first[..], &second[..]].concat());
    }
}
