//! Payments: what a payment gateway says of money that somebody paid.

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

/// A payment, as the gateway tells it. What it does not tell is absent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Payment {
    /// What was paid for: the reference of a top-up, if it is one of ours.
    pub reference: String,
    /// How far it has come.
    pub status: PaymentStatus,
    /// The same in the gateway's own word.
    pub status_text: String,
    /// How much was paid, in the currency that was paid in.
    pub amount: Option<Money>,
    /// In which currency (ISO 4217).
    pub currency: Option<String>,
    /// Whether it was real money.
    pub mode: Option<PaymentMode>,
    /// The organization for which we had it made.
    pub organization: Option<Id<Organization>>,
}

/// How far a payment has come.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PaymentStatus {
    /// The money is there.
    Succeeded,
    /// It failed. Whoever pays may try again on the gateway's page.
    Failed,
    /// Nobody has paid yet, or it is still under way.
    Open,
}

/// Whether payments move money.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PaymentMode {
    /// They do.
    Live,
    /// They only rehearse.
    Test,
}

/// What is to be done about a payment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Judgement<'t> {
    /// Credit the amount of this top-up.
    Credit(&'t TopUp),
    /// Nothing: this top-up was credited before.
    AlreadyCredited(&'t TopUp),
    /// Nothing, as long as it is not paid.
    NotPaid,
    /// Keep it for a platform administrator; it is not credited.
    Exception(ExceptionReason),
}

/// The reason for which a payment that succeeded is kept for a platform administrator: it is not credited, or
/// was and is taken back.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ExceptionReason {
    /// No top-up has that reference.
    UnknownReference,
    /// Less was paid than the top-up is for, or the gateway does not say how much.
    AmountTooSmall,
    /// It was paid in another currency.
    OtherCurrency,
    /// It only rehearsed, but the gateway is there for real money; or the other way round.
    OtherMode,
    /// The payer asks their bank for the money back.
    Disputed,
    /// It was paid back, or is about to be.
    Refunded,
}

impl ExceptionReason {
    /// Every reason.
    pub const ALL: [Self; 6] = [
        Self::UnknownReference,
        Self::AmountTooSmall,
        Self::OtherCurrency,
        Self::OtherMode,
        Self::Disputed,
        Self::Refunded,
    ];

    /// The name on the wire and in the database.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::UnknownReference => "UNKNOWN_REFERENCE",
            Self::AmountTooSmall => "AMOUNT_TOO_SMALL",
            Self::OtherCurrency => "OTHER_CURRENCY",
            Self::OtherMode => "OTHER_MODE",
            Self::Disputed => "DISPUTED",
            Self::Refunded => "REFUNDED",
        }
    }
}

/// The text names no reason.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("is not a reason why a payment is kept")]
pub struct UnknownReason;

impl std::str::FromStr for ExceptionReason {
    type Err = UnknownReason;

    fn from_str(text: &str) -> Result<Self, UnknownReason> {
        Self::ALL.into_iter().find(|reason| reason.as_str() == text).ok_or(UnknownReason)
    }
}

impl Payment {
    /// What is to be done about it. `top_up` is the one with its reference, and `mode` what the gateway
    /// is there for, as far as that is known.
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

/// A payment that succeeded and was not credited, or is taken back. There is one for each reference and reason.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PaymentException {
    /// Which one this is.
    pub id: Id<PaymentException>,
    /// What was paid for.
    pub reference: String,
    /// The reason for which it is kept.
    pub reason: ExceptionReason,
    /// The amount that was paid, or is taken back.
    pub amount: Option<Money>,
    /// In which currency.
    pub currency: Option<String>,
    /// How much the top-up is for.
    pub expected: Option<Money>,
    /// Whose top-up it is, or for whom we had the payment made.
    pub organization: Option<Id<Organization>>,
    /// When it was noticed.
    pub noticed_at: DateTime<Utc>,
    /// What a platform administrator did about it.
    pub resolution: Option<Resolution>,
}

impl Unowned for PaymentException {}

/// What became of an exception.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Resolution {
    /// When.
    pub at: DateTime<Utc>,
    /// Who says so.
    pub by: Id<User>,
    /// What was done.
    pub comment: String,
}

/// The longest comment, in characters.
const MAX_COMMENT: usize = 1_000;

impl PaymentException {
    /// A payment that is kept at `now`.
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

/// Checks what an administrator says about an exception.
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
    fn a_payment_is_credited_whatever_became_of_the_top_up_before_but_once() {
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
    fn what_was_not_paid_as_agreed_is_an_exception() {
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
    fn what_is_not_paid_is_neither_credited_nor_an_exception() {
        let top_up = top_up(TopUpStatus::Pending);
        for status in [PaymentStatus::Failed, PaymentStatus::Open] {
            let payment = Payment { status, amount: None, ..paid(&top_up) };
            assert_eq!(payment.judge(Some(&top_up), None), Judgement::NotPaid);
            assert_eq!(payment.judge(None, None), Judgement::NotPaid);
        }
    }

    #[test]
    fn a_comment_says_something() {
        assert_eq!(checked_comment(Some(" refunded \n".into())), Ok("refunded".into()));
        for comment in [None, Some(" ".into()), Some("x".repeat(MAX_COMMENT + 1))] {
            assert!(checked_comment(comment).unwrap_err().fields.contains_key("comment"));
        }
    }

    proptest! {
        /// Fees may be on top; a pesewa too little is too little.
        #[test]
        fn nothing_is_credited_that_was_not_paid_in_full(difference in -5_000_i64..5_000) {
            let top_up = top_up(TopUpStatus::Pending);
            let amount = Money::from_micros(AMOUNT.micros() + difference * 10_000);
            let payment = Payment { amount: Some(amount), ..paid(&top_up) };

            let is_credited = payment.judge(Some(&top_up), None) == Judgement::Credit(&top_up);
            prop_assert_eq!(is_credited, amount >= AMOUNT);
        }
    }
}
