//! Payments: what a payment gateway reports of received money.
//!
//! ```
//! use domain::money::payment::{ExceptionReason, Judgement, Payment, PaymentStatus};
//!
//! let stray = Payment {
//!     reference: "unknown".to_owned(),
//!     status: PaymentStatus::Succeeded,
//!     status_text: "success".to_owned(),
//!     amount: None,
//!     currency: None,
//!     mode: None,
//!     organization: None,
//! };
//! let judgement = stray.judge(None, None);
//! assert!(matches!(judgement, Judgement::Exception(ExceptionReason::UnknownReference)));
//! ```

use chrono::{DateTime, Utc};

use crate::{
    identity::{organization::Organization, user::User},
    money::top_up::{TopUp, TopUpStatus},
    shared::{
        fault::Faults,
        id::{Id, Unowned},
        money::{CURRENCY, Money},
        text,
    },
};

/// A payment as the gateway reports it. Fields that it does not report are `None`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Payment {
    /// Reference of the payment; that of a top-up if the service requested it.
    pub reference: String,
    /// Progress of the payment.
    pub status: PaymentStatus,
    /// Status in the gateway's own term.
    pub status_text: String,
    /// Amount paid, in the currency of the payment.
    pub amount: Option<Money>,
    /// Currency (ISO 4217).
    pub currency: Option<String>,
    /// Mode of the payment; live payments move real money.
    pub mode: Option<PaymentMode>,
    /// Organization for which the service requested the payment.
    pub organization: Option<Id<Organization>>,
}

crate::closed_list! {
    /// Progress of a payment.
    pub enum PaymentStatus {
        /// The money has been received.
        Succeeded = "SUCCEEDED",
        /// It failed. The payer may try again on the gateway's page.
        Failed = "FAILED",
        /// The payment is not made yet or is still in progress.
        Open = "OPEN",
    }
    impl FromStr;
}

/// Mode of payments at a gateway.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PaymentMode {
    /// Payments move money.
    Live,
    /// Payments are simulated.
    Test,
}

/// Action to take on a payment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Judgement<'t> {
    /// Credit the amount of this top-up.
    Credit(&'t TopUp),
    /// Nothing: this top-up has already been credited.
    AlreadyCredited(&'t TopUp),
    /// Nothing: it is not paid yet.
    NotPaid,
    /// Keep it for a platform administrator; it is not credited.
    Exception(ExceptionReason),
}

crate::closed_list! {
    /// Reason for which a successful payment is kept for a platform administrator: it is not credited,
    /// or was credited and is taken back.
    pub enum ExceptionReason {
        /// No top-up has that reference.
        UnknownReference = "UNKNOWN_REFERENCE",
        /// The amount is below that of the top-up, or the gateway does not report it.
        AmountTooSmall = "AMOUNT_TOO_SMALL",
        /// It was paid in another currency.
        OtherCurrency = "OTHER_CURRENCY",
        /// The payment is a test payment at a live gateway, or the other way round.
        OtherMode = "OTHER_MODE",
        /// The payer disputes the payment with their bank.
        Disputed = "DISPUTED",
        /// The payment was refunded or is about to be.
        Refunded = "REFUNDED",
        /// The organization of the top-up is closed.
        OrganizationClosed = "ORGANIZATION_CLOSED",
    }
    impl FromStr else "is not a reason why a payment is kept";
}

impl Payment {
    /// Decides on the payment. `top_up` is the top-up with its reference; `mode` is the mode of the
    /// gateway, if known.
    pub fn judge<'t>(&self, top_up: Option<&'t TopUp>, mode: Option<PaymentMode>) -> Judgement<'t> {
        use ExceptionReason as Reason;

        if self.status != PaymentStatus::Succeeded {
            return Judgement::NotPaid;
        }
        let is_other_mode = self.mode.zip(mode).is_some_and(|(paid, ours)| paid != ours);
        if is_other_mode {
            return Judgement::Exception(Reason::OtherMode);
        }
        let Some(top_up) = top_up.filter(|it| it.reference.as_str() == self.reference) else {
            return Judgement::Exception(Reason::UnknownReference);
        };
        if self.currency.as_deref() != Some(CURRENCY) {
            return Judgement::Exception(Reason::OtherCurrency);
        }
        if self.amount.is_none_or(|paid| paid < top_up.amount) {
            return Judgement::Exception(Reason::AmountTooSmall);
        }
        match top_up.status {
            TopUpStatus::Credited => Judgement::AlreadyCredited(top_up),
            TopUpStatus::Pending | TopUpStatus::Failed | TopUpStatus::Abandoned => {
                Judgement::Credit(top_up)
            }
        }
    }
}

/// A successful payment that was not credited or is taken back. At most one exists for each
/// reference and reason.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PaymentException {
    /// Identifier of the exception.
    pub id: Id<PaymentException>,
    /// Reference of the payment.
    pub reference: String,
    /// Reason for which it is kept.
    pub reason: ExceptionReason,
    /// Amount that was paid or is taken back.
    pub amount: Option<Money>,
    /// Currency of the amount.
    pub currency: Option<String>,
    /// Amount of the top-up.
    pub expected: Option<Money>,
    /// Organization of the top-up, or for which the service requested the payment.
    pub organization: Option<Id<Organization>>,
    /// Time at which it was noticed.
    pub noticed_at: DateTime<Utc>,
    /// Resolution by a platform administrator; `None` if it is unresolved.
    pub resolution: Option<Resolution>,
}

impl Unowned for PaymentException {}

