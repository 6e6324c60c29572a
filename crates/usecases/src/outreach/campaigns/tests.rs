//! Operations on campaigns, over mocked ports.

use domain::{
    audience::{
        contact::ContactRequest,
        segment::{CountedSegment, SegmentRequest},
    },
    identity::{organization::Role, scope::Scope},
    outreach::campaign::{ReasonCount, RecipientReason},
    shared::channel::Channel,
};
use mockall::predicate::always;
use ports::shared::{
    mock::{
        MockAudienceRepository, MockCampaignRepository, MockCampaignWakeup, MockContactRepository,
        MockMessagingProvider, MockSegmentRepository, MockTemplateRepository, MockUnsubscribeLinks,
    },
    nobody::Nobody,
};

use super::*;
use crate::{
    providers::provider_registry::ConfiguredProvider,
    shared::fixtures::{
        NOW, PRICE, broadcast_of, clock, member, price_list, prices, program, provider, tenant,
    },
};

#[derive(Default)]
struct Ports {
    campaigns: MockCampaignRepository,
    segments: MockSegmentRepository,
    audience: MockAudienceRepository,
    contacts: MockContactRepository,
    links: MockUnsubscribeLinks,
    wakeup: MockCampaignWakeup,
}

impl Ports {
    fn knowing(campaign: &Campaign) -> Self {
        let mut ports = Self::default();
        let progress = unsent(campaign.clone());
        ports.campaigns.expect_find().returning(move |_, _| Ok(Some(progress.clone())));
        ports
    }

    fn campaigns(self) -> Campaigns {
        self.campaigns_broadcasting(Arc::new(Nobody))
    }

    fn campaigns_broadcasting(self, change_broadcaster: Arc<dyn ChangeBroadcast>) -> Campaigns {
        let provider = provider("first", 1, chrono::TimeDelta::minutes(10));
        let adapter = Arc::new(MockMessagingProvider::new());
        let sandbox = Arc::new(MockMessagingProvider::new());
        Campaigns::new(CampaignsDeps {
            campaigns: Arc::new(self.campaigns),
            templates: Arc::new(MockTemplateRepository::new()),
            segments: Arc::new(self.segments),
            contacts: Arc::new(self.contacts),
            audience: Arc::new(self.audience),
            providers: Arc::new(Providers::new(
                vec![ConfiguredProvider { provider, adapter }],
                sandbox,
                None,
            )),
            prices: prices(price_list()),
            links: Arc::new(self.links),
            wakeup: Arc::new(self.wakeup),
            change_broadcaster,
            bounds: Bounds::none(),
            clock: clock(),
        })
    }
}

fn draft() -> Campaign {
    let request = CampaignRequest {
        name: Some("Sale".into()),
        channel: Some(Channel::Sms),
        body: Some("Hello {{firstName}}. Reply STOP to opt out".into()),
        ..CampaignRequest::default()
    };
    let whose = (tenant(), &*member(Role::Owner).policy);
    request.campaign(whose, Id::new(NOW), NOW).unwrap()
}

fn segment() -> CountedSegment {
    let rules = Some(serde_json::json!({}));
    let request = SegmentRequest { name: Some("All".into()), rules, ..SegmentRequest::default() };
    let segment = request.segment(tenant(), NOW).unwrap();
    CountedSegment { segment, contacts: 1_000_000, counted_at: NOW }
}

#[tokio::test]
async fn a_confirmation_that_is_always_overtaken_fails() {
    let campaign = draft();
    let mut ports = Ports::knowing(&campaign);
    let confirm = ports.campaigns.expect_confirm().times(ATTEMPTS);
    confirm.returning(|_, _, _, _| Ok(None));

    let error = ports.campaigns().send(&member(Role::Owner), campaign.id).await.unwrap_err();

    assert_eq!(error.code(), "CONTENT_CHANGED");
}

#[tokio::test]
async fn a_sandbox_key_changes_no_campaign_that_is_live() {
    let key = program(&["campaigns:write"], true).opened_by(Scope::CampaignsWrite);
    let live = draft();

    let paused = Ports::knowing(&live).campaigns().pause(&key, live.id).await;
    assert_eq!(paused.unwrap_err().code(), "LIVE_KEY_REQUIRED");

    let rehearsal = Campaign { is_sandbox: true, ..live };
    let mut ports = Ports::knowing(&rehearsal);
    let acted = rehearsal.clone();
    let act = ports.campaigns.expect_act().once();
    act.returning(move |_, _, _, _| Ok(Acted::Done(acted.clone())));
    ports.campaigns().pause(&key, rehearsal.id).await.unwrap();
}

