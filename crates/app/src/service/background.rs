//! Background work of a running service.

mod calls;
mod closings;
mod connections;
mod contact_jobs;
mod erasures;
mod events;
mod log_exports;
mod money;
mod notices;
mod payments;
mod resends;
mod traffic;

use std::{sync::Arc, time::Duration};

use adapters_postgres::{PgInstance, PgMonitor, PgStore};
use chrono::TimeDelta;
use domain::shared::retention::RetentionDays;
use ports::{
    messaging::scheduled_messages::ScheduledMessageRepository,
    platform::health::WorkerProbe,
    shared::{
        clock::Clock,
        signals::{DueWork, WakeSignal},
        store::StoreError,
    },
};
use tokio::time::sleep;
use usecases::{
    Error,
    audience::imports::ImportWork,
    identity::{api_keys::ApiKeys, auth::Auth, policies::Policies, provisioning::Provisioning},
    messaging::holding::Holding,
    money::prices::Prices,
    providers::provider_registry::Providers,
};

pub(super) use self::{
    calls::{write_key_calls, write_refused_calls},
    closings::{erase_closed, settle_closings},
    connections::compare_connections,
    contact_jobs::work_off_contact_jobs,
    erasures::erase,
    events::{follow_events, go_on_with_triggers},
    log_exports::write_log_exports,
    money::{apply_spending_rules, note_low_balances, write_statements},
    notices::send_notices,
    payments::{notify_payments, reconcile_top_ups},
    resends::send_failed_again,
    traffic::watch_traffic,
};
use crate::{delivery_pool::Workers, signals::Signals};

/// Interval between preparations of partitions and removals of expired records.
const MAINTENANCE: Duration = Duration::from_secs(3_600);
/// Interval between looks for codes that have become too old.
const CODES: Duration = Duration::from_secs(20);
/// Interval between looks for segments to count.
const RECOUNT: Duration = Duration::from_secs(1);
/// Interval between looks for organizations that are not provisioned yet.
const PROVISIONING: Duration = Duration::from_secs(20);
/// Interval between looks for imports when none waits, and pause when the database is unavailable.
const IMPORTS: Duration = Duration::from_millis(500);
const IMPORTS_RETRY: Duration = Duration::from_secs(5);
/// Interval between heartbeats, and number of successful ones in a row before this instance may
/// release another as dead.
const HEARTBEAT_INTERVAL: Duration = Duration::from_secs(3);
const BEATS_TO_JUDGE: u32 = 6;
/// Pause before the next attempt to reach an unavailable database.
const RETRY: Duration = Duration::from_millis(500);
/// Interval between looks at the database.
const LOOK: Duration = Duration::from_secs(2);
/// Interval between reads of revoked API keys, and of changed organizations and prices.
const CHANGES: Duration = Duration::from_millis(300);
/// Interval between reads of holds, and between looks for messages that are no longer held.
const HOLDS: Duration = Duration::from_millis(700);
const RELEASE: Duration = Duration::from_secs(1);
/// Interval between looks for scheduled messages that are due.
const SCHEDULES: Duration = Duration::from_millis(500);
/// Interval between writes of the last uses of API keys, and of sessions.
const KEY_USES: Duration = Duration::from_secs(1);
const SESSION_USES: Duration = Duration::from_secs(10);
/// Interval between looks at the journal, and time for which its lines gather before they are
/// folded together, however many instances look.
const FOLDING: Duration = Duration::from_secs(1);
const LINES_GATHER: TimeDelta = TimeDelta::milliseconds(900);
/// Time for which the rollups of a bucket of organizations gather before they are posted together.
const GATHERING: TimeDelta = TimeDelta::minutes(4);
/// Most buckets posted after one folding, so that the load is even. Half of that would suffice for
/// 256 buckets in four minutes.
const BUCKETS_AT_ONCE: usize = 2;
/// Number of folded lines after which the journal is cleaned, and of posted rollups after which
/// they are.
const DIRTY_LINES: usize = 1_000;
const DIRTY_ROLLUPS: usize = 10_000;

