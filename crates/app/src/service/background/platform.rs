//! Tasks for closed organizations, and the watch over codes that do not arrive.

use std::{sync::Arc, time::Duration};

use usecases::platform::traffic::{TrafficWatch, TrafficWatchDeps};

use crate::{
    background::{Task, Turn, again_if, then_idle},
    service::{stores::BackgroundStores, wiring::Wiring},
};

/// Interval between settlements of closings.
const SETTLEMENT: Duration = Duration::from_secs(60);
/// Interval between looks for organizations to erase, and pause between parts of one, so that no other
/// work has to wait for an erasure.
const ERASURE: Duration = Duration::from_secs(600);
const ERASURE_STEP: Duration = Duration::from_secs(1);
/// Interval between writes of arrivals, and between checks whether they are to be judged.
const TRAFFIC: Duration = Duration::from_secs(5);

pub(super) fn tasks(wiring: &Wiring, stores: &BackgroundStores) -> Vec<Task> {
    let store = || Arc::clone(&stores.background);
    let traffic = TrafficWatch::new(TrafficWatchDeps {
        counter: wiring.core.deliveries.traffic(),
        store: store(),
        policies: wiring.core.policies.clone(),
        clock: Arc::clone(&wiring.core.clock),
    });
    let closings = wiring.api.closings.clone();
    vec![
        // Cancels scheduled work, and takes forfeited money out of wallets.
        Task::every("settlement of closings", SETTLEMENT, closings, |closings| async move {
            then_idle(closings.settle_all().await)
        }),
        // Organizations that were closed too long ago to be restored.
        Task::every("erasure of closed organizations", ERASURE, store(), |store| async move {
            again_if(store.erase_closed().await)
        })
        .again_after(ERASURE_STEP),
        Task::every("watch over codes", TRAFFIC, traffic, watch_traffic).begin_later(),
    ]
}

/// Writes how many codes arrive, and acts when too few do.
async fn watch_traffic(watch: TrafficWatch) -> Turn {
    watch.write().await?;
    then_idle(watch.judge().await)
}
