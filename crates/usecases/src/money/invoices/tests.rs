//! Rules of credits and monthly statements.

use chrono::{DateTime, TimeDelta, Utc};
use domain::{
    identity::organization::Role,
    money::{
        invoice::{InvoiceNumber, InvoiceStatus, Month},
        wallet::Wallet,
    },
};
use ports::{
    money::invoices::{StatementProgress, StatementsWritten},
    shared::mock::{MockInvoiceRepository, MockStatementRepository, MockWalletRepository},
};

use super::*;
use crate::shared::fixtures::{
    NOW, administrator, clock, manual_clock, member, organizations, tenant,
};

const AMOUNT: Money = Money::from_cedis(50);

/// Invoices of an organization with a wallet, credited when paid.
fn invoices(repository: MockInvoiceRepository) -> Invoices {
    invoices_credited(repository, InvoiceCredit::WhenPaid)
}

fn invoices_credited(repository: MockInvoiceRepository, credit: InvoiceCredit) -> Invoices {
    let mut wallets = MockWalletRepository::new();
    let wallet = Wallet { balance: Money::ZERO, updated_at: NOW };
    wallets.expect_find().returning(move |_| Ok(Some(wallet.clone())));
    Invoices::new(InvoicesDeps {
        invoices: Arc::new(repository),
        wallets: Arc::new(wallets),
        organizations: Arc::new(organizations()),
        credit,
        clock: clock(),
    })
}

fn credited() -> CreditOutcome {
    CreditOutcome::Credited { is_new: true, balance: AMOUNT, invoice: None }
}

#[tokio::test]
async fn an_organization_with_a_hundred_open_invoices_gets_no_other() {
    let mut repository = MockInvoiceRepository::new();
    repository.expect_count_open().returning(|_| Ok(MAX_OPEN));
    let invoices = invoices(repository);

    let refused = invoices.issue(&member(Role::Owner), AMOUNT).await.unwrap_err();

    assert_eq!(refused.code(), "INVOICE_LIMIT_REACHED");
}

#[tokio::test]
async fn an_own_credit_limit_replaces_that_of_the_installation() {
    let (usual, own) = (Money::from_cedis(100), Money::from_cedis(7));
    let at_once = InvoiceCredit::AtOnce(usual);
    for (credit, own, expected) in [
        (at_once, None, Some(usual)),
        (at_once, Some(own), Some(own)),
        (at_once, Some(Money::ZERO), Some(Money::ZERO)),
        (InvoiceCredit::WhenPaid, Some(own), None),
    ] {
        let mut repository = MockInvoiceRepository::new();
        repository.expect_count_open().returning(|_| Ok(0));
        repository.expect_issue().once().returning(move |draft, advance| {
            assert_eq!(advance.map(|advance| advance.limit), expected);
            Ok(draft.numbered(InvoiceNumber(1)))
        });
        let mut caller = member(Role::Owner);
        Arc::make_mut(&mut caller.policy).settings.limits.invoice_credit = own;

        let issued = invoices_credited(repository, credit).issue(&caller, AMOUNT).await;

        assert_eq!(issued.unwrap().amount, AMOUNT);
    }
}

#[tokio::test]
async fn a_credit_is_made_together_with_its_line_of_the_audit_log() {
    let mut repository = MockInvoiceRepository::new();
    repository.expect_credit().once().returning(|credit, entry| {
        assert_eq!((credit.kind, credit.amount), (LedgerKind::ManualCredit, AMOUNT));
        assert_eq!((entry.organization, &entry.actor), (tenant(), &administrator().actor()));
        assert_eq!((entry.action, entry.at), (AuditAction::WalletCredited, credit.at));
        assert_eq!((&*entry.details["reference"], &*entry.details["amount"]), ("r 1", "GHS 50.00"));
        Ok(credited())
    });
    let invoices = invoices(repository);

    let done = invoices
        .credit_manually(&administrator(), tenant(), (" r 1 ", Some(AMOUNT)), Faults::default())
        .await;

    assert_eq!(done.unwrap().reference, "r 1");
}

