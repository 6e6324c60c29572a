//! Progress of campaigns with the acceptance of their messages.

use domain::messaging::message::CampaignId;
use domain::{
    audience::contact::Contact,
    identity::organization::Organization,
    messaging::message::{Message, Source},
    shared::{id::Id, money::Money},
};
use futures_util::future::join_all;
use ports::{
    messaging::messages::{
        Advance, CampaignAdvance, ClaimLimits, Intake, IntakeError, Jobs, Receipt, Submission,
    },
    outreach::campaigns::CampaignRepository,
};

use crate::{
    World,
    messaging::intake_fixture::{IntakeFixture, PRICE},
    now,
    shared::locks::failed,
};

/// An organization with a campaign that is being sent.
pub(crate) struct CampaignFixture {
    pub(crate) fixture: IntakeFixture,
    pub(crate) campaign: CampaignId,
}

impl CampaignFixture {
    pub(crate) async fn open(credit: Money) -> Self {
        let fixture = IntakeFixture::open(credit).await;
        let campaign = insert(&fixture.world, fixture.organization, "SENDING").await;
        Self { fixture, campaign }
    }

    /// Messages of the campaign to contacts up to `last`.
    pub(crate) fn submission(
        &self,
        after: Option<Id<Contact>>,
        last: Id<Contact>,
        messages: usize,
    ) -> Submission {
        let source = Some(Source::Campaign(self.campaign));
        let message = || Message { source, ..self.fixture.message() };
        let messages: Vec<_> = (0..messages).map(|_| message()).collect();
        let unreachable = vec![last];
        let advance = CampaignAdvance { campaign: self.campaign, after, last, unreachable };
        Submission {
            advance: Some(Advance::Campaign(advance)),
            ..self.fixture.submission(&messages)
        }
    }

    pub(crate) async fn accept(&self, submission: Submission) -> Result<Receipt, IntakeError> {
        self.fixture.intake.accept(submission).await
    }

    /// The value of a column of the campaign.
    pub(crate) async fn column(&self, column: &str) -> String {
        let query = format!("SELECT coalesce({column}::text, '') FROM campaigns WHERE id = $1");
        let client = self.fixture.world.client().await;
        client.query_one(&query, &[&self.campaign.uuid()]).await.unwrap().get(0)
    }

    async fn logs(&self) -> i64 {
        let query =
            format!("SELECT count(*) FROM delivery_logs WHERE campaign_id = '{}'", self.campaign);
        self.fixture.number(&query).await
    }

    /// Number of queued messages, of failed messages and of contacts without an address.
    async fn progress(&self) -> (u64, u64, u64) {
        let campaigns: &dyn CampaignRepository = &self.fixture.world.store;
        let found = campaigns.find(self.fixture.organization, self.campaign).await.unwrap();
        let progress = found.unwrap();
        (progress.counts.queued, progress.counts.failed, progress.campaign.unreachable)
    }
}

/// Inserts a campaign that is due.
pub(crate) async fn insert(
    world: &World,
    organization: Id<Organization>,
    status: &str,
) -> CampaignId {
    let campaign = Id::new_in(now(), organization);
    world
        .sql(&format!(
            "INSERT INTO campaigns (organization_id, id, name, channel, body, status, created_by, authors, \
                created_at, updated_at, content, content_hash, due_at) \
             VALUES ('{organization}', '{campaign}', 'c', 'SMS', 'B', '{status}', \
                gen_random_uuid(), '{{}}', now(), now(), '{{\"category\": \"MARKETING\", \"body\": \"B\"}}', \
                sha256('B'), now())"
        ))
        .await;
    campaign
}

pub(crate) fn contacts(organization: Id<Organization>) -> [Id<Contact>; 3] {
    let mut contacts = [(); 3].map(|()| Id::new_in(now(), organization));
    contacts.sort();
    contacts
}

pub(crate) fn is_accepted(receipt: &Result<Receipt, IntakeError>) -> bool {
    matches!(receipt, Ok(Receipt::Accepted(_)))
}

fn is_overtaken(receipt: &Result<Receipt, IntakeError>) -> bool {
    matches!(receipt, Err(IntakeError::Overtaken))
}

#[tokio::test]
async fn a_campaign_advances_and_messages_each_contact_once() {
    let world = CampaignFixture::open(Money::from_cedis(100)).await;
    let [one, other, third] = contacts(world.fixture.organization);

    assert!(is_accepted(&world.accept(world.submission(None, one, 3)).await));
    assert_eq!(world.column("position").await, one.to_string());
    for repeated in [None, Some(other)] {
        let receipt = world.accept(world.submission(repeated, third, 2)).await;
        assert!(is_overtaken(&receipt), "{receipt:?}");
    }
    // Contacts without an address get no message.
    assert!(is_accepted(&world.accept(world.submission(Some(one), other, 0)).await));

    assert_eq!(world.column("position").await, other.to_string());
    assert_eq!((world.logs().await, world.progress().await), (3, (3, 0, 2)));
    let balance =
        world.fixture.number("SELECT balance_micros FROM wallets WHERE balance_micros > 0");
    assert_eq!(Money::from_micros(balance.await), Money::from_cedis(100) - PRICE * 3);
}

