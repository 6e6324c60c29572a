//! Consumers of the log, and transactions that keep vacuum from its work.

use adapters_postgres::{Archiving, Replica, ReplicationSlot};
use ports::shared::store::StoreError;

use super::{in_mebibytes, unanswered};
use crate::doctor::{
    check::Finding,
    checks::{DATABASE_ARCHIVE, DATABASE_REPLICAS, DATABASE_SLOTS, DATABASE_TRANSACTIONS},
};

const MIB: i64 = 1 << 20;
/// Log that a replica may be behind, and seconds from a commit to its replay.
const FAR_BEHIND: i64 = 256 * MIB;
const LONG_BEHIND: f64 = 60.0;
/// Log that a slot with a consumer may keep.
const MUCH_LOG: i64 = 4_096 * MIB;
/// Seconds for which a transaction may be open.
const LONG_OPEN: f64 = 900.0;

/// Judges the replicas.
pub(super) fn replicas(replicas: Result<Vec<Replica>, StoreError>) -> Finding {
    let replicas = match replicas {
        Ok(replicas) => replicas,
        Err(error) => return unanswered(DATABASE_REPLICAS, &error),
    };
    if replicas.is_empty() {
        return DATABASE_REPLICAS.skipped("no replica is connected");
    }
    if replicas.iter().all(|replica| replica.bytes_behind.is_none()) {
        return DATABASE_REPLICAS
            .skipped("the role lacks pg_monitor, and does not see how far they are");
    }
    let is_late = |replica: &&Replica| {
        replica.bytes_behind.is_some_and(|bytes| bytes > FAR_BEHIND)
            || replica.seconds_behind.is_some_and(|seconds| seconds > LONG_BEHIND)
    };
    let late: Vec<_> = replicas.iter().filter(is_late).map(name_lag).collect();
    if late.is_empty() {
        DATABASE_REPLICAS.ok(format!("{} replicas follow closely", replicas.len()))
    } else {
        DATABASE_REPLICAS.warn(format!("far behind: {}", late.join(", ")))
    }
}

fn name_lag(replica: &Replica) -> String {
    format!("{} ({})", replica.name, in_mebibytes(replica.bytes_behind.unwrap_or_default()))
}

/// Judges the replication slots.
pub(super) fn slots(slots: Result<Vec<ReplicationSlot>, StoreError>) -> Finding {
    let slots = match slots {
        Ok(slots) => slots,
        Err(error) => return unanswered(DATABASE_SLOTS, &error),
    };
    let named = |slots: Vec<&ReplicationSlot>| {
        let kept = |slot: &ReplicationSlot| in_mebibytes(slot.bytes_kept.unwrap_or_default());
        let names = slots.into_iter().map(|slot| format!("{} ({})", slot.name, kept(slot)));
        names.collect::<Vec<_>>().join(", ")
    };
    let lost: Vec<_> = slots.iter().filter(|slot| slot.is_lost).collect();
    if !lost.is_empty() {
        return DATABASE_SLOTS.fail(format!("the log of these slots is removed: {}", named(lost)));
    }
    let keeps_much = |slot: &ReplicationSlot| slot.bytes_kept.is_some_and(|kept| kept > MUCH_LOG);
    let waiting =
        |slot: &&ReplicationSlot| !slot.is_active && slot.bytes_kept.is_some() || keeps_much(slot);
    let waiting: Vec<_> = slots.iter().filter(waiting).collect();
    if waiting.is_empty() {
        return DATABASE_SLOTS.ok(format!("{} slots, each with a consumer", slots.len()));
    }
    DATABASE_SLOTS.warn(format!("log is kept for these slots: {}", named(waiting)))
}

/// Judges the archive.
pub(super) fn archive(archiving: Result<Archiving, StoreError>) -> Finding {
    match archiving {
        Ok(Archiving { is_on: false, .. }) => {
            DATABASE_ARCHIVE.skipped("the server archives no log")
        }
        Ok(Archiving { is_failing: true, failures, .. }) => {
            DATABASE_ARCHIVE.fail(format!("the last attempt failed, of {failures} in all"))
        }
        Ok(_) => DATABASE_ARCHIVE.ok("the archive takes the log"),
        Err(error) => unanswered(DATABASE_ARCHIVE, &error),
    }
}

/// Judges the age of the oldest transaction, in seconds.
pub(super) fn transactions(oldest: Result<Option<f64>, StoreError>) -> Finding {
    match oldest {
        Ok(Some(seconds)) if seconds > LONG_OPEN => {
            DATABASE_TRANSACTIONS.warn(format!("the oldest is open for {:.0} min", seconds / 60.0))
        }
        Ok(_) => DATABASE_TRANSACTIONS.ok("none is open for long"),
        Err(error) => unanswered(DATABASE_TRANSACTIONS, &error),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::doctor::Status;

    fn slot(is_active: bool, is_lost: bool, kept: Option<i64>) -> ReplicationSlot {
        ReplicationSlot { name: "archive".to_owned(), is_active, is_lost, bytes_kept: kept }
    }

    #[test]
    fn a_replica_that_is_far_behind_is_reported() {
        let judged = |bytes_behind: Option<i64>, seconds_behind: Option<f64>| {
            let name = "accra".to_owned();
            replicas(Ok(vec![Replica { name, bytes_behind, seconds_behind }])).status
        };
        assert_eq!(judged(Some(MIB), Some(0.1)), Status::Ok);
        assert_eq!(judged(Some(300 * MIB), None), Status::Warn);
        assert_eq!(judged(Some(0), Some(61.0)), Status::Warn);
        assert_eq!(judged(None, None), Status::Skipped);
        assert_eq!(replicas(Ok(Vec::new())).status, Status::Skipped);
    }

    #[test]
    fn a_slot_that_nobody_reads_or_that_lost_its_log_is_reported() {
        let judged = |slot: ReplicationSlot| slots(Ok(vec![slot])).status;
        assert_eq!(slots(Ok(Vec::new())).status, Status::Ok);
        assert_eq!(judged(slot(true, false, Some(MIB))), Status::Ok);
        assert_eq!(judged(slot(false, false, None)), Status::Ok);
        assert_eq!(judged(slot(false, false, Some(MIB))), Status::Warn);
        assert_eq!(judged(slot(true, false, Some(5_000 * MIB))), Status::Warn);
        assert_eq!(judged(slot(false, true, None)), Status::Fail);
    }

    #[test]
    fn an_archive_that_fails_is_reported() {
        let judged = |is_on: bool, is_failing: bool| {
            archive(Ok(Archiving { is_on, is_failing, failures: 3 })).status
        };
        assert_eq!(judged(true, false), Status::Ok);
        assert_eq!(judged(true, true), Status::Fail);
        assert_eq!(judged(false, false), Status::Skipped);
    }

    #[test]
    fn a_transaction_that_is_open_for_long_is_reported() {
        assert_eq!(transactions(Ok(None)).status, Status::Ok);
        assert_eq!(transactions(Ok(Some(5.0))).status, Status::Ok);
        let long = transactions(Ok(Some(3_600.0)));
        assert_eq!(
            (long.status, long.message.as_str()),
            (Status::Warn, "the oldest is open for 60 min")
        );
    }
}
