//! Campaigns: concurrent changes, stored confirmations and maintenance.

use adapters_postgres::{PgSegments, PgStore};
use domain::{
    audience::segment::{Rules, Segment, SegmentRequest},
    content::{
        approval::{Approval, Verdict},
        template::{ValueRules, VendorTemplate},
    },
    identity::{
        actor::RequestId,
        organization::{Organization, WaysOut},
        policy::Policy,
    },
    messaging::message::Metadata,
    outreach::campaign::{
        Campaign, CampaignAction, CampaignContent, CampaignRequest, CampaignStatus, CampaignUpdate,
        Confirmation, MAX_UNFINISHED, PausedReason,
    },
    platform::audit::AuditEntry,
    shared::{category::Category, channel::Channel, id::Id, page::Page, text_format::TextFormat},
};
use ports::{
    audience::segments::{Deleted, SegmentRepository},
    content::approvals::Settled,
    outreach::campaigns::{Acted, CampaignRepository, Inserted, Updated},
};
use serde_json::json;

use crate::{World, minutes, now};

impl World {
    fn campaigns(&self) -> &dyn CampaignRepository {
        &self.store
    }

    async fn draft(&self, organization: Id<Organization>) -> Campaign {
        let campaign = draft(organization);
        assert_eq!(self.campaigns().insert(&campaign).await.unwrap(), Inserted::Done);
        campaign
    }

    /// A campaign that was confirmed, after `action`.
    async fn confirmed(&self, organization: Id<Organization>, action: CampaignAction) -> Campaign {
        let draft = self.draft(organization).await;
        let (confirmation, begun) = (confirmation("Akwaaba"), (action, None));
        let confirmed = self.campaigns().confirm(&draft, &confirmation, begun, now()).await;
        confirmed.unwrap().unwrap()
    }

    async fn found(&self, campaign: &Campaign) -> Option<Campaign> {
        let found = self.campaigns().find(campaign.organization, campaign.id).await.unwrap();
        found.map(|progress| progress.campaign)
    }

    async fn act(&self, campaign: &Campaign, action: CampaignAction) -> Acted {
        self.campaigns().act(campaign.organization, campaign.id, action, now()).await.unwrap()
    }

    async fn number(&self, query: &str) -> i64 {
        self.client().await.query_one(query, &[]).await.unwrap().get(0)
    }
}

fn draft(organization: Id<Organization>) -> Campaign {
    let request = CampaignRequest {
        name: Some("Sale".into()),
        channel: Some(Channel::Sms),
        body: Some("Akwaaba".into()),
        ..CampaignRequest::default()
    };
    request.campaign((organization, &Policy::default()), Id::new(now()), now()).unwrap()
}

fn confirmation(body: &str) -> Confirmation {
    let content = CampaignContent::own(None, body.into());
    Confirmation { content, hash: [1; 32], rules: None }
}

fn segment(organization: Id<Organization>) -> Segment {
    let request = SegmentRequest {
        name: Some("All".into()),
        rules: Some(json!({})),
        ..SegmentRequest::default()
    };
    request.segment(organization, now()).unwrap()
}

#[tokio::test]
async fn a_campaign_and_its_confirmation_are_read_as_written() {
    let world = World::new().await;
    let own = world.organization().await.id;
    let draft = Campaign {
        template: Some(Id::new_in(now(), own)),
        subject: Some("Sale".into()),
        format: Some(TextFormat::Text),
        sender: Some("Kente".into()),
        metadata: Metadata::new([("sale".into(), "makola".into())].into()).unwrap(),
        is_sandbox: true,
        scheduled_at: Some(now()),
        ..draft(own)
    };
    world.campaigns().insert(&draft).await.unwrap();
    assert_eq!(world.found(&draft).await, Some(draft.clone()));
    assert_eq!(world.campaigns().confirmation(own, draft.id).await.unwrap(), None);

    let confirmation = Confirmation {
        content: CampaignContent {
            category: Category::Reminder,
            subject: Some("Sale".into()),
            body: "Hello {{firstName}}".into(),
            format: Some(TextFormat::Html),
            vendor_template: Some(VendorTemplate {
                name: "sale".into(),
                language: "en".into(),
                parameters: vec!["firstName".into()],
                button: None,
            }),
            value_rules: ValueRules { short: Some(vec!["firstName".into()]), allows_long: true },
        },
        hash: [7; 32],
        rules: Some(Rules::parse(json!({"tags": "vip"})).unwrap()),
    };
    let at = now() + minutes(1);
    let begun = (CampaignAction::Schedule, None);
    let confirmed = world.campaigns().confirm(&draft, &confirmation, begun, at).await.unwrap();

    let status = CampaignStatus::Scheduled;
    let expected = Campaign { status, updated_at: at, ..draft.clone() };
    assert_eq!(confirmed, Some(expected.clone()));
    assert_eq!(world.found(&draft).await, Some(expected.clone()));
    let kept = world.campaigns().confirmation(own, draft.id).await.unwrap();
    assert_eq!(kept, Some(confirmation));
    let keys = [(own, draft.id), (own, Id::new_in(now(), own))];
    let found = world.campaigns().find_confirmed(&keys).await.unwrap();
    let [found] = &found[..] else { panic!("{found:?}") };
    assert_eq!((&found.progress.campaign, &found.confirmation), (&expected, &kept));
}

