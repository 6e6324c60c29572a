//! Rules of cached holds.

use std::{collections::VecDeque, sync::Mutex};

use domain::shared::category::Category;
use futures_util::FutureExt;
use ports::shared::{changes::LoggedChange, mock::MockSendingWindowRepository, nobody::Nobody};
use tokio::sync::Notify;

use super::*;
use crate::shared::fixtures::{NOW, organizations_suspended, queued};

/// Reads that return these holds of the campaign in turn, each once its gate is open.
struct Reads(Mutex<VecDeque<(Arc<Notify>, Option<CampaignHold>)>>);

#[async_trait]
impl HeldCampaigns for Reads {
    async fn held(&self) -> Result<Vec<(CampaignId, CampaignHold)>, StoreError> {
        let (gate, hold) = self.0.lock().unwrap().pop_front().unwrap();
        gate.notified().await;
        Ok(hold.map(|hold| (campaign(), hold)).into_iter().collect())
    }

    async fn release(&self, _: &[Id<Organization>]) -> Result<usize, StoreError> {
        Ok(0)
    }
}

fn campaign() -> CampaignId {
    "018bcfe5-6800-7000-8000-0000000000c1".parse().unwrap()
}

fn closed_gate() -> Arc<Notify> {
    Arc::new(Notify::new())
}

fn open_gate() -> Arc<Notify> {
    let gate = closed_gate();
    gate.notify_one();
    gate
}

fn holding(reads: [(Arc<Notify>, Option<CampaignHold>); 2]) -> Holding {
    let mut windows = MockSendingWindowRepository::new();
    windows.expect_active().returning(|| Ok(Vec::new()));
    let reads = Arc::new(Reads(Mutex::new(reads.into())));
    let organizations = Arc::new(organizations_suspended(&[]));
    Holding::new(Arc::new(windows), reads, organizations, Arc::new(Nobody))
}

fn is_paused(holding: &Holding) -> bool {
    let source = Some(Source::Campaign(campaign()));
    let message = Message { source, ..queued(Category::Transactional) };
    holding.of(&message, NOW).is_some()
}

#[tokio::test]
async fn holds_are_reread_after_a_change_only() {
    let holding = holding([(open_gate(), Some(CampaignHold::Paused)), (open_gate(), None)]);
    let change = LoggedChange { kind: Change::Holds, organization: None, key: None };

    for (changes, expected) in [
        (Changes::Known(Vec::new()), false),
        (Changes::Unknown, true),
        (Changes::Known(Vec::new()), true),
        (Changes::Known(vec![change]), false),
        (Changes::Known(Vec::new()), false),
    ] {
        holding.apply(&changes, NOW).await.unwrap();
        assert_eq!(is_paused(&holding), expected, "{changes:?}");
    }
}

#[tokio::test]
async fn a_read_that_is_overtaken_by_a_later_one_restores_no_old_holds() {
    let gate = closed_gate();
    let overtaken = (Arc::clone(&gate), Some(CampaignHold::Paused));
    let holding = holding([overtaken, (open_gate(), None)]);

    let mut first = Box::pin(holding.refresh());
    assert!((&mut first).now_or_never().is_none());
    holding.refresh().await.unwrap();
    gate.notify_one();
    first.await.unwrap();

    assert!(!is_paused(&holding));
}
