//! Connections that the instances may hold, compared with those that the server allows.

use std::fmt;

use ports::shared::store::StoreError;

use crate::shared::{
    database::session::PgStore,
    query::{row::row, sql::sql},
};

/// Connections that the instances may hold, and those that the server allows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ConnectionBudget {
    /// Maximum number of connections of an instance.
    pub of_each: u64,
    /// Number of instances with a recent heartbeat.
    pub instances: u64,
    /// Maximum number of clients of the server.
    pub max_connections: u64,
    /// Number of these that are reserved for others.
    pub reserved: u64,
    /// Number of clients of the server that are not instances.
    pub others: u64,
    /// Limit of the role's connections; `None` if there is none.
    pub role_limit: Option<u64>,
    /// Limit of the database's connections; `None` if there is none.
    pub database_limit: Option<u64>,
}

impl ConnectionBudget {
    /// Number of connections that the instances may hold altogether.
    pub fn needed(&self) -> u64 {
        self.of_each * self.instances
    }

    /// Number of connections that the server allows them.
    pub fn available(&self) -> u64 {
        let of_server = self.max_connections.saturating_sub(self.reserved + self.others);
        let limits = [Some(of_server), self.role_limit, self.database_limit];
        limits.into_iter().flatten().min().unwrap_or(of_server)
    }

    /// True if the instances may need more connections than there are.
    pub fn is_short(&self) -> bool {
        self.needed() > self.available()
    }
}

impl fmt::Display for ConnectionBudget {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { of_each, instances, max_connections, reserved, others, .. } = self;
        write!(
            f,
            "needed {} ({instances} x {of_each}), available {} (max_connections {max_connections}, \
             reserved {reserved}, other clients {others}",
            self.needed(),
            self.available()
        )?;
        for (name, limit) in [("role", self.role_limit), ("database", self.database_limit)] {
            if let Some(limit) = limit {
                write!(f, ", limit of the {name} {limit}")?;
            }
        }
        f.write_str(")")
    }
}

row! {
    struct BudgetRow {
        max_connections: i64,
        reserved: i64,
        others: i64,
        role_limit: i64,
        database_limit: i64,
        is_superuser: bool,
        instances: i64,
    }
}

impl PgStore {
    /// Compares the connections that the instances may hold with those that the server allows. This
    /// instance may hold those of the pools of the store's target, and the others are assumed to be
    /// like it.
    pub async fn connection_budget(&self) -> Result<ConnectionBudget, StoreError> {
        let mut session = self.session().await?;
        let row: BudgetRow = sql!(ASK).only_row(session.conn()).await?;
        let limit = |of: i64| u64::try_from(of).ok().filter(|_| !row.is_superuser);
        Ok(ConnectionBudget {
            of_each: self.target().planned() as u64,
            // This instance's own heartbeat may be late.
            instances: row.instances.max(1).unsigned_abs(),
            max_connections: row.max_connections.unsigned_abs(),
            reserved: if row.is_superuser { 0 } else { row.reserved.unsigned_abs() },
            others: row.others.unsigned_abs(),
            role_limit: limit(row.role_limit),
            database_limit: limit(row.database_limit),
        })
    }
}

/// An ordinary role sees of the clients of other roles no more than their existence.
const ASK: &str = "\
    SELECT current_setting('max_connections')::bigint AS max_connections, \
        current_setting('superuser_reserved_connections')::bigint \
            + coalesce(current_setting('reserved_connections', true)::bigint, 0) AS reserved, \
        (SELECT count(*) FROM pg_stat_activity \
            WHERE usesysid IS NOT NULL AND coalesce(backend_type, 'client backend') = 'client backend' \
            AND (datname, usename, application_name) IS DISTINCT FROM \
                (current_database(), session_user, current_setting('application_name'))) \
            AS others, \
        role.rolconnlimit::bigint AS role_limit, \
        (SELECT datconnlimit FROM pg_database WHERE datname = current_database())::bigint \
            AS database_limit, \
        role.rolsuper AS is_superuser, \
        (SELECT count(*) FROM instances WHERE seen_at > clock_timestamp() - interval '15 seconds') \
            AS instances \
    FROM pg_roles role WHERE role.rolname = session_user";

#[cfg(test)]
mod tests {
    use super::*;

    const USUAL: ConnectionBudget = ConnectionBudget {
        of_each: 24,
        instances: 3,
        max_connections: 100,
        reserved: 3,
        others: 5,
        role_limit: None,
        database_limit: None,
    };

    #[test]
    fn a_usual_server_has_room_for_three_instances_but_not_four() {
        assert_eq!((USUAL.needed(), USUAL.available(), USUAL.is_short()), (72, 92, false));
        assert!(ConnectionBudget { instances: 4, ..USUAL }.is_short());
        assert!(ConnectionBudget { others: 26, ..USUAL }.is_short());
    }

    #[test]
    fn the_narrowest_limit_applies() {
        let of_role = ConnectionBudget { role_limit: Some(40), ..USUAL };
        assert_eq!(of_role.available(), 40);
        let of_database = ConnectionBudget { database_limit: Some(30), ..of_role };
        assert_eq!(of_database.available(), 30);
        let of_server = ConnectionBudget { max_connections: 20, ..of_database };
        assert_eq!(of_server.available(), 12);
    }

    #[test]
    fn the_text_contains_all_numbers() {
        let text = ConnectionBudget { role_limit: Some(40), ..USUAL }.to_string();
        assert_eq!(
            text,
            "needed 72 (3 x 24), available 40 (max_connections 100, reserved 3, other clients 5, \
             limit of the role 40)"
        );
    }
}
