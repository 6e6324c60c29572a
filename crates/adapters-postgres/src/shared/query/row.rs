//! Rows of statements, read by the names of their columns.

use diesel::{
    QueryResult,
    result::Error as DieselError,
    row::{Field, Row as _, RowIndex},
};

use super::value::{Column, read};
use crate::shared::database::connection::Row;

/// Row that is read by the names of its columns. Declared by [`row!`].
pub(crate) trait NamedRow: Sized {
    /// Names of the columns.
    const COLUMNS: &'static [&'static str];

    /// Reads a row whose columns, in the order of their names, have these positions.
    fn read(row: &Row, positions: &[usize]) -> QueryResult<Self>;
}

/// Declares a struct that is a row of a statement. Each field is the column of its name.
macro_rules! row {
    (
        $(#[$attribute:meta])*
        $visibility:vis struct $name:ident {
            $($(#[$field_attribute:meta])* $field_visibility:vis $field:ident: $type:ty),* $(,)?
        }
    ) => {
        $(#[$attribute])*
        $visibility struct $name {
            $($(#[$field_attribute])* $field_visibility $field: $type),*
        }

        impl $crate::shared::query::row::NamedRow for $name {
            const COLUMNS: &'static [&'static str] = &[$(stringify!($field)),*];

            fn read(
                row: &$crate::shared::database::connection::Row,
                positions: &[usize],
            ) -> diesel::QueryResult<Self> {
                let mut positions = positions.iter().copied();
                Ok(Self {
                    $($field: $crate::shared::query::row::column(row, positions.next())?),*
                })
            }
        }
    };
}

pub(crate) use row;

/// Reads rows by the names of their columns. The columns must be exactly those of the row's type.
pub(crate) fn named<R: NamedRow>(rows: &[Row]) -> QueryResult<Vec<R>> {
    let Some(first) = rows.first() else { return Ok(Vec::new()) };
    let positions = positions(first, R::COLUMNS)?;
    rows.iter().map(|row| R::read(row, &positions)).collect()
}

fn positions(row: &Row, columns: &[&str]) -> QueryResult<Vec<usize>> {
    if row.field_count() != columns.len() {
        let found = row.field_count();
        return Err(mismatch(format!("{found} columns instead of {}", columns.len())));
    }
    let position = |name: &&str| {
        row.idx(*name).ok_or_else(|| mismatch(format!("no column `{name}` in the answer")))
    };
    columns.iter().map(position).collect()
}

/// Reads the column at a position.
pub(crate) fn column<V>(row: &Row, position: Option<usize>) -> QueryResult<V>
where
    V: Column,
    V::Read: diesel::deserialize::FromSql<V::SqlType, diesel::pg::Pg>,
{
    let field = position.and_then(|position| diesel::row::Row::get(row, position));
    let field = field.ok_or_else(|| mismatch("a column is missing in the answer".to_owned()))?;
    read(field.value()).map_err(DieselError::DeserializationError)
}

fn mismatch(text: String) -> DieselError {
    DieselError::DeserializationError(text.into())
}
