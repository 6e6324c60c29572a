//! Previews of campaigns, as if they were sent now.

use domain::messaging::message::CampaignId;
use std::{
    collections::{BTreeMap, HashSet},
    sync::Arc,
};

use domain::{
    audience::{
        contact::{Contact, ContactFilter},
        segment::Segment,
    },
    identity::{caller::Caller, permission::Permission},
    messaging::{
        delivery::{Failure, FailureCode},
        message::Draft,
    },
    money::pricing::PriceList,
    outreach::campaign::{
        Campaign, CampaignContent, CampaignMessage, CampaignPreview, CampaignRefusals,
        CampaignTotal, CampaignWriter, PREVIEWED_EXACTLY, SAMPLES, SampleMessage,
    },
    platform::fraud_guard,
    shared::{address::Address, id::Id, money::Money, page::Page},
};
use ports::audience::segments::Audience;

use super::{Campaigns, content_of, segment_not_found};
use crate::Error;

/// Number of places at which a large audience is sampled, and number of contacts at each.
const PLACES: usize = 10;
const AT_A_PLACE: u32 = 100;
/// Number of contacts read at a time.
const BATCH: u32 = 500;

/// Facts that determine the cost of messages.
struct Pricing {
    prices: Arc<PriceList>,
    suppressed: HashSet<Address>,
    /// True if the messages go to the sandbox, at no cost.
    is_sandbox: bool,
}

impl Campaigns {
    /// Previews a campaign, as if it were sent now. Any campaign with a text can be previewed; a
    /// confirmed one with its confirmed text.
    pub async fn preview(&self, caller: &Caller, id: CampaignId) -> Result<CampaignPreview, Error> {
        caller.authorize(Permission::Read)?;
        let campaign = self.find(caller, id).await?.campaign;
        let content = self.present_content(&campaign).await?;
        let (audience, contacts) = self.contacts_of(caller, &campaign).await?;
        let is_estimate = contacts.len() as u64 != audience && audience > PREVIEWED_EXACTLY;
        let writer = CampaignWriter::new(&campaign, content.clone());
        let link = if writer.has_unsubscribe_link() {
            self.deps.links.sample(caller.organization, campaign.channel)
        } else {
            None
        };
        let pricing = self.pricing(caller, (&campaign, &content), &contacts).await?;

        let (mut total, mut samples) = (CampaignTotal::default(), Vec::new());
        let mut refusals = CampaignRefusals::default();
        // One message at a time: all of them together could be thousands of times as long as the text.
        for contact in &contacts {
            let message = writer.write(contact, &caller.policy, link.as_deref());
            let cost = self.cost_of(caller, &message, &pricing);
            total.add(&message, cost.as_ref().ok().copied());
            total.note_consent(contact);
            refusals.add(&message, cost.as_ref().err());
            if samples.len() < SAMPLES {
                samples.extend(sample(contact.id, message, cost));
            }
        }
        let seen = total.audience;
        let total = if is_estimate { total.projected_on(audience) } else { total };
        Ok(CampaignPreview {
            total,
            by_reason: refusals.projected_on(total.audience, seen),
            is_promotion: content.is_promotion(),
            is_estimate,
            is_sandbox: campaign.is_sandbox,
            assessment: content.assess(campaign.sending(&caller.policy.settings.ways_out)),
            samples,
        })
    }

    /// Returns the number of contacts of a campaign without a recorded consent, projected from some of
    /// them if they are many; `None` if it is no promotion, or they cannot be counted now.
    pub async fn without_consent(&self, caller: &Caller, campaign: &Campaign) -> Option<u64> {
        let counted = self.count_without_consent(caller, campaign).await;
        counted.unwrap_or_else(|error| {
            tracing::warn!(%error, campaign = %campaign.id, "failed to count contacts without consent");
            None
        })
    }

    async fn count_without_consent(
        &self,
        caller: &Caller,
        campaign: &Campaign,
    ) -> Result<Option<u64>, Error> {
        if !self.present_content(campaign).await?.is_promotion() {
            return Ok(None);
        }
        let (audience, contacts) = self.contacts_of(caller, campaign).await?;
        let total = CampaignTotal::of_consents(&contacts);
        let is_exact = audience <= PREVIEWED_EXACTLY;
        let total = if is_exact { total } else { total.projected_on(audience) };
        Ok(Some(total.without_consent))
    }

    /// Returns the text of a campaign: the confirmed one, or else the present one. Fails if it has none
    /// yet.
    pub async fn content(
        &self,
        caller: &Caller,
        campaign: &Campaign,
    ) -> Result<CampaignContent, Error> {
        caller.authorize(Permission::Read)?;
        self.present_content(campaign).await
    }

    async fn present_content(&self, campaign: &Campaign) -> Result<CampaignContent, Error> {
        let confirmed =
            self.deps.campaigns.confirmation(campaign.organization, campaign.id).await?;
        match confirmed {
            Some(confirmation) => Ok(confirmation.content),
            None => content_of(campaign, self.template_of(campaign).await?.as_ref()),
        }
    }

