//! Expansion of a campaign from its contacts to its messages.

use std::sync::Arc;

use chrono::TimeDelta;
use domain::{
    audience::{
        contact::Contact,
        segment::{Rules, Segment},
    },
    identity::policy::Policy,
    messaging::{
        message::{Message, Source},
        priority::Origin,
    },
    outreach::campaign::{CampaignMessage, CampaignWriter, PausedReason},
    shared::{channel::Channel, id::Id, money::Money},
};
use futures_util::future::join;
use ports::{
    audience::segments::Audience, messaging::messages::IntakeError,
    outreach::campaign_queue::LeasedCampaign, shared::store::StoreError,
};

use super::{CampaignWork, Confirmed, batch::Batch, room::Room};
use crate::messaging::messages::Sender;

/// Number of contacts whose messages are accepted together.
const BATCH: u32 = 500;
/// The same of a rehearsal, so that it finds room among the messages of sandbox keys.
const REHEARSED: u32 = 100;
/// Maximum duration of a turn, shorter than a lease.
const TURN: TimeDelta = TimeDelta::seconds(5);
/// Delay until the next turn of a campaign that was overtaken, or for which the intake had no room.
const SOON: TimeDelta = TimeDelta::milliseconds(100);
/// Number of tries of a batch that the wallet pays for in part while others spend too.
const TRIES: u32 = 5;

/// Inputs of the messages of a campaign.
pub(super) struct Expansion {
    channel: Channel,
    writer: CampaignWriter,
    is_sandbox: bool,
    policy: Arc<Policy>,
    segment: Option<Id<Segment>>,
    rules: Option<Rules>,
    pub(super) until: Id<Contact>,
    room: Room,
}

/// Result of submitting a batch.
enum Submitted {
    /// The whole batch was accepted.
    Done,
    /// The rest cannot be paid.
    Unpaid(Unpaid),
    /// Another worker has the campaign, or the intake has no room at the moment.
    Later,
}

/// Reason why a campaign is paused, and the amount needed to resume it.
struct Unpaid {
    reason: PausedReason,
    needed: Money,
}

impl Unpaid {
    /// The balance of the wallet is too low.
    fn balance(batch: &Batch) -> Self {
        Self { reason: PausedReason::InsufficientBalance, needed: batch.needed() }
    }

    /// The daily limit is reached. The needed amount is at most that limit, unless the limit does
    /// not even cover one message: then the campaign waits until it is raised.
    fn limit(batch: &Batch, limit: Money) -> Self {
        let needed = batch.needed();
        let needed = if batch.paid_by(limit) > 0 { needed.min(limit) } else { needed };
        Self { reason: PausedReason::SpendingLimitReached, needed }
    }
}

/// Batch to be submitted, and whether it is the last.
pub(super) struct Prepared {
    batch: Batch,
    is_last: bool,
}

impl Prepared {
    /// Number of contacts of a campaign whose first batch this is; `None` if others follow.
    pub(super) fn audience(&self) -> Option<u64> {
        self.is_last.then(|| u64::try_from(self.batch.entries.len()).unwrap_or(u64::MAX))
    }
}

impl Expansion {
    /// Audience of the campaign.
    pub(super) fn audience(&self) -> Audience<'_> {
        match (&self.rules, self.segment) {
            (Some(rules), _) => Audience::Rules(rules),
            (None, Some(segment)) => Audience::Members(segment),
            (None, None) => Audience::Everybody,
        }
    }
}

impl CampaignWork {
    /// Returns the inputs of a campaign's messages; `None` if they are gone.
    pub(super) async fn expansion(
        &self,
        leased: &LeasedCampaign,
        (campaign, confirmation): Confirmed<'_>,
        (until, room): (Id<Contact>, Room),
    ) -> Result<Option<Expansion>, StoreError> {
        let policy = self.deps.policies.get(leased.organization).await?;
        let (Some(confirmation), Some(policy)) = (confirmation, policy) else { return Ok(None) };
        if confirmation.rules.is_none() && !leased.has_segment {
            return Ok(None);
        }
        Ok(Some(Expansion {
            channel: campaign.channel,
            writer: CampaignWriter::new(campaign, confirmation.content),
            is_sandbox: campaign.is_sandbox,
            policy,
            segment: campaign.segment,
            rules: confirmation.rules,
            until,
            room,
        }))
    }

