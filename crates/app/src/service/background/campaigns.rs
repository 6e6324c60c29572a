//! Tasks for campaigns.

use std::{sync::Arc, time::Duration};

use ports::shared::signals::{DueWork, WakeSignal};
use usecases::outreach::campaign_work::{CampaignWork, CampaignWorkDeps};

use crate::{
    background::{Task, Turn, again_if, then_idle},
    service::{stores::BackgroundStores, wiring::Wiring},
    signals::Signals,
};

/// Workers of this instance, each on some campaigns at a time: two, so that a slow campaign of one
/// organization does not delay all others.
const WORKERS: [&str; 2] = ["campaigns", "campaigns, second worker"];
/// Interval between looks for campaigns if no signal comes, and pause after a failure.
const LOOK: Duration = Duration::from_millis(500);
const RETRY: Duration = Duration::from_secs(5);
/// Interval between checks whether wallets can pay again.
const PAYMENTS: Duration = Duration::from_secs(3);

pub(super) fn tasks(wiring: &Wiring, stores: &BackgroundStores) -> Vec<Task> {
    let queues = || Arc::clone(&stores.queues);
    let signals = || Arc::clone(&wiring.core.signals);
    let work = CampaignWork::new(CampaignWorkDeps {
        queue: queues(),
        campaigns: queues(),
        audience: queues(),
        messages: wiring.api.messages.clone(),
        links: Arc::clone(&wiring.core.links),
        policies: wiring.core.policies.clone(),
        clock: Arc::clone(&wiring.core.clock),
    });
    let worker = |name| {
        Task::every(
            name,
            LOOK,
            work.clone(),
            |work| async move { again_if(work.work_once().await) },
        )
        .retry_after(RETRY)
        .woken_by(signals(), |signals, limit| async move { signals.campaigns(limit).await })
    };
    let mut tasks: Vec<_> = WORKERS.into_iter().map(worker).collect();
    let unpaid = (work, signals());
    tasks.push(Task::every("campaigns without money", PAYMENTS, unpaid, resume_paid));
    tasks
}

/// Continues campaigns whose wallets can pay again.
async fn resume_paid((work, signals): (CampaignWork, Arc<Signals>)) -> Turn {
    let resumed = work.resume_paid().await;
    if matches!(resumed, Ok(1..)) {
        signals.signal(DueWork::Campaigns);
    }
    then_idle(resumed)
}
