//! The queue of campaigns: leases, pauses and completion.

use adapters_postgres::PgStore;
use chrono::TimeDelta;
use domain::{
    outreach::campaign::{CampaignStatus, PausedReason},
    shared::{id::Id, money::Money},
};
use ports::outreach::{
    campaign_queue::{CampaignQueue, CampaignStart, LeasedCampaign},
    campaigns::CampaignRepository,
};

use crate::{
    now,
    outreach::campaign_expansion::{CampaignFixture, insert},
};

const BALANCE: PausedReason = PausedReason::InsufficientBalance;
const COUNT_COMPLETED: &str =
    "SELECT count(*) FROM outbound_events WHERE event = 'campaign.completed'";

fn queue(world: &CampaignFixture) -> &PgStore {
    &world.fixture.world.store
}

async fn claim(world: &CampaignFixture) -> Option<LeasedCampaign> {
    queue(world).claim(1).await.unwrap().pop()
}

async fn complete(world: &CampaignFixture, leased: &LeasedCampaign) -> bool {
    let key = (leased.organization, leased.id);
    let mut progress = queue(world).find_confirmed(&[key]).await.unwrap().remove(0).progress;
    progress.campaign.status = CampaignStatus::Completed;
    CampaignQueue::complete(queue(world), leased, &progress, now()).await.unwrap()
}

fn start() -> CampaignStart {
    CampaignStart { at: now(), contacts_until: Id::floor(now()), audience: Some(7) }
}

#[tokio::test]
async fn one_worker_leases_a_campaign_and_the_oldest_comes_first() {
    let world = CampaignFixture::open(Money::ZERO).await;
    let other = world.fixture.world.organization().await.id;
    let later = insert(&world.fixture.world, other, "SENDING").await;

    let first = claim(&world).await.unwrap();
    let second = claim(&world).await.unwrap();
    assert_eq!((first.id, second.id), (world.campaign, later));
    assert_eq!(claim(&world).await, None);

    queue(&world).give_back(&second, Some(TimeDelta::zero())).await.unwrap();
    queue(&world).give_back(&first, Some(TimeDelta::zero())).await.unwrap();
    let again = claim(&world).await.unwrap();
    assert_eq!(again.id, later);
    queue(&world).give_back(&again, None).await.unwrap();
    assert_eq!(claim(&world).await.unwrap().id, world.campaign);
    assert_eq!(claim(&world).await, None, "nothing is due of the other any more");
}

#[tokio::test]
async fn a_lease_lasts_longer_than_the_search_and_the_count_of_a_start_together() {
    let world = CampaignFixture::open(Money::ZERO).await;
    claim(&world).await.unwrap();
    assert_eq!(world.column("(due_at > now() + interval '65 seconds')").await, "true");
}

#[tokio::test]
async fn an_organization_has_one_leased_campaign_at_a_time() {
    let world = CampaignFixture::open(Money::ZERO).await;
    let many = insert(&world.fixture.world, world.fixture.organization, "SENDING").await;
    let other = world.fixture.world.organization().await.id;
    let last = insert(&world.fixture.world, other, "SENDING").await;

    let first = claim(&world).await.unwrap();
    assert_eq!((first.id, claim(&world).await.unwrap().id), (world.campaign, last));
    assert_eq!(claim(&world).await, None);

    queue(&world).give_back(&first, Some(TimeDelta::zero())).await.unwrap();
    assert_eq!(claim(&world).await.unwrap().id, many);
}

#[tokio::test]
async fn campaigns_leased_at_once_are_of_different_organizations() {
    let world = CampaignFixture::open(Money::ZERO).await;
    let many = insert(&world.fixture.world, world.fixture.organization, "SENDING").await;
    let mut others = Vec::new();
    for _ in 0..2 {
        let other = world.fixture.world.organization().await.id;
        others.push(insert(&world.fixture.world, other, "SENDING").await);
    }

    let claimed = queue(&world).claim(8).await.unwrap();

    let mut ids: Vec<_> = claimed.iter().map(|leased| leased.id).collect();
    ids.sort_unstable();
    let mut expected = vec![world.campaign, others[0], others[1]];
    expected.sort_unstable();
    assert_eq!(ids, expected, "the first of each organization");
    assert!(claimed.iter().all(|leased| leased.lease != claimed[0].lease || leased == &claimed[0]));
    assert_eq!(queue(&world).claim(8).await.unwrap(), []);
    let first = claimed.iter().find(|leased| leased.id == world.campaign).unwrap();
    queue(&world).give_back(first, None).await.unwrap();
    let next = queue(&world).claim(8).await.unwrap();
    assert_eq!(next.iter().map(|leased| leased.id).collect::<Vec<_>>(), [many]);
}

