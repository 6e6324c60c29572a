//! Top-ups: payments through a gateway that bring money into a wallet.
//!
//! ```
//! use chrono::DateTime;
//! use domain::{money::top_up::TopUpReference, shared::id::Id};
//!
//! let reference = TopUpReference::new_in(Id::new(DateTime::UNIX_EPOCH), [7; 32]);
//! assert_eq!(reference.to_string().parse(), Ok(reference));
//! ```

mod json;

use std::{fmt, str::FromStr};

use chrono::{DateTime, TimeDelta, Utc};

use crate::{
    identity::{organization::Organization, slot::Slot, user::User},
    money::wallet::{Credit, LedgerKind},
    shared::{fault::Faults, id::Id, money::Money},
};

/// A payment requested by an organization.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TopUp {
    /// Identifier of the top-up.
    pub id: Id<TopUp>,
    /// Organization whose wallet is credited.
    pub organization: Id<Organization>,
    /// Reference by which the gateway knows it.
    pub reference: TopUpReference,
    /// Amount credited to the wallet.
    pub amount: Money,
    /// Payment method.
    pub method: PaymentMethod,
    /// Status of the top-up.
    pub status: TopUpStatus,
    /// User who requested it.
    pub requested_by: Id<User>,
    /// Time of the request.
    pub created_at: DateTime<Utc>,
    /// Time at which it was credited; `None` if it was not.
    pub credited_at: Option<DateTime<Utc>>,
}

crate::closed_list! {
    /// A way to pay.
    #[derive(Default)]
    pub enum PaymentMethod {
        /// Mobile money, through the gateway.
        #[default]
        MobileMoney = "mobile_money",
        /// Card, through the gateway.
        Card = "card",
        /// Invoice, without the gateway.
        Invoice = "invoice",
    }
    impl FromStr;
}

crate::closed_list! {
    /// Status of a top-up.
    pub enum TopUpStatus {
        /// Waits for the payer.
        Pending = "PENDING",
        /// Has been paid and credited to the wallet.
        Credited = "CREDITED",
        /// Was refused by the gateway.
        Failed = "FAILED",
        /// Was not paid in time. A later payment is still credited.
        Abandoned = "ABANDONED",
    }
    impl FromStr;
}

/// The public name of a top-up: 128 random bits that cannot be guessed, and the slot of its
/// organization. It consists of letters, digits and hyphens, which every gateway accepts.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct TopUpReference(String);

const PREFIX: &str = "topup-";
const RANDOM_BYTES: usize = 16;

impl TopUpReference {
    /// Returns a reference for the organization, made of random bytes.
    pub fn new_in(organization: Id<Organization>, random: [u8; 32]) -> Self {
        let digits = random.iter().take(RANDOM_BYTES);
        let digits = digits.fold(String::new(), |text, byte| text + &format!("{byte:02x}"));
        Self(format!("{PREFIX}{digits}{}", Slot::of(organization)))
    }

    /// Returns the text of the reference.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for TopUpReference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// The text is not the reference of a top-up.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("is not the reference of a top-up")]
pub struct InvalidReference;

impl FromStr for TopUpReference {
    type Err = InvalidReference;

    fn from_str(text: &str) -> Result<Self, InvalidReference> {
        let digits = text.strip_prefix(PREFIX).ok_or(InvalidReference)?;
        let is_digit = |byte: u8| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte);
        let is_whole = digits.len() == 2 * RANDOM_BYTES + Slot::DIGITS;
        if is_whole && digits.bytes().all(is_digit) {
            Ok(Self(text.to_owned()))
        } else {
            Err(InvalidReference)
        }
    }
}

/// An unchecked request for a top-up.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TopUpRequest {
    /// Amount to be credited. Required.
    pub amount: Option<Money>,
    /// Payment method.
    pub method: Option<PaymentMethod>,
    /// Reference for a credit by a platform administrator, without the gateway.
    pub reference: Option<String>,
    /// Address below which top-ups have pages, named by their references: the payer comes back there from
    /// the payment page. `None` if nobody comes back.
    pub pages: Option<String>,
}

/// Minimum and maximum amount of a top-up.
const LEAST: Money = Money::from_cedis(1);
const MOST: Money = Money::from_cedis(1_000_000);

impl TopUpRequest {
    /// Returns the amount. Fails unless it can be paid.
    pub fn checked_amount(&self) -> Result<Money, Faults> {
        let amount = self.amount.ok_or_else(|| Faults::field("amount", "is required"))?;
        if !(LEAST..=MOST).contains(&amount) {
            return Err(Faults::field("amount", "must be from 1 to 1000000"));
        }
        if !amount.is_in_pesewas() {
            return Err(Faults::field("amount", "must have at most two decimals"));
        }
        Ok(amount)
    }
}

