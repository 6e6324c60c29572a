//! The contract of every store: the same tests against PostgreSQL and against memory.

mod acceptance;
mod callbacks;
mod claims;
mod codes;
mod histories;
mod jobs;
mod lists;
mod prices;
mod providers;
mod suppressions;
mod triggers;

use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex, PoisonError},
};

use adapters_memory::MemoryStore;
use adapters_postgres::PgCallbacks;
use chrono::{DateTime, TimeDelta, Utc};
use domain::{
    audience::contact::ContactRequest,
    identity::organization::{Organization, Profile, Settings},
    messaging::{
        attempt::Attempt,
        delivery::{Delivery, DeliveryEvent},
        job::{Job, JobConcluded, Step},
        message::Message,
        outcome::{FollowUp, Outcome},
    },
    shared::{id::Id, money::Money},
};
use ports::{
    audience::{
        contacts::{ContactRepository, Inserted},
        suppressions::SuppressionRepository,
    },
    messaging::{
        callbacks::CallbackRepository,
        delivery_logs::DeliveryLogRepository,
        messages::{ClaimLimits, FirstWorker, Intake, Jobs, Receipt, Recorded, Submission},
    },
    money::{billing::WalletRepository, pricing::PricingRepository},
    outreach::events::TriggerRepository,
    providers::provider::ProviderRegistry,
    shared::clock::Clock,
};

use crate::{
    World,
    messaging::intake_fixture::{IntakeFixture, PRICE, instance},
    now,
};

/// A new store, and an organization with credit.
pub(crate) struct Subject {
    /// Name of the store, for failure messages.
    pub(crate) name: &'static str,
    pub(crate) organization: Id<Organization>,
    pub(crate) intake: Arc<dyn Intake>,
    pub(crate) jobs: Arc<dyn Jobs>,
    pub(crate) wallets: Arc<dyn WalletRepository>,
    pub(crate) logs: Arc<dyn DeliveryLogRepository>,
    pub(crate) callbacks: Arc<dyn CallbackRepository>,
    pub(crate) prices: Arc<dyn PricingRepository>,
    pub(crate) providers: Arc<dyn ProviderRegistry>,
    pub(crate) suppressions: Arc<dyn SuppressionRepository>,
    pub(crate) triggers: Arc<dyn TriggerRepository>,
    backstage: Backstage,
}

/// Access to the store that bypasses the ports.
enum Backstage {
    Postgres(World),
    Memory(MemoryStore, Arc<MovedClock>),
}

/// A clock that a test moves.
struct MovedClock(Mutex<DateTime<Utc>>);