/// Resolution of an exception.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Resolution {
    /// Time of the resolution.
    pub at: DateTime<Utc>,
    /// Administrator who resolved it.
    pub by: Id<User>,
    /// Comment on what was done.
    pub comment: String,
}

/// Maximum length of a comment, in characters.
const MAX_COMMENT: usize = 1_000;

impl PaymentException {
    /// Returns the exception for a payment that is kept at `now`.
    pub fn of(
        payment: &Payment,
        reason: ExceptionReason,
        top_up: Option<&TopUp>,
        now: DateTime<Utc>,
    ) -> Self {
        Self {
            id: Id::new(now),
            reference: payment.reference.clone(),
            reason,
            amount: payment.amount,
            currency: payment.currency.clone(),
            expected: top_up.map(|it| it.amount),
            organization: top_up.map(|it| it.organization).or(payment.organization),
            noticed_at: now,
            resolution: None,
        }
    }
}

/// Checks an administrator's comment on an exception.
pub fn checked_comment(comment: Option<String>) -> Result<String, Faults> {
    let comment = comment.ok_or_else(|| Faults::field("comment", "is required"))?;
    let checked = text::lines(comment, MAX_COMMENT);
    let checked = checked.map_err(|fault| Faults::field("comment", fault))?;
    Ok(checked.trim().to_owned())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::money::top_up::{PaymentMethod, TopUpReference};

    const AMOUNT: Money = Money::from_cedis(50);

    fn top_up(status: TopUpStatus) -> TopUp {
        let organization = Id::of(uuid::uuid!("019a5b8e-6c2f-7d10-a4c3-e5f708192a3b"));
        TopUp {
            id: Id::new_in(DateTime::UNIX_EPOCH, organization),
            organization,
            reference: TopUpReference::new_in(organization, [7; 32]),
            amount: AMOUNT,
            method: PaymentMethod::Card,
            status,
            requested_by: Id::new(DateTime::UNIX_EPOCH),
            created_at: DateTime::UNIX_EPOCH,
            credited_at: None,
        }
    }

    fn paid(top_up: &TopUp) -> Payment {
        Payment {
            reference: top_up.reference.to_string(),
            status: PaymentStatus::Succeeded,
            status_text: "success".into(),
            amount: Some(top_up.amount),
            currency: Some(CURRENCY.into()),
            mode: None,
            organization: None,
        }
    }

    #[test]
    fn a_payment_is_credited_once_whatever_the_status_of_the_top_up() {
        for status in TopUpStatus::ALL {
            let top_up = top_up(status);
            let expected = match status {
                TopUpStatus::Credited => Judgement::AlreadyCredited(&top_up),
                _ => Judgement::Credit(&top_up),
            };
            assert_eq!(paid(&top_up).judge(Some(&top_up), None), expected, "{status:?}");
        }
    }

    #[test]
    fn a_payment_that_differs_from_its_top_up_is_an_exception() {
        use ExceptionReason as Reason;

        let top_up = top_up(TopUpStatus::Pending);
        let paid = paid(&top_up);
        let live = Some(PaymentMode::Live);
        for (payment, mode, reason) in [
            (
                Payment { reference: "another".into(), ..paid.clone() },
                None,
                Reason::UnknownReference,
            ),
            (Payment { amount: None, ..paid.clone() }, None, Reason::AmountTooSmall),
            (Payment { currency: Some("NGN".into()), ..paid.clone() }, None, Reason::OtherCurrency),
            (Payment { currency: Some("ghs".into()), ..paid.clone() }, None, Reason::OtherCurrency),
            (Payment { currency: None, ..paid.clone() }, None, Reason::OtherCurrency),
            (Payment { mode: Some(PaymentMode::Test), ..paid.clone() }, live, Reason::OtherMode),
        ] {
            assert_eq!(payment.judge(Some(&top_up), mode), Judgement::Exception(reason));
        }
        let unknown = Judgement::Exception(Reason::UnknownReference);
        assert_eq!(paid.judge(None, None), unknown);
        assert_eq!(paid.judge(Some(&top_up), live), Judgement::Credit(&top_up));
    }

    #[test]
    fn an_unpaid_payment_is_neither_credited_nor_an_exception() {
        let top_up = top_up(TopUpStatus::Pending);
        for status in [PaymentStatus::Failed, PaymentStatus::Open] {
            let payment = Payment { status, amount: None, ..paid(&top_up) };
            assert_eq!(payment.judge(Some(&top_up), None), Judgement::NotPaid);
            assert_eq!(payment.judge(None, None), Judgement::NotPaid);
        }
    }

    #[test]
    fn rejects_an_empty_comment() {
        assert_eq!(checked_comment(Some(" refunded \n".into())), Ok("refunded".into()));
        for comment in [None, Some(" ".into()), Some("x".repeat(MAX_COMMENT + 1))] {
            assert!(checked_comment(comment).unwrap_err().fields.contains_key("comment"));
        }
    }

    proptest! {
        /// The payment may exceed the amount by fees, but not fall short by a pesewa.
        #[test]
        fn a_payment_below_the_full_amount_is_not_credited(difference in -5_000_i64..5_000) {
            let top_up = top_up(TopUpStatus::Pending);
            let amount = Money::from_micros(AMOUNT.micros() + difference * 10_000);
            let payment = Payment { amount: Some(amount), ..paid(&top_up) };

            let is_credited = payment.judge(Some(&top_up), None) == Judgement::Credit(&top_up);
            prop_assert_eq!(is_credited, amount >= AMOUNT);
        }
    }
}
