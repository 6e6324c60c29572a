//! Tests of the verification.

use chrono::{DateTime, TimeDelta};
use proptest::prelude::*;
use uuid::Uuid;

use super::*;
use crate::money::wallet::{ContraAccount, LedgerKind};

fn organization() -> Id<Organization> {
    Id::of(Uuid::from_u128(7))
}

/// Returns the entries of an organization, chained correctly.
fn chained(amounts: &[i64]) -> Vec<Entry> {
    let mut end = Link::origin();
    let mut entries = Vec::new();
    for (&amount, index) in amounts.iter().zip(0_u8..) {
        let kind = LedgerKind::ALL[usize::from(index) % LedgerKind::ALL.len()];
        let mut entry = Entry {
            organization: organization(),
            id: Uuid::from_u128(u128::from(index) + 100),
            kind: kind.as_str().into(),
            contra_account: kind.contra_account().as_str().into(),
            amount: Money::from_micros(amount),
            messages: i32::from(index),
            reference: (index % 2 == 0).then(|| format!("ref\n{index}")),
            created_at: DateTime::UNIX_EPOCH + TimeDelta::microseconds(i64::from(index)),
            link: Link { sequence: end.sequence + 1, hash: Vec::new() },
        };
        entry.link.hash = entry.hash_after(&end.hash);
        end = entry.link.clone();
        entries.push(entry);
    }
    entries
}

/// Returns the account that matches the entries.
fn account(entries: &[Entry]) -> Account {
    Account {
        organization: organization(),
        balance: Some(entries.iter().map(|entry| entry.amount).sum()),
        unentered: Money::ZERO,
        head: entries.last().map(|entry| entry.link.clone()),
    }
}

fn verify(account: &Account, entries: &[Entry]) -> Verification {
    let (mut verification, mut chain) = (Verification::default(), Chain::default());
    for entry in entries {
        verification.count(&mut chain, entry);
    }
    verification.close(account, chain);
    verification
}

fn fault(account: &Account, entries: &[Entry]) -> Option<Fault> {
    verify(account, entries).first.map(|(_, fault)| fault)
}

/// Changes one field of an entry.
fn change(entry: &mut Entry, field: u8) {
    match field {
        0 => entry.organization = Id::of(Uuid::from_u128(8)),
        1 => entry.id = Uuid::nil(),
        2 => entry.messages += 1,
        3 => entry.amount += Money::from_micros(1),
        4 => entry.created_at += TimeDelta::microseconds(1),
        5 => entry.reference = Some(format!("{}x", entry.reference.as_deref().unwrap_or_default())),
        6 => entry.reference = entry.reference.is_none().then(String::new),
        7 => entry.kind = "GIFT".into(),
        8 => entry.contra_account = "POCKET".into(),
        9 => entry.link.hash[31] ^= 1,
        _ => {
            let other = LedgerKind::ALL.into_iter().find(|kind| kind.as_str() != entry.kind);
            let other = other.unwrap();
            entry.kind = other.as_str().into();
            entry.contra_account = other.contra_account().as_str().into();
        }
    }
}

fn entries_and_place() -> impl Strategy<Value = (Vec<Entry>, usize)> {
    (prop::collection::vec(0..1_000_i64, 2..12), any::<prop::sample::Index>()).prop_map(
        |(amounts, index)| {
            let entries = chained(&amounts);
            let place = index.index(entries.len());
            (entries, place)
        },
    )
}

