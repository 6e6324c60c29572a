//! Recipients of campaigns, and the figures about them.

use chrono::DateTime;
use domain::{
    messaging::delivery::{Failure, FailureCode},
    outreach::campaign::{
        CampaignProgress, CampaignRecipient, RecipientFilter, RecipientOutcome, RecipientPlace,
        RecipientReason, RecipientsOf,
    },
    shared::{id::Id, money::Money},
};
use futures_util::future::join_all;
use ports::{
    audience::contacts::ContactRepository,
    messaging::messages::{ClaimLimits, Jobs},
    outreach::{campaign_recipients::CampaignRecipientRepository, campaigns::CampaignRepository},
};

use crate::{
    messaging::intake_fixture::PRICE,
    outreach::campaign_expansion::{CampaignFixture, contacts, is_accepted},
    shared::locks::failed,
};

const SKIPS: &str = "SELECT count(*) FROM campaign_skips";

async fn progress(world: &CampaignFixture) -> CampaignProgress {
    let campaigns: &dyn CampaignRepository = &world.fixture.world.store;
    campaigns.find(world.fixture.organization, world.campaign).await.unwrap().unwrap()
}

/// Returns all recipients that fit a filter, `limit` at a time.
async fn recipients(
    world: &CampaignFixture,
    filter: RecipientFilter,
    limit: usize,
) -> Vec<CampaignRecipient> {
    let repository: &dyn CampaignRecipientRepository = &world.fixture.world.store;
    // The messages of the fixture are older than its campaign.
    let since = DateTime::UNIX_EPOCH;
    let of = RecipientsOf { campaign: world.campaign, since };
    let (mut all, mut after): (Vec<_>, Option<RecipientPlace>) = (Vec::new(), None);
    loop {
        let part = repository.recipients(world.fixture.organization, of, filter, after, limit);
        let part = part.await.unwrap();
        assert!(part.recipients.len() <= limit);
        all.extend(part.recipients);
        after = part.next;
        if after.is_none() {
            return all;
        }
    }
}

fn with(outcome: RecipientOutcome) -> RecipientFilter {
    RecipientFilter { outcome: Some(outcome), reason: None }
}

/// Lets the waiting messages of the campaign fail.
async fn fail_all(world: &CampaignFixture) {
    let jobs = world.fixture.jobs.claim(&ClaimLimits::any(10)).await.unwrap();
    for job in jobs {
        world.fixture.jobs.record(failed(job)).await.unwrap();
    }
}

#[tokio::test]
async fn contacts_without_an_address_are_recorded_once_whoever_passes_them() {
    let world = CampaignFixture::open(Money::from_cedis(100)).await;
    let [one, other, _] = contacts(world.fixture.organization);

    for (after, last) in [(None, one), (Some(one), other)] {
        let tries = join_all((0..4).map(|_| world.accept(world.submission(after, last, 2)))).await;
        assert_eq!(tries.iter().filter(|it| is_accepted(it)).count(), 1, "{tries:?}");
    }
    assert!(!is_accepted(&world.accept(world.submission(Some(one), other, 2)).await));

    assert_eq!(world.fixture.number(SKIPS).await, 2);
    assert_eq!(progress(&world).await.campaign.unreachable, 2);
    let skipped = recipients(&world, with(RecipientOutcome::Skipped), 1).await;
    let found: Vec<_> = skipped.iter().map(|it| (it.contact.map(Id::uuid), it.reason)).collect();
    let no_address = Some(RecipientReason::NoAddress);
    assert_eq!(found, [(Some(other.uuid()), no_address), (Some(one.uuid()), no_address)]);
}

#[tokio::test]
async fn a_refused_submission_records_no_skipped_contact() {
    let world = CampaignFixture::open(PRICE).await;
    let [one, ..] = contacts(world.fixture.organization);

    assert!(!is_accepted(&world.accept(world.submission(None, one, 2)).await));

    assert_eq!(world.fixture.number(SKIPS).await, 0);
    assert!(is_accepted(&world.accept(world.submission(None, one, 1)).await));
    assert_eq!(world.fixture.number(SKIPS).await, 1);
}