impl Clock for MovedClock {
    fn now(&self) -> DateTime<Utc> {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The stores, each with an organization that has that credit.
pub(crate) async fn subjects(credit: Money) -> [Subject; 2] {
    let fixture = IntakeFixture::open(credit).await;
    let memory = Subject::in_memory(fixture.organization, credit).await;
    [Subject::on_postgres(fixture), memory]
}

impl Subject {
    fn on_postgres(fixture: IntakeFixture) -> Self {
        let IntakeFixture { world, organization, intake, jobs } = fixture;
        let store = Arc::new(world.store.clone());
        Self {
            name: "PostgreSQL",
            organization,
            intake: Arc::new(intake),
            jobs,
            wallets: store.clone(),
            logs: store.clone(),
            callbacks: PgCallbacks::start(world.store.clone()),
            prices: store.clone(),
            providers: store.clone(),
            suppressions: store.clone(),
            triggers: store,
            backstage: Backstage::Postgres(world),
        }
    }

    async fn in_memory(organization: Id<Organization>, credit: Money) -> Self {
        let clock = Arc::new(MovedClock(Mutex::new(now())));
        let store = MemoryStore::new(clock.clone());
        let shared = Arc::new(store.clone());
        let subject = Self {
            name: "memory",
            organization,
            intake: shared.clone(),
            jobs: shared.clone(),
            wallets: shared.clone(),
            logs: shared.clone(),
            callbacks: shared.clone(),
            prices: shared.clone(),
            providers: shared.clone(),
            suppressions: shared.clone(),
            triggers: shared,
            backstage: Backstage::Memory(store, clock),
        };
        subject.wallets.open(organization, credit, now()).await.unwrap();
        subject
    }

    /// Another organization with that credit.
    pub(crate) async fn another_organization(&self, credit: Money) -> Id<Organization> {
        let id = match &self.backstage {
            Backstage::Postgres(world) => world.organization().await.id,
            Backstage::Memory(..) => Id::new(now()),
        };
        self.wallets.open(id, credit, now()).await.unwrap();
        id
    }

    /// The intake and the jobs of another instance.
    pub(crate) fn another_instance(&self) -> (Arc<dyn Intake>, Arc<dyn Jobs>) {
        match &self.backstage {
            Backstage::Postgres(world) => {
                let (intake, jobs) = instance(world, 1);
                (Arc::new(intake), jobs)
            }
            Backstage::Memory(store, _) => {
                let store = Arc::new(store.instance(2));
                (store.clone(), store)
            }
        }
    }

    /// Lets time pass.
    pub(crate) async fn pass(&self, time: TimeDelta) {
        match &self.backstage {
            // Moving everything into the past stands for time that passes. Due jobs are marked
            // ready, as a claim would mark them.
            Backstage::Postgres(world) => {
                let millis = time.num_milliseconds();
                let ago = format!("interval '{millis} milliseconds'");
                world
                    .sql(&format!(
                        "UPDATE delivery_jobs SET due_at = due_at - {ago}; \
                         UPDATE delivery_jobs SET is_ready = true WHERE due_at <= now(); \
                         UPDATE idempotency_keys SET expires_at = expires_at - {ago}; \
                         UPDATE triggers SET due_at = due_at - {ago}"
                    ))
                    .await;
            }
            Backstage::Memory(_, clock) => {
                *clock.0.lock().unwrap_or_else(PoisonError::into_inner) += time;
            }
        }
    }

    /// Limits the daily spending of the organization.
    pub(crate) async fn limit_spending(&self, limit: Money) {
        match &self.backstage {
            Backstage::Postgres(world) => {
                let (micros, id) = (limit.micros(), self.organization);
                let limit = format!(
                    "UPDATE wallets SET daily_limit_micros = {micros} WHERE organization_id = '{id}'"
                );
                world.sql(&limit).await;
            }
            Backstage::Memory(store, _) => {
                let mut settings = Settings::default();
                settings.spending.daily_limit = Some(limit);
                store.put_organization(Organization {
                    id: self.organization,
                    name: "Adinkra Ltd".into(),
                    profile: Profile::default(),
                    settings,
                    created_at: now(),
                });
            }
        }
    }

    /// Stores a contact of an organization.
    pub(crate) async fn put_contact(
        &self,
        organization: Id<Organization>,
        request: ContactRequest,
    ) {
        let contact = request.contact(organization, now()).unwrap();
        match &self.backstage {
            Backstage::Postgres(world) => {
                let contacts: &dyn ContactRepository = &world.store;
                assert_eq!(contacts.insert(&contact).await.unwrap(), Inserted::Done);
            }
            Backstage::Memory(store, _) => store.put_contact(contact),
        }
    }

    /// Sums of the ledger of an organization and numbers of messages, by kind.
    pub(crate) async fn ledger(
        &self,
        organization: Id<Organization>,
    ) -> BTreeMap<String, (Money, i64)> {
        match &self.backstage {
            Backstage::Postgres(world) => {
                let query = "SELECT kind, sum(amount_micros)::bigint, sum(messages)::bigint \
                             FROM ledger WHERE organization_id = $1 GROUP BY kind";
                let rows = world.client().await.query(query, &[&organization.uuid()]).await;
                let sum = |row: &tokio_postgres::Row| {
                    (row.get(0), (Money::from_micros(row.get(1)), row.get(2)))
                };
                rows.unwrap().iter().map(sum).collect()
            }
            Backstage::Memory(store, _) => {
                let mut sums = BTreeMap::<_, (Money, i64)>::new();
                for entry in store.ledger(organization) {
                    let (amount, messages) =
                        sums.entry(entry.kind.as_str().to_owned()).or_default();
                    *amount += entry.amount;
                    *messages += i64::from(entry.message.is_some());
                }
                sums
            }
        }
    }

    /// Balance of the wallet, which must equal the sum of the ledger.
    pub(crate) async fn balance(&self) -> Money {
        let wallet = self.wallets.find(self.organization).await.unwrap().unwrap();
        let ledger = self.ledger(self.organization).await;
        let proven = ledger.values().map(|(amount, _)| *amount).sum();
        assert_eq!(wallet.balance, proven, "the balance is the sum of the ledger");
        wallet.balance
    }

    /// A message of the organization that costs [`PRICE`].
    pub(crate) fn message(&self) -> Message {
        IntakeFixture::message_of(self.organization)
    }

    /// Returns `count` messages of the organization.
    pub(crate) fn messages(&self, count: usize) -> Vec<Message> {
        (0..count).map(|_| self.message()).collect()
    }

    /// Messages of one request.
    pub(crate) fn submission(messages: &[Message]) -> Submission {
        Submission {
            organization: messages[0].organization,
            idempotency: None,
            messages: messages.to_vec(),
            first_worker: FirstWorker::Workers,
            advance: None,
        }
    }

    /// Accepts messages, and leaves their jobs to be claimed.
    pub(crate) async fn accept(&self, messages: &[Message]) -> Vec<Job> {
        let receipt = self.intake.accept(Self::submission(messages)).await.unwrap();
        let Receipt::Accepted(jobs) = receipt else { panic!("{receipt:?}") };
        jobs
    }

    /// Claims what is due, up to a thousand jobs.
    pub(crate) async fn claim(&self) -> Vec<Job> {
        self.jobs.claim(&ClaimLimits::any(1_000)).await.unwrap()
    }

    /// Accepts a message and claims its job.
    pub(crate) async fn claimed(&self) -> Job {
        self.accept(&[self.message()]).await;
        let mut claimed = self.claim().await;
        assert_eq!(claimed.len(), 1);
        claimed.remove(0)
    }

    pub(crate) async fn record(&self, step: impl Into<Step>) -> Recorded {
        self.jobs.record(step.into()).await.unwrap()
    }

    /// The present state of a message.
    pub(crate) async fn find(&self, id: Id<Message>) -> Message {
        self.jobs.find(id).await.unwrap().unwrap()
    }
}

/// The delivery of a message after events.
pub(crate) fn after(message: &Message, events: &[DeliveryEvent]) -> Delivery {
    let mut delivery = message.delivery.clone();
    for event in events {
        delivery = delivery.after(event.clone()).unwrap();
    }
    delivery
}

pub(crate) fn accepted() -> DeliveryEvent {
    DeliveryEvent::Accepted { at: now() }
}

pub(crate) fn confirmed() -> DeliveryEvent {
    DeliveryEvent::Confirmed { at: now() }
}

/// The step of a job whose message `provider` accepted as `reference`. Its status is queried in ten
/// minutes.
pub(crate) fn sent(job: &Job, provider: &str, reference: &str) -> JobConcluded {
    let (reference, follow_up) = (Some(reference.to_owned()), FollowUp::Report);
    let outcome = Outcome::Accepted { reference, follow_up };
    let mut job = job.clone();
    job.message.provider = Some(provider.to_owned());
    job.message.attempts = vec![Attempt::start(provider, now()).end(now(), &outcome)];
    let sent = after(&job.message, &[DeliveryEvent::Dispatched, accepted()]);
    JobConcluded { due_in: Some(TimeDelta::minutes(10)), ..job.conclude(sent) }
}
