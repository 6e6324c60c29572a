//! Sends a message without a server: the use cases run inside this program, and keep what they need in
//! memory. `docs/embedding.md` explains it.
//!
//! `cargo run -p atumpan-usecases --example embed`

use std::{error::Error as StdError, sync::Arc, time::SystemTime};

use adapters_memory::MemoryStore;
use async_trait::async_trait;
use chrono::{DateTime, SubsecRound, TimeDelta, Utc};
use domain::{
    identity::{
        caller::{Caller, Identity},
        organization::{Organization, Role},
        user::User,
    },
    messaging::{
        message::{Message, MessageRequest},
        outcome::{FollowUp, LookUp, Outcome},
    },
    money::pricing::PricingRule,
    providers::provider::{Check, CheckStatus, Provider, Route, WithoutReport},
    shared::{channel::Channel, id::Id, money::Money},
};
use ports::{
    money::{billing::WalletRepository, pricing::PricingRepository},
    providers::provider::MessagingProvider,
    shared::{clock::Clock, nobody::Nobody, random::Random, store::StoreError},
};
use usecases::{
    messaging::{
        deliveries::{Deliveries, DeliveriesDeps},
        messages::{Messages, MessagesDeps, SendMessage},
    },
    money::prices::Prices,
    providers::provider_registry::{ConfiguredProvider, Providers},
    shared::limits::Limits,
};

#[tokio::main]
async fn main() -> Result<(), Box<dyn StdError>> {
    let clock: Arc<dyn Clock> = Arc::new(SystemClock);
    let now = clock.now();
    let store = Arc::new(MemoryStore::new(Arc::clone(&clock)));
    let organization = Id::<Organization>::new(now);
    store.open(organization, Money::from_cedis(1), now).await?;
    store.begin_rule(&price(now), None, now).await?;
    let messages = messages(&store, &clock);

    let owner = Identity::Member { user: Id::<User>::new(now), role: Role::Owner };
    let caller = Caller { organization, identity: owner, policy: Arc::default() };
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
    println!("{} is left", balance(&store, organization).await?);
    Ok(())
}

/// Wires the use cases. To follow messages up, call [`Deliveries::deliver`] with every due job.
fn messages(store: &Arc<MemoryStore>, clock: &Arc<dyn Clock>) -> Messages {
    let console = Provider {
        name: "console".to_owned(),
        kind: "console",
        channel: Channel::Sms,
        routes: vec![Route { country: None, priority: 1 }],
        report_timeout: TimeDelta::minutes(10),
        without_report: WithoutReport::default(),
    };
    let carriers = vec![ConfiguredProvider { provider: console, adapter: Arc::new(Console) }];
    let providers = Arc::new(Providers::new(carriers, Arc::new(Console), None));
    Messages::new(MessagesDeps {
        intake: store.clone(),
        prices: Prices::new(store.clone(), Arc::clone(clock), Arc::new(Nobody)),
        deliveries: Deliveries::new(DeliveriesDeps {
            jobs: store.clone(),
            own_leases: Arc::new(Nobody),
            providers: Arc::clone(&providers),
            recipients: None,
            policies: None,
            holding: None,
            publisher: None,
            clock: Arc::clone(clock),
            random: Arc::new(SystemRandom),
        }),
        templates: store.clone(),
        delivery_logs: store.clone(),
        providers,
        clock: Arc::clone(clock),
        limits: Limits::off(),
        fraud_guard: None,
    })
}

/// Price of a text message for every organization, to any country.
fn price(now: DateTime<Utc>) -> PricingRule {
    PricingRule {
        id: Id::new(now),
        organization: None,
        channel: Channel::Sms,
        country: None,
        unit_price: Money::from_micros(35_000),
    }
}

async fn balance(store: &MemoryStore, organization: Id<Organization>) -> Result<Money, StoreError> {
    let wallet = WalletRepository::find(store, organization).await?;
    Ok(wallet.map(|wallet| wallet.balance).unwrap_or_default())
}

/// Provider that prints its messages.
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

/// System clock.
struct SystemClock;

impl Clock for SystemClock {
    fn now(&self) -> DateTime<Utc> {
        DateTime::from(SystemTime::now()).trunc_subsecs(3)
    }
}

/// The operating system's source of unpredictable bytes. Here chance only spreads retries; other use cases
/// make secrets of it.
struct SystemRandom;

const WITHOUT_CHANCE: &str = "the operating system gives no random bytes";

impl Random for SystemRandom {
    #[expect(clippy::expect_used, reason = "a secret that can be guessed is worse than a stop")]
    fn secret(&self) -> [u8; 32] {
        let mut secret = [0; 32];
        getrandom::fill(&mut secret).expect(WITHOUT_CHANCE);
        secret
    }

    #[expect(clippy::expect_used, reason = "a system without chance gives no secrets either")]
    fn fraction(&self) -> u16 {
        let drawn = getrandom::u64().expect(WITHOUT_CHANCE) % 1_001;
        u16::try_from(drawn).unwrap_or_default()
    }
}