    /// Returns the current number of contacts of a campaign, and all of them, or a sample if they
    /// are many.
    async fn contacts_of(
        &self,
        caller: &Caller,
        campaign: &Campaign,
    ) -> Result<(u64, Vec<Contact>), Error> {
        let organization = caller.organization;
        let segment = match campaign.segment {
            Some(id) => {
                let segment = self.deps.segments.find(organization, id).await?;
                Some(segment.ok_or_else(|| segment_not_found(id))?)
            }
            None => None,
        };
        let count = match &segment {
            Some(segment) => segment.contacts,
            None => {
                let page = Page::new(None, Some(1))?;
                self.deps.contacts.page(organization, &ContactFilter::default(), page).await?.total
            }
        };
        let segment = segment.map(|counted| counted.segment);
        let audience = audience(segment.as_ref());
        if count <= PREVIEWED_EXACTLY {
            return Ok((count, self.all(caller, audience).await?));
        }
        let places = self.deps.campaigns.sample_points(organization, PLACES).await?;
        let mut some = BTreeMap::new();
        for place in places {
            let found = self
                .deps
                .audience
                .members_after(organization, audience, Some(place), AT_A_PLACE)
                .await?;
            some.extend(found.into_iter().map(|contact| (contact.id, contact)));
        }
        Ok((count, some.into_values().collect()))
    }

    /// Returns all contacts of a small audience.
    async fn all(&self, caller: &Caller, audience: Audience<'_>) -> Result<Vec<Contact>, Error> {
        let (mut all, mut after): (Vec<Contact>, _) = (Vec::new(), None);
        while (all.len() as u64) < PREVIEWED_EXACTLY {
            let found = self
                .deps
                .audience
                .members_after(caller.organization, audience, after, BATCH)
                .await?;
            let is_last = found.len() < BATCH as usize;
            after = found.last().map(|contact| contact.id);
            all.extend(found);
            if is_last {
                break;
            }
        }
        Ok(all)
    }

    /// Reads the prices and suppressions that determine the cost of messages to `contacts`.
    async fn pricing(
        &self,
        caller: &Caller,
        (campaign, content): (&Campaign, &CampaignContent),
        contacts: &[Contact],
    ) -> Result<Pricing, Error> {
        let prices = self.deps.prices.current().await?;
        let recipients = contacts.iter().filter_map(|it| it.address(campaign.channel).cloned());
        let recipients: Vec<_> = recipients.collect();
        let (organization, mut suppressed) = (caller.organization, HashSet::new());
        for kind in content.category.kinds(true) {
            let concerned = (campaign.channel, kind);
            suppressed.extend(
                self.deps.campaigns.suppressed(organization, concerned, &recipients).await?,
            );
        }
        Ok(Pricing { prices, suppressed, is_sandbox: campaign.is_sandbox })
    }

    /// Returns the cost of a message. Fails with the reason if it would not be sent.
    fn cost_of(
        &self,
        caller: &Caller,
        message: &CampaignMessage,
        pricing: &Pricing,
    ) -> Result<Money, Failure> {
        match message {
            CampaignMessage::Ready(draft) => self.cost(caller, draft, pricing),
            CampaignMessage::Refused(_, failure) => Err(failure.clone()),
            CampaignMessage::Unreachable => Ok(Money::ZERO),
        }
    }

    fn cost(
        &self,
        caller: &Caller,
        draft: &Draft,
        Pricing { prices, suppressed, is_sandbox }: &Pricing,
    ) -> Result<Money, Failure> {
        if suppressed.contains(&draft.recipient) {
            let message = "the recipient is on the suppression list";
            return Err(Failure::new(FailureCode::RecipientSuppressed, message));
        }
        if let Some(failure) = fraud_guard::country_refusal(draft, &caller.policy) {
            return Err(failure);
        }
        let no_route = |message: &str| Failure::new(FailureCode::NoRoute, message);
        if !self.deps.providers.serves(draft, *is_sandbox) {
            return Err(no_route("no provider serves this channel and country"));
        }
        if *is_sandbox {
            return Ok(Money::ZERO);
        }
        prices
            .price(caller.organization, draft.channel, draft.country, draft.segments)
            .ok_or_else(|| no_route("there is no price for this route"))
    }
}

/// Audience of a campaign for `segment`.
fn audience(segment: Option<&Segment>) -> Audience<'_> {
    segment.map_or(Audience::Everybody, Audience::Segment)
}

fn sample(
    contact: Id<Contact>,
    message: CampaignMessage,
    cost: Result<Money, Failure>,
) -> Option<SampleMessage> {
    let (CampaignMessage::Ready(draft) | CampaignMessage::Refused(draft, _)) = message else {
        return None;
    };
    let failure = cost.as_ref().err().cloned();
    Some(SampleMessage { contact, draft, cost: cost.unwrap_or_default(), failure })
}
