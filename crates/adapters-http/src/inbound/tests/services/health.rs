//! Health of a service whose database answers, and Redis does not.

use std::{collections::BTreeMap, sync::Arc};

use chrono::TimeDelta;
use ports::{
    platform::health::{Backlog, StoreStats, WorkerStats},
    shared::{
        clock::Clock,
        mock::{MockBackgroundTaskProbe, MockSharedProbe, MockStoreProbe, MockWorkerProbe},
    },
};
use usecases::platform::health::Health;

pub(in crate::inbound::tests) fn health(clock: Arc<dyn Clock>) -> Health {
    let mut database = MockStoreProbe::new();
    database.expect_stats().return_const(StoreStats {
        database: Ok(()),
        is_refused: false,
        backlog: Some(Backlog::default()),
        journal_lines: 0,
        oldest_rollup: TimeDelta::zero(),
        partitions_ahead: 3,
        pools: BTreeMap::new(),
    });
    let mut shared = MockSharedProbe::new();
    shared.expect_ping().returning(|| Err("Redis does not answer".to_owned()));
    let mut workers = MockWorkerProbe::new();
    workers.expect_stats().returning(WorkerStats::default);
    let mut tasks = MockBackgroundTaskProbe::new();
    tasks.expect_states().returning(Vec::new);
    Health::new(Arc::new(database), Arc::new(shared), Arc::new(workers), Arc::new(tasks), clock)
}