#[tokio::test]
async fn no_more_campaigns_are_leased_than_were_asked_for() {
    let world = CampaignFixture::open(Money::ZERO).await;
    for _ in 0..3 {
        let other = world.fixture.world.organization().await.id;
        insert(&world.fixture.world, other, "SENDING").await;
    }

    let counts = [
        queue(&world).claim(3).await.unwrap().len(),
        queue(&world).claim(3).await.unwrap().len(),
        queue(&world).claim(3).await.unwrap().len(),
    ];

    assert_eq!(counts, [3, 1, 0]);
}

#[tokio::test]
async fn a_worker_without_the_lease_changes_nothing() {
    let world = CampaignFixture::open(Money::ZERO).await;
    let lost = claim(&world).await.unwrap();
    world.fixture.world.sql("UPDATE campaigns SET due_at = now()").await;
    let holder = claim(&world).await.unwrap();
    assert_ne!(lost.lease, holder.lease);

    let queue = queue(&world);
    assert!(!queue.start(&lost, &start()).await.unwrap());
    assert!(!queue.end_expansion(&lost, None, now()).await.unwrap());
    assert!(!queue.pause_unpaid(&lost, BALANCE, Money::ZERO, now()).await.unwrap());
    assert!(!queue.fail(&lost, now()).await.unwrap());
    queue.give_back(&lost, None).await.unwrap();

    assert_eq!(world.column("status").await, "SENDING");
    assert_eq!(world.column("lease").await, holder.lease.0.to_string());
    assert!(queue.start(&holder, &start()).await.unwrap());
    assert!(!queue.start(&holder, &start()).await.unwrap(), "it starts once");
    assert_eq!(world.column("audience").await, "7");
}

#[tokio::test]
async fn a_due_campaign_starts_and_a_cancelled_one_does_not() {
    let world = CampaignFixture::open(Money::ZERO).await;
    world.fixture.world.sql("UPDATE campaigns SET status = 'SCHEDULED'").await;
    let leased = claim(&world).await.unwrap();
    assert!(queue(&world).start(&leased, &start()).await.unwrap());
    assert_eq!(world.column("status").await, "SENDING");

    world
        .fixture
        .world
        .sql("UPDATE campaigns SET status = 'CANCELLED', contacts_until = NULL, due_at = now()")
        .await;
    let leased = claim(&world).await.unwrap();
    assert!(!queue(&world).start(&leased, &start()).await.unwrap());
}

#[tokio::test]
async fn a_campaign_without_waiting_messages_completes_once() {
    let world = CampaignFixture::open(Money::ZERO).await;
    let (organization, campaign) = (world.fixture.organization, world.campaign);
    world.fixture.world.sql(&acceptance::silent_endpoint(&organization.to_string())).await;
    let leased = claim(&world).await.unwrap();
    assert!(!complete(&world, &leased).await, "more contacts may follow");
    assert!(queue(&world).end_expansion(&leased, None, now()).await.unwrap());
    let count = |status: &str, messages: i32| {
        format!(
            "INSERT INTO campaign_counts VALUES ('{organization}', '{campaign}', '{status}', {messages}) \
             ON CONFLICT (organization_id, campaign_id, status) DO UPDATE SET messages = {messages}"
        )
    };
    for status in ["QUEUED", "PENDING"] {
        world.fixture.world.sql(&count(status, 1)).await;
        let leased = claim(&world).await.unwrap();
        assert!(!complete(&world, &leased).await, "a message is {status}");
        queue(&world).give_back(&leased, Some(TimeDelta::zero())).await.unwrap();
        world.fixture.world.sql(&count(status, 0)).await;
    }
    world.fixture.world.sql(&count("FAILED", 2)).await;
    let leased = claim(&world).await.unwrap();

    assert!(complete(&world, &leased).await);

    assert!(!complete(&world, &leased).await);
    assert_eq!(world.column("status").await, "COMPLETED");
    assert_eq!(world.column("settled_at").await, world.column("completed_at").await);
    assert_eq!(claim(&world).await, None);
    assert_eq!(world.fixture.number(COUNT_COMPLETED).await, 1);
    let data = format!(
        "{COUNT_COMPLETED} AND data::json ->> 'id' = '{campaign}' AND data::json ->> 'status' = 'COMPLETED' \
         AND data::json ->> 'failed' = '2' AND subject_id = '{campaign}' AND organization_id = '{organization}'"
    );
    assert_eq!(world.fixture.number(&data).await, 1);
}

