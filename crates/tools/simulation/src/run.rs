//! Runs of worlds.

use std::{
    panic::{AssertUnwindSafe, catch_unwind},
    time::Duration,
};

use chrono::{DateTime, TimeDelta, Utc};
use domain::{
    identity::{organization::Organization, user::User},
    messaging::message::Message,
    money::{
        pricing::PricingRule,
        wallet::{Credit, LedgerKind},
    },
    shared::{
        channel::Channel,
        id::{Id, seeded},
        money::Money,
    },
};
use futures_util::future::join_all;
use ports::{
    money::{billing::WalletRepository, pricing::PricingRepository},
    providers::provider::ProviderRegistry,
    shared::clock::Clock,
};
use tokio::time::sleep;

use crate::{
    chance::Chance,
    checks::check,
    client::Client,
    disturbances::disturb,
    options::RunOptions,
    scenario::{PRICE, Scenario},
    scheduler::ProcessId,
    trace::Trace,
    witness::Tally,
    world::World,
};

/// Payment of each organization while the world lasts.
const TOP_UP: Money = Money::from_cedis(1);
/// Time for which processes run between two leaps in time, while all that is left is to wait.
const RUN: Duration = Duration::from_secs(3);
/// Longest leap.
const LONGEST_LEAP: TimeDelta = TimeDelta::hours(6);
/// Longest life of a world: one that has not come to rest by then never will, because reports are
/// waited for three days.
const LONGEST_LIFE: Duration = Duration::from_secs(6 * 86_400);

/// Result of a run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    /// Seed of the world.
    pub seed: u64,
    /// Hash of all steps.
    pub hash: u64,
    /// Number of steps.
    pub steps: u64,
    /// Number of accepted messages.
    pub messages: usize,
    /// Number of polls of the first process.
    pub first_polls: u64,
    /// Counts of the observed events.
    pub tally: Tally,
    /// Descriptions of the violations.
    pub violations: Vec<String>,
}

/// Runs the world of a seed.
pub fn run(seed: u64, options: RunOptions) -> Finding {
    let ran = catch_unwind(AssertUnwindSafe(|| run_world(seed, options)));
    seeded::end();
    ran.unwrap_or_else(|panic| {
        let text = panic.downcast_ref::<&str>().map(|text| (*text).to_owned());
        let text = text.or_else(|| panic.downcast_ref::<String>().cloned());
        Finding::broken(seed, format!("panicked: {}", text.unwrap_or_default()))
    })
}

impl Finding {
    /// Returns the finding of a run that did not end.
    fn broken(seed: u64, how: String) -> Self {
        Self {
            seed,
            hash: 0,
            steps: 0,
            messages: 0,
            first_polls: 0,
            tally: Tally::default(),
            violations: vec![how],
        }
    }
}

fn run_world(seed: u64, options: RunOptions) -> Finding {
    let chance = Chance::new(seed);
    seeded::begin(chance.number());
    let mut builder = tokio::runtime::Builder::new_current_thread();
    let runtime = match builder.enable_time().start_paused(true).build() {
        Ok(runtime) => runtime,
        Err(error) => return Finding::broken(seed, format!("no runtime: {error}")),
    };
    runtime.block_on(async {
        let trace = Trace::start(options.is_printed);
        let scenario =
            if options.is_quiet { Scenario::quiet(&chance) } else { Scenario::new(&chance) };
        trace.note(format_args!("{scenario:?}"));
        let world = World::new(scenario, options, &chance, &trace);
        let living = live(world.clone(), chance.fork());
        let first_polls = world.scheduler.run(living).await;
        world.end();
        let messages = world.store.messages().len();
        let mut violations = world.witness.violations();
        if first_polls.is_none() {
            violations.push("the run broke off".to_owned());
        }
        Finding {
            seed,
            hash: trace.hash(),
            steps: trace.count(),
            messages,
            first_polls: first_polls.unwrap_or_default(),
            tally: world.witness.tally(),
            violations,
        }
    })
}

/// Runs the life of a world: faults, calm, rest, and the checks.
async fn live(world: World, chance: Chance) -> u64 {
    let organizations = furnish(&world).await;
    let scheduler = world.scheduler.clone();
    for place in 0..world.scenario.instances {
        scheduler.spawn(ProcessId::WORLD, world.clone().keep_instance(place));
    }
    let first = ProcessId(1);
    let clients: Vec<_> = clients(&world, &organizations, &chance);
    for (organization, _) in &organizations {
        let top_up = top_up(world.clone(), *organization, chance.fork());
        scheduler.spawn(ProcessId::WORLD, top_up);
    }
    for _ in 0..world.scenario.disturbances {
        let latest = world.scenario.faults_end_after;
        scheduler.spawn(ProcessId::WORLD, disturb(world.clone(), chance.fork(), latest));
    }
    sleep(world.scenario.faults_end_after).await;
    let first_polls = scheduler.polls(first).unwrap_or_default();
    world.calm_down();
    join_all(clients).await;
    rest(&world).await;
    check(&world, &organizations).await;
    first_polls
}

