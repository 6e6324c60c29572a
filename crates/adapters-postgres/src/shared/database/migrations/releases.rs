//! Releases of the schema: refusal of a database that this release cannot use.

use diesel::{
    RunQueryDsl,
    dsl::sql,
    sql_types::{Bool, Nullable, Text},
};

use super::{BlockingConnection, Failure};

/// Number of this release among those that have migrations, as in the table `schema_releases`.
pub const SCHEMA_RELEASE: i32 = 1;
const NAME: &str = env!("CARGO_PKG_VERSION");

const IS_RECORDED: &str = "to_regclass('schema_releases') IS NOT NULL";
/// The newest release, if it excludes this one, and the oldest that can use its schema.
const NEWEST: &str =
    "(SELECT name FROM schema_releases WHERE usable_from > {own} ORDER BY number DESC LIMIT 1)";
const OLDEST: &str = "(SELECT name FROM schema_releases WHERE number = \
    (SELECT max(usable_from) FROM schema_releases))";

/// Fails for a database that a release after the next has migrated, or the next one if this one cannot use
/// its schema.
pub(super) fn refuse_newer(conn: &mut BlockingConnection) -> Result<(), Failure> {
    let is_recorded: bool = diesel::select(sql::<Bool>(IS_RECORDED)).get_result(conn)?;
    if !is_recorded {
        return Ok(());
    }
    let newest = NEWEST.replace("{own}", &SCHEMA_RELEASE.to_string());
    let newest: Option<String> = diesel::select(sql::<Nullable<Text>>(&newest)).get_result(conn)?;
    let Some(newest) = newest else { return Ok(()) };
    let oldest: Option<String> = diesel::select(sql::<Nullable<Text>>(OLDEST)).get_result(conn)?;
    let oldest = oldest.as_deref().unwrap_or(&newest);
    Err(format!(
        "its schema is that of release {newest}, which release {NAME} cannot use: run release {oldest} or a \
         newer one"
    )
    .into())
}
