//! Corrections of wallets: ledger, wallet and audit log together, once for each key.

use std::collections::BTreeMap;

use domain::{
    identity::{
        actor::{Actor, RequestId},
        organization::Organization,
    },
    platform::{
        audit::{AuditAction, AuditEntry},
        wallet_correction::WalletCorrection,
    },
    shared::{id::Id, money::Money},
};
use futures_util::future::join_all;
use ports::platform::{
    audit_log,
    wallet_corrections::{CorrectionOutcome, WalletCorrectionRepository},
};

use crate::{World, money::ledger::verified, now};

fn correction(organization: Id<Organization>, cedis: i64) -> WalletCorrection {
    WalletCorrection {
        id: Id::new_in(now(), organization),
        organization,
        amount: Money::from_cedis(cedis),
        reason: "dispute 4711".into(),
        made_by: Id::new(now()),
        at: now(),
    }
}

async fn make(
    world: &World,
    correction: &WalletCorrection,
    key: Option<&str>,
) -> CorrectionOutcome {
    let entry = AuditEntry {
        id: Id::new_in(correction.at, correction.organization),
        organization: correction.organization,
        at: correction.at,
        actor: Actor {
            user: correction.made_by,
            request: RequestId::new("request-1"),
            is_impersonating: false,
        },
        action: AuditAction::WalletCorrected,
        resource_type: "WALLET",
        resource: correction.organization.uuid(),
        details: BTreeMap::new(),
    };
    let key = key.map(str::to_owned);
    WalletCorrectionRepository::make(&world.store, correction, key, &entry).await.unwrap()
}

async fn balance(world: &World, organization: Id<Organization>) -> Money {
    world.wallets().find(organization).await.unwrap().unwrap().balance
}

async fn audit_lines(world: &World, organization: Id<Organization>) -> usize {
    let lines = audit_log::AuditLog::lines_after(&world.store, organization, 0, 100);
    lines.await.unwrap().len()
}

fn is_new(outcome: &CorrectionOutcome) -> bool {
    matches!(outcome, CorrectionOutcome::Made { is_new: true, .. })
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_repeated_key_books_once() {
    let world = World::alone().await;
    let (own, other) = (world.organization().await.id, world.organization().await.id);
    for organization in [own, other] {
        world.open_wallet(organization, Money::from_cedis(10)).await;
    }
    let corrections: Vec<_> = (0..16).map(|_| correction(own, -4)).collect();

    let made = join_all(corrections.iter().map(|it| make(&world, it, Some("k")))).await;

    assert_eq!(made.iter().filter(|it| is_new(it)).count(), 1);
    let ids = made.iter().map(|it| match it {
        CorrectionOutcome::Made { correction, balance, .. } => {
            assert_eq!(*balance, Money::from_cedis(6));
            correction.id
        }
        other => panic!("{other:?}"),
    });
    let ids: std::collections::BTreeSet<_> = ids.collect();
    assert_eq!(ids.len(), 1, "all show the first one");
    assert_eq!(
        (balance(&world, own).await, audit_lines(&world, own).await),
        (Money::from_cedis(6), 1)
    );

    let another = WalletCorrection { reason: "other".into(), ..correction(own, -4) };
    assert_eq!(make(&world, &another, Some("k")).await, CorrectionOutcome::KeyReused);
    assert_eq!(make(&world, &correction(own, 4), Some("k")).await, CorrectionOutcome::KeyReused);
    assert!(is_new(&make(&world, &correction(own, -4), Some("K")).await));
    assert!(is_new(&make(&world, &correction(other, -4), Some("k")).await));
    world.store.post_journal().await.unwrap();
    assert!(verified(&world).await.contains(" is in order"));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn concurrent_debits_never_take_a_wallet_below_zero() {
    let world = World::alone().await;
    let own = world.organization().await.id;
    world.open_wallet(own, Money::from_cedis(10)).await;
    let debits: Vec<_> = (0..16).map(|_| correction(own, -3)).collect();

    let made = join_all(debits.iter().map(|it| make(&world, it, None))).await;

    assert_eq!(made.iter().filter(|it| is_new(it)).count(), 3);
    let left = Money::from_cedis(1);
    let refused = made.iter().filter(|it| **it == CorrectionOutcome::Insufficient(left));
    assert_eq!(refused.count(), 13);
    assert_eq!((balance(&world, own).await, audit_lines(&world, own).await), (left, 3));
    assert!(is_new(&make(&world, &correction(own, -1), None).await));
    assert!(is_new(&make(&world, &correction(own, 5), None).await));
    assert_eq!(balance(&world, own).await, Money::from_cedis(5));
    world.store.post_journal().await.unwrap();
    assert!(verified(&world).await.contains(" is in order"));
}

#[tokio::test]
async fn corrections_are_kept_and_need_a_wallet() {
    let world = World::alone().await;
    let own = world.organization().await.id;
    let none = make(&world, &correction(own, 5), None).await;
    assert_eq!((none, audit_lines(&world, own).await), (CorrectionOutcome::NoWallet, 0));

    world.open_wallet(own, Money::ZERO).await;
    assert!(is_new(&make(&world, &correction(own, 5), None).await));
    let client = world.client().await;
    for change in
        ["UPDATE wallet_corrections SET amount_micros = 1", "DELETE FROM wallet_corrections"]
    {
        assert!(client.batch_execute(change).await.is_err(), "{change}");
    }
}
