//! Workers of this instance for campaigns.

use std::{sync::Arc, time::Duration};

use adapters_postgres::PgStore;
use ports::{
    audience::unsubscribes::UnsubscribeLinks,
    shared::{
        clock::Clock,
        signals::{DueWork, WakeSignal},
    },
};
use tokio::time::sleep;
use usecases::{
    identity::policies::Policies,
    messaging::messages::Messages,
    outreach::campaign_work::{CampaignWork, CampaignWorkDeps},
};

use crate::{signals::Signals, supervisor::Supervisor};

/// Number of campaigns that this instance works on at a time: two, so that a large campaign of one
/// organization does not delay all others.
const WORKERS: usize = 2;
/// Interval between looks for campaigns when none waits, and pause when the database is
/// unavailable.
const LOOK: Duration = Duration::from_millis(500);
const RETRY: Duration = Duration::from_secs(5);
/// Interval between checks whether wallets can pay again.
const PAYMENTS: Duration = Duration::from_secs(3);

/// Dependencies that make the messages of campaigns.
pub(super) struct CampaignDeps {
    pub(super) messages: Messages,
    pub(super) links: Arc<dyn UnsubscribeLinks>,
    pub(super) policies: Policies,
    pub(super) clock: Arc<dyn Clock>,
}

/// Starts the workers, on one connection each and one more.
pub(super) fn spawn(
    store: PgStore,
    deps: CampaignDeps,
    signals: &Arc<Signals>,
    tasks: &mut Supervisor,
) {
    let store = Arc::new(store);
    let work = CampaignWork::new(CampaignWorkDeps {
        queue: Arc::clone(&store) as _,
        campaigns: Arc::clone(&store) as _,
        audience: store,
        messages: deps.messages,
        links: deps.links,
        policies: deps.policies,
        clock: deps.clock,
    });
    for _ in 0..WORKERS {
        tasks.spawn("campaigns", work_on(work.clone(), Arc::clone(signals)));
    }
    tasks.spawn("campaigns without money", resume_paid(work, Arc::clone(signals)));
}

/// Number of connections that they need.
pub(super) const CONNECTIONS: usize = WORKERS + 1;

async fn work_on(work: CampaignWork, signals: Arc<Signals>) {
    loop {
        match work.work_once().await {
            Ok(true) => {}
            Ok(false) => signals.campaigns(LOOK).await,
            Err(error) => {
                tracing::warn!(%error, "failed to work on campaigns");
                sleep(RETRY).await;
            }
        }
    }
}

async fn resume_paid(work: CampaignWork, signals: Arc<Signals>) {
    loop {
        match work.resume_paid().await {
            Ok(0) => {}
            Ok(_) => signals.signal(DueWork::Campaigns),
            Err(error) => {
                tracing::warn!(%error, "failed to look which campaigns can be paid for");
            }
        }
        sleep(PAYMENTS).await;
    }
}
