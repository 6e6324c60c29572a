//! Invoices and their numbers, and credits that pay them.

use std::collections::BTreeMap;

use domain::{
    identity::{
        actor::{Actor, RequestId},
        organization::Organization,
    },
    money::{
        invoice::{Invoice, InvoiceDraft, InvoiceRefused, InvoiceStatus},
        wallet::{Credit, LedgerKind},
    },
    platform::audit::{AuditAction, AuditEntry},
    shared::{id::Id, money::Money, page::Page},
};
use futures_util::future::join_all;
use ports::{
    money::invoices::{Advance, CreditOutcome, InvoiceRepository},
    platform::audit_log,
};

use crate::{World, now};

const AMOUNT: Money = Money::from_cedis(50);

async fn tenant(world: &World) -> Id<Organization> {
    let organization = world.organization().await.id;
    world.open_wallet(organization, Money::ZERO).await;
    organization
}

fn draft(organization: Id<Organization>) -> InvoiceDraft {
    let id = Id::new_in(now(), organization);
    InvoiceDraft { id, organization, amount: AMOUNT, issued_at: now() }
}

fn credit(organization: Id<Organization>, reference: &str, amount: Money) -> Credit {
    Credit {
        id: Id::new_in(now(), organization),
        organization,
        kind: LedgerKind::ManualCredit,
        reference: reference.into(),
        amount,
        at: now(),
    }
}

/// Records a credit with its line of the audit log.
async fn record(world: &World, credit: &Credit) -> CreditOutcome {
    let entry = AuditEntry {
        id: Id::new_in(credit.at, credit.organization),
        organization: credit.organization,
        at: credit.at,
        actor: Actor {
            user: Id::new(credit.at),
            request: RequestId::new("request-1"),
            is_impersonating: false,
        },
        action: AuditAction::WalletCredited,
        resource_type: "WALLET",
        resource: credit.organization.uuid(),
        details: BTreeMap::from([("reference", credit.reference.clone())]),
    };
    InvoiceRepository::credit(&world.store, credit, &entry).await.unwrap()
}

/// Number of lines of an organization in the audit log.
async fn audit_lines(world: &World, organization: Id<Organization>) -> usize {
    let lines = audit_log::AuditLog::lines_after(&world.store, organization, 0, 100);
    lines.await.unwrap().len()
}

async fn balance(world: &World, organization: Id<Organization>) -> Money {
    world.wallets().find(organization).await.unwrap().unwrap().balance
}

/// A credit in advance of payment, for two invoices at most.
fn advance(organization: Id<Organization>) -> Advance {
    let limit = Money::from_micros(2 * AMOUNT.micros());
    Advance { credit: Id::new_in(now(), organization), limit }
}