/// Sets prices, declares providers and opens wallets. Returns the organizations with their credits.
async fn furnish(world: &World) -> Vec<(Id<Organization>, Money)> {
    let now = world.clock.now();
    let price = PricingRule {
        id: Id::new(now),
        organization: None,
        channel: Channel::Sms,
        country: None,
        unit_price: PRICE,
    };
    if let Err(error) = world.store.begin_rule(&price, None, now).await {
        world.witness.violation(format_args!("no price can be set: {error}"));
    }
    let declared = world.vendors.iter().map(|vendor| vendor.traits.provider.clone());
    let declared: Vec<_> = declared.collect();
    if let Err(error) = world.store.declare(&declared, now).await {
        world.witness.violation(format_args!("no provider can be declared: {error}"));
    }
    let mut organizations = Vec::new();
    for balance in &world.scenario.balances {
        let organization = Id::new(now);
        if let Err(error) = world.store.open(organization, *balance, now).await {
            world.witness.violation(format_args!("no wallet can be opened: {error}"));
        }
        organizations.push((organization, *balance + TOP_UP));
    }
    organizations
}

/// Pays into a wallet, and reports the payment twice.
async fn top_up(world: World, organization: Id<Organization>, chance: Chance) {
    let credit = Credit {
        id: Id::new_in(world.clock.now(), organization),
        organization,
        kind: LedgerKind::TopUp,
        amount: TOP_UP,
        reference: "top-up".to_owned(),
        at: world.clock.now(),
    };
    for _ in 0..2 {
        sleep(chance.pause(0..=20_000)).await;
        if let Err(error) = world.store.credit(&credit).await {
            world.witness.violation(format_args!("a wallet cannot be credited: {error}"));
        }
    }
}

fn clients(
    world: &World,
    organizations: &[(Id<Organization>, Money)],
    chance: &Chance,
) -> Vec<tokio::sync::oneshot::Receiver<()>> {
    let mut clients = Vec::new();
    for (organization, _) in organizations {
        for _ in 0..world.scenario.clients {
            let user = Id::<User>::new(world.clock.now());
            let client = Client::new(*organization, user, chance.fork(), world.clone());
            let running = client.run(world.scenario.requests);
            let (_, ended) = world.scheduler.ask(ProcessId::WORLD, running);
            clients.push(ended);
        }
    }
    clients
}

/// Waits until no work is left. While there is nothing to do but wait, the processes are frozen.
async fn rest(world: &World) {
    loop {
        sleep(RUN).await;
        let jobs = world.store.jobs();
        let reports = world.reports_under_way();
        if jobs.is_empty() && reports == 0 {
            // The stored reports on unknown messages are swept once more.
            sleep(RUN).await;
            if world.store.jobs().is_empty() {
                return;
            }
        }
        if world.clock.elapsed() > LONGEST_LIFE {
            let names = jobs.iter().map(|(message, ..)| world.witness.name(*message));
            let names: Vec<_> = names.collect();
            world.witness.violation(format_args!("the world does not come to rest: {names:?}"));
            return;
        }
        let is_idle = reports == 0 && jobs.iter().all(|(message, ..)| !is_held(world, *message));
        let next = jobs.iter().filter_map(|(_, due_at, _)| *due_at).min();
        if let Some(due) = next.filter(|_| is_idle) {
            leap(world, due).await;
        }
    }
}

/// True if a running process holds a message.
fn is_held(world: &World, message: Id<Message>) -> bool {
    let holder = world.store.lease(message).map(|(lease, _)| lease.0.as_u64_pair().0);
    holder.is_some_and(|holder| world.processes().contains(&ProcessId(holder)))
}

/// Lets time pass until a job is due, without the processes.
async fn leap(world: &World, due: DateTime<Utc>) {
    let wait = (due - world.clock.now()).min(LONGEST_LEAP);
    let Ok(wait) = (wait - TimeDelta::seconds(1)).to_std() else { return };
    if wait < RUN {
        return;
    }
    world.trace.note(format_args!("nothing to do for {} s", wait.as_secs()));
    let processes = world.processes();
    for process in &processes {
        world.scheduler.freeze(*process, true);
    }
    sleep(wait).await;
    for process in processes {
        world.scheduler.freeze(process, false);
    }
}
