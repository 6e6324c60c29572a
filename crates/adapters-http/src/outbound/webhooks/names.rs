//! Names of hosts, and which of their addresses are called.

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

/// The number of names that calls resolve at the same time, of all organizations and of one: each takes a
/// thread, for as long as a name server does not answer.
const CALLS: Share = Share { all: 256, one: 4, wait: Duration::from_secs(5) };
/// The same for URLs that are checked, which do not wait: whoever asks tries again.
const CHECKS: Share = Share { all: 32, one: 2, wait: Duration::ZERO };
/// The stack of a thread that does nothing but resolve.
const STACK: usize = 512 * 1_024;

/// Resolves names of hosts.
#[async_trait]
pub trait Names: Send + Sync {
    /// The addresses of a name that an organization wrote; none if it has none, or if that is not
    /// known now.
    async fn addresses(
        &self,
        organization: Id<Organization>,
        name: &str,
    ) -> Result<Vec<IpAddr>, NoPlace>;
}

/// Whether an address may be called.
pub(super) fn is_callable(address: IpAddr, allow_private: bool) -> bool {
    AddressClass::of(address).is_callable(allow_private)
}

type Resolver = dyn Fn(&str) -> io::Result<Vec<IpAddr>> + Send + Sync;
type Found = Result<Vec<IpAddr>, NoPlace>;

/// A name that is being resolved.
struct LookUp {
    /// What resolves it, which goes on when nobody waits any more.
    task: AbortHandle,
    found: Shared<BoxFuture<'static, Found>>,
}

/// The names of the system.
pub struct SystemNames {
    resolver: Arc<Resolver>,
    places: Arc<Places>,
    /// One for each name of each organization, so that one whose name server does not answer takes one
    /// place, and nobody waits for a place of somebody else.
    under_way: Mutex<HashMap<(Id<Organization>, String), LookUp>>,
}

impl SystemNames {
    /// Names for calls.
    pub fn for_calls() -> Self {
        Self::resolved_by(Arc::new(resolve), CALLS)
    }

    /// Names for checks of URLs, whose places are not those of calls.
    pub fn for_checks() -> Self {
        Self::resolved_by(Arc::new(resolve), CHECKS)
    }

    fn resolved_by(resolver: Arc<Resolver>, share: Share) -> Self {
        Self { resolver, places: Arc::new(Places::new(share)), under_way: Mutex::default() }
    }

    /// Joins those of the organization who look a name up, or begins to.
    fn look_up(
        &self,
        organization: Id<Organization>,
        name: &str,
    ) -> Shared<BoxFuture<'static, Found>> {
        let mut under_way = self.under_way.lock().unwrap_or_else(PoisonError::into_inner);
        // What was found is not kept: it may be otherwise now.
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

/// Resolves a name on a thread of its own: those of the runtime hash passwords too, and a service that
/// stops waits for them.
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
        // The thread keeps its place, whoever goes away.
        drop(place);
        // Nobody may wait any more.
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
    /// Whose endpoint is being called: whoever connects is told nothing but a name.
    static CALLED: Id<Organization>;
}

/// Makes a call of an endpoint of that organization, which pays for it with its own places.
pub(super) fn called_for<F: Future>(
    organization: Id<Organization>,
    call: F,
) -> TaskLocalFuture<Id<Organization>, F> {
    CALLED.scope(organization, call)
}

/// Names for those who connect, with only such addresses as may be called: what is not here is not
/// dialled.
pub(super) struct CallableNames {
    names: Arc<dyn Names>,
    allow_private: bool,
}

/// Why there is no address to connect to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub(super) enum NoAddress {
    /// The name has none.
    #[error("the name was not resolved")]
    NotResolved,
    /// None of those that it has may be called.
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
        // Who connects does so where the call was made.
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
