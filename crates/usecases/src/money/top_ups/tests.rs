//! Top-ups over a mocked gateway and store.

mod answers;
mod hostile_texts;
mod progress;
mod taken_back;

use chrono::TimeDelta;
use domain::{
    identity::organization::{Role, Settings},
    money::{
        payment::{ExceptionReason, Payment, PaymentStatus},
        wallet::Credited,
    },
    shared::money::CURRENCY,
};
use mockall::predicate::eq;
use ports::{
    money::payments::{EventOutcome, GatewayEvent, GatewayNews},
    shared::mock::{
        MockInvoiceRepository, MockOrganizationRepository, MockPaymentGateway,
        MockPaymentRepository, MockTopUpRepository, MockWalletRepository,
    },
};

use super::*;
use crate::{
    money::invoices::{InvoiceCredit, InvoicesDeps},
    shared::fixtures::{NOW, SECRET, clock, member, random, tenant},
};

const AMOUNT: Money = Money::from_cedis(50);
const URL: &str = "https://checkout.example.com/1";
const PAGES: &str = "https://example.com/top-ups";

fn top_up(status: TopUpStatus) -> TopUp {
    TopUp {
        id: Id::new_in(NOW, tenant()),
        organization: tenant(),
        reference: TopUpReference::new_in(tenant(), SECRET),
        amount: AMOUNT,
        method: PaymentMethod::Card,
        status,
        requested_by: Id::new(NOW),
        created_at: NOW,
        credited_at: None,
    }
}

fn payment(status: PaymentStatus, amount: Money) -> Payment {
    Payment {
        reference: top_up(TopUpStatus::Pending).reference.to_string(),
        status,
        status_text: "as the gateway says".into(),
        amount: Some(amount),
        currency: Some(CURRENCY.into()),
        mode: None,
        organization: None,
    }
}

fn user() -> User {
    User {
        id: Id::new(NOW),
        email: "ama@example.com".into(),
        first_name: "Ama".into(),
        last_name: "Mensah".into(),
        password_hash: String::new(),
        platform_role: None,
        session_version: 0,
        email_verified_at: None,
        second_factor_at: None,
        created_at: NOW,
    }
}

fn payer() -> Payer {
    let member = Some(member(Role::Owner));
    Payer { user: user(), organization: tenant(), member, administrator: None }
}

fn request() -> TopUpRequest {
    TopUpRequest { amount: Some(AMOUNT), pages: Some(PAGES.into()), ..TopUpRequest::default() }
}

/// Mocked dependencies without expectations.
#[derive(Default)]
struct Mocks {
    top_ups: MockTopUpRepository,
    /// Settings of every organization.
    settings: Settings,
    payments: MockPaymentRepository,
    gateway: MockPaymentGateway,
}

impl Mocks {
    /// Dependencies with one stored top-up of that status.
    fn knowing(status: TopUpStatus) -> Self {
        let mut mocks = Self::default();
        let known = top_up(status);
        mocks.top_ups.expect_find().returning(move |_| Ok(Some(known.clone())));
        mocks.gateway.expect_mode().return_const(None);
        mocks
    }

    fn credits(mut self, times: usize, is_new: bool) -> Self {
        let credit = self.top_ups.expect_credit().times(times);
        credit.returning(move |top_up, credit| {
            assert_eq!((credit.amount, &credit.reference), (AMOUNT, &top_up.reference.to_string()));
            Ok(Credited { is_new, balance: AMOUNT })
        });
        self
    }

    fn answers(mut self, answer: Result<Payment, GatewayError>) -> Self {
        self.gateway.expect_verify().returning(move |_| answer.clone());
        self
    }

    fn top_ups(self) -> TopUps {
        let mut organizations = MockOrganizationRepository::new();
        let settings = self.settings;
        organizations.expect_settings().returning(move |_| Ok(Some(settings.clone())));
        TopUps::new(TopUpsDeps {
            top_ups: Arc::new(self.top_ups),
            organizations: Arc::new(organizations),
            payments: Arc::new(self.payments),
            gateway: Some(Arc::new(self.gateway)),
            invoices: Invoices::new(InvoicesDeps {
                invoices: Arc::new(MockInvoiceRepository::new()),
                wallets: Arc::new(MockWalletRepository::new()),
                organizations: Arc::new(MockOrganizationRepository::new()),
                credit: InvoiceCredit::WhenPaid,
                clock: clock(),
            }),
            clock: clock(),
            random: random(),
        })
    }
}

fn code<T: std::fmt::Debug>(result: Result<T, Error>) -> &'static str {
    result.unwrap_err().code()
}

#[tokio::test]
async fn a_top_up_is_kept_before_it_can_be_paid() {
    let mut mocks = Mocks::default();
    let mut order = mockall::Sequence::new();
    let insert = mocks.top_ups.expect_insert().once().in_sequence(&mut order);
    insert.returning(|top_up, check_at, _| {
        assert_eq!(top_up.status, TopUpStatus::Pending);
        assert_eq!(check_at, Some(NOW + TimeDelta::minutes(2)));
        Ok(true)
    });
    let initialize = mocks.gateway.expect_initialize().once().in_sequence(&mut order);
    initialize.returning(|order| {
        assert_eq!((order.amount, order.email.as_str()), (AMOUNT, "ama@example.com"));
        assert_eq!(order.return_url, Some(format!("{PAGES}/{}", order.reference)));
        Ok(URL.into())
    });
    let keep = mocks.top_ups.expect_keep_checkout().once().in_sequence(&mut order);
    keep.withf(|_, url| url == URL).returning(|_, _| Ok(()));

    let begun = mocks.top_ups().top_up(&payer(), request(), Faults::default()).await;

    let receipt = begun.unwrap();
    assert_eq!(receipt.checkout_url.as_deref(), Some(URL));
    assert_eq!(receipt.reference, top_up(TopUpStatus::Pending).reference.to_string());
    assert!(!receipt.is_credited);
}

