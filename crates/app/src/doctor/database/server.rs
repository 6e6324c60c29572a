//! Settings of the server, and rights of the role.

use adapters_postgres::{
    ConnectionBudget, NEWEST_VERSION, OLDEST_VERSION, Rights, Safety, ServerState,
};
use chrono::TimeDelta;
use ports::shared::store::StoreError;

use super::unanswered;
use crate::doctor::{
    check::Finding,
    checks::{
        DATABASE_CLOCK, DATABASE_COMMITS, DATABASE_CONNECTIONS, DATABASE_DURABLE,
        DATABASE_ENCODING, DATABASE_ENCRYPTED, DATABASE_RIGHTS, DATABASE_VERSION,
        DATABASE_WRITABLE,
    },
};

/// Differences of clocks from which times of messages are visibly wrong, and from which schedules, sessions
/// and signatures are.
const LATE: TimeDelta = TimeDelta::seconds(2);
const WRONG: TimeDelta = TimeDelta::seconds(60);

/// Examines the settings of the server, and the safety of the connection to it.
pub(super) fn examine(server: &ServerState, safety: Safety, is_production: bool) -> Vec<Finding> {
    let encoding = match server.encoding.as_str() {
        "UTF8" => DATABASE_ENCODING.ok("the database stores UTF-8"),
        other => DATABASE_ENCODING.fail(format!("the database stores {other}")),
    };
    let writable = if server.is_standby {
        DATABASE_WRITABLE.fail("the server is a standby, and takes no writes")
    } else {
        DATABASE_WRITABLE.ok("the server takes writes")
    };
    let commits = match server.synchronous_commit.as_str() {
        "off" => DATABASE_COMMITS
            .broken(is_production, "synchronous_commit is off: a crash loses accepted messages"),
        setting => DATABASE_COMMITS.ok(format!("synchronous_commit is {setting}")),
    };
    vec![
        version(server.version),
        writable,
        encoding,
        durable(server, is_production),
        commits,
        encrypted(server, safety, is_production),
    ]
}

fn version(number: i32) -> Finding {
    let (number, minor) = (number.unsigned_abs() / 10_000, number.unsigned_abs() % 10_000);
    let message = format!("PostgreSQL {number}.{minor}");
    if number < OLDEST_VERSION {
        DATABASE_VERSION.fail(format!("{message} is older than {OLDEST_VERSION}"))
    } else if number > NEWEST_VERSION {
        DATABASE_VERSION.warn(format!("{message} is newer than {NEWEST_VERSION}, and not tried"))
    } else {
        DATABASE_VERSION.ok(message)
    }
}

fn durable(server: &ServerState, is_production: bool) -> Finding {
    let settings = [("fsync", server.has_fsync), ("full_page_writes", server.has_full_page_writes)];
    let off: Vec<_> = settings.iter().filter(|(_, is_on)| !is_on).map(|(name, _)| *name).collect();
    if off.is_empty() {
        return DATABASE_DURABLE.ok("fsync and full_page_writes are on");
    }
    let message = format!("off: {}; a crash may destroy the database", off.join(", "));
    DATABASE_DURABLE.broken(is_production, message)
}

fn encrypted(server: &ServerState, safety: Safety, is_production: bool) -> Finding {
    let now = if server.is_encrypted { "encrypted" } else { "in clear" };
    let problem = match safety {
        Safety::Safe => {
            return DATABASE_ENCRYPTED.ok("the connection is local, or the server is verified");
        }
        Safety::Unverified => format!("the connection is {now}, and the server is not verified"),
        Safety::Clear => format!("the connection is {now}, and may be in clear"),
    };
    if is_production { DATABASE_ENCRYPTED.warn(problem) } else { DATABASE_ENCRYPTED.ok(problem) }
}

/// Judges the rights of the role.
pub(super) fn rights(rights: Result<Rights, StoreError>) -> Finding {
    let rights = match rights {
        Ok(rights) => rights,
        Err(error) => return unanswered(DATABASE_RIGHTS, &error),
    };
    let mut lacking = Vec::new();
    if !rights.may_create_tables {
        lacking.push("it may not create tables in the schema".to_owned());
    }
    if !rights.may_create_temporary_tables {
        lacking.push("it may not create temporary tables".to_owned());
    }
    if rights.foreign_tables > 0 {
        lacking.push(format!("{} tables belong to other roles", rights.foreign_tables));
    }
    if !rights.may_create_extensions && !rights.missing_extensions.is_empty() {
        let missing = rights.missing_extensions.join(", ");
        lacking.push(format!("it may not create the extensions that are missing: {missing}"));
    }
    if lacking.is_empty() {
        return DATABASE_RIGHTS.ok(format!("the role {} may do all that is needed", rights.role));
    }
    DATABASE_RIGHTS.fail(format!("the role {}: {}", rights.role, lacking.join("; ")))
}

/// Judges the connections of all instances.
pub(super) fn connections(budget: Result<ConnectionBudget, StoreError>) -> Finding {
    match budget {
        Ok(budget) if budget.is_short() => DATABASE_CONNECTIONS.fail(budget.to_string()),
        Ok(budget) => DATABASE_CONNECTIONS.ok(budget.to_string()),
        Err(error) => unanswered(DATABASE_CONNECTIONS, &error),
    }
}

/// Judges the difference of the clocks, which is known up to the time that an answer travels.
pub(super) fn clock(ahead: TimeDelta, travel: TimeDelta) -> Finding {
    let difference = (ahead.abs() - travel).max(TimeDelta::zero());
    let side = if ahead > TimeDelta::zero() { "ahead of" } else { "behind" };
    let seconds = difference.num_seconds();
    let message = format!("the clock of the server is {seconds} s {side} that of this machine");
    if difference >= WRONG {
        DATABASE_CLOCK.fail(message)
    } else if difference >= LATE {
        DATABASE_CLOCK.warn(message)
    } else {
        DATABASE_CLOCK.ok("the clocks agree")
    }
}

#[cfg(test)]
mod tests;
