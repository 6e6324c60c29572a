//! Top-ups over a mocked gateway and store.

mod taken_back;

use chrono::TimeDelta;
use domain::{
    identity::organization::Role,
    money::{
        payment::{ExceptionReason, Payment, PaymentStatus},
        wallet::Credited,
    },
    shared::money::CURRENCY,
};
use mockall::predicate::eq;
use ports::{
    money::payments::{EventOutcome, GatewayEvent, GatewayNews, WrongSignature},
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
        created_at: NOW,
    }
}

fn payer(role: Role) -> Payer {
    Payer { user: user(), organization: tenant(), member: Some(member(role)), administrator: None }
}

fn request() -> TopUpRequest {
    TopUpRequest { amount: Some(AMOUNT), ..TopUpRequest::default() }
}

/// Mocked dependencies without expectations.
#[derive(Default)]
struct Means {
    top_ups: MockTopUpRepository,
    payments: MockPaymentRepository,
    gateway: MockPaymentGateway,
}

impl Means {
    /// Dependencies with one stored top-up of that status.
    fn knowing(status: TopUpStatus) -> Self {
        let mut means = Self::default();
        let known = top_up(status);
        means.top_ups.expect_find().returning(move |_| Ok(Some(known.clone())));
        means.gateway.expect_mode().return_const(None);
        means
    }

    fn credits(mut self, times: usize, is_new: bool) -> Self {
        let credit = self.top_ups.expect_credit().times(times);
        credit.returning(move |top_up, credit| {
            assert_eq!((credit.amount, &credit.reference), (AMOUNT, &top_up.reference.to_string()));
            Ok(Credited { is_new, balance: AMOUNT })
        });
        self
    }

    fn says(mut self, said: Result<Payment, GatewayError>) -> Self {
        self.gateway.expect_verify().returning(move |_| said.clone());
        self
    }

    fn top_ups(self) -> TopUps {
        let gateway = Some(Arc::new(self.gateway) as Arc<dyn PaymentGateway>);
        of_parts(self.top_ups, self.payments, gateway)
    }
}