#[tokio::test]
async fn figures_show_reasons_and_cost_before_and_after_posting() {
    let world = CampaignFixture::open(Money::from_cedis(100)).await;
    let [one, other, _] = contacts(world.fixture.organization);
    assert!(is_accepted(&world.accept(world.submission(None, one, 3)).await));
    assert_eq!(progress(&world).await.counts.cost, PRICE * 3);
    fail_all(&world).await;
    assert!(is_accepted(&world.accept(world.submission(Some(one), other, 2)).await));

    let waiting = progress(&world).await;
    world.fixture.world.store.post_journal().await.unwrap();
    let posted = progress(&world).await;

    assert_eq!(posted, waiting);
    assert_eq!(posted.counts.cost, PRICE * 2);
    assert_eq!((posted.failed(), posted.skipped(), posted.queued()), (3, 2, 2));
    let reasons: Vec<_> =
        posted.by_reason().into_iter().map(|it| (it.reason.as_str(), it.count)).collect();
    assert_eq!(reasons, [("PROVIDER_REJECTED", 3), ("NO_ADDRESS", 2)]);
    let reposted = "SELECT coalesce(sum(messages), 0)::bigint FROM campaign_reasons";
    assert_eq!(world.fixture.number(reposted).await, 3);
}

#[tokio::test]
async fn each_recipient_with_an_outcome_is_listed_once() {
    let world = CampaignFixture::open(Money::from_cedis(100)).await;
    let [one, other, third] = contacts(world.fixture.organization);
    let mut first = world.submission(None, one, 3);
    let failure = Failure::new(FailureCode::RecipientSuppressed, "suppressed");
    first.messages[0] = first.messages[0].clone().refused(failure);
    assert!(is_accepted(&world.accept(first).await));
    world
        .fixture
        .world
        .sql(
            "UPDATE delivery_logs SET status = 'FAILED', failed_at = now(), \
                error_code = coalesce(error_code, 'UNDELIVERED'), error_message = ''",
        )
        .await;
    assert!(is_accepted(&world.accept(world.submission(Some(one), other, 2)).await));
    world
        .fixture
        .world
        .sql("UPDATE delivery_logs SET status = 'DELIVERED' WHERE status = 'QUEUED'")
        .await;
    // These wait.
    assert!(is_accepted(&world.accept(world.submission(Some(other), third, 2)).await));

    for limit in [1, 2, 3, 100] {
        let count = async |filter: RecipientFilter| recipients(&world, filter, limit).await.len();
        assert_eq!(count(RecipientFilter::default()).await, 3 + 2 + 3, "{limit}");
        assert_eq!(count(with(RecipientOutcome::Sent)).await, 2, "{limit}");
        assert_eq!(count(with(RecipientOutcome::Skipped)).await, 1 + 3, "{limit}");
        assert_eq!(count(with(RecipientOutcome::Failed)).await, 2, "{limit}");
        let reason = Some(RecipientReason::Failure(FailureCode::RecipientSuppressed));
        assert_eq!(count(RecipientFilter { outcome: None, reason }).await, 1, "{limit}");
    }
    let all = recipients(&world, RecipientFilter::default(), 3).await;
    let messages: Vec<_> = all.iter().map_while(|it| it.message).collect();
    assert_eq!(messages.len(), 5, "those with a message come first");
    assert!(messages.is_sorted_by(|newer, older| newer > older), "newest first");
}

#[tokio::test]
async fn a_deleted_contact_is_no_longer_a_skipped_one() {
    let world = CampaignFixture::open(Money::from_cedis(100)).await;
    let organization = world.fixture.organization;
    let [one, other, _] = contacts(organization);
    world
        .fixture
        .world
        .sql(&format!(
            "INSERT INTO contacts (id, organization_id, email, created_at) \
             VALUES ('{one}', '{organization}', 'kofi@example.com', now())"
        ))
        .await;
    assert!(is_accepted(&world.accept(world.submission(None, one, 0)).await));
    assert!(is_accepted(&world.accept(world.submission(Some(one), other, 0)).await));

    let store: &dyn ContactRepository = &world.fixture.world.store;
    assert!(store.delete(organization, one).await.unwrap());

    assert_eq!(world.fixture.number(SKIPS).await, 1);
    assert_eq!(progress(&world).await.skipped(), 2, "the figures stay");
}