#[tokio::test]
async fn a_campaign_resumes_when_its_wallet_covers_the_amount() {
    let world = CampaignFixture::open(Money::from_cedis(1)).await;
    let leased = claim(&world).await.unwrap();
    let needed = Money::from_cedis(3);
    assert!(queue(&world).pause_unpaid(&leased, BALANCE, needed, now()).await.unwrap());
    assert_eq!(world.column("paused_reason").await, "INSUFFICIENT_BALANCE");
    assert_eq!((claim(&world).await, resume(&world).await), (None, 0));

    let wallet = "UPDATE wallets SET balance_micros = 3000000 WHERE balance_micros > 0";
    world.fixture.world.sql(wallet).await;

    assert_eq!((resume(&world).await, resume(&world).await), (1, 0));
    assert_eq!(world.column("status").await, "SENDING");
    assert_eq!(claim(&world).await.unwrap().id, world.campaign);
}

#[tokio::test]
async fn a_campaign_resumes_when_the_spending_limit_allows_it() {
    let world = CampaignFixture::open(Money::from_cedis(9)).await;
    let sql = async |wallet: &str| {
        world.fixture.world.sql(&format!("UPDATE wallets SET {wallet}")).await;
    };
    let today = now().date_naive();
    sql(&format!("daily_limit_micros = 4000000, spent_on = '{today}', spent_micros = 2000000"))
        .await;
    let pause = async || {
        let leased = claim(&world).await.unwrap();
        let needed = Money::from_cedis(3);
        let reason = PausedReason::SpendingLimitReached;
        assert!(queue(&world).pause_unpaid(&leased, reason, needed, now()).await.unwrap());
    };

    pause().await;
    assert_eq!(resume(&world).await, 0, "two of four cedis are left");
    sql("daily_limit_micros = 5000000").await;
    assert_eq!(resume(&world).await, 1, "the limit was raised");
    sql("daily_limit_micros = 4000000").await;
    pause().await;
    sql(&format!("spent_on = '{today}'::date - 1")).await;
    assert_eq!(resume(&world).await, 1, "a new day has begun");
    sql("daily_limit_micros = 1000000").await;
    pause().await;
    assert_eq!(resume(&world).await, 0, "no day allows as much");
    sql("daily_limit_micros = NULL").await;
    assert_eq!(resume(&world).await, 1, "there is no limit any more");
}

async fn resume(world: &CampaignFixture) -> usize {
    queue(world).resume_paid(now()).await.unwrap().len()
}

#[tokio::test]
async fn a_campaign_paused_by_a_user_does_not_resume_by_itself() {
    let world = CampaignFixture::open(Money::from_cedis(1)).await;
    let pause = "UPDATE campaigns SET status = 'PAUSED', paused_reason = 'USER', needed_micros = 0, \
                 due_at = NULL";
    world.fixture.world.sql(pause).await;

    assert_eq!((resume(&world).await, claim(&world).await), (0, None));
}

#[tokio::test]
async fn a_failed_campaign_is_settled_when_no_message_waits() {
    let world = CampaignFixture::open(Money::ZERO).await;
    let leased = claim(&world).await.unwrap();
    assert!(queue(&world).fail(&leased, now()).await.unwrap());
    assert_eq!(world.column("status").await, "FAILED");
    let (organization, campaign) = (world.fixture.organization, world.campaign);
    let count =
        format!("INSERT INTO campaign_counts VALUES ('{organization}', '{campaign}', 'QUEUED', 1)");
    world.fixture.world.sql(&count).await;
    let leased = claim(&world).await.unwrap();
    assert!(!queue(&world).settle(&leased, now()).await.unwrap());
    world.fixture.world.sql("UPDATE campaign_counts SET messages = 0").await;

    assert!(queue(&world).settle(&leased, now()).await.unwrap());

    assert_ne!(world.column("settled_at").await, "");
    assert_eq!((claim(&world).await, world.fixture.number(COUNT_COMPLETED).await), (None, 0));
}
