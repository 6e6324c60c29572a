//! Sends a message without a server: the use cases run inside this program, and what they need from
//! the outside world is implemented below. `docs/embedding.md` explains it.
//!
//! `cargo run -p usecases --example embed`

use std::{
    collections::HashMap,
    error::Error as StdError,
    sync::{Arc, Mutex, PoisonError},
    time::SystemTime,
};

use async_trait::async_trait;
use chrono::{DateTime, SubsecRound, TimeDelta, Utc};
use domain::{
    caller::{Caller, Identity},
    channel::Channel,
    id::Id,
    job::{Job, Lease, Step},
    lane::Line,
    message::{Message, MessageRequest},
    money::Money,
    organization::{Organization, Role},
    pricing::{PriceList, PricingRule},
    provider::{Check, CheckStatus, FollowUp, LookUp, Outcome, Provider, Route, WithoutReport},
    user::User,
    wallet,
};
use ports::{
    clock::Clock,
    messages::{ClaimLimits, Intake, IntakeError, Jobs, Receipt, Recorded, Submission},
    mock::{MockDeliveryLogRepository, MockPricingRepository, MockRandom, MockTemplateRepository},
    providers::MessagingProvider,
    store::StoreError,
};
use usecases::{
    deliveries::Deliveries,
    messages::{Messages, MessagesParts, SendMessage},
    prices::Prices,
    providers::{ConfiguredProvider, Providers},
};

#[tokio::main]
async fn main() -> Result<(), Box<dyn StdError>> {
    let clock: Arc<dyn Clock> = Arc::new(SystemClock);
    let memory = Arc::new(Memory::with_balance(Money::from_cedis(1)));
    let messages = messages(&memory, &clock);
    let owner = Identity::Member { user: Id::<User>::new(clock.now()), role: Role::Owner };
    let caller = Caller {
        organization: Id::<Organization>::new(clock.now()),
        identity: owner,
        policy: Arc::default(),
    };

    let message = MessageRequest {
        channel: Some(Channel::Sms),
        to: Some("0241234567".to_owned()),
        body: Some("Akwaaba, {{name}}!".to_owned()),
        variables: [("name".to_owned(), "Ama".to_owned())].into(),
        ..MessageRequest::default()
    };
    let sent = messages.send(&caller, SendMessage { message, ..SendMessage::default() }).await?;
    let sent = sent.accepted;

    println!("{} is {}", sent.id.internal(), sent.delivery.status());
    println!("carried by {} for {}", sent.provider.as_deref().unwrap_or("nobody"), sent.cost);
    println!("{} is left", memory.balance());
    Ok(())
}

/// Puts the use cases together. Whoever also follows messages up calls [`Deliveries::deliver`] with
/// every job that is due.
fn messages(memory: &Arc<Memory>, clock: &Arc<dyn Clock>) -> Messages {
    let console = Provider {
        name: "console".to_owned(),
        kind: "console",
        channel: Channel::Sms,
        routes: vec![Route { country: None, priority: 1 }],
        report_timeout: TimeDelta::minutes(10),
        without_report: WithoutReport::default(),
    };
    let carriers = vec![ConfiguredProvider { provider: console, adapter: Arc::new(Console) }];
    let providers = Arc::new(Providers::new(carriers, Arc::new(Console)));
    Messages::new(MessagesParts {
        intake: Arc::clone(memory) as Arc<dyn Intake>,
        prices: Prices::new(Arc::new(price_list(clock.now())), Arc::clone(clock)),
        deliveries: Deliveries::new(
            Arc::clone(memory) as Arc<dyn Jobs>,
            Arc::clone(&providers),
            Arc::clone(clock),
            Arc::new(chance()),
        ),
        templates: Arc::new(MockTemplateRepository::new()),
        delivery_logs: Arc::new(MockDeliveryLogRepository::new()),
        providers,
        clock: Arc::clone(clock),
    })
}

/// Mocks are enough here, for a message without template only reads the prices.
fn price_list(now: DateTime<Utc>) -> MockPricingRepository {
    let price = PricingRule {
        id: Id::new(now),
        organization: None,
        channel: Channel::Sms,
        country: None,
        unit_price: Money::from_micros(35_000),
    };
    let mut repository = MockPricingRepository::new();
    repository.expect_price_list().return_once(|| Ok(PriceList::new(0, vec![price])));
    repository
}

/// Here chance only spreads retries. A real one gives bytes that nobody can guess.
fn chance() -> MockRandom {
    let mut random = MockRandom::new();
    random.expect_fraction().return_const(500_u16);
    random
}

/// A provider that prints what it carries.
struct Console;

#[async_trait]
impl MessagingProvider for Console {
    async fn send(&self, message: &Message) -> Outcome {
        println!("To {}: {}", message.draft.recipient, message.draft.body);
        Outcome::Accepted { reference: None, follow_up: FollowUp::Nothing }
    }

    async fn look_up(&self, _message: &Message) -> LookUp {
        LookUp::Unavailable
    }

    async fn check(&self) -> Check {
        Check { status: CheckStatus::Up, message: "it prints".to_owned() }
    }
}

/// A wallet and the messages that it paid for, until the program ends.
struct Memory {
    balance: Mutex<Money>,
    messages: Mutex<HashMap<Id<Message>, Message>>,
}

impl Memory {
    fn with_balance(balance: Money) -> Self {
        Self { balance: Mutex::new(balance), messages: Mutex::default() }
    }

    fn balance(&self) -> Money {
        *self.balance.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[async_trait]
impl Intake for Memory {
    async fn accept(&self, submission: Submission) -> Result<Receipt, IntakeError> {
        let mut balance = self.balance.lock().unwrap_or_else(PoisonError::into_inner);
        let cost = submission.messages.iter().map(|message| message.cost).sum();
        *balance = wallet::pay(*balance, cost)?;

        let mut messages = self.messages.lock().unwrap_or_else(PoisonError::into_inner);
        messages.extend(submission.messages.iter().map(|message| (message.id, message.clone())));
        let lease = |message: &Message| Lease(message.id.uuid());
        let jobs = submission.messages.into_iter().map(|message| Job {
            lease: lease(&message),
            message,
            rounds: 0,
            line: Line::FREE,
            is_scored: false,
        });
        Ok(Receipt::Accepted(jobs.collect()))
    }
}

#[async_trait]
impl Jobs for Memory {
    async fn claim(&self, _limits: &ClaimLimits) -> Result<Vec<Job>, StoreError> {
        Ok(Vec::new())
    }

    async fn record(&self, step: Step) -> Result<Recorded, StoreError> {
        let mut messages = self.messages.lock().unwrap_or_else(PoisonError::into_inner);
        let known = messages.get(&step.message().id);
        if known.is_none_or(|known| known.delivery.status() != step.previous_status()) {
            return Ok(Recorded::Stale);
        }
        *self.balance.lock().unwrap_or_else(PoisonError::into_inner) += step.refund();
        messages.insert(step.message().id, step.into_message());
        Ok(Recorded::Done)
    }

    async fn release(&self, _jobs: &[Job]) -> Result<(), StoreError> {
        Ok(())
    }

    async fn find(&self, id: Id<Message>) -> Result<Option<Message>, StoreError> {
        let messages = self.messages.lock().unwrap_or_else(PoisonError::into_inner);
        Ok(messages.get(&id).cloned())
    }
}

struct SystemClock;

impl Clock for SystemClock {
    fn now(&self) -> DateTime<Utc> {
        DateTime::from(SystemTime::now()).trunc_subsecs(3)
    }
}
