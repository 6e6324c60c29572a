//! Tasks for the database as a whole.

use std::{sync::Arc, time::Duration};

use adapters_postgres::{PgJournalPoster, PgMonitor, PgStore};
use domain::shared::retention::RetentionDays;
use ports::shared::clock::Clock;
use usecases::providers::provider_registry::Providers;

use super::connections::{self, Comparison};
use crate::{
    background::{Outages, Task, Turn, again_if, then_idle},
    service::{stores::BackgroundStores, wiring::Wiring},
};

/// Interval between looks at the database, and pause before the next attempt to reach an unavailable
/// one.
const LOOK: Duration = Duration::from_secs(2);
const LOOK_RETRY: Duration = Duration::from_millis(500);
/// Interval between looks at the journal.
const POSTING: Duration = Duration::from_secs(1);
/// Interval between preparations of partitions and removals of expired records.
const MAINTENANCE: Duration = Duration::from_secs(3_600);
/// Interval between looks for changes of data, and pause between the turns of one, so that no other work has
/// to wait for it.
const DATA_CHANGES: Duration = Duration::from_secs(60);
const DATA_CHANGE_STEP: Duration = Duration::from_millis(200);
/// Interval between comparisons of the needed connections with those that the server provides.
const CONNECTIONS: Duration = Duration::from_secs(60);

pub(super) fn tasks(
    wiring: &Wiring,
    stores: &BackgroundStores,
    retention: Option<RetentionDays>,
    outages: Arc<Outages>,
) -> Vec<Task> {
    let look = Look {
        monitor: Arc::clone(&wiring.core.monitor),
        providers: Arc::clone(&wiring.core.providers),
        clock: Arc::clone(&wiring.core.clock),
        outages,
    };
    let poster = Arc::new(PgJournalPoster::new(stores.journal.clone()));
    let maintenance = (stores.maintenance.clone(), retention);
    let data_changes = Arc::clone(&stores.background);
    let comparison = Arc::new(Comparison::new(Arc::clone(&wiring.core.monitor)));
    vec![
        // The others wait for it, so that its pauses do not grow.
        Task::every("look at the database", LOOK, look, Look::take)
            .retry_after(LOOK_RETRY)
            .retry_steadily(),
        Task::every("journal posting", POSTING, poster, |poster| async move {
            again_if(poster.post_some().await)
        }),
        Task::every("maintenance", MAINTENANCE, maintenance, maintain),
        Task::every("changes of data", DATA_CHANGES, data_changes, |store| async move {
            again_if(store.advance_data_changes().await)
        })
        .again_after(DATA_CHANGE_STEP),
        Task::every("count of connections", CONNECTIONS, comparison, connections::compare),
    ]
}

/// Look at the database, which keeps its observed state up to date.
#[derive(Clone)]
struct Look {
    monitor: Arc<PgMonitor>,
    providers: Arc<Providers>,
    clock: Arc<dyn Clock>,
    outages: Arc<Outages>,
}

impl Look {
    async fn take(self) -> Turn {
        self.monitor.hold(&self.providers.held_queues(self.clock.now()));
        let looked = self.monitor.look().await;
        self.outages.note(looked.is_ok());
        then_idle(looked)
    }
}

/// Creates partitions in advance and deletes expired records, and messages older than the
/// retention.
async fn maintain((store, retention): (PgStore, Option<RetentionDays>)) -> Turn {
    let maintained = store.maintain().await;
    let dropped = match retention {
        Some(days) => store.drop_old_logs(days).await,
        None => Ok(()),
    };
    then_idle(maintained.and(dropped))
}