#[tokio::test]
async fn rejects_a_top_up_when_too_many_are_open() {
    let mut mocks = Mocks::default();
    mocks.top_ups.expect_insert().returning(|_, _, _| Ok(false));
    let begun = mocks.top_ups().top_up(&payer(), request(), Faults::default()).await;
    assert_eq!(code(begun), "TOO_MANY_TOP_UPS");
}

#[tokio::test]
async fn verifying_a_credited_top_up_asks_no_gateway() {
    let mocks = Mocks::knowing(TopUpStatus::Credited).credits(1, false);
    let reference = Some(top_up(TopUpStatus::Credited).reference.to_string());
    let verified =
        mocks.top_ups().verify(&member(Role::Admin), reference, Faults::default()).await.unwrap();
    assert!(!verified.is_new);
}

#[tokio::test]
async fn a_payment_unknown_to_the_gateway_has_failed_so_far() {
    let reference = Some(top_up(TopUpStatus::Pending).reference.to_string());
    let mocks = Mocks::knowing(TopUpStatus::Pending).answers(Err(GatewayError::UnknownPayment));

    let verified = mocks.top_ups().verify(&member(Role::Owner), reference, Faults::default()).await;

    let error = verified.unwrap_err();
    assert_eq!(error.code(), "PAYMENT_FAILED");
    assert!(error.to_string().contains("knows no payment"), "{error}");
}

fn stranger() -> Id<Organization> {
    "018bcfe5-6800-7000-8000-000000000002".parse().unwrap()
}

/// Event about a payment that was made.
fn event(payment: Payment) -> GatewayEvent {
    let kind = Some("charge.success".into());
    GatewayEvent { kind, news: GatewayNews::Paid, payment: Some(payment) }
}

/// Receives a gateway event, and returns its outcome.
async fn receive(event: GatewayEvent, mut mocks: Mocks) -> EventOutcome {
    use std::sync::Mutex;

    mocks.gateway.expect_receive().return_once(|_, _| Ok(event));
    mocks.payments.expect_keep_event().once().returning(|_| Ok(()));
    let noted = Arc::new(Mutex::new(None));
    let kept = Arc::clone(&noted);
    mocks.payments.expect_note_outcome().once().returning(move |_, outcome| {
        *kept.lock().unwrap() = Some(outcome);
        Ok(())
    });
    mocks.top_ups().receive(Some("signed"), b"body").await.unwrap();
    noted.lock().unwrap().unwrap()
}

#[tokio::test]
async fn a_payment_that_cannot_be_credited_is_kept_as_an_exception() {
    let named = Some(stranger());
    let short = payment(PaymentStatus::Succeeded, Money::from_cedis(49));
    let unknown = Payment { reference: "other".into(), organization: named, ..short.clone() };
    let nameless = Payment { reference: String::new(), ..short.clone() };
    for (payment, reason, organization) in [
        (short, ExceptionReason::AmountTooSmall, Some(tenant())),
        (unknown, ExceptionReason::UnknownReference, named),
        (nameless, ExceptionReason::UnknownReference, None),
    ] {
        let mut mocks = Mocks::knowing(TopUpStatus::Pending).credits(0, true);
        mocks.payments.expect_keep_exception().once().returning(move |exception| {
            assert_eq!((exception.reason, exception.organization), (reason, organization));
            assert!(!exception.reference.is_empty());
            Ok(true)
        });
        assert_eq!(receive(event(payment), mocks).await, EventOutcome::Exception);
    }
}

#[tokio::test]
async fn a_payment_for_a_closed_organization_is_kept_as_an_exception() {
    let mut mocks = Mocks::knowing(TopUpStatus::Pending).credits(0, true);
    mocks.settings.closed_at = Some(NOW);
    mocks.payments.expect_keep_exception().once().returning(|exception| {
        assert_eq!(exception.reason, ExceptionReason::OrganizationClosed);
        assert_eq!(exception.organization, Some(tenant()));
        Ok(true)
    });
    let paid = payment(PaymentStatus::Succeeded, AMOUNT);
    assert_eq!(receive(event(paid), mocks).await, EventOutcome::Exception);
}

fn due(created_ago: TimeDelta) -> Mocks {
    let mut mocks = Mocks::knowing(TopUpStatus::Pending);
    let due = TopUp { created_at: NOW - created_ago, ..top_up(TopUpStatus::Pending) };
    mocks.top_ups.expect_take_due().return_once(move |_, _, _| Ok(vec![due]));
    mocks
}

#[tokio::test]
async fn an_unknown_payment_is_checked_again_until_its_top_up_is_abandoned() {
    let unknown = || Err(GatewayError::UnknownPayment);
    let mut mocks = due(TimeDelta::minutes(3)).answers(unknown());
    let again = mocks.top_ups.expect_check_again().once();
    again.withf(|_, at| *at == NOW + TimeDelta::minutes(7)).returning(|_, _| Ok(()));
    mocks.top_ups().reconcile().await.unwrap();

    let mut mocks = due(TimeDelta::days(9)).answers(unknown());
    let close = mocks.top_ups.expect_close().once();
    close.with(mockall::predicate::always(), eq(TopUpStatus::Abandoned)).returning(|_, _| Ok(()));
    mocks.top_ups().reconcile().await.unwrap();
}
