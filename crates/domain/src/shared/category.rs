//! Purposes of messages.
//!
//! ```
//! use domain::shared::category::Category;
//!
//! assert!(Category::Otp.is_urgent() && !Category::Marketing.is_urgent());
//! ```

use std::iter;

crate::closed_list! {
    /// Purpose of a message. It decides the priority and the readiness to fail over.
    #[derive(Default)]
    pub enum Category {
        /// Action or request of the recipient.
        #[default]
        Transactional = "TRANSACTIONAL",
        /// Promotion.
        Marketing = "MARKETING",
        /// One-time password, which is worthless when late.
        Otp = "OTP",
        /// Reminder of something agreed.
        Reminder = "REMINDER",
        /// Warning that cannot wait.
        Alert = "ALERT",
        /// Health.
        Healthcare = "HEALTHCARE",
        /// Insurance.
        Insurance = "INSURANCE",
        /// Transport and parcels.
        Logistics = "LOGISTICS",
        /// Money and payments.
        Fintech = "FINTECH",
        /// Online shopping.
        Ecommerce = "ECOMMERCE",
    }
    impl Display;
    impl FromStr;
}

impl Category {
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
