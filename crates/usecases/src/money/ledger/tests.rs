//! Verification of the books, account by account.

use chrono::DateTime;
use domain::money::{ledger::Link, wallet::LedgerKind};
use ports::shared::mock::{MockBooks, MockOpenBooks};

use super::*;

fn organization(number: u8) -> Id<Organization> {
    format!("00000000-0000-7000-8000-{number:012}").parse().unwrap()
}

/// First entry of an organization: a credit of one cedi.
fn first_entry(number: u8) -> Entry {
    let kind = LedgerKind::TopUp;
    let mut entry = Entry {
        organization: organization(number),
        id: organization(number).uuid(),
        kind: kind.as_str().into(),
        contra_account: kind.contra_account().as_str().into(),
        amount: Money::from_cedis(1),
        messages: 0,
        reference: None,
        created_at: DateTime::UNIX_EPOCH,
        link: Link { sequence: 1, hash: Vec::new() },
    };
    entry.link.hash = entry.hash_after(&Link::origin().hash);
    entry
}

fn account(entry: &Entry) -> Account {
    Account {
        organization: entry.organization,
        balance: Some(entry.amount),
        unentered: Money::ZERO,
        head: Some(entry.link.clone()),
    }
}

/// Verifies books that return one entry at a time.
async fn verified(accounts: Vec<Account>, entries: Vec<Entry>) -> String {
    let mut books = MockBooks::new();
    books.expect_open().return_once(move || {
        let mut open = MockOpenBooks::new();
        open.expect_accounts().return_once(move || Ok(accounts));
        open.expect_entries_after().returning(move |last| {
            let is_next = |entry: &&Entry| {
                last.is_none_or(|last| (entry.organization, entry.link.sequence) > last)
            };
            Ok(entries.iter().find(is_next).cloned().into_iter().collect())
        });
        Ok(Box::new(open))
    });
    verify(&books).await.unwrap().to_string()
}

#[tokio::test]
async fn accounts_and_entries_match_however_they_are_read() {
    let entries: Vec<_> = [2, 4, 6].map(first_entry).into();
    let mut accounts: Vec<_> = entries.iter().map(account).collect();
    let empty = Account { balance: Some(Money::ZERO), head: None, ..account(&first_entry(5)) };
    accounts.insert(2, empty);

    let found = verified(accounts, entries).await;

    assert_eq!(found, "the ledger is in order: 4 wallets, 3 entries, GHS 3.00");
}

#[tokio::test]
async fn finds_entries_without_an_account_at_any_position() {
    let entries: Vec<_> = [2, 4, 6].map(first_entry).into();
    for stray in 0..3 {
        let mut accounts: Vec<_> = entries.iter().map(account).collect();
        accounts.remove(stray);

        let found = verified(accounts, entries.clone()).await;

        let organization = entries[stray].organization;
        let fault = "entry 1 is not the last one that was entered";
        let expected = format!("the ledger is not in order: organization {organization}: {fault}");
        assert_eq!(found, expected);
    }
}