#[tokio::test]
async fn one_of_two_concurrent_edits_or_confirmations_wins() {
    let world = World::new().await;
    let own = world.organization().await.id;
    let draft = world.draft(own).await;
    let update = CampaignUpdate {
        name: Some("x".into()),
        channel: Some(Channel::Push),
        ..CampaignUpdate::default()
    };
    let edit = || update.clone().apply(&draft, &Policy::default(), Id::new(now()), now()).unwrap();

    let (first, second) = (edit(), edit());
    let repository = world.campaigns();
    let (first, second) = tokio::join!(repository.update(&first), repository.update(&second));
    let mut outcomes = [first.unwrap(), second.unwrap()];
    outcomes.sort_by_key(|outcome| *outcome != Updated::Done);
    assert_eq!(outcomes, [Updated::Done, Updated::Overtaken]);

    let edited = world.found(&draft).await.unwrap();
    assert_eq!((edited.version, edited.authors.len(), edited.channel), (2, 2, Channel::Push));
    let confirmation = confirmation("Akwaaba");
    let confirm =
        |draft| repository.confirm(draft, &confirmation, (CampaignAction::Start, None), now());
    assert_eq!(confirm(&draft).await.unwrap(), None, "of an old version");
    let (first, second) = tokio::join!(confirm(&edited), confirm(&edited));
    let won = [first.unwrap(), second.unwrap()].into_iter().flatten().count();
    assert_eq!(won, 1);
    let late = update.apply(&edited, &Policy::default(), Id::new(now()), now()).unwrap();
    assert_eq!(repository.update(&late).await.unwrap(), Updated::Overtaken);
}

#[tokio::test]
async fn an_action_is_taken_only_if_the_status_allows_it() {
    let world = World::new().await;
    let own = world.organization().await.id;
    let campaign = world.confirmed(own, CampaignAction::Start).await;
    let pause = CampaignAction::Pause(PausedReason::User);

    let (first, second) = tokio::join!(world.act(&campaign, pause), world.act(&campaign, pause));

    let done = [&first, &second].into_iter().filter(|it| matches!(it, Acted::Done(_))).count();
    assert_eq!(done, 1, "{first:?} {second:?}");
    let paused = world.found(&campaign).await.unwrap();
    assert_eq!(paused.paused_reason, Some(PausedReason::User));
    let Acted::Done(resumed) = world.act(&campaign, CampaignAction::Resume).await else { panic!() };
    assert_eq!((resumed.status, resumed.paused_reason), (CampaignStatus::Sending, None));
    assert!(matches!(world.act(&campaign, CampaignAction::Cancel).await, Acted::Done(_)));
    let refused = world.act(&campaign, CampaignAction::Resume).await;
    assert!(matches!(refused, Acted::Refused(it) if it.status == CampaignStatus::Cancelled));
    let other = Campaign { organization: world.organization().await.id, ..campaign };
    assert_eq!(world.act(&other, CampaignAction::Cancel).await, Acted::Missing);
}