async fn issue(world: &World, organization: Id<Organization>) -> Invoice {
    world.store.issue(&draft(organization), None).await.unwrap()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn concurrent_invoices_and_rollbacks_leave_no_gap_in_numbers() {
    let world = World::new().await;
    let (own, other) = (tenant(&world).await, tenant(&world).await);
    issue(&world, own).await;
    // Another transaction takes the next number and rolls back while others wait.
    let client = world.client().await;
    client
        .batch_execute(&format!(
            "BEGIN; UPDATE invoice_numbers SET last_number = last_number + 1 \
             WHERE organization_id = '{own}'"
        ))
        .await
        .unwrap();
    let drafts: Vec<_> = (0..20).map(|_| draft(own)).collect();
    let issued = join_all(drafts.iter().map(|draft| world.store.issue(draft, None)));
    let give_back = async {
        tokio::time::sleep(std::time::Duration::from_millis(50)).await;
        client.batch_execute("ROLLBACK").await.unwrap();
    };
    let (issued, ()) = futures_util::future::join(issued, give_back).await;

    let mut numbers: Vec<_> = issued.into_iter().map(|it| it.unwrap().number.0).collect();
    numbers.sort_unstable();
    assert_eq!(numbers, (2..=21).collect::<Vec<_>>());
    assert_eq!(issue(&world, other).await.number.0, 1);
    let page = world.store.page(own, Page::new(Some(2), Some(10)).unwrap()).await.unwrap();
    let listed: Vec<_> = page.items.iter().map(|it| it.number.0).collect();
    assert_eq!((listed, page.total), ((2..=11).rev().collect(), 21));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn repeated_credits_pay_their_invoice_once() {
    let world = World::new().await;
    let own = tenant(&world).await;
    let invoice = issue(&world, own).await;
    let reference = invoice.number.to_string();

    let credits: Vec<_> = (0..16).map(|_| credit(own, &reference, AMOUNT)).collect();
    let outcomes = join_all(credits.iter().map(|it| record(&world, it))).await;

    let mut new = 0;
    for outcome in outcomes {
        let CreditOutcome::Credited { is_new, balance, invoice } = outcome else {
            panic!("it was refused")
        };
        new += usize::from(is_new);
        assert_eq!((balance, invoice.unwrap().status), (AMOUNT, InvoiceStatus::Paid));
    }
    assert_eq!(new, 1);
    let other = record(&world, &credit(own, &reference, Money::from_cedis(49))).await;
    assert_eq!(other, CreditOutcome::OtherAmount(AMOUNT));
    assert_eq!(audit_lines(&world, own).await, 1);
    let paid = InvoiceRepository::find(&world.store, own, invoice.id).await.unwrap().unwrap();
    assert_eq!((paid.status, paid.paid_at), (InvoiceStatus::Paid, Some(now())));
    assert_eq!(balance(&world, own).await, AMOUNT);
}

#[tokio::test]
async fn a_credit_that_does_not_match_its_invoice_changes_nothing() {
    let world = World::new().await;
    let (own, other) = (tenant(&world).await, tenant(&world).await);
    let open = issue(&world, own).await;
    let withdrawn = issue(&world, own).await;
    let withdrawn = world.store.withdraw(own, withdrawn.id).await.unwrap().unwrap().unwrap();
    assert_eq!(withdrawn.status, InvoiceStatus::Void);

    let (number, amount) = (open.number, AMOUNT);
    let less = credit(own, &number.to_string(), Money::from_cedis(49));
    assert_eq!(
        record(&world, &less).await,
        CreditOutcome::Refused(InvoiceRefused::OtherAmount { number, amount })
    );
    let late = credit(own, &withdrawn.number.to_string(), AMOUNT);
    let refused = record(&world, &late).await;
    assert!(matches!(refused, CreditOutcome::Refused(InvoiceRefused::NotOpen { .. })));

    assert_eq!(balance(&world, own).await, Money::ZERO);
    assert_eq!(audit_lines(&world, own).await, 0);
    assert_eq!(world.store.count_open(own).await.unwrap(), 1);
    assert!(world.store.withdraw(other, open.id).await.unwrap().is_none());
    assert!(InvoiceRepository::find(&world.store, other, open.id).await.unwrap().is_none());
    // A reference that is not an invoice number pays no invoice.
    let outcome = record(&world, &credit(own, "bank 7", AMOUNT)).await;
    let expected = CreditOutcome::Credited { is_new: true, balance: AMOUNT, invoice: None };
    assert_eq!(outcome, expected);
}

#[tokio::test]
async fn a_payment_is_credited_by_an_administrator_or_by_its_top_up_but_not_by_both() {
    let world = World::new().await;
    let own = tenant(&world).await;
    let (first, second) = (world.begin_top_up(own).await, world.begin_top_up(own).await);
    let by_hand = |reference: &str| credit(own, reference, AMOUNT);

    record(&world, &by_hand(first.reference.as_str())).await;
    let late = world.top_ups().credit(&first, &first.credit(now())).await.unwrap();
    assert_eq!((late.is_new, late.balance), (false, AMOUNT));

    world.top_ups().credit(&second, &second.credit(now())).await.unwrap();
    let late = record(&world, &by_hand(second.reference.as_str())).await;
    assert_eq!(late, CreditOutcome::OtherAmount(second.amount));
    assert_eq!(balance(&world, own).await, AMOUNT + second.amount);
}

#[tokio::test]
async fn only_a_new_credit_is_written_to_the_audit_log() {
    let world = World::new().await;
    let own = tenant(&world).await;
    let made = credit(own, "bank 7", AMOUNT);

    for is_new in [true, false] {
        let outcome = record(&world, &made).await;
        let expected = CreditOutcome::Credited { is_new, balance: AMOUNT, invoice: None };
        assert_eq!(outcome, expected);
        assert_eq!(audit_lines(&world, own).await, 1);
    }
    let again = credit(own, "bank 7", Money::from_cedis(49));
    assert_eq!(record(&world, &again).await, CreditOutcome::OtherAmount(AMOUNT));

    let lines = audit_log::AuditLog::lines_after(&world.store, own, 0, 100).await.unwrap();
    let [line] = lines.as_slice() else { panic!("{lines:?}") };
    assert_eq!((&*line.action, line.at), ("wallet.credited", made.at));
}

#[tokio::test]
async fn an_invoice_credited_in_advance_stays_open_until_paid() {
    let world = World::new().await;
    let own = tenant(&world).await;

    let owed = world.store.issue(&draft(own), Some(advance(own))).await.unwrap();

    assert_eq!((owed.status, owed.is_credited), (InvoiceStatus::Open, true));
    assert_eq!(balance(&world, own).await, AMOUNT);
    let number = owed.number;
    let refused = world.store.withdraw(own, owed.id).await.unwrap().unwrap();
    assert_eq!(refused, Err(InvoiceRefused::Credited { number }));
    for _ in 0..2 {
        let recorded = record(&world, &credit(own, &number.to_string(), AMOUNT)).await;
        let CreditOutcome::Credited { is_new: false, balance, invoice } = recorded else {
            panic!("{recorded:?}")
        };
        assert_eq!((balance, invoice.unwrap().status), (AMOUNT, InvoiceStatus::Paid));
    }
    // Without a wallet neither an invoice nor a number is issued.
    let homeless = world.organization().await.id;
    let failed = world.store.issue(&draft(homeless), Some(advance(homeless))).await;
    assert!(failed.is_err());
    assert_eq!(issue(&world, homeless).await.number.0, 1);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn concurrent_invoices_never_exceed_the_credit_limit() {
    let world = World::new().await;
    let own = tenant(&world).await;
    let drafts: Vec<_> = (0..8).map(|_| draft(own)).collect();

    let issued = drafts.iter().map(|it| world.store.issue(it, Some(advance(own))));
    let issued: Vec<_> = join_all(issued).await.into_iter().map(Result::unwrap).collect();

    // The limit has room for two of them.
    let credited: Vec<_> = issued.iter().filter(|it| it.is_credited).collect();
    assert_eq!((credited.len(), world.store.count_open(own).await.unwrap()), (2, 8));
    assert_eq!(balance(&world, own).await.micros(), 2 * AMOUNT.micros());
    // A paid invoice is no longer owed.
    record(&world, &credit(own, &credited[0].number.to_string(), AMOUNT)).await;
    assert!(world.store.issue(&draft(own), Some(advance(own))).await.unwrap().is_credited);
}

#[tokio::test]
async fn an_unknown_invoice_number_credits_nothing() {
    let world = World::new().await;
    let (own, other) = (tenant(&world).await, tenant(&world).await);
    let foreign = issue(&world, other).await.number.to_string();

    let outcome = record(&world, &credit(own, &foreign, AMOUNT)).await;

    assert_eq!(outcome, CreditOutcome::UnknownInvoice);
    assert_eq!(balance(&world, own).await, Money::ZERO);
    assert_eq!(audit_lines(&world, own).await, 0);
}
