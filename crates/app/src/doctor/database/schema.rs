//! The schema: migrations, partitions, the table of jobs, and the first administrator.

use adapters_postgres::{JobsTable, MigrationState, MissingPartition};
use ports::shared::store::StoreError;

use super::{in_mebibytes, unanswered};
use crate::doctor::{
    check::Finding,
    checks::{ADMINISTRATORS, JOBS_COMPACT, MIGRATIONS_APPLIED, PARTITIONS_AHEAD},
};

/// Month from which on partitions may be missing: maintenance makes them every hour.
const FAR_AHEAD: i32 = 3;
/// Removed rows that no vacuum has cleared: more than this, and more than the rows themselves. A vacuum
/// begins at a tenth of it.
const MANY_DEAD: i64 = 200_000;

/// Judges the migrations, and names the changes of data that the service has not finished.
pub(super) fn migrations(
    state: Result<MigrationState, StoreError>,
    unfinished: &[String],
) -> Finding {
    match state {
        Ok(state) if state.is_too_old => MIGRATIONS_APPLIED
            .fail("the schema belongs to a development version, and cannot continue"),
        Ok(MigrationState { missing, newer, .. }) => match (missing.as_slice(), newer.as_slice()) {
            ([first, ..], _) => {
                let count = missing.len();
                MIGRATIONS_APPLIED.warn(format!("{count} migrations are missing, from {first} on"))
            }
            ([], [.., last]) => {
                let count = newer.len();
                MIGRATIONS_APPLIED.warn(format!("a newer version added {count}, up to {last}"))
            }
            ([], []) if unfinished.is_empty() => {
                MIGRATIONS_APPLIED.ok("all migrations are applied")
            }
            ([], []) => {
                let names = unfinished.join(", ");
                MIGRATIONS_APPLIED.ok(format!(
                    "all migrations are applied; changes of data that the service goes on with: {names}"
                ))
            }
        },
        Err(error) => unanswered(MIGRATIONS_APPLIED, &error),
    }
}

/// Judges the partitions that are missing.
pub(super) fn partitions(missing: Result<Vec<MissingPartition>, StoreError>) -> Finding {
    let missing = match missing {
        Ok(missing) => missing,
        Err(error) => return unanswered(PARTITIONS_AHEAD, &error),
    };
    let soon: Vec<_> = missing.iter().filter(|it| it.months_ahead < FAR_AHEAD).collect();
    let Some(nearest) = soon.iter().map(|it| it.months_ahead).min() else {
        return PARTITIONS_AHEAD.ok("this month and the next ones have partitions");
    };
    let names: Vec<_> = soon.iter().map(|it| it.name.as_str()).collect();
    let message = format!("missing: {}", names.join(", "));
    match nearest {
        0 | 1 => PARTITIONS_AHEAD.fail(message),
        _ => PARTITIONS_AHEAD.warn(message),
    }
}

/// Judges the table of jobs.
pub(super) fn jobs(table: Result<Option<JobsTable>, StoreError>) -> Finding {
    match table {
        Ok(Some(table)) => {
            let JobsTable { live_rows, dead_rows, bytes } = table;
            let size = in_mebibytes(bytes);
            let message = format!("{live_rows} rows, {dead_rows} removed ones, {size}");
            if dead_rows > MANY_DEAD && dead_rows > live_rows {
                JOBS_COMPACT.warn(message)
            } else {
                JOBS_COMPACT.ok(message)
            }
        }
        Ok(None) => JOBS_COMPACT.skipped("the server has no statistics of the table"),
        Err(error) => unanswered(JOBS_COMPACT, &error),
    }
}

/// Judges the existence of an administrator.
pub(super) fn administrators(has_administrator: Result<bool, StoreError>) -> Finding {
    match has_administrator {
        Ok(true) => ADMINISTRATORS.ok("there is a platform administrator"),
        Ok(false) => ADMINISTRATORS.warn("there is none: nobody can approve content"),
        Err(error) => unanswered(ADMINISTRATORS, &error),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::doctor::Status;

    #[test]
    fn a_month_without_a_partition_is_worse_the_sooner_it_begins() {
        let judged = |months: &[i32]| {
            let missing = months.iter().map(|months_ahead| MissingPartition {
                name: format!("delivery_logs_{months_ahead}"),
                months_ahead: *months_ahead,
            });
            partitions(Ok(missing.collect())).status
        };
        assert_eq!(judged(&[]), Status::Ok);
        assert_eq!(judged(&[3]), Status::Ok);
        assert_eq!(judged(&[2, 3]), Status::Warn);
        assert_eq!(judged(&[1, 2, 3]), Status::Fail);
    }

    #[test]
    fn a_table_of_jobs_full_of_removed_rows_is_reported() {
        let judged = |live_rows: i64, dead_rows: i64| {
            jobs(Ok(Some(JobsTable { live_rows, dead_rows, bytes: 1 << 30 }))).status
        };
        assert_eq!(judged(1_000_000, 300_000), Status::Ok);
        assert_eq!(judged(10, 100_000), Status::Ok);
        assert_eq!(judged(1_000, 300_000), Status::Warn);
        assert_eq!(jobs(Ok(None)).status, Status::Skipped);
    }

    #[test]
    fn a_schema_of_another_version_is_reported() {
        let judged = |state: MigrationState| migrations(Ok(state), &[]).status;
        let unfinished = migrations(Ok(MigrationState::default()), &["countries".to_owned()]);
        assert!(unfinished.message.ends_with(": countries"), "{}", unfinished.message);
        let one = || vec!["20270101000000".to_owned()];
        assert_eq!(judged(MigrationState::default()), Status::Ok);
        assert_eq!(judged(MigrationState { missing: one(), ..Default::default() }), Status::Warn);
        assert_eq!(judged(MigrationState { newer: one(), ..Default::default() }), Status::Warn);
        let old = MigrationState { is_too_old: true, ..Default::default() };
        assert_eq!(judged(old), Status::Fail);
    }
}
