//! Background work on jobs, one part at a time.

use std::{panic::AssertUnwindSafe, sync::Arc};

use chrono::TimeDelta;
use futures_util::FutureExt;
use ports::{audience::contact_jobs::ContactJobQueue, shared::store::StoreError};

use crate::shared::panics;

/// Delay until the next attempt at a part that failed.
const RETRY: TimeDelta = TimeDelta::seconds(30);
/// Maximum number of failed attempts at a part.
const MAX_ATTEMPTS: u32 = 20;

/// Worker of jobs. Any number of instances may work at once.
#[derive(Clone)]
pub struct ContactJobWork {
    queue: Arc<dyn ContactJobQueue>,
}

impl ContactJobWork {
    /// Creates a worker of `queue`.
    pub fn new(queue: Arc<dyn ContactJobQueue>) -> Self {
        Self { queue }
    }

    /// Does a part of the job that has waited longest; returns false if there is none.
    pub async fn work_once(&self) -> Result<bool, StoreError> {
        let Some(leased) = self.queue.claim().await? else { return Ok(false) };
        let worked = AssertUnwindSafe(self.queue.work_off_part(&leased)).catch_unwind().await;
        let worked = worked.unwrap_or_else(|panic| Err(panics::failure(panic.as_ref())));
        if let Err(error) = worked {
            tracing::warn!(
                %error, job = %leased.id, organization = %leased.organization,
                "failed to work on a part of many contacts"
            );
            self.queue.put_off(&leased, RETRY, MAX_ATTEMPTS).await?;
        }
        Ok(true)
    }
}
