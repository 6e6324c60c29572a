//! The rules of the work on campaigns.

mod rehearsal;
mod start;
mod together;

use std::sync::Mutex;

use domain::{
    audience::contact::{Contact, ContactRequest},
    identity::organization::{Settings, Suspension},
    messaging::{delivery::FailureCode, job::Lease, message::Metadata},
    money::{
        funds::{Allowance, Funds},
        wallet::InsufficientBalance,
    },
    outreach::campaign::{CampaignContent, CampaignCounts, PausedReason},
    shared::{category::Category, channel::Channel, money::Money},
};
use ports::{
    messaging::messages::{Advance, IntakeError, Receipt, Submission},
    shared::mock::{
        MockAudienceRepository, MockCampaignQueue, MockCampaignRepository, MockIntake,
        MockOrganizationRepository, MockUnsubscribeLinks,
    },
};

use super::*;
use crate::shared::fixtures::{
    NOW, PRICE, clock, messages, open_intake, policies, provider, tenant,
};

fn campaign() -> Campaign {
    Campaign {
        id: Id::new_in(NOW, tenant()),
        organization: tenant(),
        name: "Harmattan sale".into(),
        channel: Channel::Sms,
        template: None,
        subject: None,
        body: Some("Akwaaba {{firstName}}. Reply STOP to end".into()),
        format: None,
        sender: None,
        metadata: Metadata::default(),
        is_sandbox: false,
        segment: None,
        scheduled_at: None,
        version: 1,
        status: CampaignStatus::Sending,
        paused_reason: None,
        created_by: Id::new(NOW),
        authors: Vec::new(),
        created_at: NOW,
        updated_at: NOW,
        started_at: Some(NOW),
        completed_at: None,
        audience: None,
        unreachable: 0,
    }
}

/// The number of contacts of an audience that is counted.
const COUNTED: u64 = 7;

/// A contact that was created `before` seconds before the campaign started.
fn contact(name: Option<&str>, phone: Option<&str>, before: i64) -> Contact {
    let request = ContactRequest {
        first_name: name.map(str::to_owned),
        phone: phone.map(str::to_owned),
        email: Some(format!("{before}@example.com")),
        ..ContactRequest::default()
    };
    request.contact(tenant(), NOW - TimeDelta::seconds(before)).unwrap()
}

fn leased(campaign: &Campaign) -> LeasedCampaign {
    LeasedCampaign {
        organization: tenant(),
        id: campaign.id,
        lease: Lease(campaign.id.uuid()),
        contacts_until: Some(Id::floor(NOW)),
        position: None,
        expanded_at: None,
        has_segment: true,
    }
}

/// A queue that leases `campaign`, and expects no other call.
fn queue_of(campaign: &Campaign) -> MockCampaignQueue {
    let mut queue = MockCampaignQueue::new();
    let leased = leased(campaign);
    queue.expect_claim().once().return_once(|_| Ok(vec![leased]));
    queue
}

/// Work on a campaign that is for these contacts, in their order.
fn work(
    campaign: Campaign,
    contacts: Vec<Contact>,
    queue: MockCampaignQueue,
    intake: MockIntake,
) -> CampaignWork {
    let messages = messages(intake, provider("live", 1, TimeDelta::minutes(10)));
    work_sending(campaign, contacts, queue, messages)
}

fn work_sending(
    campaign: Campaign,
    contacts: Vec<Contact>,
    queue: MockCampaignQueue,
    messages: Messages,
) -> CampaignWork {
    let body = campaign.body.clone().unwrap();
    let confirmation =
        Confirmation { content: CampaignContent::own(None, body), hash: [7; 32], rules: None };
    let mut campaigns = MockCampaignRepository::new();
    let progress = CampaignProgress { campaign, counts: CampaignCounts::default() };
    let confirmed = ConfirmedCampaign { progress, confirmation: Some(confirmation) };
    campaigns.expect_find_confirmed().returning(move |_| Ok(vec![confirmed.clone()]));
    let mut audience = MockAudienceRepository::new();
    audience.expect_count_until().returning(|_, _, _| Ok(COUNTED));
    audience.expect_members_after().returning(move |_, _, after, limit| {
        let following = contacts.iter().filter(|contact| after.is_none_or(|id| contact.id > id));
        Ok(following.take(limit as usize).cloned().collect())
    });
    let mut organizations = MockOrganizationRepository::new();
    organizations.expect_settings().returning(|_| Ok(Some(Settings::default())));
    CampaignWork::new(CampaignWorkDeps {
        queue: Arc::new(queue),
        campaigns: Arc::new(campaigns),
        audience: Arc::new(audience),
        messages,
        links: Arc::new(links()),
        policies: policies(Arc::new(organizations)),
        clock: clock(),
    })
}

