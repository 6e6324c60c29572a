//! Values stored as JSON, serialized directly.

use std::{fmt::Debug, io::Write};

use diesel::{
    pg::Pg,
    serialize::{IsNull, Output, Result, ToSql},
    sql_types::Jsonb,
};
use serde::Serialize;

/// Version of the wire format of `jsonb`.
pub(super) const VERSION: u8 = 1;

/// Value for a column of JSON.
#[derive(Debug)]
pub(crate) struct Json<'v, T: ?Sized>(pub(crate) &'v T);

impl<T: Serialize + Debug + ?Sized> ToSql<Jsonb, Pg> for Json<'_, T> {
    fn to_sql<'b>(&'b self, out: &mut Output<'b, '_, Pg>) -> Result {
        out.write_all(&[VERSION])?;
        serde_json::to_writer(out, self.0)?;
        Ok(IsNull::No)
    }
}
