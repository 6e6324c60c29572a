//! History of the demonstration, from the first registration to the present.

use std::sync::Arc;

use chrono::{DateTime, Days, NaiveTime, TimeDelta, Utc};
use domain::{
    identity::{caller::Administrator, organization::Role},
    money::top_up::{PaymentMethod as By, TopUpStatus as Is},
    shared::money::Money,
};
use ports::shared::clock::Clock;
use usecases::money::invoices::Statements;

use super::{
    calendar,
    campaigns::{self, DONE, PENDING_APPROVAL, RUNNING},
    money::{self, InvoiceEnd, Movement},
    past_clock::PastClock,
    tenant::{self, Plan, Tenant},
    texts,
    traffic::Traffic,
    webhook::Webhook,
};
use crate::{
    clock::SystemClock,
    config::Config,
    service::{PastService, StartError},
};

/// Password of everybody.
pub(super) const PASSWORD: &str = "correct horse";
/// Address of the owner of the shop.
pub(super) const OWNER: &str = "esi.quaye@example.com";
/// Address of a viewer of the shop.
pub(super) const VIEWER: &str = "kofi.asante@example.com";
/// Address of the platform administrator.
pub(super) const ADMINISTRATOR: &str = "admin@example.com";

/// Number of past months in which something is written.
const MONTHS: i32 = 3;
/// Number of messages that the amounts of money below pay for twice.
const PAID_MESSAGES: u32 = 30_000;

const SHOP: Plan = Plan {
    name: "Adinkra Market",
    owner: [OWNER, "Esi", "Quaye"],
    members: &[
        ([VIEWER, "Kofi", "Asante"], Role::Viewer),
        (["abena.osei@example.com", "Abena", "Osei"], Role::CampaignManager),
        (["yaw.mensah@example.com", "Yaw", "Mensah"], Role::Developer),
    ],
    sender: "Adinkra",
    unfit_sender: "MTN Promo",
    texts: texts::SHOP,
    people: 0..4_000,
};
const CLINIC: Plan = Plan {
    name: "Sankofa Clinic",
    owner: ["dzifa.agbeko@example.com", "Dzifa", "Agbeko"],
    members: &[(["fati.alidu@example.com", "Fati", "Alidu"], Role::ComplianceReviewer)],
    sender: "Sankofa",
    unfit_sender: "MTN Health",
    texts: texts::CLINIC,
    people: 4_000..5_000,
};

