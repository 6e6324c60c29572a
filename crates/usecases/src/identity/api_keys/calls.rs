//! Calls made with API keys, counted in memory and written in batches.

use std::{
    collections::HashMap,
    mem,
    sync::{Mutex, PoisonError},
};

use chrono::{DateTime, NaiveDate, TimeDelta, Utc};
use domain::{
    identity::{
        api_key::ApiKey,
        caller::Caller,
        key_calls::{self, Calls, DAYS_SHOWN, KeyDay},
        organization::Organization,
        permission::Permission,
    },
    shared::id::Id,
};

use super::ApiKeys;
use crate::Error;

/// Maximum number of keys and days whose calls wait to be written. Calls of further ones are not
/// counted.
const MAX_WAITING: usize = 100_000;

/// Calls that wait to be written.
#[derive(Default)]
pub(super) struct CallCounter(Mutex<HashMap<KeyDay, Calls>>);

impl CallCounter {
    fn add(&self, counted: impl IntoIterator<Item = (KeyDay, Calls)>) {
        let mut waiting = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        for (day, calls) in counted {
            if waiting.len() < MAX_WAITING || waiting.contains_key(&day) {
                waiting.entry(day).or_default().add(calls);
            }
        }
    }

    /// Takes the calls to be written, in the order in which all instances write.
    fn take(&self) -> Vec<(KeyDay, Calls)> {
        let waiting = mem::take(&mut *self.0.lock().unwrap_or_else(PoisonError::into_inner));
        let mut calls: Vec<_> = waiting.into_iter().collect();
        calls.sort_unstable_by_key(|(day, _)| *day);
        calls
    }
}

impl ApiKeys {
    /// Counts a call that was made with a key at `at`.
    pub fn count_call(
        &self,
        organization: Id<Organization>,
        key: Id<ApiKey>,
        at: DateTime<Utc>,
        is_refused: bool,
    ) {
        let day = KeyDay { organization, key, day: at.date_naive() };
        self.calls.add([(day, Calls::one(is_refused))]);
    }

    /// Writes the counted calls to the store. If that fails, they wait for the next time.
    pub async fn write_calls(&self) -> Result<(), Error> {
        let calls = self.calls.take();
        if calls.is_empty() {
            return Ok(());
        }
        let written = self.repository.add_calls(&calls).await;
        if written.is_err() {
            self.calls.add(calls);
        }
        Ok(written?)
    }

    /// Returns the calls of a key in the last 30 days, oldest first.
    pub async fn usage(
        &self,
        caller: &Caller,
        id: Id<ApiKey>,
    ) -> Result<Vec<(NaiveDate, Calls)>, Error> {
        caller.authorize(Permission::ReadIntegrations)?;
        let key = self.repository.find(caller.organization, id).await?;
        let key = key.ok_or(Error::NotFound("API key"))?;
        let today = self.clock.now().date_naive();
        let since = today - TimeDelta::days(DAYS_SHOWN - 1);
        let counted = self.repository.calls(caller.organization, key.id, since).await?;
        Ok(key_calls::by_day(today, &counted))
    }
}
