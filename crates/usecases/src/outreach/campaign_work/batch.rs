//! A batch of a campaign's messages, and how far the wallet pays for it.

use domain::{
    audience::contact::Contact,
    messaging::message::Message,
    shared::{id::Id, money::Money},
};
use ports::{
    messaging::messages::{Advance, CampaignAdvance, FirstWorker, Submission},
    outreach::campaign_queue::LeasedCampaign,
};

/// For how many messages there must be money again before a campaign goes on by itself that the wallet
/// could not pay. Refunds that trickle in would else wake it for every one of them.
const WORTH_RESUMING: usize = 25;

/// The contacts of a campaign that follow one another, each with its message. Who has no address for
/// the channel has none.
#[derive(Debug, Default)]
pub(super) struct Batch {
    /// The last contact before these; nobody, at the beginning.
    pub(super) after: Option<Id<Contact>>,
    pub(super) entries: Vec<(Id<Contact>, Option<Message>)>,
}

impl Batch {
    /// The last contact.
    pub(super) fn last(&self) -> Option<Id<Contact>> {
        self.entries.last().map(|(contact, _)| *contact)
    }

    /// How many of its first contacts `balance` pays for.
    pub(super) fn paid_by(&self, balance: Money) -> usize {
        let mut left = balance;
        let is_paid = |(_, message): &&(_, Option<Message>)| {
            let cost = message.as_ref().map_or(Money::ZERO, |message| message.cost);
            left = left - cost;
            cost == Money::ZERO || left >= Money::ZERO
        };
        self.entries.iter().take_while(is_paid).count()
    }

    /// What its next messages cost, as many as are worth going on for.
    pub(super) fn needed(&self) -> Money {
        let costs = self.entries.iter().filter_map(|(_, message)| Some(message.as_ref()?.cost));
        costs.filter(|cost| *cost > Money::ZERO).take(WORTH_RESUMING).sum()
    }

    /// The first `count` contacts, as they are submitted. Nothing if there are none.
    pub(super) fn submission(&self, campaign: &LeasedCampaign, count: usize) -> Option<Submission> {
        let entries = self.entries.get(..count)?;
        let (last, _) = entries.last()?;
        let messages: Vec<_> = entries.iter().filter_map(|(_, message)| message.clone()).collect();
        let unreachable = u32::try_from(entries.len() - messages.len()).unwrap_or(u32::MAX);
        let advance =
            CampaignAdvance { campaign: campaign.id, after: self.after, last: *last, unreachable };
        Some(Submission {
            organization: campaign.organization,
            idempotency: None,
            messages,
            first_worker: FirstWorker::Workers,
            advance: Some(Advance::Campaign(advance)),
        })
    }

    /// What is left of it when its first `count` contacts were accepted.
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
    fn the_wallet_pays_for_the_first_contacts_and_for_those_that_cost_nothing() {
        let batch = batch(&[None, Some(1), Some(0), Some(2), None, Some(0), Some(1)]);

        for (balance, paid) in [(0, 1), (1, 3), (2, 3), (3, 6), (4, 7), (9, 7)] {
            assert_eq!(batch.paid_by(PRICE * balance), paid, "{balance}");
        }
    }

    #[test]
    fn what_is_submitted_brings_the_campaign_to_its_last_contact() {
        let batch = batch(&[None, Some(1), None, Some(1)]);
        let contacts: Vec<_> = batch.entries.iter().map(|(contact, _)| *contact).collect();

        let submission = batch.submission(&leased(), 3).unwrap();

        assert_eq!(submission.messages.len(), 1);
        let Some(Advance::Campaign(advance)) = submission.advance else { panic!("no campaign") };
        assert_eq!((advance.after, advance.last, advance.unreachable), (None, contacts[2], 2));
        assert!(batch.submission(&leased(), 0).is_none());
        let rest = batch.remainder(3);
        assert_eq!((rest.after, rest.last()), (Some(contacts[2]), Some(contacts[3])));
    }

    #[test]
    fn a_campaign_goes_on_for_some_messages_at_a_time_or_for_those_that_are_left() {
        assert_eq!(batch(&[None, Some(2), Some(0), Some(1)]).needed(), PRICE * 3);
        assert_eq!(batch(&[Some(1); 100]).needed(), PRICE * 25);
    }
}