/// Folds the journal, posts it to counters and ledger, and keeps it small.
pub(super) async fn post(store: PgStore) {
    let mut poster = Poster { store, folded: 0, posted: 0 };
    loop {
        match poster.fold().await {
            // More may wait.
            Ok(lines) if lines >= PgStore::FOLDED_AT_ONCE => continue,
            Ok(_) => {}
            Err(error) => tracing::warn!(%error, "failed to fold the journal"),
        }
        if let Err(error) = poster.post().await {
            tracing::warn!(%error, "failed to post the journal");
        }
        sleep(FOLDING).await;
    }
}

/// Worker on the journal, with the work done since the tables were cleaned.
struct Poster {
    store: PgStore,
    folded: usize,
    posted: usize,
}

impl Poster {
    async fn fold(&mut self) -> Result<usize, StoreError> {
        let lines = self.store.fold_journal(Some(LINES_GATHER)).await?;
        self.folded += lines;
        if self.folded >= DIRTY_LINES {
            self.store.clean_journal().await?;
            self.folded = 0;
        }
        Ok(lines)
    }

    async fn post(&mut self) -> Result<(), StoreError> {
        self.store.enter_credits().await?;
        for _ in 0..BUCKETS_AT_ONCE {
            let rollups = self.store.post_oldest_bucket(Some(GATHERING)).await?;
            if rollups == 0 {
                break;
            }
            self.posted += rollups;
        }
        if self.posted >= DIRTY_ROLLUPS {
            self.store.clean_rollups().await?;
            self.posted = 0;
        }
        self.store.close_ledger_hours().await?;
        Ok(())
    }
}

/// Creates partitions in advance and deletes expired records, and messages older than the
/// retention.
pub(super) async fn maintain(store: PgStore, retention: Option<RetentionDays>) {
    loop {
        if let Err(error) = store.maintain().await {
            tracing::warn!(%error, "failed to maintain the tables; it is tried again in an hour");
        }
        if let Some(days) = retention
            && let Err(error) = store.drop_old_logs(days).await
        {
            tracing::warn!(
                %error,
                "failed to drop old months of the delivery log; it is tried again in an hour"
            );
        }
        sleep(MAINTENANCE).await;
    }
}

/// Masks codes that are an hour old.
pub(super) async fn mask_codes(store: PgStore) {
    loop {
        match store.mask_old_codes().await {
            // Codes of the next minute are due as well.
            Ok(true) => continue,
            Ok(false) => {}
            Err(error) => tracing::warn!(%error, "failed to mask codes that are an hour old"),
        }
        sleep(CODES).await;
    }
}

/// Counts the contacts of segments that requests did not have time to count.
pub(super) async fn recount_segments(store: PgStore) {
    loop {
        match store.recount_segments().await {
            // Others may wait.
            Ok(true) => continue,
            Ok(false) => {}
            Err(error) => tracing::warn!(%error, "failed to count the contacts of segments"),
        }
        sleep(RECOUNT).await;
    }
}

/// Drops cached API keys that other instances revoked, and cached organizations and prices that
/// they changed. While this fails, each use looks them up.
pub(super) async fn follow_changes(
    api_keys: ApiKeys,
    policies: Policies,
    prices: Prices,
    signals: Arc<Signals>,
) {
    let mut has_failed = false;
    loop {
        let keys = api_keys.forget_changes().await;
        let organizations = policies.forget_changes().await.map_err(Error::from);
        let followed = prices.follow().await.map_err(Error::from);
        let followed = keys.and(organizations).and(followed);
        if let Err(error) = &followed
            && !has_failed
        {
            tracing::warn!(%error, "failed to read which API keys, organizations and prices changed");
        }
        has_failed = followed.is_err();
        signals.accounts(CHANGES).await;
    }
}

/// Reads which windows are active and which campaigns are held.
pub(super) async fn follow_holds(holding: Holding, signals: Arc<Signals>) {
    let mut has_failed = false;
    loop {
        signals.holds(HOLDS).await;
        let read = holding.refresh().await;
        if let Err(error) = &read
            && !has_failed
        {
            tracing::warn!(%error, "failed to read sending windows and held campaigns");
        }
        has_failed = read.is_err();
    }
}