#[tokio::test]
async fn an_overtaken_submission_does_not_affect_its_batch() {
    let world = CampaignFixture::open(Money::from_cedis(100)).await;
    let [one, other, third] = contacts(world.fixture.organization);
    assert!(is_accepted(&world.accept(world.submission(None, one, 1)).await));
    let stranger = world.fixture.world.organization().await.id;
    world.fixture.world.open_wallet(stranger, Money::from_cedis(100)).await;
    let message = || {
        let messages = [IntakeFixture::message_of(stranger)];
        Submission { organization: stranger, ..world.fixture.submission(&messages) }
    };

    let receipts = join_all([
        world.accept(message()),
        world.accept(world.submission(None, other, 2)),
        world.accept(message()),
        // The first of two submissions for the same contacts wins.
        world.accept(world.submission(Some(one), third, 2)),
        world.accept(world.submission(Some(one), third, 2)),
        world.accept(message()),
    ])
    .await;

    assert_eq!(receipts.iter().filter(|it| is_accepted(it)).count(), 4, "{receipts:?}");
    assert_eq!(receipts.iter().filter(|it| is_overtaken(it)).count(), 2, "{receipts:?}");
    assert!(is_overtaken(&receipts[1]), "{receipts:?}");
    assert_eq!(world.fixture.number("SELECT count(*) FROM delivery_logs").await, 3 + 1 + 2);
    assert_eq!(world.logs().await, 3);
}

#[tokio::test]
async fn a_campaign_that_is_not_sending_accepts_no_messages() {
    for status in ["CANCELLED", "SCHEDULED", "COMPLETED"] {
        let world = CampaignFixture::open(Money::from_cedis(100)).await;
        world.fixture.world.sql(&format!("UPDATE campaigns SET status = '{status}'")).await;
        let [one, ..] = contacts(world.fixture.organization);

        let receipt = world.accept(world.submission(None, one, 2)).await;

        assert!(is_overtaken(&receipt), "{status}: {receipt:?}");
        assert_eq!((world.logs().await, world.column("position").await), (0, String::new()));
    }
}

#[tokio::test]
async fn a_locked_campaign_is_postponed_and_delays_no_other() {
    let world = CampaignFixture::open(Money::from_cedis(100)).await;
    let [one, ..] = contacts(world.fixture.organization);
    let holder = world.fixture.world.client().await;
    holder.batch_execute("BEGIN; SELECT FROM campaigns FOR UPDATE").await.unwrap();

    let ordinary = world.fixture.submission(&[world.fixture.message()]);
    let receipts =
        join_all([world.accept(ordinary), world.accept(world.submission(None, one, 1))]).await;

    assert!(is_accepted(&receipts[0]) && is_overtaken(&receipts[1]), "{receipts:?}");
    holder.batch_execute("COMMIT").await.unwrap();
    assert!(is_accepted(&world.accept(world.submission(None, one, 1)).await));
}

#[tokio::test]
async fn progress_counts_messages_before_and_after_posting() {
    let world = CampaignFixture::open(Money::from_cedis(100)).await;
    let [one, ..] = contacts(world.fixture.organization);
    // Messages outside campaigns are not counted.
    world
        .fixture
        .intake
        .accept(world.fixture.submission(&[world.fixture.message()]))
        .await
        .unwrap();
    let kept = "SELECT coalesce(sum(messages), 0)::bigint FROM campaign_counts";
    assert!(is_accepted(&world.accept(world.submission(None, one, 4)).await));
    assert_eq!((world.progress().await, world.fixture.number(kept).await), ((4, 0, 1), 0));
    world.fixture.world.store.post_journal().await.unwrap();
    assert_eq!((world.progress().await, world.fixture.number(kept).await), ((4, 0, 1), 4));

    let jobs = world.fixture.jobs.claim(&ClaimLimits::any(10)).await.unwrap();
    for job in jobs.into_iter().filter(|job| job.message.source.is_some()).take(3) {
        world.fixture.jobs.record(failed(job)).await.unwrap();
    }

    assert_eq!(world.progress().await, (1, 3, 1));
    world.fixture.world.store.post_journal().await.unwrap();
    assert_eq!((world.progress().await, world.fixture.number(kept).await), ((1, 3, 1), 4));
}
