//! Benchmarks of the rules that every message goes through, one group for each subject.

#![expect(clippy::unwrap_used, reason = "a benchmark that cannot be set up stops")]

use std::{collections::BTreeMap, hint::black_box};

use chrono::{DateTime, TimeDelta, Utc};
use divan::{
    Bencher,
    counter::{CharsCount, ItemsCount},
};
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

const NOW: DateTime<Utc> = DateTime::from_timestamp_nanos(1_700_000_000_000_000_000);

fn main() {
    divan::main();
}

#[divan::bench_group]
mod segmentation {
    use super::{Bencher, CharsCount, black_box, sms};

    #[divan::bench]
    fn gsm7_short(bencher: Bencher) {
        segment(bencher, "Your code is 471108. It is valid for 10 minutes.");
    }

    #[divan::bench]
    fn gsm7_extended_long(bencher: Bencher) {
        segment(bencher, &"Pay [GHS 10] or {€1} ~ now! ".repeat(25));
    }

    #[divan::bench]
    fn ucs2_emoji(bencher: Bencher) {
        segment(bencher, &"Akwaaba 🎉 Yɛma wo akwaaba! ".repeat(10));
    }

    fn segment(bencher: Bencher, text: &str) {
        bencher.counter(CharsCount::of_str(text)).bench(|| sms::segment(black_box(text)));
    }
}

#[divan::bench_group]
mod compliance {
    use super::{Bencher, Category, assess, black_box};

    #[divan::bench]
    fn clean_1000(bencher: Bencher) {
        assess_1000(
            bencher,
            "Payment received for GHS 120.00 from KWAME ADOM. Current balance: GHS 845.20. \
             Transaction ID: 48211907733. Thank you. ",
        );
    }

    #[divan::bench]
    fn scam_1000(bencher: Bencher) {
        assess_1000(
            bencher,
            "Kindly send your M0M0 P!N to 0241234567 now, or your account is blocked today. You \
             have won GHS 5,000, pay the fee at http://mtn-promo.xyz first. ",
        );
    }

    fn assess_1000(bencher: Bencher, text: &str) {
        let text: String = text.chars().cycle().take(1_000).collect();
        bencher.bench(|| assess(black_box(&text), Category::Marketing));
    }
}

#[divan::bench(args = [
    (Channel::Sms, "024 412 3456"),
    (Channel::Sms, "+44 7400 123456"),
    (Channel::Email, "Ama.Serwaa@Example.COM"),
])]
fn addresses((channel, text): (Channel, &str)) -> Address {
    Address::parse(channel, Country::GH, black_box(text)).unwrap()
}

#[divan::bench_group]
mod routing {
    use super::{
        Bencher, Channel, Country, NOW, Provider, ProviderState, black_box, open_in_part,
        providers, route,
    };

    #[divan::bench(args = [3, 50])]
    fn all_closed(bencher: Bencher, count: u16) {
        candidates(bencher, count, |_| ProviderState::default());
    }

    #[divan::bench(args = [3, 50])]
    fn some_open(bencher: Bencher, count: u16) {
        candidates(bencher, count, open_in_part);
    }

    fn candidates(bencher: Bencher, count: u16, state: fn(&Provider) -> ProviderState) {
        let providers = providers(count);
        bencher.bench(|| route(black_box(&providers), state, Channel::Sms, Country::GH, NOW));
    }
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

#[divan::bench(args = [10, 10_000])]
fn pricing(bencher: Bencher, count: u32) {
    let draft = draft();
    let list = price_list(count);
    let payer = organization(count - 1);
    bencher.bench(|| {
        black_box(&list).price(payer, draft.channel, draft.country, draft.segments).unwrap()
    });
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

/// Four placeholders a line.
#[divan::bench(args = [1, 25])]
fn placeholders(bencher: Bencher, lines: usize) {
    let line = "Hello {{name}}, your order {{ order.id }} for GHS {{amount}} comes {{day}}.\n";
    let variables: BTreeMap<String, String> =
        [("name", "Ama"), ("order.id", "GH-20471"), ("amount", "120.50"), ("day", "tomorrow")]
            .map(|(name, value)| (name.to_owned(), value.to_owned()))
            .into();
    let text = line.repeat(lines);
    let longest = Channel::Email.max_characters();
    bencher.bench(|| placeholder::fill(black_box(&text), &variables, longest).unwrap());
}

const ORGANIZATIONS: u32 = 100;
/// Number of messages of each organization in each priority.
const WAITING: u32 = 2;
const CAPACITY_PER_PRIORITY: usize = 1_000;

#[divan::bench_group]
mod priorities {
    use super::{Bencher, ItemsCount, empty_queue, full_queue, pop_all, push_all};

    #[divan::bench]
    fn push(bencher: Bencher) {
        let count = ItemsCount::new(full_queue().len());
        bencher.counter(count).with_inputs(empty_queue).bench_refs(push_all);
    }

    #[divan::bench]
    fn pop(bencher: Bencher) {
        let count = ItemsCount::new(full_queue().len());
        bencher.counter(count).with_inputs(full_queue).bench_refs(pop_all);
    }
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

#[divan::bench_group]
mod identifiers {
    use super::{Bencher, Id, Message, NOW, User, black_box, organization};

    #[divan::bench]
    fn of_a_user() -> Id<User> {
        Id::new(black_box(NOW))
    }

    #[divan::bench]
    fn of_a_message(bencher: Bencher) {
        let payer = organization(1);
        bencher.bench(|| Id::<Message>::new_in(black_box(NOW), black_box(payer)));
    }
}

fn organization(number: u32) -> Id<Organization> {
    Id::of(Uuid::from_u128(number.into()))
}