/// Ages of a top-up at which the gateway is first asked about it, in minutes; after them it is
/// asked hourly.
const FIRST_CHECKS: [i64; 3] = [2, 10, 60];
/// Age at which an unpaid top-up is given up, in hours.
const GIVEN_UP_AFTER: i64 = 72;

impl TopUp {
    /// Returns the time of the next check at the gateway if it is not paid at `now`; `None` if it
    /// is given up.
    pub fn next_check(&self, now: DateTime<Utc>) -> Option<DateTime<Utc>> {
        let age = now - self.created_at;
        let early = FIRST_CHECKS.map(TimeDelta::minutes).into_iter().find(|check| age < *check);
        let next = early.unwrap_or_else(|| TimeDelta::hours(age.num_hours() + 1));
        (next <= TimeDelta::hours(GIVEN_UP_AFTER)).then(|| self.created_at + next)
    }

    /// Returns the credit to its wallet upon payment.
    pub fn credit(&self, now: DateTime<Utc>) -> Credit {
        Credit {
            id: Id::new_in(now, self.organization),
            organization: self.organization,
            kind: LedgerKind::TopUp,
            reference: self.reference.to_string(),
            amount: self.amount,
            at: now,
        }
    }

    /// Returns the top-up after its credit.
    #[must_use]
    pub fn credited(&self, credit: &Credit) -> Self {
        Self { status: TopUpStatus::Credited, credited_at: Some(credit.at), ..self.clone() }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use uuid::Uuid;

    use super::*;

    fn faults(micros: i64) -> bool {
        let amount = Some(Money::from_micros(micros));
        TopUpRequest { amount, ..TopUpRequest::default() }.checked_amount().is_err()
    }

    #[test]
    fn an_amount_is_whole_pesewas_and_within_its_bounds() {
        for (micros, is_faulty) in [
            (1_000_000, false),
            (1_000_000_000_000, false),
            (12_340_000, false),
            (990_000, true),
            (0, true),
            (-5_000_000, true),
            (12_345_000, true),
            (1_000_000_010_000, true),
        ] {
            assert_eq!(faults(micros), is_faulty, "{micros}");
        }
        assert!(TopUpRequest::default().checked_amount().is_err());
    }

    #[test]
    fn the_gateway_is_asked_soon_then_hourly_and_for_three_days() {
        let organization = Id::of(Uuid::nil());
        let began = DateTime::from_timestamp_nanos(1_700_000_000_000_000_000);
        let top_up = TopUp {
            id: Id::new_in(began, organization),
            organization,
            reference: TopUpReference::new_in(organization, [1; 32]),
            amount: LEAST,
            method: PaymentMethod::Card,
            status: TopUpStatus::Pending,
            requested_by: Id::new(began),
            created_at: began,
            credited_at: None,
        };
        let mut checks = Vec::new();
        let mut now = began;
        while let Some(next) = top_up.next_check(now) {
            assert!(next > now);
            checks.push((next - began).num_minutes());
            now = next;
        }
        assert_eq!(checks[..5], [2, 10, 60, 120, 180]);
        assert_eq!((checks.last(), checks.len()), (Some(&(72 * 60)), 3 + 71));
        // A top-up whose check is overdue is not checked more often to catch up.
        let late = began + TimeDelta::minutes(600);
        assert_eq!(top_up.next_check(late), Some(began + TimeDelta::hours(11)));
        assert_eq!(top_up.next_check(began + TimeDelta::days(9)), None);
    }

    proptest! {
        #[test]
        fn a_reference_ends_in_the_slot_and_is_read_back(random: [u8; 32], bits: u128) {
            let organization = Id::of(Uuid::from_u128(bits));
            let reference = TopUpReference::new_in(organization, random);

            prop_assert!(reference.as_str().ends_with(&Slot::of(organization).to_string()));
            let is_plain = |c: char| c.is_ascii_alphanumeric() || "-.=".contains(c);
            prop_assert!(reference.as_str().chars().all(is_plain));
            prop_assert_eq!(reference.as_str().parse(), Ok(reference));
        }

        #[test]
        fn rejects_other_texts_as_references(text in "topup-[0-9a-f]{0,34}|topup-[0-9a-f]{36}|\\PC*") {
            prop_assert_eq!(text.parse::<TopUpReference>(), Err(InvalidReference));
        }
    }
}
