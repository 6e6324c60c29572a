//! Checks of a database before anything in it changes: its encoding, the rights of the role, and the
//! language of messages.

use std::error::Error as StdError;

use diesel::{
    RunQueryDsl,
    dsl::sql,
    sql_types::{Bool, Nullable, Text},
};
use diesel_async::{AsyncPgConnection, async_connection_wrapper::AsyncConnectionWrapper};

/// Connection on which migrations run.
pub(crate) type BlockingConnection = AsyncConnectionWrapper<AsyncPgConnection>;
/// Reason for which a database cannot be migrated.
pub(crate) type Failure = Box<dyn StdError + Send + Sync>;

/// Encoding that texts need.
const ENCODING: &str = "UTF8";

/// Fails if the service cannot work on the database, with the statement that mends it. Warns if the
/// messages of the server are in a language that is not understood.
pub(crate) fn check(conn: &mut BlockingConnection) -> Result<(), Failure> {
    let encoding = text(conn, "current_setting('server_encoding')")?;
    if let Some(problem) = problem_of_encoding(&encoding) {
        return Err(problem.into());
    }
    check_rights(conn)?;
    let language = text(conn, "current_setting('lc_messages')")?;
    if !is_understood(&language) {
        let role = text(conn, "quote_ident(current_user)")?;
        tracing::warn!(
            language,
            remedy = grant_of_language(&role),
            "the messages of PostgreSQL are not in English, so outages may be taken for faults"
        );
    }
    Ok(())
}

fn text(conn: &mut BlockingConnection, expression: &str) -> Result<String, Failure> {
    Ok(diesel::select(sql::<Text>(expression)).get_result(conn)?)
}

fn problem_of_encoding(encoding: &str) -> Option<String> {
    (encoding != ENCODING).then(|| {
        format!(
            "its encoding is {encoding}, and texts need {ENCODING}: create another one, with CREATE \
             DATABASE … ENCODING 'UTF8' TEMPLATE template0"
        )
    })
}

const SCHEMA: &str = "current_schema()::text";
/// True if the role may create in the schema of its tables.
const MAY_CREATE: &str = "has_schema_privilege(current_schema(), 'CREATE')";
/// Role that owns the tables, if this role has not its rights.
const OTHER_OWNER: &str = "\
    (SELECT quote_ident(pg_get_userbyid(relowner)) FROM pg_class \
    WHERE oid = to_regclass('__diesel_schema_migrations') AND NOT pg_has_role(relowner, 'USAGE'))";

/// Migrations create tables, and each month needs new partitions.
fn check_rights(conn: &mut BlockingConnection) -> Result<(), Failure> {
    let role = text(conn, "quote_ident(current_user)")?;
    let schema: Option<String> = diesel::select(sql::<Nullable<Text>>(SCHEMA)).get_result(conn)?;
    let Some(schema) = schema else {
        let problem = format!(
            "no schema on its search path can be used: GRANT USAGE, CREATE ON SCHEMA public TO {role}"
        );
        return Err(problem.into());
    };
    let may_create: bool = diesel::select(sql::<Bool>(MAY_CREATE)).get_result(conn)?;
    if !may_create {
        let name = text(conn, "quote_ident(current_database())")?;
        let problem = format!(
            "the role {role} may not create tables in the schema {schema}: ALTER DATABASE {name} OWNER \
             TO {role}, or GRANT CREATE ON SCHEMA {schema} TO {role}"
        );
        return Err(problem.into());
    }
    let owner: Option<String> =
        diesel::select(sql::<Nullable<Text>>(OTHER_OWNER)).get_result(conn)?;
    match owner {
        Some(owner) => Err(format!(
            "its tables belong to {owner}, and the role {role} may not change them: GRANT {owner} TO \
             {role}, or run REASSIGN OWNED BY {owner} TO {role} in this database"
        )
        .into()),
        None => Ok(()),
    }
}

/// True for English, which this connection, like all others, requested.
fn is_understood(language: &str) -> bool {
    ["", "C", "POSIX"].contains(&language)
        || ["C.", "en", "English"].iter().any(|english| language.starts_with(english))
}

/// Returns the statement after which connections may request English.
fn grant_of_language(role: &str) -> String {
    format!("GRANT SET ON PARAMETER lc_messages TO {role}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn english_is_understood_and_nothing_else() {
        for language in ["", "C", "POSIX", "C.UTF-8", "en_US.UTF-8", "en_GB", "English_Ghana.1252"]
        {
            assert!(is_understood(language), "{language}");
        }
        for language in ["fr_FR.UTF-8", "de_DE", "tr_TR.UTF-8", "Croatian_Croatia.1250"] {
            assert!(!is_understood(language), "{language}");
        }
        let statement = "GRANT SET ON PARAMETER lc_messages TO shop";
        assert_eq!(grant_of_language("shop"), statement);
    }

    #[test]
    fn an_encoding_that_lacks_letters_is_refused_by_name() {
        assert_eq!(problem_of_encoding("UTF8"), None);
        let problem = problem_of_encoding("LATIN1").unwrap();
        assert!(problem.starts_with("its encoding is LATIN1, and texts need UTF8"), "{problem}");
    }
}