#[tokio::test]
async fn actions_set_the_due_time_and_settle_unsent_campaigns() {
    let world = World::new().await;
    let own = world.organization().await.id;
    let times = async |campaign: &Campaign| {
        let query = format!(
            "SELECT CASE WHEN due_at IS NULL THEN 0 WHEN due_at = scheduled_at THEN 2 ELSE 1 END \
                + CASE WHEN settled_at IS NULL THEN 0 ELSE 10 END::bigint \
             FROM campaigns WHERE id = '{}'",
            campaign.id
        );
        world.number(&format!("SELECT ({query})::bigint")).await
    };
    let started = world.confirmed(own, CampaignAction::Start).await;
    assert_eq!(times(&started).await, 1, "due at once");
    let scheduled = Campaign { scheduled_at: Some(now() + minutes(9)), ..draft(own) };
    world.campaigns().insert(&scheduled).await.unwrap();
    assert_eq!(times(&scheduled).await, 0, "a draft is not due");
    let (akwaaba, schedule) = (confirmation("Akwaaba"), (CampaignAction::Schedule, None));
    world.campaigns().confirm(&scheduled, &akwaaba, schedule, now()).await.unwrap();
    assert_eq!(times(&scheduled).await, 2, "due at its time");
    world.act(&scheduled, CampaignAction::Cancel).await;
    assert_eq!(times(&scheduled).await, 10, "nothing was sent");

    world
        .sql(&format!("UPDATE campaigns SET started_at = now() WHERE id = '{}'", started.id))
        .await;
    world.act(&started, CampaignAction::Pause(PausedReason::User)).await;
    assert_eq!(times(&started).await, 0);
    world.act(&started, CampaignAction::Cancel).await;
    assert_eq!(times(&started).await, 1, "due, so that its messages are looked at");
}

/// A campaign that waits for approval.
async fn pending(world: &World, organization: Id<Organization>) -> (Campaign, Approval) {
    let draft = world.draft(organization).await;
    let confirmation = confirmation("You won GHS 5,000! Send your MoMo PIN to claim it.");
    let none = WaysOut::default();
    let approval = confirmation.needed_approval(&draft, draft.created_by, &none, now()).unwrap();
    let begun = (CampaignAction::RequestApproval, Some(approval.clone()));
    let confirmed = world.campaigns().confirm(&draft, &confirmation, begun, now()).await.unwrap();
    (confirmed.unwrap(), approval)
}

async fn decide(world: &World, approval: &Approval, verdict: Verdict) -> Settled {
    let decision = approval.decide(verdict, None, Id::new(now()), now()).unwrap();
    let entry = AuditEntry::of_decision(approval, &decision, RequestId::new("r"));
    world.approvals().decide(approval, &decision, &entry).await.unwrap()
}

#[tokio::test]
async fn only_the_first_decision_on_a_campaign_applies() {
    let world = World::new().await;
    let own = world.organization().await.id;
    let (campaign, approval) = pending(&world, own).await;
    assert_eq!(campaign.status, CampaignStatus::PendingApproval);

    assert_eq!(decide(&world, &approval, Verdict::Approved).await, Settled::Done);
    assert_eq!(decide(&world, &approval, Verdict::Rejected).await, Settled::AlreadyDecided);

    assert_eq!(world.found(&campaign).await.unwrap().status, CampaignStatus::Sending);
    let (cancelled, approval) = pending(&world, own).await;
    world.act(&cancelled, CampaignAction::Cancel).await;
    assert_eq!(decide(&world, &approval, Verdict::Approved).await, Settled::ContentChanged);
    assert_eq!(world.found(&cancelled).await.unwrap().status, CampaignStatus::Cancelled);
    assert_eq!(world.approvals().count_pending(own).await.unwrap(), 0);
}

#[tokio::test]
async fn campaigns_are_counted_and_unfinished_ones_limited() {
    let world = World::new().await;
    let own = world.organization().await.id;
    let totals = async || {
        let query = format!(
            "SELECT campaigns * 100000 + unfinished FROM campaign_totals WHERE organization_id = '{own}'"
        );
        world.number(&query).await
    };
    let first = world.draft(own).await;
    world.draft(own).await;
    assert_eq!(totals().await, 200_002);
    world.act(&first, CampaignAction::Cancel).await;
    assert_eq!(totals().await, 200_001);
    let page = world.campaigns().page(own, None, Page::new(None, Some(1)).unwrap()).await.unwrap();
    assert_eq!((page.items.len(), page.total), (1, 2));

    let full = format!(
        "UPDATE campaign_totals SET unfinished = {MAX_UNFINISHED} \
        WHERE organization_id = '{own}'"
    );
    world.sql(&full).await;
    assert_eq!(world.campaigns().insert(&draft(own)).await.unwrap(), Inserted::TooMany);
}

