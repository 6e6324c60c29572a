//! Types of values in statements: the SQL type of a Rust type, in both directions.

use std::fmt::Debug;

use chrono::{DateTime, NaiveDate, Utc};
use diesel::{
    QueryResult,
    deserialize::FromSql,
    pg::Pg,
    query_builder::AstPass,
    serialize::ToSql,
    sql_types::{self as sql, HasSqlType, SqlType, is_nullable::NotNull},
};
use domain::shared::{id::Id, money::Money};
use serde::Serialize;
use uuid::Uuid;

use super::{
    array::{Element, Elements},
    json::Json,
};

/// Value that can be bound to a statement.
pub(crate) trait Parameter {
    /// SQL type of the parameter.
    type SqlType;
    /// Value as Diesel sends it.
    type Sent;

    /// Returns the value to send.
    fn sent(self) -> Self::Sent;
}

/// Value that can be read from a column.
pub(crate) trait Column: Sized {
    /// SQL type of the column.
    type SqlType;
    /// Value as Diesel reads it.
    type Read;

    /// Converts the value that was read.
    fn from_read(read: Self::Read) -> Self;
}

/// Types that Diesel sends and reads as they are.
macro_rules! native {
    ($($type:ty => $sql:ty),* $(,)?) => {$(
        impl Parameter for $type {
            type SqlType = $sql;
            type Sent = $type;

            fn sent(self) -> $type {
                self
            }
        }

        impl Column for $type {
            type SqlType = $sql;
            type Read = $type;

            fn from_read(read: $type) -> Self {
                read
            }
        }
    )*};
}

native! {
    bool => sql::Bool,
    i16 => sql::SmallInt,
    i32 => sql::Integer,
    i64 => sql::BigInt,
    f64 => sql::Double,
    String => sql::Text,
    Uuid => sql::Uuid,
    DateTime<Utc> => sql::Timestamptz,
    NaiveDate => sql::Date,
    Vec<u8> => sql::Binary,
    serde_json::Value => sql::Jsonb,
}

/// Borrowed types that Diesel sends as they are.
macro_rules! borrowed {
    ($($type:ty => $sql:ty),* $(,)?) => {$(
        impl<'v> Parameter for &'v $type {
            type SqlType = $sql;
            type Sent = &'v $type;

            fn sent(self) -> &'v $type {
                self
            }
        }
    )*};
}

borrowed! {
    str => sql::Text,
    String => sql::Text,
    [u8] => sql::Binary,
    Vec<u8> => sql::Binary,
    serde_json::Value => sql::Jsonb,
    [String] => sql::Array<sql::Text>,
    [Uuid] => sql::Array<sql::Uuid>,
    [i16] => sql::Array<sql::SmallInt>,
    [i32] => sql::Array<sql::Integer>,
    [i64] => sql::Array<sql::BigInt>,
    Vec<String> => sql::Array<sql::Text>,
    Vec<Uuid> => sql::Array<sql::Uuid>,
}

impl<'v> Parameter for &'v [&'v str] {
    type SqlType = sql::Array<sql::Text>;
    type Sent = Self;

    fn sent(self) -> Self {
        self
    }
}

impl<T: Serialize + Debug + ?Sized> Parameter for Json<'_, T> {
    type SqlType = sql::Jsonb;
    type Sent = Self;

    fn sent(self) -> Self {
        self
    }
}

impl<T> Parameter for Id<T> {
    type SqlType = sql::Uuid;
    type Sent = Uuid;

    fn sent(self) -> Uuid {
        self.uuid()
    }
}

impl<T> Column for Id<T> {
    type SqlType = sql::Uuid;
    type Read = Uuid;

    fn from_read(read: Uuid) -> Self {
        Self::of(read)
    }
}

impl<T> Parameter for &[Id<T>] {
    type SqlType = sql::Array<sql::Uuid>;
    type Sent = Vec<Uuid>;

    fn sent(self) -> Vec<Uuid> {
        self.iter().map(|id| id.uuid()).collect()
    }
}

impl Parameter for Money {
    type SqlType = sql::BigInt;
    type Sent = i64;

    fn sent(self) -> i64 {
        self.micros()
    }
}

impl Column for Money {
    type SqlType = sql::BigInt;
    type Read = i64;

    fn from_read(read: i64) -> Self {
        Self::from_micros(read)
    }
}

impl<V: Parameter> Parameter for Option<V>
where
    V::SqlType: SqlType<IsNull = NotNull>,
{
    type SqlType = sql::Nullable<V::SqlType>;
    type Sent = Option<V::Sent>;

    fn sent(self) -> Self::Sent {
        self.map(V::sent)
    }
}

impl<V: Column> Column for Option<V>
where
    V::SqlType: SqlType<IsNull = NotNull>,
{
    type SqlType = sql::Nullable<V::SqlType>;
    type Read = Option<V::Read>;

    fn from_read(read: Self::Read) -> Self {
        read.map(V::from_read)
    }
}

impl<V: Parameter + Element> Parameter for Vec<V>
where
    V::SqlType: SqlType,
{
    type SqlType = sql::Array<V::SqlType>;
    type Sent = Elements<V>;

    fn sent(self) -> Self::Sent {
        Elements(self)
    }
}

impl<V: Column> Column for Vec<V>
where
    V::SqlType: SqlType,
{
    type SqlType = sql::Array<V::SqlType>;
    type Read = Vec<V::Read>;

    fn from_read(read: Self::Read) -> Self {
        read.into_iter().map(V::from_read).collect()
    }
}

impl<V: Parameter + Element, const N: usize> Parameter for [V; N]
where
    V::SqlType: SqlType,
{
    type SqlType = sql::Array<V::SqlType>;
    type Sent = Elements<V>;

    fn sent(self) -> Self::Sent {
        Elements(self.into())
    }
}

/// Value that is bound to a statement.
pub(crate) trait Bound: Send {
    /// Binds the value.
    fn bind<'b>(&'b self, out: &mut AstPass<'_, 'b, Pg>) -> QueryResult<()>;
}

struct Sent<V: Parameter>(V::Sent);

impl<V: Parameter> Bound for Sent<V>
where
    V::Sent: ToSql<V::SqlType, Pg> + Send,
    Pg: HasSqlType<V::SqlType>,
{
    fn bind<'b>(&'b self, out: &mut AstPass<'_, 'b, Pg>) -> QueryResult<()> {
        out.push_bind_param::<V::SqlType, V::Sent>(&self.0)
    }
}

/// Binds a value by its type.
pub(crate) fn bound<'v, V>(value: V) -> Box<dyn Bound + 'v>
where
    V: Parameter + 'v,
    V::Sent: ToSql<V::SqlType, Pg> + Send,
    Pg: HasSqlType<V::SqlType>,
{
    Box::new(Sent::<V>(value.sent()))
}

/// Reads a value of a column by its type.
pub(crate) fn read<V>(value: Option<diesel::pg::PgValue<'_>>) -> diesel::deserialize::Result<V>
where
    V: Column,
    V::Read: FromSql<V::SqlType, Pg>,
{
    V::Read::from_nullable_sql(value).map(V::from_read)
}
