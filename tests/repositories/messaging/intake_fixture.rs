//! An organization with an intake and jobs.

use std::sync::Arc;

use adapters_http::outbound::random::SystemRandom;
use adapters_postgres::{IntakeDeps, PgInstance, PgIntake, PgJobs, PgStore};
use app::clock::SystemClock;
use domain::{
    identity::organization::Organization,
    messaging::{
        job::Job,
        message::{Message, MessageRequest, Terms},
        priority::{Origin, Priority, ProviderQueue},
    },
    shared::{channel::Channel, id::Id, money::Money},
};
use ports::{
    messaging::messages::{
        ClaimLimits, FirstWorker, Intake, Jobs, LocalQueue, Receipt, Submission,
    },
    shared::traces::Tracer,
};

use crate::{World, now};

/// Price of a message.
pub(crate) const PRICE: Money = Money::from_micros(35_000);

/// A fresh database with the writers of an instance.
pub(crate) struct IntakeFixture {
    pub(crate) world: World,
    pub(crate) organization: Id<Organization>,
    pub(crate) intake: PgIntake,
    pub(crate) jobs: Arc<PgJobs>,
}

impl IntakeFixture {
    /// An organization with that credit.
    pub(crate) async fn open(credit: Money) -> Self {
        Self::open_on(World::alone().await, credit).await
    }

    /// Opens the fixture on an existing database.
    pub(crate) async fn open_on(world: World, credit: Money) -> Self {
        let organization = world.organization().await.id;
        world.open_wallet(organization, credit).await;
        let (intake, jobs) = instance(&world, 0);
        Self { world, organization, intake, jobs }
    }

    /// The intake of another instance on the same database.
    pub(crate) fn another(&self) -> PgIntake {
        instance(&self.world, 1).0
    }

    /// A message that costs [`PRICE`].
    pub(crate) fn message(&self) -> Message {
        Self::message_of(self.organization)
    }

    /// A message of another organization.
    pub(crate) fn message_of(organization: Id<Organization>) -> Message {
        let composition = MessageRequest {
            channel: Some(Channel::Sms),
            to: Some("0241234567".into()),
            body: Some("Akwaaba".into()),
            ..MessageRequest::default()
        };
        let draft = composition.draft(None).unwrap();
        let terms = Terms { cost: PRICE, refusal: None, is_sandbox: false, is_confidential: false };
        Message::queue(organization, draft, Origin::Single, terms, now())
    }

    /// Returns the number that a query selects.
    pub(crate) async fn number(&self, query: &str) -> i64 {
        self.world.client().await.query_one(query, &[]).await.unwrap().get(0)
    }

    /// Messages of one request.
    pub(crate) fn submission(&self, messages: &[Message]) -> Submission {
        Submission {
            organization: self.organization,
            idempotency: None,
            messages: messages.to_vec(),
            first_worker: FirstWorker::Workers,
            advance: None,
        }
    }

    /// Accepts messages, and claims their jobs as any instance does.
    pub(crate) async fn claim(&self, messages: &[Message]) -> Vec<Job> {
        let receipt = self.intake.accept(self.submission(messages)).await.unwrap();
        assert!(matches!(receipt, Receipt::Accepted(_)), "{receipt:?}");
        self.jobs.claim(&ClaimLimits::any(10)).await.unwrap()
    }
}

/// The intake and the jobs of an instance.
pub(crate) fn instance(world: &World, shard: i16) -> (PgIntake, Arc<PgJobs>) {
    let store = PgStore::connect_writers(&world.url, 4).unwrap();
    let clock = Arc::new(SystemClock);
    let instance = PgInstance::new(store.clone(), Arc::new(SystemRandom));
    let jobs = PgJobs::start(store.clone(), clock.clone(), instance.clone(), shard);
    let jobs = Arc::new(jobs);
    let intake = PgIntake::start(IntakeDeps {
        store,
        jobs: Arc::clone(&jobs),
        handover: Arc::new(NoRoom),
        clock,
        instance,
        tracer: Tracer::default(),
    });
    (intake, jobs)
}

/// A queue that takes no jobs.
struct NoRoom;

impl LocalQueue for NoRoom {
    fn provider_queue(&self, _: &Message) -> ProviderQueue {
        ProviderQueue::FREE
    }

    fn room(&self, _: Priority, _: ProviderQueue) -> usize {
        0
    }

    fn offer(&self, jobs: Vec<Job>) -> Vec<Job> {
        jobs
    }

    fn wake(&self) {}
}