#[tokio::test]
async fn campaigns_are_listed_by_their_status() {
    let world = World::new().await;
    let own = world.organization().await.id;
    let mut drafts = [world.draft(own).await.id, world.draft(own).await.id];
    let started = world.confirmed(own, CampaignAction::Start).await;
    world.draft(world.organization().await.id).await;
    let listed = async |status, limit| {
        let page = Page::new(None, Some(limit)).unwrap();
        let page = world.campaigns().page(own, status, page).await.unwrap();
        let ids: Vec<_> = page.items.iter().map(|it| it.campaign.id).collect();
        (ids, page.total)
    };

    let (mut found, total) = listed(Some(CampaignStatus::Draft), 5).await;
    found.sort_unstable();
    drafts.sort_unstable();
    assert_eq!((found, total), (drafts.to_vec(), 2));
    let (one, total) = listed(Some(CampaignStatus::Draft), 1).await;
    assert_eq!((one.len(), total), (1, 2));
    assert_eq!(listed(Some(CampaignStatus::Sending), 5).await, (vec![started.id], 1));
    assert_eq!(listed(Some(CampaignStatus::Paused), 5).await, (Vec::new(), 0));
    assert_eq!(listed(None, 5).await.0.len(), 3);
}

#[tokio::test]
async fn a_segment_in_use_by_a_new_campaign_is_not_deleted() {
    let world = World::new().await;
    let own = world.organization().await.id;
    let segments = PgSegments::new(world.store.clone(), PgStore::connect(&world.url, 2).unwrap());
    let segment = segment(own);
    segments.insert(&segment).await.unwrap();
    let campaign = Campaign { segment: Some(segment.id), ..draft(own) };

    let (inserted, deleted) =
        tokio::join!(world.campaigns().insert(&campaign), segments.delete(own, segment.id));

    let outcome = (inserted.unwrap(), deleted.unwrap());
    let expected = [(Inserted::Done, Deleted::InUse), (Inserted::SegmentMissing, Deleted::Done)];
    assert!(expected.contains(&outcome), "{outcome:?}");
}

#[tokio::test]
async fn long_paused_campaigns_are_cancelled_and_old_ones_deleted() {
    let world = World::alone().await;
    let own = world.organization().await.id;
    let mut campaigns = Vec::new();
    for age in ["29 days", "31 days"] {
        let campaign = world.confirmed(own, CampaignAction::Start).await;
        world.act(&campaign, CampaignAction::Pause(PausedReason::User)).await;
        age_by(&world, &campaign, age).await;
        campaigns.push(campaign);
    }
    for age in ["24 months", "26 months"] {
        let campaign = world.draft(own).await;
        world.act(&campaign, CampaignAction::Cancel).await;
        age_by(&world, &campaign, age).await;
        campaigns.push(campaign);
    }
    let draft = world.draft(own).await;
    age_by(&world, &draft, "26 months").await;
    for campaign in &campaigns {
        let count =
            format!("INSERT INTO campaign_counts VALUES ('{own}', '{}', 'SENT', 1)", campaign.id);
        world.sql(&count).await;
    }

    world.store.maintain().await.unwrap();

    let mut statuses = Vec::new();
    for campaign in campaigns.iter().chain([&draft]) {
        statuses.push(world.found(campaign).await.map(|it| it.status));
    }
    let (paused, cancelled) = (CampaignStatus::Paused, CampaignStatus::Cancelled);
    let kept = [Some(paused), Some(cancelled), Some(cancelled), None, Some(CampaignStatus::Draft)];
    assert_eq!(statuses, kept);
    let counted = "SELECT count(*) FROM campaign_counts";
    let counted: i64 = world.client().await.query_one(counted, &[]).await.unwrap().get(0);
    assert_eq!(counted, 3, "what was counted of a campaign goes with it");
}

async fn age_by(world: &World, campaign: &Campaign, age: &str) {
    let age = format!(
        "UPDATE campaigns SET updated_at = now() - interval '{age}' WHERE id = '{}'",
        campaign.id
    );
    world.sql(&age).await;
}