#[tokio::test]
async fn a_reference_like_an_unknown_invoice_number_credits_nothing() {
    let invoices = invoices(MockInvoiceRepository::new());

    for reference in ["INV-1", " inv-000001 "] {
        let refused = invoices
            .credit_manually(
                &administrator(),
                tenant(),
                (reference, Some(AMOUNT)),
                Faults::default(),
            )
            .await;

        assert_eq!(refused.unwrap_err().code(), "UNKNOWN_INVOICE", "{reference}");
    }
}

#[tokio::test]
async fn all_faults_of_a_credit_are_reported_together() {
    let invoices = invoices(MockInvoiceRepository::new());
    let faults = Faults::field("amount", "must be a number");

    let refused = invoices.credit_manually(&administrator(), tenant(), (" ", None), faults).await;

    let Err(Error::Invalid(faults)) = refused else { panic!("{refused:?}") };
    assert_eq!(faults.fields.keys().collect::<Vec<_>>(), ["amount", "reference"]);
}

#[tokio::test]
async fn the_platform_s_own_organization_is_credited_nothing() {
    let invoices = invoices(MockInvoiceRepository::new());

    let refused = invoices
        .credit_manually(&administrator(), PLATFORM, ("r", Some(AMOUNT)), Faults::default())
        .await;

    assert!(matches!(refused, Err(Error::NotFound("organization"))), "{refused:?}");
}

#[tokio::test]
async fn a_contradicting_credit_is_refused_with_the_known_facts() {
    let (number, status) = (InvoiceNumber(3), InvoiceStatus::Void);
    for (outcome, code) in [
        (CreditOutcome::OtherAmount(Money::from_cedis(7)), "REFERENCE_TAKEN"),
        (CreditOutcome::UnknownInvoice, "UNKNOWN_INVOICE"),
        (
            CreditOutcome::Refused(InvoiceRefused::OtherAmount { number, amount: AMOUNT }),
            "INVOICE_AMOUNT_DIFFERS",
        ),
        (CreditOutcome::Refused(InvoiceRefused::NotOpen { number, status }), "INVOICE_NOT_OPEN"),
    ] {
        let mut repository = MockInvoiceRepository::new();
        repository.expect_credit().return_once(|_, _| Ok(outcome));
        let invoices = invoices(repository);

        let refused = invoices
            .credit_manually(&administrator(), tenant(), ("r", Some(AMOUNT)), Faults::default())
            .await;

        let refused = refused.unwrap_err();
        assert!(matches!(refused, Error::Conflict(_) | Error::Contradiction(_)), "{refused:?}");
        assert_eq!(refused.code(), code);
    }
}

#[tokio::test]
async fn statements_are_written_part_by_part_until_a_month_is_finished() {
    let (clock, clock_time) = manual_clock();
    *clock_time.lock().unwrap() = "2026-12-01T02:00:00Z".parse::<DateTime<Utc>>().unwrap();
    let november = Month::of("2026-11-01".parse().unwrap());
    let mut repository = MockStatementRepository::new();
    repository.expect_last_month().returning(move || Ok(Some(november.before(1))));
    repository.expect_plan().once().withf(move |due| due == [november]).returning(|_| Ok(()));
    let mut parts = vec![
        None,
        Some(StatementProgress::Finished),
        Some(StatementProgress::GoesOn),
        Some(StatementProgress::GoesOn),
    ];
    repository.expect_write_some().times(4).returning(move |_, _| {
        let part = |progress| StatementsWritten { month: november, statements: 7, progress };
        Ok(parts.pop().unwrap().map(part))
    });

    let statements = Statements::new(Arc::new(repository), clock);

    assert_eq!(statements.write_due().await.unwrap(), 21);
}

#[tokio::test]
async fn nothing_is_planned_before_a_month_has_settled() {
    let (clock, clock_time) = manual_clock();
    *clock_time.lock().unwrap() =
        "2026-12-01T02:00:00Z".parse::<DateTime<Utc>>().unwrap() - TimeDelta::seconds(1);
    let mut repository = MockStatementRepository::new();
    let october = Month::of("2026-10-01".parse().unwrap());
    repository.expect_last_month().returning(move || Ok(Some(october)));
    repository.expect_write_some().returning(|_, _| Ok(None));

    let statements = Statements::new(Arc::new(repository), clock);

    assert_eq!(statements.write_due().await.unwrap(), 0);
}
