//! Purposes of messages.

use std::{fmt, iter, str::FromStr};

/// Purpose of a message. It decides the priority and the readiness to fail over.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Category {
    /// Action or request of the recipient.
    #[default]
    Transactional,
    /// Promotion.
    Marketing,
    /// One-time password, which is worthless when late.
    Otp,
    /// Reminder of something agreed.
    Reminder,
    /// Warning that cannot wait.
    Alert,
    /// Health.
    Healthcare,
    /// Insurance.
    Insurance,
    /// Transport and parcels.
    Logistics,
    /// Money and payments.
    Fintech,
    /// Online shopping.
    Ecommerce,
}

/// The text names no category.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "must be one of TRANSACTIONAL, MARKETING, OTP, REMINDER, ALERT, HEALTHCARE, INSURANCE, \
     LOGISTICS, FINTECH, ECOMMERCE"
)]
pub struct UnknownCategory;

impl Category {
    /// Every category.
    pub const ALL: [Self; 10] = [
        Self::Transactional,
        Self::Marketing,
        Self::Otp,
        Self::Reminder,
        Self::Alert,
        Self::Healthcare,
        Self::Insurance,
        Self::Logistics,
        Self::Fintech,
        Self::Ecommerce,
    ];

    /// The name on the wire and in the database.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Transactional => "TRANSACTIONAL",
            Self::Marketing => "MARKETING",
            Self::Otp => "OTP",
            Self::Reminder => "REMINDER",
            Self::Alert => "ALERT",
            Self::Healthcare => "HEALTHCARE",
            Self::Insurance => "INSURANCE",
            Self::Logistics => "LOGISTICS",
            Self::Fintech => "FINTECH",
            Self::Ecommerce => "ECOMMERCE",
        }
    }

    /// True if a platform administrator reviews each template before it is sent.
    pub const fn needs_approval(self) -> bool {
        matches!(self, Self::Healthcare | Self::Insurance | Self::Fintech)
    }

    /// Returns the categories whose rules apply to a message of this category, itself first. A
    /// message of a campaign always counts as promotion, because nobody requested it.
    pub fn kinds(self, is_of_campaign: bool) -> impl Iterator<Item = Self> + use<> {
        let is_promotion = is_of_campaign && self != Self::Marketing;
        iter::once(self).chain(is_promotion.then_some(Self::Marketing))
    }

    /// True if a late message is worse than a duplicate.
    pub const fn is_urgent(self) -> bool {
        matches!(self, Self::Otp | Self::Alert)
    }
}

impl fmt::Display for Category {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl FromStr for Category {
    type Err = UnknownCategory;

    fn from_str(text: &str) -> Result<Self, UnknownCategory> {
        Self::ALL.into_iter().find(|category| category.as_str() == text).ok_or(UnknownCategory)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_campaign_also_counts_as_promotion() {
        for category in Category::ALL {
            assert_eq!(category.kinds(false).collect::<Vec<_>>(), [category]);
            let mut expected = vec![category, Category::Marketing];
            expected.dedup();
            assert_eq!(category.kinds(true).collect::<Vec<_>>(), expected);
        }
    }
}
