//! Events that change, and triggers that go on to their next channel.

use std::{collections::HashMap, sync::Arc, time::Duration};

use domain::{identity::organization::Organization, shared::id::Id};
use futures_util::{FutureExt, StreamExt, stream::FuturesUnordered};
use tokio::time::sleep;
use usecases::outreach::events::{EventCache, TriggerWork};

use super::CHANGES;
use crate::signals::Signals;

/// How often triggers are looked for that are to go on.
const LOOK: Duration = Duration::from_millis(500);
/// How soon it is tried again to reach a database that is away.
const RETRY: Duration = Duration::from_secs(5);
/// How many triggers go on at the same time, and how many of one organization: what concerns one, such as
/// a locked wallet, does not keep others waiting.
const AT_ONCE: usize = 128;
const AT_ONCE_OF_ONE: usize = 32;

/// Forgets events that other instances changed. While this fails they are looked for at every use.
pub(in crate::service) async fn follow_events(event_cache: EventCache, signals: Arc<Signals>) {
    let mut has_failed = false;
    loop {
        let followed = event_cache.forget_changes().await;
        if let Err(error) = &followed
            && !has_failed
        {
            tracing::warn!(%error, "failed to read which events changed");
        }
        has_failed = followed.is_err();
        signals.events(CHANGES).await;
    }
}

/// Goes on with triggers whose messages failed, or were not where they should be in time.
pub(in crate::service) async fn go_on_with_triggers(work: TriggerWork) {
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