/// Returns the same work with other dependencies.
fn changed(work: CampaignWork, change: impl FnOnce(&mut CampaignWorkDeps)) -> CampaignWork {
    let mut deps = Arc::into_inner(work.deps).unwrap();
    change(&mut deps);
    CampaignWork::new(deps)
}

/// Links that end in the first name.
fn links() -> MockUnsubscribeLinks {
    let mut links = MockUnsubscribeLinks::new();
    links.expect_links_of().returning(|_, contacts| {
        let link = |it: &Contact| Some(format!("https://x.gh/u/{}", it.first_name.as_ref()?));
        Ok(contacts.iter().map(link).collect())
    });
    links
}

/// An intake that pays from a wallet, and the submissions it accepted.
fn paying_intake(balance: Money) -> (MockIntake, Arc<Mutex<Vec<Submission>>>) {
    let accepted = Arc::new(Mutex::new(Vec::new()));
    let (kept, mut left) = (Arc::clone(&accepted), balance);
    let mut intake = MockIntake::new();
    intake.expect_accept().returning(move |submission: Submission| {
        let required = submission.messages.iter().map(|message| message.cost).sum();
        if required > left {
            return Err(InsufficientBalance { required, balance: left }.into());
        }
        left = left - required;
        kept.lock().unwrap().push(submission);
        Ok(Receipt::Accepted(Vec::new()))
    });
    (intake, accepted)
}

/// An intake with a daily limit, and the submissions it accepted.
fn limited_intake(limit: Money) -> (MockIntake, Arc<Mutex<Vec<Submission>>>) {
    let accepted = Arc::new(Mutex::new(Vec::new()));
    let kept = Arc::clone(&accepted);
    let allowance = Some(Allowance::at(NOW, limit, None, Money::ZERO));
    let mut funds = Funds { allowance, ..Funds::PLENTY };
    let mut intake = MockIntake::new();
    intake.expect_accept().returning(move |submission: Submission| {
        funds = funds.pay(submission.messages.iter().map(|message| message.cost).sum())?;
        kept.lock().unwrap().push(submission);
        Ok(Receipt::Accepted(Vec::new()))
    });
    (intake, accepted)
}

#[tokio::test]
async fn a_batch_of_long_texts_ends_early() {
    let (intake, submissions) = open_intake();
    let contacts: Vec<_> =
        (1..=100).rev().map(|before| contact(Some("Ama"), None, before)).collect();
    let campaign =
        Campaign { channel: Channel::Email, body: Some("x".repeat(100_000)), ..campaign() };
    let mut queue = queue_of(&campaign);
    queue.expect_end_expansion().once().returning(|_, _, _| Ok(true));

    assert!(work(campaign, contacts, queue, intake).work_once().await.unwrap());

    let submissions = submissions.lock().unwrap();
    let counts: Vec<_> = submissions.iter().map(|it| it.messages.len()).collect();
    assert_eq!(counts, [42, 42, 16], "each ends with the message that exceeds 4 MiB");
}

