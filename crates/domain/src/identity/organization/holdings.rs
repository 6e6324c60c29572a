//! Bounds on what an organization stores.

crate::closed_list! {
    /// A kind of stored thing or past action that is limited per organization, named as for people.
    pub enum Holding {
        /// Contacts.
        Contacts = "contacts",
        /// The size of the contacts, in bytes.
        ContactBytes = "bytes of contacts",
        /// Entries of the suppression list. Opt-outs by recipients are always entered.
        Suppressions = "entries of the suppression list",
        /// Templates.
        Templates = "templates",
        /// The size of the kept versions of all templates, in bytes.
        TemplateBytes = "bytes of templates and their versions",
        /// Approvals of templates and campaigns that wait for a platform administrator.
        PendingApprovals = "approvals under way",
        /// Approvals of templates and campaigns requested within the last 24 hours.
        DailyApprovals = "approvals in 24 hours",
        /// Files imported within the last 24 hours.
        DailyImports = "imports in 24 hours",
    }
    impl Display;
}

/// Maximum number of texts that a language model writes for an organization in a day, before and
/// after its first payment.
pub const DAILY_TEXTS: (u32, u32) = (20, 200);

const KILO: u64 = 1_000;
const MEGA: u64 = 1_000_000;
const GIGA: u64 = 1_000_000_000;

impl Holding {
    /// Returns the maximum before or after an organization has paid for the first time.
    pub const fn limit(self, has_paid: bool) -> u64 {
        let (free, paid) = match self {
            Self::Contacts | Self::Suppressions => (250 * KILO, 10 * MEGA),
            Self::ContactBytes => (250 * MEGA, 10 * GIGA),
            Self::Templates => (200, 5 * KILO),
            Self::TemplateBytes => (20 * MEGA, 500 * MEGA),
            Self::PendingApprovals => (50, 50),
            Self::DailyApprovals => (200, KILO),
            Self::DailyImports => (50, 500),
        };
        if has_paid { paid } else { free }
    }

    /// Returns the error code of a refusal.
    pub const fn code(self) -> &'static str {
        match self {
            Self::Contacts => "CONTACT_LIMIT_REACHED",
            Self::ContactBytes => "CONTACT_BYTES_LIMIT_REACHED",
            Self::Suppressions => "SUPPRESSION_LIMIT_REACHED",
            Self::Templates => "TEMPLATE_LIMIT_REACHED",
            Self::TemplateBytes => "TEMPLATE_BYTES_LIMIT_REACHED",
            Self::PendingApprovals => "PENDING_APPROVAL_LIMIT_REACHED",
            Self::DailyApprovals => "DAILY_APPROVAL_LIMIT_REACHED",
            Self::DailyImports => "DAILY_IMPORT_LIMIT_REACHED",
        }
    }
}

/// Amounts that an organization has stored, from maintained counters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Holdings {
    /// True if it has ever paid.
    pub has_paid: bool,
    /// See [`Holding::Contacts`].
    pub contacts: u64,
    /// See [`Holding::ContactBytes`].
    pub contact_bytes: u64,
    /// See [`Holding::Suppressions`].
    pub suppressions: u64,
    /// See [`Holding::Templates`].
    pub templates: u64,
    /// See [`Holding::TemplateBytes`].
    pub template_bytes: u64,
    /// See [`Holding::PendingApprovals`].
    pub pending_approvals: u64,
    /// See [`Holding::DailyApprovals`].
    pub daily_approvals: u64,
    /// See [`Holding::DailyImports`].
    pub daily_imports: u64,
}

/// The limit of a holding is reached.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the organization has as many {} as it may have: {limit}", holding)]
pub struct HoldingFull {
    /// Holding that is full.
    pub holding: Holding,
    /// Limit of the holding.
    pub limit: u64,
    /// True if the limit is higher after the first payment.
    pub grows: bool,
}

impl Holdings {
    /// Returns the present amount.
    pub const fn used(&self, holding: Holding) -> u64 {
        match holding {
            Holding::Contacts => self.contacts,
            Holding::ContactBytes => self.contact_bytes,
            Holding::Suppressions => self.suppressions,
            Holding::Templates => self.templates,
            Holding::TemplateBytes => self.template_bytes,
            Holding::PendingApprovals => self.pending_approvals,
            Holding::DailyApprovals => self.daily_approvals,
            Holding::DailyImports => self.daily_imports,
        }
    }

    /// Returns the limit.
    pub const fn limit(&self, holding: Holding) -> u64 {
        holding.limit(self.has_paid)
    }

    /// Fails with the first of the wanted holdings that is full.
    pub fn have_room(&self, wanted: &[Holding]) -> Result<(), HoldingFull> {
        let full = wanted.iter().find(|it| self.used(**it) >= self.limit(**it));
        full.map_or(Ok(()), |&holding| {
            let limit = self.limit(holding);
            Err(HoldingFull { holding, limit, grows: limit < holding.limit(true) })
        })
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn limits_grow_and_never_shrink_once_an_organization_has_paid() {
        for holding in Holding::ALL {
            assert!(holding.limit(false) <= holding.limit(true), "{holding:?}");
        }
        assert!(Holding::Contacts.limit(false) < Holding::Contacts.limit(true));
    }

    #[test]
    fn a_refusal_names_the_full_holding_and_the_effect_of_paying() {
        let full = Holdings { contacts: 250_000, pending_approvals: 50, ..Holdings::default() };
        let refused = full.have_room(&[Holding::ContactBytes, Holding::Contacts]).unwrap_err();
        assert_eq!((refused.holding, refused.grows), (Holding::Contacts, true));
        assert_eq!(
            refused.to_string(),
            "the organization has as many contacts as it may have: 250000"
        );
        assert!(!full.have_room(&[Holding::PendingApprovals]).unwrap_err().grows);
        let paid = Holdings { has_paid: true, ..full };
        assert_eq!(paid.have_room(&[Holding::Contacts]), Ok(()));
    }

    proptest! {
        #[test]
        fn there_is_room_below_the_limit_and_none_at_it(has_paid: bool, templates in 0..10_000_u64) {
            let holdings = Holdings { has_paid, templates, ..Holdings::default() };
            let has_room = holdings.have_room(&[Holding::Templates]).is_ok();
            prop_assert_eq!(has_room, templates < Holding::Templates.limit(has_paid));
        }
    }
}
