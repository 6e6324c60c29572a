//! Triggers that continue with their next channel.

use std::{collections::HashMap, time::Duration};

use domain::{identity::organization::Organization, shared::id::Id};
use futures_util::{FutureExt, StreamExt, stream::FuturesUnordered};
use tokio::time::sleep;
use usecases::outreach::events::TriggerWork;

/// Interval between looks for triggers to continue.
const LOOK: Duration = Duration::from_millis(500);
/// Pause before the next attempt to reach an unavailable database.
const RETRY: Duration = Duration::from_secs(5);
/// Number of triggers continued at the same time, and number of those per organization, so that an
/// obstacle of one organization, such as a locked wallet, does not delay others.
const AT_ONCE: usize = 128;
const AT_ONCE_OF_ONE: usize = 32;

/// Continues triggers whose messages failed, or did not reach the required status in time.
pub(super) async fn go_on_with_triggers(work: TriggerWork) {
    let mut running = FuturesUnordered::new();
    let mut active = HashMap::<Id<Organization>, usize>::new();
    loop {
        let room = (AT_ONCE - running.len()).min(AT_ONCE_OF_ONE);
        let busy: Vec<_> = active
            .iter()
            .filter(|(_, triggers)| **triggers >= AT_ONCE_OF_ONE)
            .map(|(organization, _)| *organization)
            .collect();
        let mut pause = LOOK;
        if room > 0 {
            match work.take(room, &busy).await {
                Ok(taken) => {
                    if taken.len() == room {
                        pause = Duration::ZERO;
                    }
                    for trigger in taken {
                        let organization = trigger.organization;
                        *active.entry(organization).or_default() += 1;
                        let work = work.clone();
                        running.push(async move { (organization, work.go_on(trigger).await) });
                    }
                }
                Err(error) => {
                    tracing::warn!(%error, "failed to look for triggers that are to go on");
                    pause = RETRY;
                }
            }
        }
        let mut over = sleep(pause).boxed();
        loop {
            tokio::select! {
                Some((organization, outcome)) = running.next() => {
                    forget(&mut active, organization);
                    if room == 0 {
                        over = sleep(Duration::ZERO).boxed();
                    }
                    if let Err(error) = outcome {
                        tracing::warn!(%error, %organization, "failed to try the next channel of a trigger");
                    }
                }
                () = &mut over => break,
            }
        }
    }
}

fn forget(active: &mut HashMap<Id<Organization>, usize>, organization: Id<Organization>) {
    let left = active.get(&organization).copied().unwrap_or_default();
    if left > 1 {
        active.insert(organization, left - 1);
    } else {
        active.remove(&organization);
    }
}
