//! Names of hosts, and their addresses that may be called.

mod places;

use std::{
    collections::HashMap,
    io,
    net::{IpAddr, SocketAddr, ToSocketAddrs},
    sync::{Arc, Mutex, PoisonError},
    thread,
    time::Duration,
};

use async_trait::async_trait;
use domain::webhooks::webhook::AddressClass;
use domain::{identity::organization::Organization, shared::id::Id};
use futures_util::{
    FutureExt,
    future::{BoxFuture, Shared},
};
use reqwest::dns::{Addrs, Name, Resolve, Resolving};
use tokio::{
    sync::oneshot,
    task::{AbortHandle, futures::TaskLocalFuture},
};

pub use self::places::NoPlace;
use self::places::{Places, Share};

/// Limits on the names that calls resolve at the same time, for all organizations and for one: each
/// takes a thread, for as long as a name server does not answer.
const CALLS: Share = Share { all: 256, one: 4, wait: Duration::from_secs(5) };
/// The same limits for URLs that are checked, which do not wait: the caller tries again.
const CHECKS: Share = Share { all: 32, one: 2, wait: Duration::ZERO };
/// Stack size of a thread that does nothing but resolve, in bytes.
const STACK: usize = 512 * 1_024;

/// Resolves names of hosts.
#[async_trait]
pub trait Names: Send + Sync {
    /// Returns the addresses of a name that an organization wrote; empty if it has none, or if they
    /// cannot be found now.
    async fn addresses(
        &self,
        organization: Id<Organization>,
        name: &str,
    ) -> Result<Vec<IpAddr>, NoPlace>;
}

/// True if an address may be called.
pub(super) fn is_callable(address: IpAddr, allow_private: bool) -> bool {
    AddressClass::of(address).is_callable(allow_private)
}

type Resolver = dyn Fn(&str) -> io::Result<Vec<IpAddr>> + Send + Sync;
type Found = Result<Vec<IpAddr>, NoPlace>;

/// Name that is being resolved.
struct LookUp {
    /// Task that resolves it, which continues when nobody waits any more.
    task: AbortHandle,
    found: Shared<BoxFuture<'static, Found>>,
}

/// Resolver of the system.
pub struct SystemNames {
    resolver: Arc<Resolver>,
    places: Arc<Places>,
    /// One for each name of each organization, so that a name without answer takes one place, and
    /// nobody waits for a place of another organization.
    under_way: Mutex<HashMap<(Id<Organization>, String), LookUp>>,
}

impl SystemNames {
    /// Creates a resolver for calls.
    pub fn for_calls() -> Self {
        Self::resolved_by(Arc::new(resolve), CALLS)
    }

    /// Creates a resolver for checks of URLs, whose places are not those of calls.
    pub fn for_checks() -> Self {
        Self::resolved_by(Arc::new(resolve), CHECKS)
    }

    fn resolved_by(resolver: Arc<Resolver>, share: Share) -> Self {
        Self { resolver, places: Arc::new(Places::new(share)), under_way: Mutex::default() }
    }

    /// Joins a lookup of the name by the organization, or starts one.
    fn look_up(
        &self,
        organization: Id<Organization>,
        name: &str,
    ) -> Shared<BoxFuture<'static, Found>> {
        let mut under_way = self.under_way.lock().unwrap_or_else(PoisonError::into_inner);
        // Results are not cached: they may have changed.
        under_way.retain(|_, look_up| !look_up.task.is_finished());
        let key = (organization, name.to_owned());
        if let Some(look_up) = under_way.get(&key) {
            return look_up.found.clone();
        }
        let (resolver, places) = (Arc::clone(&self.resolver), Arc::clone(&self.places));
        let name = key.1.clone();
        let work = tokio::spawn(look_up(resolver, places, organization, name));
        let task = work.abort_handle();
        let found = async move { work.await.unwrap_or_else(|_| Ok(Vec::new())) }.boxed().shared();
        under_way.insert(key, LookUp { task, found: found.clone() });
        found
    }
}

#[async_trait]
impl Names for SystemNames {
    async fn addresses(&self, organization: Id<Organization>, name: &str) -> Found {
        self.look_up(organization, name).await
    }
}

/// Resolves a name on a thread of its own: those of the runtime hash passwords too, and a shutdown
/// of the service waits for them.
async fn look_up(
    resolver: Arc<Resolver>,
    places: Arc<Places>,
    organization: Id<Organization>,
    name: String,
) -> Found {
    let place = places.take(organization).await?;
    let (found, resolved) = oneshot::channel();
    let resolving = move || {
        let addresses = resolver(&name).unwrap_or_else(|error| {
            tracing::debug!(name, %error, "failed to resolve a name");
            Vec::new()
        });
        // The thread keeps its place until here, even if the callers are gone.
        drop(place);
        // The receiver may be gone.
        let _ = found.send(addresses);
    };
    let thread = thread::Builder::new().name("names".into()).stack_size(STACK);
    if let Err(error) = thread.spawn(resolving) {
        tracing::warn!(%error, "failed to start a thread that resolves a name");
    }
    Ok(resolved.await.unwrap_or_default())
}

fn resolve(name: &str) -> io::Result<Vec<IpAddr>> {
    Ok((name, 0).to_socket_addrs()?.map(|address| address.ip()).collect())
}

tokio::task_local! {
    /// Organization whose endpoint is being called: the connector is given a name only.
    static CALLED: Id<Organization>;
}

/// Makes a call of an endpoint of that organization, in whose places its names are resolved.
pub(super) fn called_for<F: Future>(
    organization: Id<Organization>,
    call: F,
) -> TaskLocalFuture<Id<Organization>, F> {
    CALLED.scope(organization, call)
}

/// Resolver of the connector. It returns only addresses that may be called, so that no others are
/// dialled.
pub(super) struct CallableNames {
    names: Arc<dyn Names>,
    allow_private: bool,
}

/// Reason for which there is no address to connect to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub(super) enum NoAddress {
    /// The name has no address.
    #[error("the name was not resolved")]
    NotResolved,
    /// None of its addresses may be called.
    #[error("the name leads to addresses that must not be called")]
    Refused,
}

impl CallableNames {
    pub(super) fn new(names: Arc<dyn Names>, allow_private: bool) -> Self {
        Self { names, allow_private }
    }
}

impl Resolve for CallableNames {
    fn resolve(&self, name: Name) -> Resolving {
        let (names, allow_private) = (Arc::clone(&self.names), self.allow_private);
        // The connector runs in the task that made the call.
        let organization = CALLED.try_with(|organization| *organization);
        Box::pin(async move {
            let organization = organization.map_err(|_| NoAddress::NotResolved)?;
            let found = names.addresses(organization, name.as_str()).await;
            let mut found = found.unwrap_or_else(|no_place| {
                tracing::warn!(name = name.as_str(), %no_place, "failed to resolve a name");
                Vec::new()
            });
            if found.is_empty() {
                return Err(NoAddress::NotResolved.into());
            }
            found.retain(|address| is_callable(*address, allow_private));
            if found.is_empty() {
                return Err(NoAddress::Refused.into());
            }
            let addresses: Addrs =
                Box::new(found.into_iter().map(|address| SocketAddr::new(address, 0)));
            Ok(addresses)
        })
    }
}

#[cfg(test)]
mod tests;