proptest! {
    #[test]
    fn untouched_books_are_in_order(amounts in prop::collection::vec(0..1_000_i64, 0..12)) {
        let entries = chained(&amounts);
        prop_assert_eq!(fault(&account(&entries), &entries), None);
    }

    #[test]
    fn a_change_of_any_field_is_found_where_it_was_made(
        (mut entries, place) in entries_and_place(), field in 0..11_u8,
    ) {
        let sequence = entries[place].link.sequence;
        change(&mut entries[place], field);
        let found = fault(&account(&entries), &entries);
        let is_there = match &found {
            Some(Fault::WrongHash(at) | Fault::WrongSides { sequence: at, .. }) => *at == sequence,
            _ => false,
        };
        prop_assert!(is_there, "{:?}", found);
    }

    #[test]
    fn an_entry_that_was_removed_is_named((mut entries, place) in entries_and_place()) {
        let whole = account(&entries);
        let removed = entries.remove(place);
        let expected = Fault::Missing(removed.link.sequence);
        prop_assert_eq!(fault(&whole, &entries), Some(expected));
    }

    #[test]
    fn a_removed_entry_is_not_hidden_by_new_numbers((mut entries, place) in entries_and_place()) {
        prop_assume!(place + 1 < entries.len());
        let mut whole = account(&entries);
        entries.remove(place);
        for entry in &mut entries[place..] {
            entry.link.sequence -= 1;
        }
        whole.head = entries.last().map(|entry| entry.link.clone());
        let expected = Fault::WrongHash(entries[place].link.sequence);
        prop_assert_eq!(fault(&whole, &entries), Some(expected));
    }

    #[test]
    fn entries_that_changed_places_are_found((mut entries, place) in entries_and_place()) {
        prop_assume!(place + 1 < entries.len());
        entries.swap(place, place + 1);
        let (left, right) = entries.split_at_mut(place + 1);
        std::mem::swap(&mut left[place].link.sequence, &mut right[0].link.sequence);
        let expected = Fault::WrongHash(entries[place].link.sequence);
        prop_assert_eq!(fault(&account(&entries), &entries), Some(expected));
    }
}

#[test]
fn an_entry_that_occurs_twice_is_out_of_order() {
    let mut entries = chained(&[5, 6]);
    entries.insert(1, entries[0].clone());
    assert_eq!(fault(&account(&entries), &entries), Some(Fault::OutOfOrder(1)));
}

#[test]
fn a_chain_that_goes_on_beyond_its_head_is_found() {
    let entries = chained(&[5, 6]);
    let (first, _) = entries.split_at(1);
    let shorter = Account { balance: account(&entries).balance, ..account(first) };
    assert_eq!(fault(&shorter, &entries), Some(Fault::WrongEnd(2)));
    let none = Account { head: None, ..account(&entries) };
    assert_eq!(fault(&none, &entries), Some(Fault::WrongEnd(2)));
}

#[test]
fn the_balance_is_the_sum_of_posted_and_pending_movements() {
    let entries = chained(&[5, 6]);
    let mut account = account(&entries);
    account.unentered = Money::from_micros(3);
    let (balance, ledger) = (Money::from_micros(11), Money::from_micros(14));
    assert_eq!(fault(&account, &entries), Some(Fault::WrongBalance { balance, ledger }));
    account.balance = Some(ledger);
    assert_eq!(fault(&account, &entries), None);
}

#[test]
fn a_wallet_exists_and_is_not_below_zero() {
    let entries = chained(&[-5]);
    let below = Money::from_micros(-5);
    assert_eq!(fault(&account(&entries), &entries), Some(Fault::BelowZero(below)));
    let none = Account { balance: None, ..account(&entries) };
    assert_eq!(fault(&none, &entries), Some(Fault::NoWallet));
}

#[test]
fn the_result_is_written_as_one_line() {
    let entries = chained(&[5_000_000, 6_000_000]);
    let whole = account(&entries);
    let mut verification = verify(&whole, &entries);
    assert_eq!(verification.to_string(), "the ledger is in order: 1 wallets, 2 entries, GHS 11.00");
    for _ in 0..3 {
        verification.close(&whole, Chain::default());
    }
    assert_eq!(
        verification.to_string(),
        "the ledger is not in order: organization 00000000-0000-0000-0000-000000000007: \
         entry 1 is missing; and 2 other organizations"
    );
    assert!(!verification.is_in_order());
}

#[test]
fn each_kind_has_an_account_of_its_own() {
    let accounts = LedgerKind::ALL.map(|kind| kind.contra_account().as_str());
    for account in ContraAccount::ALL {
        assert_eq!(accounts.iter().filter(|it| **it == account.as_str()).count(), 1);
    }
}