#[tokio::test]
async fn a_confirmation_has_the_segment_rules_and_wakes_a_worker() {
    let known = segment();
    let campaign = Campaign { segment: Some(known.segment.id), ..draft() };
    let mut ports = Ports::knowing(&campaign);
    let (rules, segment) = (known.segment.rules.clone(), known.segment);
    ports.segments.expect_look_up().returning(move |_, _| Ok(Some(segment.clone())));
    let confirm = ports.campaigns.expect_confirm().once();
    confirm
        .withf(move |_, confirmation, (action, approval), _| {
            confirmation.rules.as_ref() == Some(&rules)
                && (*action, approval.is_none()) == (CampaignAction::Start, true)
        })
        .returning(|draft, _, _, _| {
            Ok(Some(Campaign { status: CampaignStatus::Sending, ..draft.clone() }))
        });
    ports.wakeup.expect_wake().once().return_const(());

    let sent = ports.campaigns().send(&member(Role::CampaignManager), campaign.id).await.unwrap();

    assert_eq!(sent.campaign.status, CampaignStatus::Sending);
}

#[tokio::test]
async fn a_large_audience_is_sampled_without_duplicates() {
    let known = segment();
    let campaign = Campaign { segment: Some(known.segment.id), ..draft() };
    let contact = |number: u32| {
        let phone = (!number.is_multiple_of(4)).then(|| format!("02412345{number:02}"));
        let request =
            ContactRequest { first_name: Some("Ama".into()), phone, ..ContactRequest::default() };
        request.contact(tenant(), NOW).unwrap()
    };
    let contacts: Vec<_> = (10..50).map(contact).collect();
    let mut ports = Ports::knowing(&campaign);
    ports.campaigns.expect_confirmation().returning(|_, _| Ok(None));
    ports.segments.expect_find().returning(move |_, _| Ok(Some(known.clone())));
    let places = [contacts[0].id, contacts[9].id];
    ports.campaigns.expect_sample_points().returning(move |_, _| Ok(places.to_vec()));
    ports.audience.expect_members_after().with(always(), always(), always(), always()).returning(
        move |_, _, after, _| {
            // The parts overlap.
            let skipped = if after == Some(places[0]) { 0 } else { 10 };
            Ok(contacts[skipped..].to_vec())
        },
    );
    ports.campaigns.expect_suppressed().returning(|_, _, _| Ok(std::iter::empty().collect()));

    let preview = ports.campaigns().preview(&member(Role::Viewer), campaign.id).await.unwrap();

    assert!(preview.is_estimate);
    assert_eq!((preview.total.audience, preview.total.unreachable), (1_000_000, 250_000));
    let skipped = ReasonCount { reason: RecipientReason::NoAddress, count: 250_000 };
    assert_eq!(preview.by_reason, [skipped]);
    assert_eq!(preview.total.segments, 750_000);
    assert_eq!(preview.total.cost.micros(), PRICE.micros() * 750_000);
    assert_eq!(preview.samples.len(), 3);
}

#[tokio::test]
async fn a_preview_shows_an_unsubscribe_link() {
    let campaign = Campaign { body: Some("Stop: {{unsubscribe}}".into()), ..draft() };
    let request = ContactRequest { phone: Some("0241234567".into()), ..ContactRequest::default() };
    let contact = request.contact(tenant(), NOW).unwrap();
    let mut ports = Ports::knowing(&campaign);
    ports.campaigns.expect_confirmation().returning(|_, _| Ok(None));
    ports.contacts.expect_page().returning(|_, _, page| Ok(Paged::counted(vec![], page, 1)));
    ports.audience.expect_members_after().returning(move |_, _, _, _| Ok(vec![contact.clone()]));
    ports.campaigns.expect_suppressed().returning(|_, _, _| Ok(std::iter::empty().collect()));
    ports.links.expect_sample().returning(|_, _| Some("https://a.example/u/x".into()));

    let preview = ports.campaigns().preview(&member(Role::Viewer), campaign.id).await.unwrap();

    assert_eq!(preview.samples[0].draft.body, "Stop: https://a.example/u/x");
    assert_eq!((preview.total.audience, preview.is_estimate), (1, false));
}

#[tokio::test]
async fn a_held_campaign_is_broadcast_to_all_instances() {
    let campaign = Campaign { status: CampaignStatus::Paused, ..draft() };
    let mut ports = Ports::knowing(&campaign);
    let paused = campaign.clone();
    ports
        .campaigns
        .expect_act()
        .once()
        .returning(move |_, _, _, _| Ok(Acted::Done(paused.clone())));
    let campaigns = ports.campaigns_broadcasting(broadcast_of(Change::Holds));

    campaigns.pause(&member(Role::Owner), campaign.id).await.unwrap();
}
