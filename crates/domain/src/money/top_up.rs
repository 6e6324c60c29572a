//! Top-ups: payments through a gateway that bring money into a wallet.

use std::{fmt, str::FromStr};

use chrono::{DateTime, TimeDelta, Utc};

use crate::{
    identity::{organization::Organization, user::User},
    money::wallet::{Credit, LedgerKind},
    shared::{fault::Faults, id::Id, money::Money, slot::Slot},
};

/// A payment that an organization wants to make.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TopUp {
    /// Which one this is.
    pub id: Id<TopUp>,
    /// Whose wallet it is for.
    pub organization: Id<Organization>,
    /// What the gateway knows it by.
    pub reference: TopUpReference,
    /// How much the wallet is credited.
    pub amount: Money,
    /// How it is to be paid.
    pub method: PaymentMethod,
    /// What became of it.
    pub status: TopUpStatus,
    /// Who asked for it.
    pub requested_by: Id<User>,
    /// When.
    pub created_at: DateTime<Utc>,
}

/// How money comes in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum PaymentMethod {
    /// From a phone, through the gateway.
    #[default]
    MobileMoney,
    /// From a card, through the gateway.
    Card,
    /// By an invoice, past the gateway.
    Invoice,
}

impl PaymentMethod {
    /// Every method.
    pub const ALL: [Self; 3] = [Self::MobileMoney, Self::Card, Self::Invoice];

    /// The name on the wire and in the database.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::MobileMoney => "mobile_money",
            Self::Card => "card",
            Self::Invoice => "invoice",
        }
    }
}

/// The text names no way to pay.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("must be one of mobile_money, card, invoice")]
pub struct UnknownMethod;

impl FromStr for PaymentMethod {
    type Err = UnknownMethod;

    fn from_str(text: &str) -> Result<Self, UnknownMethod> {
        Self::ALL.into_iter().find(|method| method.as_str() == text).ok_or(UnknownMethod)
    }
}

/// What became of a top-up.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TopUpStatus {
    /// Nothing yet: somebody may be paying.
    Pending,
    /// It is paid, and in the wallet.
    Credited,
    /// The gateway refused to take it.
    Failed,
    /// It was not paid in time. If it is paid after all, it is credited.
    Abandoned,
}

impl TopUpStatus {
    /// Every status.
    pub const ALL: [Self; 4] = [Self::Pending, Self::Credited, Self::Failed, Self::Abandoned];

    /// The name on the wire and in the database.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Pending => "PENDING",
            Self::Credited => "CREDITED",
            Self::Failed => "FAILED",
            Self::Abandoned => "ABANDONED",
        }
    }
}

/// The text names no status.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("is not a status of top-ups")]
pub struct UnknownStatus;

impl FromStr for TopUpStatus {
    type Err = UnknownStatus;

    fn from_str(text: &str) -> Result<Self, UnknownStatus> {
        Self::ALL.into_iter().find(|status| status.as_str() == text).ok_or(UnknownStatus)
    }
}

/// What a top-up is called outside: 128 random bits that nobody guesses, and the slot of its
/// organization. It has letters, digits and hyphens only, which every gateway takes.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct TopUpReference(String);

const PREFIX: &str = "topup-";
const RANDOM_BYTES: usize = 16;

impl TopUpReference {
    /// A reference of an organization, made of random bytes.
    pub fn new_in(organization: Id<Organization>, random: [u8; 32]) -> Self {
        let digits = random.iter().take(RANDOM_BYTES);
        let digits = digits.fold(String::new(), |text, byte| text + &format!("{byte:02x}"));
        Self(format!("{PREFIX}{digits}{}", Slot::of(organization)))
    }

    /// The text.
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

/// A top-up that somebody wants; nothing is checked yet.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TopUpRequest {
    /// How much. Required.
    pub amount: Option<Money>,
    /// How it is to be paid.
    pub method: Option<PaymentMethod>,
    /// What a platform administrator credits it for, past the gateway.
    pub reference: Option<String>,
}

/// The least and the most that one top-up can be.
const LEAST: Money = Money::from_cedis(1);
const MOST: Money = Money::from_cedis(1_000_000);

impl TopUpRequest {
    /// The amount, if it can be paid.
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

/// How old a top-up is when the gateway is first asked about it, in minutes; then it is asked every
/// hour.
const FIRST_CHECKS: [i64; 3] = [2, 10, 60];
/// When a top-up that was not paid is given up, in hours.
const GIVEN_UP_AFTER: i64 = 72;

impl TopUp {
    /// When the gateway is asked about it next, if it is not paid at `now`. `None` if it is given up.
    pub fn next_check(&self, now: DateTime<Utc>) -> Option<DateTime<Utc>> {
        let age = now - self.created_at;
        let early = FIRST_CHECKS.map(TimeDelta::minutes).into_iter().find(|check| age < *check);
        let next = early.unwrap_or_else(|| TimeDelta::hours(age.num_hours() + 1));
        (next <= TimeDelta::hours(GIVEN_UP_AFTER)).then(|| self.created_at + next)
    }

    /// What its wallet is credited when it is paid.
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
    fn an_amount_can_be_paid_in_pesewas_and_is_neither_too_small_nor_too_large() {
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
        // One that nobody asked about for long is not asked about more often for that.
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
        fn no_other_text_is_a_reference(text in "topup-[0-9a-f]{0,34}|topup-[0-9a-f]{36}|\\PC*") {
            prop_assert_eq!(text.parse::<TopUpReference>(), Err(InvalidReference));
        }
    }
}