    /// Continues a campaign.
    pub(super) async fn expand(
        &self,
        leased: &LeasedCampaign,
        confirmed: Confirmed<'_>,
        room: Room,
    ) -> Result<(), StoreError> {
        let until = leased.contacts_until.unwrap_or(Id::floor(self.deps.clock.now()));
        let expansion = self.expansion(leased, confirmed, (until, room)).await?;
        let Some(expansion) = expansion else { return self.fail(leased).await };
        let first = self.prepare(leased, &expansion, leased.position).await?;
        self.expand_with(leased, &expansion, first).await
    }

    /// Submits a batch, and the messages of the next contacts. While a batch is being written, prepares the next
    /// one.
    pub(super) async fn expand_with(
        &self,
        leased: &LeasedCampaign,
        expansion: &Expansion,
        first: Prepared,
    ) -> Result<(), StoreError> {
        let began = self.deps.clock.now();
        let mut next = Some(first);
        // Campaigns that start together all get a first batch before any gets a second.
        let most = if leased.contacts_until.is_none() { 1 } else { expansion.room.batches };
        let mut batches = 0;
        while let Some(Prepared { batch, is_last }) = next.take() {
            if let Some(wait) = self.wait_to_rehearse(leased, expansion, &batch).await {
                return self.deps.queue.give_back(leased, Some(wait)).await;
            }
            let last = batch.last().or(batch.after);
            batches += 1;
            let has_time = batches < most && self.deps.clock.now() - began < TURN;
            let goes_on =
                !is_last && has_time && self.deps.policies.may_send(leased.organization).await?;
            let prepare = async {
                if goes_on {
                    self.prepare(leased, expansion, last).await.map(Some)
                } else {
                    Ok(None)
                }
            };
            let (submitted, prepared) = join(self.submit(leased, batch), prepare).await;
            match submitted? {
                Submitted::Done if is_last => return self.end_expansion(leased, last).await,
                Submitted::Done => {}
                Submitted::Unpaid(unpaid) => return self.pause(leased, unpaid).await,
                Submitted::Later => return self.deps.queue.give_back(leased, Some(SOON)).await,
            }
            next = prepared?;
        }
        self.deps.queue.give_back(leased, Some(TimeDelta::zero())).await
    }

    /// Returns the time until the messages of a batch may be rehearsed; `None` if they may be now, or
    /// if the campaign is no rehearsal. Nothing but this limits messages that cost nothing.
    async fn wait_to_rehearse(
        &self,
        leased: &LeasedCampaign,
        expansion: &Expansion,
        batch: &Batch,
    ) -> Option<TimeDelta> {
        if !expansion.is_sandbox {
            return None;
        }
        let (organization, policy) = (leased.organization, &expansion.policy);
        self.deps.messages.wait_to_rehearse(organization, policy, batch.messages()).await
    }