#[tokio::test]
async fn each_contact_gets_one_message_or_counts_as_unreachable() {
    let (intake, submissions) = open_intake();
    let contacts = vec![
        contact(Some("Ama"), Some("0241234567"), 4),
        contact(Some("Kofi"), None, 3),
        contact(None, Some("0241234568"), 2),
        contact(Some("Esi"), Some("+2348031234567"), 1),
        // Created after the campaign started.
        contact(Some("Yaw"), Some("0241234569"), -1),
    ];
    let last = contacts[3].id;
    let campaign = campaign();
    let mut queue = queue_of(&campaign);
    queue.expect_end_expansion().once().returning(move |_, reached, _| {
        assert_eq!(reached, Some(last));
        Ok(true)
    });

    assert!(work(campaign.clone(), contacts, queue, intake).work_once().await.unwrap());

    let submissions = submissions.lock().unwrap();
    let [submission] = &submissions[..] else { panic!("{submissions:?}") };
    let Some(Advance::Campaign(advance)) = &submission.advance else { panic!("no advance") };
    assert_eq!((advance.after, advance.last, advance.unreachable.len()), (None, last, 1));
    let accepted: Vec<_> = submission
        .messages
        .iter()
        .map(|message| (message.cost, message.refusal().map(|failure| failure.code)))
        .collect();
    assert_eq!(
        accepted,
        [
            (PRICE, None),
            (Money::ZERO, Some(FailureCode::MissingVariable)),
            (Money::ZERO, Some(FailureCode::NoRoute)),
        ]
    );
    let first = &submission.messages[0];
    assert_eq!(first.draft.body, "Akwaaba Ama. Reply STOP to end");
    assert_eq!(first.draft.category, Category::Marketing);
    assert_eq!(
        first.source.and_then(domain::messaging::message::Source::campaign),
        Some(campaign.id)
    );
    assert_eq!(first.expires_at - first.created_at, TimeDelta::hours(72));
}

#[tokio::test]
async fn each_contact_has_an_unsubscribe_link_of_its_own() {
    let (intake, submissions) = open_intake();
    let campaign = Campaign { body: Some("Sale! {{unsubscribe}}".into()), ..campaign() };
    let contacts = vec![
        contact(Some("Ama"), Some("0241234567"), 2),
        contact(Some("Esi"), Some("0241234568"), 1),
    ];
    let mut queue = queue_of(&campaign);
    queue.expect_end_expansion().once().returning(|_, _, _| Ok(true));

    work(campaign, contacts, queue, intake).work_once().await.unwrap();

    let submissions = submissions.lock().unwrap();
    let bodies = submissions[0].messages.iter().map(|message| message.draft.body.as_str());
    let bodies: Vec<_> = bodies.collect();
    assert_eq!(bodies, ["Sale! https://x.gh/u/Ama", "Sale! https://x.gh/u/Esi"]);
}

#[tokio::test]
async fn a_campaign_pauses_at_the_first_contact_that_cannot_be_paid() {
    let (intake, accepted) = paying_intake(PRICE * 3);
    let contacts: Vec<_> = (0..5)
        .map(|number| contact(Some("Ama"), Some(&format!("024123456{number}")), 9 - number))
        .collect();
    let third = contacts[2].id;
    let campaign = campaign();
    let mut queue = queue_of(&campaign);
    queue.expect_pause_unpaid().once().returning(|_, reason, needed, _| {
        assert_eq!((reason, needed), (PausedReason::InsufficientBalance, PRICE * 2));
        Ok(true)
    });

    work(campaign, contacts, queue, intake).work_once().await.unwrap();

    let accepted = accepted.lock().unwrap();
    let [submission] = &accepted[..] else { panic!("{accepted:?}") };
    let Some(Advance::Campaign(advance)) = &submission.advance else { panic!("no advance") };
    assert_eq!((submission.messages.len(), advance.last), (3, third));
}

