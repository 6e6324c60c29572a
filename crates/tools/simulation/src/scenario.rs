//! Scenario of a world, which depends on its seed.

use std::time::Duration;

use domain::shared::money::Money;

use crate::{
    chance::Chance,
    vendor::{Manners, VendorTraits},
    weather::StoreFaults,
};

/// Parts of a world, and the faults that may occur in it.
#[derive(Debug, Clone)]
pub struct Scenario {
    /// Number of processes that run at the same time.
    pub instances: usize,
    /// Number of workers of each process.
    pub workers: usize,
    /// Vendors, in the order in which they are tried.
    pub vendors: Vec<(VendorTraits, Manners)>,
    /// Initial balances of the organizations.
    pub balances: Vec<Money>,
    /// Number of clients of each organization.
    pub clients: usize,
    /// Number of requests of each client.
    pub requests: usize,
    /// Frequencies of the store's faults.
    pub store: StoreFaults,
    /// Share of processes that are to crash, in thousandths.
    pub crashes: u64,
    /// Number of other disturbances.
    pub disturbances: usize,
    /// Time after which the faults end.
    pub faults_end_after: Duration,
}

/// Price of a message.
pub const PRICE: Money = Money::from_micros(35_000);

impl Scenario {
    /// Returns a random scenario.
    pub fn new(chance: &Chance) -> Self {
        let count = |low, high| usize::try_from(chance.within(low..=high)).unwrap_or(1);
        let vendors =
            (1..=count(1, 3)).map(|number| (VendorTraits::new(number, chance), manners(chance)));
        let vendors = vendors.collect();
        let balances = (0..count(1, 3)).map(|_| balance(chance)).collect();
        Self {
            instances: count(2, 4),
            workers: count(1, 4),
            vendors,
            balances,
            clients: count(1, 3),
            requests: count(1, 4),
            store: StoreFaults {
                failures: chance.pause(0..=60).as_millis().try_into().unwrap_or_default(),
                lost_answers: chance.pause(0..=60).as_millis().try_into().unwrap_or_default(),
                delays: chance.within(0..=60),
            },
            crashes: chance.within(0..=900),
            disturbances: count(0, 4),
            faults_end_after: Duration::from_secs(chance.within(20..=70)),
        }
    }

    /// Returns a scenario of one process that nothing disturbs but its crash: to try each moment of
    /// it.
    pub fn quiet(chance: &Chance) -> Self {
        let polite = Manners {
            refuses: 0,
            rejects: 0,
            times_out: 0,
            panics: 0,
            fails: 0,
            keeps_silent: 0,
            repeats: 0,
            cannot_be_asked: 0,
        };
        Self {
            instances: 1,
            workers: 2,
            vendors: vec![(VendorTraits::new(1, chance), polite)],
            balances: vec![Money::from_cedis(10)],
            clients: 1,
            requests: 2,
            store: StoreFaults::default(),
            crashes: 0,
            disturbances: 0,
            faults_end_after: Duration::from_secs(10),
        }
    }
}

fn balance(chance: &Chance) -> Money {
    if chance.happens(300) {
        PRICE * u16::try_from(chance.within(0..=8)).unwrap_or_default()
    } else {
        Money::from_cedis(100)
    }
}

fn manners(chance: &Chance) -> Manners {
    let part = |most: u64| chance.within(0..=most);
    Manners {
        refuses: part(300),
        rejects: part(50),
        times_out: part(150),
        panics: part(20),
        fails: part(200),
        keeps_silent: part(50),
        repeats: part(400),
        cannot_be_asked: part(1_000),
    }
}
