//! Amounts in Ghana cedis, exact to a millionth.
//!
//! ```
//! use domain::shared::money::Money;
//!
//! let price = Money::from_micros(35_000);
//! assert_eq!((price * 2).to_string(), "GHS 0.07");
//! assert_eq!("0.035".parse(), Ok(price));
//! ```

use std::{
    fmt,
    iter::Sum,
    ops::{Add, AddAssign, Mul, Neg, Sub},
    str::FromStr,
};

/// Currency of every amount in the service (ISO 4217).
pub const CURRENCY: &str = "GHS";

/// Amount of GHS, counted in micros (10⁻⁶ GHS). May be negative in a ledger.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default, Hash)]
pub struct Money(i64);

/// The text is not an amount that micros can hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("is not an amount of GHS with at most six decimals")]
pub struct InvalidAmount;

impl Money {
    /// Zero.
    pub const ZERO: Self = Self(0);
    const PER_CEDI: i64 = 1_000_000;
    const PER_PESEWA: i64 = 10_000;
    const DECIMALS: usize = 6;

    /// Returns an amount of `micros` (10⁻⁶ GHS).
    pub const fn from_micros(micros: i64) -> Self {
        Self(micros)
    }

    /// Returns an amount of whole cedis.
    pub const fn from_cedis(cedis: i64) -> Self {
        Self(cedis * Self::PER_CEDI)
    }

    /// Returns the amount in micros (10⁻⁶ GHS).
    pub const fn micros(self) -> i64 {
        self.0
    }

    /// True if the amount has at most two decimals: a pesewa is the smallest amount that can be paid.
    pub const fn is_in_pesewas(self) -> bool {
        self.0 % Self::PER_PESEWA == 0
    }

    /// Returns the amount as the number on the wire. Only for display: nothing is computed from it.
    /// Exact up to nine thousand million GHS.
    #[expect(clippy::cast_precision_loss, reason = "balances stay below 2^53 micros")]
    pub fn to_number(self) -> f64 {
        self.0 as f64 / Self::PER_CEDI as f64
    }
}

impl Add for Money {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        Self(self.0.saturating_add(other.0))
    }
}
impl AddAssign for Money {
    fn add_assign(&mut self, other: Self) {
        *self = *self + other;
    }
}
impl Sub for Money {
    type Output = Self;
    fn sub(self, other: Self) -> Self {
        Self(self.0.saturating_sub(other.0))
    }
}
impl Neg for Money {
    type Output = Self;
    fn neg(self) -> Self {
        Self(self.0.saturating_neg())
    }
}
impl Mul<u16> for Money {
    type Output = Self;
    fn mul(self, times: u16) -> Self {
        Self(self.0.saturating_mul(i64::from(times)))
    }
}
impl Sum for Money {
    fn sum<I: Iterator<Item = Self>>(amounts: I) -> Self {
        amounts.fold(Self::ZERO, Self::add)
    }
}

impl FromStr for Money {
    type Err = InvalidAmount;

    /// Parses a plain decimal such as `10`, `0.035` or `-2.50`.
    fn from_str(text: &str) -> Result<Self, InvalidAmount> {
        let (sign, digits) = text.strip_prefix('-').map_or((1, text), |rest| (-1, rest));
        let (whole, fraction) = digits.split_once('.').unwrap_or((digits, "0"));
        let plain = |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
        if !plain(whole) || !plain(fraction) || fraction.len() > Self::DECIMALS {
            return Err(InvalidAmount);
        }

        let whole: i64 = whole.parse().map_err(|_| InvalidAmount)?;
        let fraction: i64 = format!("{fraction:0<6}").parse().map_err(|_| InvalidAmount)?;
        let micros =
            whole.checked_mul(Self::PER_CEDI).and_then(|micros| micros.checked_add(fraction));
        micros.map(|micros| Self(sign * micros)).ok_or(InvalidAmount)
    }
}

impl fmt::Display for Money {
    /// Writes two to six decimals and the currency: `GHS 0.035`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let sign = if self.0 < 0 { "-" } else { "" };
        let micros = self.0.unsigned_abs();
        let per_cedi = Self::PER_CEDI.unsigned_abs();
        let fraction = format!("{:06}", micros % per_cedi);
        let shown = fraction.trim_end_matches('0').len().max(2);
        write!(f, "{CURRENCY} {sign}{}.{}", micros / per_cedi, &fraction[..shown])
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn decimals_are_read_exactly() {
        assert_eq!("10".parse(), Ok(Money::from_cedis(10)));
        assert_eq!("0.035".parse(), Ok(Money::from_micros(35_000)));
        assert_eq!("-2.50".parse(), Ok(Money::from_micros(-2_500_000)));
    }

    #[test]
    fn amounts_that_micros_cannot_hold_are_refused() {
        for text in ["", ".", "1.", ".5", "1e3", "NaN", "0.0000001", "99999999999999", "1 0", "+1"]
        {
            assert_eq!(text.parse::<Money>(), Err(InvalidAmount), "{text}");
        }
    }

    proptest! {
        #[test]
        fn the_wire_number_reads_back_as_the_same_amount(micros in -(1_i64 << 52)..(1_i64 << 52)) {
            let money = Money::from_micros(micros);
            let number = format!("{:.6}", money.to_number());
            prop_assert_eq!(number.parse::<Money>(), Ok(money));
        }

        #[test]
        fn the_text_holds_the_exact_amount(micros in any::<i32>()) {
            let money = Money::from_micros(micros.into());
            prop_assert_eq!(money.to_string()[4..].parse::<Money>(), Ok(money));
        }
    }
}
