//! Checks after the faults have ended and the world has come to rest.

use std::collections::BTreeMap;

use domain::{
    identity::organization::Organization,
    messaging::{
        delivery::{Delivery, Status},
        message::Message,
    },
    money::wallet::LedgerKind,
    shared::{id::Id, money::Money},
};
use ports::{
    messaging::callbacks::CallbackRepository, money::billing::WalletRepository,
    shared::clock::Clock,
};

use crate::{orders::Order, world::World};

/// Checks everything, and reports violations to the witness. `organizations` come with their
/// credits.
pub(crate) async fn check(world: &World, organizations: &[(Id<Organization>, Money)]) {
    let messages = world.store.messages();
    let orders = world.orders.all();
    check_orders(world, &orders, &messages);
    for message in &messages {
        check_end(world, message);
    }
    for organization in organizations {
        check_books(world, *organization, &messages).await;
    }
    let jobs = world.store.jobs();
    if !jobs.is_empty() {
        world.witness.violation(format_args!("{} jobs are left", jobs.len()));
    }
    match world.store.matched(world.clock.now(), None, 1).await {
        Ok(reports) if reports.is_empty() => {}
        _ => world.witness.violation(format_args!("kept reports are left")),
    }
}

/// Checks that accepted messages exist once, and that of each request all or none do.
fn check_orders(world: &World, orders: &[Order], messages: &[Message]) {
    let mut found: BTreeMap<&str, Vec<&Message>> = BTreeMap::new();
    for message in messages {
        found.entry(message.draft.recipient.as_str()).or_default().push(message);
    }
    let mut known = 0;
    for order in orders {
        let first = order.recipients.first().map_or("", String::as_str);
        let of_each = order.recipients.iter().map(|to| found.get(to.as_str()));
        let of_each: Vec<_> = of_each.map(|found| found.map_or(&[][..], Vec::as_slice)).collect();
        let counts: Vec<_> = of_each.iter().map(|found| found.len()).collect();
        known += counts.iter().sum::<usize>();
        let is_whole = counts.iter().all(|count| *count == 1);
        let is_nothing = counts.iter().all(|count| *count == 0);
        if !is_whole && !is_nothing {
            world.witness.violation(format_args!(
                "the request for {first} has {counts:?} messages, neither all once nor none"
            ));
        }
        let expected: Vec<_> =
            of_each.iter().flat_map(|found| found.iter().map(|it| it.id)).collect();
        for accepted in &order.accepted {
            if *accepted != expected {
                let (told, there) = (accepted.len(), expected.len());
                world.witness.violation(format_args!(
                    "the request for {first} was answered with {told} messages, and {there} are there, \
                     or not the same"
                ));
            }
        }
        if order.refused.is_some() && order.accepted.is_empty() && order.is_keyed && is_whole {
            world
                .witness
                .violation(format_args!("the request for {first} was refused, and is there"));
        }
        if of_each.iter().any(|found| found.iter().any(|it| it.organization != order.organization))
        {
            world.witness.violation(format_args!("the request for {first} is another's"));
        }
    }
    if known != messages.len() {
        let unknown = messages.len() - known;
        world.witness.violation(format_args!("nobody asked for {unknown} messages"));
    }
}

/// Checks that a message is final.
fn check_end(world: &World, message: &Message) {
    let name = world.witness.name(message.id);
    let status = message.delivery.status();
    let is_at_its_end = match &message.delivery {
        Delivery::Delivered { .. } | Delivery::Failed { .. } | Delivery::Unreported { .. } => true,
        // Its provider makes no reports.
        Delivery::Sent { .. } => !world.is_reported(message),
        Delivery::Queued { .. } | Delivery::Pending { .. } => false,
    };
    if !is_at_its_end {
        world.witness.violation(format_args!("{name} is left {status}"));
    }
    let is_confirmed = world.vendors.iter().any(|vendor| vendor.has_confirmed(message.id));
    if status == Status::Delivered && !is_confirmed {
        world.witness.violation(format_args!("{name} is {status}, and nobody confirmed it"));
    }
}

impl World {
    /// True if the provider of a message makes reports.
    fn is_reported(&self, message: &Message) -> bool {
        use domain::providers::provider::WithoutReport;
        let provider = message.provider.as_deref().unwrap_or_default();
        let vendor = self.vendors.iter().find(|vendor| vendor.name() == provider);
        vendor.is_none_or(|it| it.traits.provider.without_report != WithoutReport::Expected)
    }
}

/// Checks that each message with a price has one debit, and one refund if it failed, and that the
/// balance is the sum.
async fn check_books(
    world: &World,
    (organization, credits): (Id<Organization>, Money),
    messages: &[Message],
) {
    let entries = world.store.ledger(organization);
    let mut expected = credits;
    let mut paid = 0;
    for message in messages.iter().filter(|message| message.organization == organization) {
        let name = world.witness.name(message.id);
        let movements = entries.iter().filter(|entry| entry.message == Some(message.id));
        let of_kind = |kind: LedgerKind| {
            let amounts = movements.clone().filter(|entry| entry.kind == kind);
            amounts.map(|entry| entry.amount).collect::<Vec<_>>()
        };
        let (debits, refunds) =
            (of_kind(LedgerKind::MessageDebit), of_kind(LedgerKind::MessageRefund));
        paid += debits.len() + refunds.len();
        let owed = if message.cost == Money::ZERO { vec![] } else { vec![-message.cost] };
        let returned = if message.is_refunded() { vec![message.cost] } else { vec![] };
        if debits != owed || refunds != returned {
            let status = message.delivery.status();
            world.witness.violation(format_args!(
                "{name} is {status} and cost {}: debits {debits:?}, refunds {refunds:?}",
                message.cost
            ));
        }
        expected += owed.into_iter().chain(returned).sum();
    }
    let is_of_message = |kind| matches!(kind, LedgerKind::MessageDebit | LedgerKind::MessageRefund);
    let movements = entries.iter().filter(|entry| is_of_message(entry.kind)).count();
    if movements != paid {
        let others = movements.saturating_sub(paid);
        world.witness.violation(format_args!("{others} debits or refunds are of no message"));
    }
    let sum: Money = entries.iter().map(|entry| entry.amount).sum();
    match WalletRepository::find(&world.store, organization).await {
        Ok(Some(wallet)) if wallet.balance == expected && wallet.balance == sum => {}
        Ok(wallet) => {
            let balance = wallet.map(|wallet| wallet.balance);
            world.witness.violation(format_args!(
                "the wallet holds {balance:?}, the ledger says {sum}, the messages {expected}"
            ));
        }
        Err(error) => world.witness.violation(format_args!("no wallet: {error}")),
    }
}
