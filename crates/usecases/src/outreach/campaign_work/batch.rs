//! Batch of a campaign's messages, and the part of it that the wallet pays for.

use domain::{
    audience::contact::Contact,
    messaging::message::Message,
    shared::{id::Id, money::Money},
};
use ports::{
    messaging::messages::{Advance, CampaignAdvance, FirstWorker, Submission},
    outreach::campaign_queue::LeasedCampaign,
};

/// Number of messages that the wallet must pay for before an unpaid campaign resumes by itself.
/// Otherwise each small refund would resume it.
const WORTH_RESUMING: usize = 25;

/// Consecutive contacts of a campaign, each with its message; `None` if the contact has no address
/// for the channel.
#[derive(Debug, Default)]
pub(super) struct Batch {
    /// Last contact before these; `None` at the beginning.
    pub(super) after: Option<Id<Contact>>,
    pub(super) entries: Vec<(Id<Contact>, Option<Message>)>,
}

impl Batch {
    /// Last contact; `None` if the batch is empty.
    pub(super) fn last(&self) -> Option<Id<Contact>> {
        self.entries.last().map(|(contact, _)| *contact)
    }

    /// Number of messages.
    pub(super) fn messages(&self) -> u32 {
        let messages = self.entries.iter().filter(|(_, message)| message.is_some()).count();
        u32::try_from(messages).unwrap_or(u32::MAX)
    }

    /// Number of first contacts that `balance` pays for.
    pub(super) fn paid_by(&self, balance: Money) -> usize {
        let mut left = balance;
        let is_paid = |(_, message): &&(_, Option<Message>)| {
            let cost = message.as_ref().map_or(Money::ZERO, |message| message.cost);
            left = left - cost;
            cost == Money::ZERO || left >= Money::ZERO
        };
        self.entries.iter().take_while(is_paid).count()
    }

    /// Cost of the next [`WORTH_RESUMING`] messages that are not free.
    pub(super) fn needed(&self) -> Money {
        let costs = self.entries.iter().filter_map(|(_, message)| Some(message.as_ref()?.cost));
        costs.filter(|cost| *cost > Money::ZERO).take(WORTH_RESUMING).sum()
    }

    /// Returns the submission of the first `count` contacts; `None` if there are none.
    pub(super) fn submission(&self, campaign: &LeasedCampaign, count: usize) -> Option<Submission> {
        let entries = self.entries.get(..count)?;
        let (last, _) = entries.last()?;
        let messages: Vec<_> = entries.iter().filter_map(|(_, message)| message.clone()).collect();
        let unreachable = entries.iter().filter(|(_, message)| message.is_none());
        let advance = CampaignAdvance {
            campaign: campaign.id,
            after: self.after,
            last: *last,
            unreachable: unreachable.map(|(contact, _)| *contact).collect(),
        };
        Some(Submission {
            organization: campaign.organization,
            idempotency: None,
            messages,
            first_worker: FirstWorker::Workers,
            advance: Some(Advance::Campaign(advance)),
        })
    }

    /// Returns the rest of the batch after its first `count` contacts were accepted.
    pub(super) fn remainder(mut self, count: usize) -> Self {
        let entries = self.entries.split_off(count.min(self.entries.len()));
        Self { after: self.last().or(self.after), entries }
    }
}

#[cfg(test)]
mod tests {
    use chrono::TimeDelta;
    use domain::shared::category::Category;
    use ports::messaging::messages::Advance;

    use super::*;
    use crate::shared::fixtures::{NOW, PRICE, queued, tenant};

    /// Contacts with messages of these costs, in prices; `None` has no address.
    fn batch(costs: &[Option<u16>]) -> Batch {
        let entries = costs.iter().enumerate().map(|(number, cost)| {
            let made_at = NOW + TimeDelta::milliseconds(i64::try_from(number).unwrap());
            let message = |cost: u16| Message { cost: PRICE * cost, ..queued(Category::Marketing) };
            (Id::new_in(made_at, tenant()), cost.map(message))
        });
        Batch { after: None, entries: entries.collect() }
    }

    fn leased() -> LeasedCampaign {
        LeasedCampaign {
            organization: tenant(),
            id: Id::new_in(NOW, tenant()),
            lease: domain::messaging::job::Lease::NONE,
            contacts_until: None,
            position: None,
            expanded_at: None,
            has_segment: true,
        }
    }

    #[test]
    fn the_wallet_pays_for_the_first_contacts_and_free_ones() {
        let batch = batch(&[None, Some(1), Some(0), Some(2), None, Some(0), Some(1)]);

        for (balance, paid) in [(0, 1), (1, 3), (2, 3), (3, 6), (4, 7), (9, 7)] {
            assert_eq!(batch.paid_by(PRICE * balance), paid, "{balance}");
        }
    }

    #[test]
    fn a_submission_advances_the_campaign_to_its_last_contact() {
        let batch = batch(&[None, Some(1), None, Some(1)]);
        let contacts: Vec<_> = batch.entries.iter().map(|(contact, _)| *contact).collect();

        let submission = batch.submission(&leased(), 3).unwrap();

        assert_eq!(submission.messages.len(), 1);
        let Some(Advance::Campaign(advance)) = submission.advance else { panic!("no campaign") };
        assert_eq!((advance.after, advance.last), (None, contacts[2]));
        assert_eq!(advance.unreachable, [contacts[0], contacts[2]]);
        assert!(batch.submission(&leased(), 0).is_none());
        let rest = batch.remainder(3);
        assert_eq!((rest.after, rest.last()), (Some(contacts[2]), Some(contacts[3])));
    }

    #[test]
    fn the_needed_amount_covers_at_most_25_messages() {
        assert_eq!(batch(&[None, Some(2), Some(0), Some(1)]).needed(), PRICE * 3);
        assert_eq!(batch(&[Some(1); 100]).needed(), PRICE * 25);
    }
}