/// Act in the history beside the usual traffic.
#[derive(Debug, Clone, Copy)]
enum Act {
    /// Money of an organization moves: of the shop, or of the clinic.
    Money(usize, Movement, i64),
    /// The shop makes a campaign.
    Campaign(&'static campaigns::Plan),
    /// The shop makes a webhook endpoint.
    Webhook,
}

/// Acts with their ages in hours, oldest first.
const ACTS: [(i64, Act); 15] = [
    // The trial credit pays for what was sent before.
    (1_455, Act::Money(0, Movement::TopUp(By::MobileMoney, Is::Credited), 400)),
    (1_455, Act::Money(1, Movement::TopUp(By::Card, Is::Credited), 300)),
    (1_090, Act::Money(0, Movement::TopUp(By::Card, Is::Failed), 200)),
    (1_089, Act::Money(0, Movement::TopUp(By::Card, Is::Credited), 300)),
    (720, Act::Money(1, Movement::Invoice(InvoiceEnd::Paid), 400)),
    (590, Act::Money(0, Movement::Invoice(InvoiceEnd::Withdrawn), 1_000)),
    (480, Act::Money(0, Movement::TopUp(By::MobileMoney, Is::Abandoned), 150)),
    (455, Act::Campaign(&DONE)),
    (290, Act::Money(0, Movement::TopUp(By::MobileMoney, Is::Credited), 350)),
    (100, Act::Money(0, Movement::Invoice(InvoiceEnd::Open), 800)),
    (73, Act::Webhook),
    (70, Act::Money(1, Movement::Invoice(InvoiceEnd::Open), 500)),
    (2, Act::Money(0, Movement::TopUp(By::MobileMoney, Is::Pending), 250)),
    (1, Act::Campaign(&RUNNING)),
    (0, Act::Campaign(&PENDING_APPROVAL)),
];

/// Writer of the history.
struct History<'s> {
    service: &'s PastService,
    clock: &'s PastClock,
    now: DateTime<Utc>,
    admin: &'s Administrator,
    tenants: [&'s Tenant; 2],
    webhook: Option<Webhook>,
    /// Factor of the amounts of money.
    scale: i64,
}

/// Writes the history into a migrated database, with so many messages.
pub(super) async fn write(
    config: &Config,
    database_url: &str,
    messages: u32,
) -> Result<(), StartError> {
    let now = SystemClock.now();
    let today = now.date_naive();
    let first_day = today.checked_sub_days(Days::new(calendar::DAYS + 1)).unwrap_or(today);
    let begin = first_day.and_time(NaiveTime::MIN).and_utc() + TimeDelta::hours(8);
    let clock = Arc::new(PastClock::at(begin));
    let service = PastService::start(config, database_url, Arc::clone(&clock) as _).await?;
    service.store.prepare_past_months(MONTHS).await?;
    let admin = tenant::administrator(&service, &clock, (ADMINISTRATOR, PASSWORD)).await?;
    let shop = Tenant::make(&service, &clock, (&SHOP, PASSWORD), &admin, now).await?;
    let clinic = Tenant::make(&service, &clock, (&CLINIC, PASSWORD), &admin, now).await?;
    let mut history = History {
        service: &service,
        clock: &clock,
        now,
        admin: &admin,
        tenants: [&shop, &clinic],
        webhook: None,
        scale: i64::from(1 + messages / PAID_MESSAGES),
    };
    Box::pin(history.write(messages)).await?;
    Box::pin(service.stop()).await
}

impl History<'_> {
    async fn write(&mut self, messages: u32) -> Result<(), StartError> {
        let mut traffic = Traffic::new(self.service, self.clock, self.now);
        let mut acts = ACTS.into_iter().peekable();
        for hour in calendar::hours(self.now, messages) {
            while let Some((age, act)) = acts.next_if(|(age, _)| self.time(*age) <= hour.begin) {
                self.act(&mut traffic, age, act).await?;
            }
            traffic.write(&self.tenants, hour, self.webhook.as_ref()).await?;
        }
        for (age, act) in acts {
            self.act(&mut traffic, age, act).await?;
        }
        self.clock.set(self.now);
        let [shop, _] = self.tenants;
        traffic.schedule(shop).await?;
        shop.leave_pending(self.service).await?;
        money::enter(self.service).await?;
        let store = Arc::clone(&self.service.store);
        Statements::new(store, Arc::new(SystemClock)).write_due().await?;
        Ok(())
    }

    fn time(&self, age: i64) -> DateTime<Utc> {
        self.now - TimeDelta::hours(age)
    }

    async fn act(
        &mut self,
        traffic: &mut Traffic<'_>,
        age: i64,
        act: Act,
    ) -> Result<(), StartError> {
        let at = self.time(age);
        self.clock.set(at);
        let [shop, _] = self.tenants;
        match act {
            Act::Money(place, movement, cedis) => {
                let amount = Money::from_cedis(cedis * self.scale);
                let tenant = self.tenants[place];
                let made = (movement, amount);
                money::make(self.service, self.clock, tenant, self.admin, made).await
            }
            Act::Campaign(plan) => {
                campaigns::make(self.service, shop, self.admin, traffic, plan).await
            }
            Act::Webhook => {
                let made = Webhook::make(self.service, shop, (at, self.now)).await?;
                self.webhook = Some(made);
                Ok(())
            }
        }
    }
}