    /// Returns the next contacts and their messages.
    pub(super) async fn prepare(
        &self,
        leased: &LeasedCampaign,
        expansion: &Expansion,
        after: Option<Id<Contact>>,
    ) -> Result<Prepared, StoreError> {
        let audience = expansion.audience();
        let most = if expansion.is_sandbox { REHEARSED } else { BATCH };
        let found =
            self.deps.audience.members_after(leased.organization, audience, after, most).await?;
        let count = found.len();
        let mut contacts = found;
        contacts.retain(|contact| contact.id < expansion.until);
        let is_last = contacts.len() < count || count < most as usize;
        let sender = Sender::unasked(leased.organization, expansion.is_sandbox);
        let planning = self.deps.messages.planning(sender, Origin::Campaign).await?;
        let message = |draft, contact: &Contact| {
            let message = self.deps.messages.plan(draft, &planning);
            Message {
                source: Some(Source::Campaign(leased.id)),
                contact: Some(contact.id.uuid().into()),
                ..message
            }
        };
        let links = self.unsubscribe_links(expansion, &contacts).await?;
        let (mut entries, mut bytes) = (Vec::with_capacity(contacts.len()), 0);
        for (index, contact) in contacts.iter().enumerate() {
            let link = links.get(index).and_then(Option::as_deref);
            let written = match expansion.writer.write(contact, &expansion.policy, link) {
                CampaignMessage::Unreachable => None,
                CampaignMessage::Ready(draft) => Some(message(draft, contact)),
                CampaignMessage::Refused(draft, failure) => {
                    Some(message(draft, contact).refused(failure))
                }
            };
            bytes += written.as_ref().map_or(0, |message| message.draft.filled_bytes());
            entries.push((contact.id, written));
            if bytes > expansion.room.batch_bytes {
                break;
            }
        }
        let is_last = is_last && entries.len() == contacts.len();
        Ok(Prepared { batch: Batch { after, entries }, is_last })
    }

    /// Returns the unsubscribe links of contacts; empty if the text has no place for them.
    async fn unsubscribe_links(
        &self,
        expansion: &Expansion,
        contacts: &[Contact],
    ) -> Result<Vec<Option<String>>, StoreError> {
        if expansion.writer.has_unsubscribe_link() {
            self.deps.links.links_of(expansion.channel, contacts).await
        } else {
            Ok(Vec::new())
        }
    }

    /// Submits a batch as far as the wallet and the daily limit pay for it.
    async fn submit(&self, leased: &LeasedCampaign, batch: Batch) -> Result<Submitted, StoreError> {
        let mut count = batch.entries.len();
        let mut limit = None;
        for _ in 0..TRIES {
            let Some(submission) = batch.submission(leased, count) else {
                return Ok(Submitted::Done);
            };
            match self.deps.messages.accept(submission).await {
                Ok(_) if count == batch.entries.len() => return Ok(Submitted::Done),
                Ok(_) => return Ok(Submitted::Unpaid(unpaid(&batch.remainder(count), limit))),
                Err(IntakeError::InsufficientBalance(missing)) => {
                    limit = None;
                    count = batch.paid_by(missing.balance).min(count.saturating_sub(1));
                }
                Err(IntakeError::SpendingLimitReached(reached)) => {
                    limit = Some(reached.limit);
                    count = batch.paid_by(reached.left()).min(count.saturating_sub(1));
                }
                Err(IntakeError::Store(error)) => return Err(error),
                Err(
                    IntakeError::Overtaken
                    | IntakeError::Overloaded
                    | IntakeError::IdempotencyKeyReused,
                ) => return Ok(Submitted::Later),
            }
            if count == 0 {
                return Ok(Submitted::Unpaid(unpaid(&batch, limit)));
            }
        }
        Ok(Submitted::Later)
    }

    async fn end_expansion(
        &self,
        leased: &LeasedCampaign,
        last: Option<Id<Contact>>,
    ) -> Result<(), StoreError> {
        self.deps.queue.end_expansion(leased, last, self.deps.clock.now()).await.map(drop)
    }

    async fn pause(&self, leased: &LeasedCampaign, unpaid: Unpaid) -> Result<(), StoreError> {
        let Unpaid { reason, needed } = unpaid;
        if self.deps.queue.pause_unpaid(leased, reason, needed, self.deps.clock.now()).await? {
            tracing::info!(
                campaign = %leased.id, organization = %leased.organization, %needed,
                reason = reason.as_str(), "paused a campaign: its next messages cannot be paid"
            );
        }
        Ok(())
    }
}

/// Reason why the rest of a batch cannot be paid: the daily limit, if it was reached, else the
/// balance.
fn unpaid(rest: &Batch, limit: Option<Money>) -> Unpaid {
    match limit {
        Some(limit) => Unpaid::limit(rest, limit),
        None => Unpaid::balance(rest),
    }
}