#[tokio::test]
async fn the_needed_amount_is_bounded_by_the_daily_limit() {
    for (limit, accepted_today, needed) in [(PRICE * 3, 3, PRICE * 2), (PRICE, 1, PRICE)] {
        let (intake, accepted) = limited_intake(limit);
        let contacts: Vec<_> = (0..5)
            .map(|number| contact(Some("Ama"), Some(&format!("024123456{number}")), 9 - number))
            .collect();
        let campaign = campaign();
        let mut queue = queue_of(&campaign);
        queue.expect_pause_unpaid().once().returning(move |_, reason, asked, _| {
            assert_eq!((reason, asked), (PausedReason::SpendingLimitReached, needed));
            Ok(true)
        });
        work(campaign, contacts.clone(), queue, intake).work_once().await.unwrap();
        assert_eq!(accepted.lock().unwrap()[0].messages.len(), accepted_today);

        let campaign = self::campaign();
        let mut queue = queue_of(&campaign);
        queue.expect_pause_unpaid().once().returning(|_, _, asked, _| {
            assert_eq!(asked, PRICE * 5, "no day would do");
            Ok(true)
        });
        let (intake, _) = limited_intake(Money::from_micros(1));
        work(campaign, contacts, queue, intake).work_once().await.unwrap();
    }
}

#[tokio::test]
async fn an_overtaken_campaign_is_given_back() {
    let campaign = campaign();
    let mut intake = MockIntake::new();
    intake.expect_accept().once().returning(|_| Err(IntakeError::Overtaken));
    let mut queue = queue_of(&campaign);
    queue.expect_give_back().once().returning(|_, delay| {
        assert_eq!(delay, Some(TimeDelta::milliseconds(100)));
        Ok(())
    });
    let contacts = vec![contact(Some("Ama"), Some("0241234567"), 1)];

    work(campaign, contacts, queue, intake).work_once().await.unwrap();
}

#[tokio::test]
async fn a_campaign_is_given_back_if_the_acceptance_is_unknown() {
    let campaign = campaign();
    let mut intake = MockIntake::new();
    let away = || Err(StoreError::Unavailable("the line is dead".into()).into());
    intake.expect_accept().once().returning(move |_| away());
    let mut queue = queue_of(&campaign);
    queue.expect_give_back().once().returning(|_, delay| {
        assert_eq!(delay, Some(RETRY));
        Ok(())
    });
    let contacts = vec![contact(Some("Ama"), Some("0241234567"), 1)];

    assert!(work(campaign, contacts, queue, intake).work_once().await.unwrap());
}

#[tokio::test]
async fn a_campaign_without_its_segment_fails_unsent() {
    let campaign = Campaign { segment: Some(Id::new_in(NOW, tenant())), ..campaign() };
    let mut queue = MockCampaignQueue::new();
    let leased = LeasedCampaign { has_segment: false, ..leased(&campaign) };
    queue.expect_claim().once().return_once(|_| Ok(vec![leased]));
    queue.expect_fail().once().returning(|_, _| Ok(true));
    let contacts = vec![contact(Some("Ama"), Some("0241234567"), 1)];

    work(campaign, contacts, queue, MockIntake::new()).work_once().await.unwrap();
}

#[tokio::test]
async fn a_campaign_of_a_suspended_organization_waits() {
    let suspension = Suspension { at: NOW, reason: "scams".into() };
    let settings = Settings { suspension: Some(suspension), ..Settings::default() };
    for status in [CampaignStatus::Sending, CampaignStatus::Scheduled] {
        let campaign = Campaign { status, ..campaign() };
        let mut queue = queue_of(&campaign);
        queue.expect_give_back().once().returning(|_, due_in| {
            assert_eq!(due_in, Some(SUSPENDED));
            Ok(())
        });
        let mut organizations = MockOrganizationRepository::new();
        let settings = settings.clone();
        organizations.expect_settings().returning(move |_| Ok(Some(settings.clone())));
        let work = work(campaign, Vec::new(), queue, MockIntake::new());
        let work = changed(work, |deps| deps.policies = policies(Arc::new(organizations)));

        assert!(work.work_once().await.unwrap());
    }
}

#[test]
fn checks_for_the_end_become_less_frequent() {
    let look = |seconds| next_look(NOW, NOW + TimeDelta::seconds(seconds));
    assert_eq!(
        (look(0), look(60), look(86_400)),
        (SOONEST_LOOK, TimeDelta::seconds(6), LATEST_LOOK)
    );
}