fn of_parts(
    top_ups: MockTopUpRepository,
    payments: MockPaymentRepository,
    gateway: Option<Arc<dyn PaymentGateway>>,
) -> TopUps {
    TopUps::new(TopUpsDeps {
        top_ups: Arc::new(top_ups),
        payments: Arc::new(payments),
        gateway,
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

fn code<T: std::fmt::Debug>(result: Result<T, Error>) -> &'static str {
    result.unwrap_err().code()
}

#[tokio::test]
async fn a_top_up_is_kept_before_it_can_be_paid() {
    let mut means = Means::default();
    let mut order = mockall::Sequence::new();
    let insert = means.top_ups.expect_insert().once().in_sequence(&mut order);
    insert.returning(|top_up, check_at, _| {
        assert_eq!(top_up.status, TopUpStatus::Pending);
        assert_eq!(check_at, Some(NOW + TimeDelta::minutes(2)));
        Ok(true)
    });
    let initialize = means.gateway.expect_initialize().once().in_sequence(&mut order);
    initialize.returning(|order| {
        assert_eq!((order.amount, order.email.as_str()), (AMOUNT, "ama@example.com"));
        Ok(URL.into())
    });

    let begun = means.top_ups().top_up(&payer(Role::Owner), request(), Faults::default()).await;

    let receipt = begun.unwrap();
    assert_eq!(receipt.checkout_url.as_deref(), Some(URL));
    assert_eq!(receipt.reference, top_up(TopUpStatus::Pending).reference.to_string());
    assert!(!receipt.is_credited);
}

#[tokio::test]
async fn closes_a_refused_top_up_but_not_an_unanswered_one() {
    for (error, closed) in
        [(GatewayError::Refused("no".into()), 1), (GatewayError::Unanswered("?".into()), 0)]
    {
        let mut means = Means::default();
        means.top_ups.expect_insert().returning(|_, _, _| Ok(true));
        means.gateway.expect_initialize().return_once(|_| Err(error));
        let close = means.top_ups.expect_close().times(closed);
        close.withf(|_, status| *status == TopUpStatus::Failed).returning(|_, _| Ok(()));

        let begun = means.top_ups().top_up(&payer(Role::Admin), request(), Faults::default()).await;

        assert_eq!(code(begun), "SERVICE_UNAVAILABLE");
    }
}

#[tokio::test]
async fn rejects_a_top_up_when_too_many_are_open() {
    let mut means = Means::default();
    means.top_ups.expect_insert().returning(|_, _, _| Ok(false));
    let begun = means.top_ups().top_up(&payer(Role::Owner), request(), Faults::default()).await;
    assert_eq!(code(begun), "TOO_MANY_TOP_UPS");
}

#[tokio::test]
async fn a_top_up_needs_permission_amount_and_gateway() {
    let none = || Means::default().top_ups();
    let refused = none().top_up(&payer(Role::Viewer), request(), Faults::default()).await;
    assert_eq!(code(refused), "FORBIDDEN");
    let refused =
        none().top_up(&payer(Role::Owner), TopUpRequest::default(), Faults::default()).await;
    assert_eq!(code(refused), "VALIDATION_ERROR");
    let by_hand = TopUpRequest { reference: Some("INV-1".into()), ..request() };
    let refused = none().top_up(&payer(Role::Owner), by_hand, Faults::default()).await;
    assert_eq!(code(refused), "FORBIDDEN");
    let without = of_parts(MockTopUpRepository::new(), MockPaymentRepository::new(), None);
    let refused = without.top_up(&payer(Role::Owner), request(), Faults::default()).await;
    let error = refused.unwrap_err();
    assert!(error.to_string().contains("no payment gateway"), "{error}");
    assert_eq!(error.code(), "GATEWAY_NOT_CONFIGURED");
}

#[tokio::test]
async fn verifying_a_paid_top_up_credits_it() {
    for (status, is_new) in [(TopUpStatus::Pending, true), (TopUpStatus::Abandoned, false)] {
        let means = Means::knowing(status)
            .says(Ok(payment(PaymentStatus::Succeeded, AMOUNT)))
            .credits(1, is_new);
        let reference = top_up(status).reference;

        let verified = means
            .top_ups()
            .verify(&member(Role::Owner), Some(reference.to_string()), Faults::default())
            .await;

        let expected = Verified { reference, is_new, amount: AMOUNT, balance: AMOUNT };
        assert_eq!(verified.unwrap(), expected);
    }
}

#[tokio::test]
async fn verifying_a_credited_top_up_asks_no_gateway() {
    let means = Means::knowing(TopUpStatus::Credited).credits(1, false);
    let reference = Some(top_up(TopUpStatus::Credited).reference.to_string());
    let verified =
        means.top_ups().verify(&member(Role::Admin), reference, Faults::default()).await.unwrap();
    assert!(!verified.is_new);
}

#[tokio::test]
async fn an_unpaid_top_up_is_refused_with_the_gateway_status() {
    let reference = top_up(TopUpStatus::Pending).reference.to_string();
    for (said, told) in [
        (Ok(payment(PaymentStatus::Open, AMOUNT)), "as the gateway says"),
        (Ok(payment(PaymentStatus::Failed, AMOUNT)), "as the gateway says"),
        (Err(GatewayError::UnknownPayment), "knows no payment"),
    ] {
        let top_ups = Means::knowing(TopUpStatus::Pending).says(said).credits(0, true).top_ups();
        let asked = Some(reference.clone());
        let verified = top_ups.verify(&member(Role::Owner), asked, Faults::default()).await;
        let error = verified.unwrap_err();
        assert_eq!(error.code(), "PAYMENT_FAILED");
        assert!(error.to_string().contains(told), "{error}");
    }
    let away = GatewayError::Unanswered("time-out".into());
    let top_ups = Means::knowing(TopUpStatus::Pending).says(Err(away)).top_ups();
    let verified = top_ups.verify(&member(Role::Owner), Some(reference), Faults::default()).await;
    assert_eq!(code(verified), "SERVICE_UNAVAILABLE");
}

#[tokio::test]
async fn a_foreign_top_up_is_as_unknown_as_a_missing_one() {
    let means = || Means::knowing(TopUpStatus::Credited).credits(0, false).top_ups();
    let mut other = member(Role::Owner);
    other.organization = stranger();
    let reference = top_up(TopUpStatus::Credited).reference.to_string();
    let refused = means().verify(&other, Some(reference), Faults::default()).await;
    let unknown = means().verify(&other, Some("nonsense".into()), Faults::default()).await;
    assert_eq!(refused.unwrap_err().to_string(), unknown.unwrap_err().to_string());
    for missing in [None, Some(" ".into())] {
        let refused = means().verify(&other, missing, Faults::default()).await;
        assert_eq!(code(refused), "REFERENCE_REQUIRED");
    }
}

fn stranger() -> Id<Organization> {
    "018bcfe5-6800-7000-8000-000000000002".parse().unwrap()
}

fn event(is_success: bool, payment: Option<Payment>) -> GatewayEvent {
    let (kind, news) = if is_success {
        ("charge.success", GatewayNews::Paid)
    } else {
        ("charge.failed", GatewayNews::Other)
    };
    GatewayEvent { kind: Some(kind.into()), news, payment }
}

/// Receives a gateway event, and returns its outcome.
async fn receive(event: GatewayEvent, mut means: Means) -> EventOutcome {
    use std::sync::Mutex;

    means.gateway.expect_receive().return_once(|_, _| Ok(event));
    means.payments.expect_keep_event().once().returning(|_| Ok(()));
    let noted = Arc::new(Mutex::new(None));
    let kept = Arc::clone(&noted);
    means.payments.expect_note_outcome().once().returning(move |_, outcome| {
        *kept.lock().unwrap() = Some(outcome);
        Ok(())
    });
    means.top_ups().receive(Some("signed"), b"body").await.unwrap();
    noted.lock().unwrap().unwrap()
}

#[tokio::test]
async fn an_event_is_kept_and_credits_what_was_paid() {
    let paid = event(true, Some(payment(PaymentStatus::Succeeded, AMOUNT)));
    for (is_new, outcome) in
        [(true, EventOutcome::Credited), (false, EventOutcome::AlreadyCredited)]
    {
        let means = Means::knowing(TopUpStatus::Pending).credits(1, is_new);
        assert_eq!(receive(paid.clone(), means).await, outcome);
    }
    let unpaid = event(true, Some(payment(PaymentStatus::Open, AMOUNT)));
    let other = event(false, Some(payment(PaymentStatus::Succeeded, AMOUNT)));
    let strange = GatewayEvent { kind: None, news: GatewayNews::Other, payment: None };
    for (event, outcome) in [
        (unpaid, EventOutcome::Ignored),
        (other, EventOutcome::Ignored),
        (strange, EventOutcome::Unreadable),
        (event(true, None), EventOutcome::Unreadable),
    ] {
        let means = Means::knowing(TopUpStatus::Pending).credits(0, true);
        assert_eq!(receive(event, means).await, outcome);
    }
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
        let mut means = Means::knowing(TopUpStatus::Pending).credits(0, true);
        means.payments.expect_keep_exception().once().returning(move |exception| {
            assert_eq!((exception.reason, exception.organization), (reason, organization));
            assert!(!exception.reference.is_empty());
            Ok(true)
        });
        let event = event(true, Some(payment));
        assert_eq!(receive(event, means).await, EventOutcome::Exception);
    }
}

#[tokio::test]
async fn an_event_without_a_valid_signature_is_not_stored() {
    let mut means = Means::default();
    means.gateway.expect_receive().returning(|_, _| Err(WrongSignature));
    let top_ups = means.top_ups();
    for signature in [Some("wrong"), None] {
        assert_eq!(code(top_ups.receive(signature, b"{}").await), "INVALID_SIGNATURE");
    }
    let without = of_parts(MockTopUpRepository::new(), MockPaymentRepository::new(), None);
    assert_eq!(code(without.receive(Some("any"), b"{}").await), "INVALID_SIGNATURE");
}

fn due(created_ago: TimeDelta) -> Means {
    let mut means = Means::knowing(TopUpStatus::Pending);
    let due = TopUp { created_at: NOW - created_ago, ..top_up(TopUpStatus::Pending) };
    means.top_ups.expect_take_due().return_once(move |_, _, _| Ok(vec![due]));
    means
}

#[tokio::test]
async fn reconciliation_credits_a_paid_open_top_up() {
    let means = due(TimeDelta::minutes(2)).says(Ok(payment(PaymentStatus::Succeeded, AMOUNT)));
    assert_eq!(means.credits(1, true).top_ups().reconcile().await.unwrap(), 1);
}

#[tokio::test]
async fn an_unpaid_top_up_is_abandoned_after_three_days() {
    let open = || Ok(payment(PaymentStatus::Open, AMOUNT));
    for said in [open(), Err(GatewayError::UnknownPayment)] {
        let mut means = due(TimeDelta::minutes(3)).says(said.clone());
        let again = means.top_ups.expect_check_again().once();
        again.withf(|_, at| *at == NOW + TimeDelta::minutes(7)).returning(|_, _| Ok(()));
        means.top_ups().reconcile().await.unwrap();

        let mut means = due(TimeDelta::hours(72)).says(said);
        let close = means.top_ups.expect_close().once();
        close
            .with(mockall::predicate::always(), eq(TopUpStatus::Abandoned))
            .returning(|_, _| Ok(()));
        means.top_ups().reconcile().await.unwrap();
    }
}

#[tokio::test]
async fn a_top_up_stays_open_while_the_gateway_does_not_answer() {
    let mut means = due(TimeDelta::hours(80)).says(Err(GatewayError::Unanswered("?".into())));
    means.top_ups.expect_check_again().once().returning(|_, _| Ok(()));
    assert_eq!(means.top_ups().reconcile().await.unwrap(), 1);
}
