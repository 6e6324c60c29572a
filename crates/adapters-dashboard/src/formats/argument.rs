//! Arguments that templates pass: they pass fields by reference, and results of calls by value.

use chrono::{DateTime, NaiveDate, TimeDelta, Utc};
use domain::shared::money::Money;

/// A value of type `T`, or a reference to one.
pub(crate) trait Argument<T> {
    fn value(self) -> T;
}

impl<T, A: Argument<T> + Copy> Argument<T> for &A {
    fn value(self) -> T {
        (*self).value()
    }
}

impl Argument<DateTime<Utc>> for DateTime<Utc> {
    fn value(self) -> Self {
        self
    }
}

impl Argument<NaiveDate> for NaiveDate {
    fn value(self) -> Self {
        self
    }
}

impl Argument<TimeDelta> for TimeDelta {
    fn value(self) -> Self {
        self
    }
}

impl Argument<Money> for Money {
    fn value(self) -> Self {
        self
    }
}

impl Argument<u64> for u64 {
    fn value(self) -> Self {
        self
    }
}

impl Argument<u64> for u32 {
    fn value(self) -> u64 {
        self.into()
    }
}

impl Argument<u64> for u16 {
    fn value(self) -> u64 {
        self.into()
    }
}

impl Argument<u64> for usize {
    fn value(self) -> u64 {
        u64::try_from(self).unwrap_or(u64::MAX)
    }
}