/// Releases the messages of campaigns that go on, or were cancelled.
pub(super) async fn release_held(holding: Holding, signals: Arc<Signals>) {
    loop {
        match holding.release().await {
            Ok(1..) => {
                signals.signal(DueWork::Messages);
                // Others may wait.
                continue;
            }
            Ok(0) => {}
            Err(error) => tracing::warn!(%error, "failed to release held messages"),
        }
        sleep(RELEASE).await;
    }
}

/// Makes scheduled messages due.
pub(super) async fn release_scheduled(
    repository: Arc<dyn ScheduledMessageRepository>,
    signals: Arc<Signals>,
) {
    loop {
        match repository.release_due().await {
            Ok(1..) => {
                signals.signal(DueWork::Messages);
                // Others may be due.
                continue;
            }
            Ok(0) => {}
            Err(error) => tracing::warn!(%error, "failed to release scheduled messages"),
        }
        sleep(SCHEDULES).await;
    }
}

/// Writes the last uses of API keys.
pub(super) async fn write_key_uses(api_keys: ApiKeys) {
    loop {
        sleep(KEY_USES).await;
        if let Err(error) = api_keys.write_uses().await {
            tracing::warn!(%error, "failed to write down the last uses of API keys");
        }
    }
}

/// Writes the last uses of sessions.
pub(super) async fn write_session_uses(auth: Auth) {
    loop {
        sleep(SESSION_USES).await;
        if let Err(error) = auth.write_session_uses().await {
            tracing::warn!(%error, "failed to write down the last uses of sessions");
        }
    }
}

/// Works on imports, one part at a time, so that the requests of this instance do not wait.
pub(super) async fn work_off_imports(work: ImportWork) {
    loop {
        match work.work_once().await {
            Ok(true) => {}
            Ok(false) => sleep(IMPORTS).await,
            Err(error) => {
                tracing::warn!(%error, "failed to work off imports");
                sleep(IMPORTS_RETRY).await;
            }
        }
    }
}

/// Provisions organizations whose creation was cut short.
pub(super) async fn provision(provisioning: Provisioning) {
    loop {
        match provisioning.provision_left().await {
            Ok(0) => {}
            Ok(organizations) => {
                tracing::info!(
                    organizations,
                    "provisioned organizations whose founding was cut short"
                );
            }
            Err(error) => tracing::warn!(%error, "failed to look for organizations to provision"),
        }
        sleep(PROVISIONING).await;
    }
}

/// Keeps the observed state of the database up to date.
pub(super) async fn observe(
    monitor: Arc<PgMonitor>,
    providers: Arc<Providers>,
    clock: Arc<dyn Clock>,
) {
    loop {
        monitor.hold(&providers.held_queues(clock.now()));
        let pause = match monitor.look().await {
            Ok(()) => LOOK,
            Err(error) => {
                tracing::warn!(%error, "failed to read the state of the database");
                RETRY
            }
        };
        sleep(pause).await;
    }
}

/// Sends heartbeats, and releases the jobs of instances that send none.
pub(super) async fn send_heartbeat(instance: PgInstance, workers: Workers, signals: Arc<Signals>) {
    let mut beats = 0;
    loop {
        sleep(if beats == 0 { RETRY } else { HEARTBEAT_INTERVAL }).await;
        instance.note_active(workers.stats().active);
        let shown = instance.heartbeat().await;
        let released = match shown {
            Ok(()) if beats >= BEATS_TO_JUDGE => instance.release_dead_instances().await,
            Ok(()) => {
                beats += 1;
                continue;
            }
            Err(error) => Err(error),
        };
        match released {
            Ok(0) => {}
            Ok(jobs) => {
                signals.signal(DueWork::Messages);
                tracing::warn!(
                    jobs,
                    "released the jobs of an instance that stopped sending heartbeats"
                );
            }
            Err(error) => {
                tracing::warn!(%error, "failed to record the heartbeat of this instance");
                beats = 0;
            }
        }
    }
}
