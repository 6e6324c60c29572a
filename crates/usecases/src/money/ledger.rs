//! Ledger: movements of wallets, and verification of the books.

use std::{collections::VecDeque, sync::Arc};

use derive_more::Constructor;
use domain::{
    identity::{caller::Caller, organization::Organization, permission::Permission},
    money::ledger::{Account, Chain, Entry, Movement, Verification},
    shared::{
        id::Id,
        money::Money,
        page::{Page, Paged},
    },
};
use ports::{
    money::ledger::{Books, LedgerRepository, OpenBooks},
    shared::store::StoreError,
};

use crate::Error;

/// Operations on the ledger.
#[derive(Clone, Constructor)]
pub struct Ledger {
    repository: Arc<dyn LedgerRepository>,
}

impl Ledger {
    /// Returns a page of the movements in the caller's wallet, newest first.
    pub async fn page(&self, caller: &Caller, page: Page) -> Result<Paged<Movement>, Error> {
        caller.authorize(Permission::Read)?;
        Ok(self.repository.page(caller.organization, page).await?)
    }
}

/// Verifies a snapshot of the books of all organizations: sums, sides, hashes and numbers.
pub async fn verify(books: &dyn Books) -> Result<Verification, StoreError> {
    let mut books = books.open().await?;
    let accounts = books.accounts().await?;
    let mut entries = Entries { books: &mut *books, last: None, read: VecDeque::new() };
    let mut verification = Verification::default();
    for account in &accounts {
        close_all_before(Some(account.organization), &mut entries, &mut verification).await?;
        close(account, &mut entries, &mut verification).await?;
    }
    close_all_before(None, &mut entries, &mut verification).await?;
    Ok(verification)
}

/// Closes the books of organizations that have entries but no account.
async fn close_all_before(
    end: Option<Id<Organization>>,
    entries: &mut Entries<'_>,
    verification: &mut Verification,
) -> Result<(), StoreError> {
    while let Some(entry) = entries.peek().await? {
        let organization = entry.organization;
        if end.is_some_and(|end| organization >= end) {
            break;
        }
        let nothing = Account { organization, balance: None, unentered: Money::ZERO, head: None };
        close(&nothing, entries, verification).await?;
    }
    Ok(())
}

async fn close(
    account: &Account,
    entries: &mut Entries<'_>,
    verification: &mut Verification,
) -> Result<(), StoreError> {
    let mut chain = Chain::default();
    while let Some(entry) = entries.next_of(account.organization).await? {
        verification.count(&mut chain, &entry);
    }
    verification.close(account, chain);
    Ok(())
}

/// Entries of all organizations, read in parts.
struct Entries<'b> {
    books: &'b mut dyn OpenBooks,
    last: Option<(Id<Organization>, i64)>,
    read: VecDeque<Entry>,
}

impl Entries<'_> {
    async fn peek(&mut self) -> Result<Option<&Entry>, StoreError> {
        if self.read.is_empty() {
            self.read = self.books.entries_after(self.last).await?.into();
            let end = self.read.back().map(|entry| (entry.organization, entry.link.sequence));
            self.last = end.or(self.last);
        }
        Ok(self.read.front())
    }

    async fn next_of(
        &mut self,
        organization: Id<Organization>,
    ) -> Result<Option<Entry>, StoreError> {
        let is_of = self.peek().await?.is_some_and(|entry| entry.organization == organization);
        Ok(if is_of { self.read.pop_front() } else { None })
    }
}

#[cfg(test)]
mod tests;
