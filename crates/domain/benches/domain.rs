//! Benchmarks of the rules that every message goes through, one group for each subject.

#![expect(clippy::unwrap_used, reason = "a benchmark that cannot be set up stops")]

use std::{collections::BTreeMap, hint::black_box};

use chrono::{DateTime, TimeDelta, Utc};
use criterion::{BatchSize, BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use domain::{
    content::compliance::assess,
    identity::{organization::Organization, user::User},
    messaging::{
        message::{Draft, Message, MessageRequest},
        priority::{Priority, PriorityQueue, ProviderQueue, QueueKey},
    },
    money::pricing::{PriceList, PricingRule},
    providers::{
        breaker::Breaker,
        provider::{Provider, Route, WithoutReport, route},
        provider_state::ProviderState,
    },
    shared::{
        address::Address, category::Category, channel::Channel, country::Country, id::Id,
        money::Money, placeholder, sms,
    },
};
use uuid::Uuid;

criterion_main!(benches);
criterion_group! {
    name = benches;
    config = Criterion::default().without_plots();
    targets = segmentation, compliance, addresses, routing, pricing, placeholders, priorities, identifiers
}

const NOW: DateTime<Utc> = DateTime::from_timestamp_nanos(1_700_000_000_000_000_000);

fn segmentation(criterion: &mut Criterion) {
    let extended = "Pay [GHS 10] or {€1} ~ now! ".repeat(25);
    let emoji = "Akwaaba 🎉 Yɛma wo akwaaba! ".repeat(10);
    let mut group = criterion.benchmark_group("segmentation");
    for (name, text) in [
        ("gsm7_short", "Your code is 471108. It is valid for 10 minutes."),
        ("gsm7_extended_long", &extended),
        ("ucs2_emoji", &emoji),
    ] {
        group.throughput(Throughput::Elements(text.chars().count().try_into().unwrap()));
        group.bench_function(name, |bencher| bencher.iter(|| sms::segment(black_box(text))));
    }
    group.finish();
}

fn compliance(criterion: &mut Criterion) {
    let receipt = "Payment received for GHS 120.00 from KWAME ADOM. Current balance: GHS 845.20. \
                   Transaction ID: 48211907733. Thank you. ";
    let scam = "Kindly send your M0M0 P!N to 0241234567 now, or your account is blocked today. You have \
                won GHS 5,000, pay the fee at http://mtn-promo.xyz first. ";
    let mut group = criterion.benchmark_group("compliance");
    for (name, text) in [("clean_1000", receipt), ("scam_1000", scam)] {
        let text: String = text.chars().cycle().take(1_000).collect();
        group.bench_function(name, |bencher| {
            bencher.iter(|| assess(black_box(&text), Category::Marketing));
        });
    }
    group.finish();
}

fn addresses(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("addresses");
    for (name, channel, text) in [
        ("ghana_local", Channel::Sms, "024 412 3456"),
        ("international", Channel::Sms, "+44 7400 123456"),
        ("email", Channel::Email, "Ama.Serwaa@Example.COM"),
    ] {
        group.bench_function(name, |bencher| {
            bencher.iter(|| Address::parse(channel, Country::GH, black_box(text)).unwrap());
        });
    }
    group.finish();
}

fn routing(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("routing");
    for count in [3, 50] {
        let providers = providers(count);
        let candidates = |state: fn(&Provider) -> ProviderState| {
            route(black_box(&providers), state, Channel::Sms, Country::GH, NOW)
        };
        group.bench_function(BenchmarkId::new("all_closed", count), |bencher| {
            bencher.iter(|| candidates(|_| ProviderState::default()));
        });
        group.bench_function(BenchmarkId::new("some_open", count), |bencher| {
            bencher.iter(|| candidates(open_in_part));
        });
    }
    group.finish();
}

/// Providers that all take a message to Ghana, declared in an order other than that of priority.
fn providers(count: u16) -> Vec<Provider> {
    let provider = |number| {
        let priority = number * 7 % count;
        Provider {
            name: format!("provider-{number}"),
            kind: "simulated",
            channel: Channel::Sms,
            routes: vec![
                Route { country: None, priority },
                Route { country: Some(Country::GH), priority },
            ],
            report_timeout: TimeDelta::minutes(10),
            without_report: WithoutReport::default(),
        }
    };
    (0..count).map(provider).collect()
}

/// State in which the breaker of every third provider is open, including the best one's.
fn open_in_part(provider: &Provider) -> ProviderState {
    let breaker = if provider.routes[0].priority.is_multiple_of(3) {
        Breaker::Open { until: NOW + TimeDelta::seconds(3), times: 1 }
    } else {
        Breaker::CLOSED
    };
    ProviderState { breaker, ..ProviderState::default() }
}

fn pricing(criterion: &mut Criterion) {
    let draft = draft();
    let mut group = criterion.benchmark_group("pricing");
    for count in [10, 10_000] {
        let list = price_list(count);
        let payer = organization(count - 1);
        group.bench_function(BenchmarkId::new("rules", count), |bencher| {
            bencher.iter(|| {
                black_box(&list).price(payer, draft.channel, draft.country, draft.segments).unwrap()
            });
        });
    }
    group.finish();
}

/// Two general prices, and otherwise a price that one organization agreed on.
fn price_list(count: u32) -> PriceList {
    let rule = |number: u32| PricingRule {
        id: Id::new(NOW),
        organization: (number > 1).then(|| organization(number)),
        channel: Channel::Sms,
        country: (number % 2 == 1).then_some(Country::GH),
        unit_price: Money::from_micros(35_000),
    };
    PriceList::new(0, (0..count).map(rule))
}

fn draft() -> Draft {
    let composition = MessageRequest {
        channel: Some(Channel::Sms),
        to: Some("0244123456".into()),
        body: Some("Akwaaba".into()),
        ..MessageRequest::default()
    };
    composition.draft(None).unwrap()
}

fn placeholders(criterion: &mut Criterion) {
    let line = "Hello {{name}}, your order {{ order.id }} for GHS {{amount}} comes {{day}}.\n";
    let variables: BTreeMap<String, String> =
        [("name", "Ama"), ("order.id", "GH-20471"), ("amount", "120.50"), ("day", "tomorrow")]
            .map(|(name, value)| (name.to_owned(), value.to_owned()))
            .into();
    let mut group = criterion.benchmark_group("placeholders");
    for lines in [1, 25] {
        let text = line.repeat(lines);
        let longest = Channel::Email.max_characters();
        group.bench_function(BenchmarkId::new("filled", 4 * lines), |bencher| {
            bencher.iter(|| placeholder::fill(black_box(&text), &variables, longest).unwrap());
        });
    }
    group.finish();
}

const ORGANIZATIONS: u32 = 100;
/// Number of messages of each organization in each priority.
const WAITING: u32 = 2;
const CAPACITY_PER_PRIORITY: usize = 1_000;

fn priorities(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("priorities");
    group.throughput(Throughput::Elements(full_queue().len().try_into().unwrap()));
    group.bench_function("push", |bencher| {
        bencher.iter_batched_ref(empty_queue, push_all, BatchSize::SmallInput);
    });
    group.bench_function("pop", |bencher| {
        bencher.iter_batched_ref(full_queue, pop_all, BatchSize::SmallInput);
    });
    group.finish();
}

fn empty_queue() -> PriorityQueue<u32> {
    PriorityQueue::new(CAPACITY_PER_PRIORITY)
}

fn full_queue() -> PriorityQueue<u32> {
    let mut queue = empty_queue();
    push_all(&mut queue);
    queue
}

fn push_all(queue: &mut PriorityQueue<u32>) {
    for item in 0..WAITING {
        for number in 0..ORGANIZATIONS {
            for priority in Priority::ALL {
                let spot = QueueKey {
                    priority,
                    provider_queue: ProviderQueue(1),
                    organization: organization(number),
                };
                queue.push(spot, item).unwrap();
            }
        }
    }
}

fn pop_all(queue: &mut PriorityQueue<u32>) {
    while let Some(item) = queue.pop() {
        black_box(item);
    }
}

fn identifiers(criterion: &mut Criterion) {
    let payer = organization(1);
    let mut group = criterion.benchmark_group("identifiers");
    group.bench_function("of_a_user", |bencher| bencher.iter(|| Id::<User>::new(black_box(NOW))));
    group.bench_function("of_a_message", |bencher| {
        bencher.iter(|| Id::<Message>::new_in(black_box(NOW), black_box(payer)));
    });
    group.finish();
}

fn organization(number: u32) -> Id<Organization> {
    Id::of(Uuid::from_u128(number.into()))
}
