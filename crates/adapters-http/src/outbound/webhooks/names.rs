//! Names of hosts, and which of their addresses are called.

use std::{
    collections::HashMap,
    io,
    net::{IpAddr, SocketAddr, ToSocketAddrs},
    sync::{Arc, Mutex, PoisonError},
    thread,
    time::Duration,
};

use async_trait::async_trait;
use domain::webhook::AddressClass;
use futures_util::{
    FutureExt,
    future::{BoxFuture, Shared},
};
use reqwest::dns::{Addrs, Name, Resolve, Resolving};
use tokio::{
    sync::{Semaphore, oneshot},
    task::AbortHandle,
    time::timeout,
};

/// How many names are resolved at the same time: each takes a thread, for as long as a name server
/// does not answer.
const MAX_LOOK_UPS: usize = 64;
/// How long a name waits for others that are being resolved.
const LONGEST_WAIT: Duration = Duration::from_secs(5);

/// Resolves names of hosts.
#[async_trait]
pub trait Names: Send + Sync {
    /// The addresses of a name; none if it has none, or if that is not known now.
    async fn addresses(&self, name: &str) -> Vec<IpAddr>;
}

/// Whether an address may be called.
pub(super) fn is_callable(address: IpAddr, allow_private: bool) -> bool {
    AddressClass::of(address).is_callable(allow_private)
}

type Resolver = dyn Fn(&str) -> io::Result<Vec<IpAddr>> + Send + Sync;

/// A name that is being resolved.
struct LookUp {
    /// What resolves it, which goes on when nobody waits any more.
    task: AbortHandle,
    found: Shared<BoxFuture<'static, Vec<IpAddr>>>,
}

/// The names of the system.
pub struct SystemNames {
    resolver: Arc<Resolver>,
    places: Arc<Semaphore>,
    /// One for each name, so that one whose name server does not answer takes one place.
    under_way: Mutex<HashMap<String, LookUp>>,
}

impl Default for SystemNames {
    fn default() -> Self {
        Self::resolved_by(Arc::new(resolve), MAX_LOOK_UPS)
    }
}

impl SystemNames {
    fn resolved_by(resolver: Arc<Resolver>, places: usize) -> Self {
        let places = Arc::new(Semaphore::new(places));
        Self { resolver, places, under_way: Mutex::default() }
    }

    /// Joins those who look a name up, or begins to.
    fn look_up(&self, name: &str) -> Shared<BoxFuture<'static, Vec<IpAddr>>> {
        let mut under_way = self.under_way.lock().unwrap_or_else(PoisonError::into_inner);
        // What was found is not kept: it may be otherwise now.
        under_way.retain(|_, look_up| !look_up.task.is_finished());
        if let Some(look_up) = under_way.get(name) {
            return look_up.found.clone();
        }
        let (resolver, places) = (Arc::clone(&self.resolver), Arc::clone(&self.places));
        let work = tokio::spawn(look_up(resolver, places, name.to_owned()));
        let task = work.abort_handle();
        let found = async move { work.await.unwrap_or_default() }.boxed().shared();
        under_way.insert(name.to_owned(), LookUp { task, found: found.clone() });
        found
    }
}

#[async_trait]
impl Names for SystemNames {
    async fn addresses(&self, name: &str) -> Vec<IpAddr> {
        self.look_up(name).await
    }
}

/// Resolves a name on a thread of its own: those of the runtime hash passwords too, and a service that
/// stops waits for them.
async fn look_up(resolver: Arc<Resolver>, places: Arc<Semaphore>, name: String) -> Vec<IpAddr> {
    let Ok(Ok(place)) = timeout(LONGEST_WAIT, places.acquire_owned()).await else {
        tracing::warn!(name, "failed to resolve a name: too many others are being resolved");
        return Vec::new();
    };
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
    if let Err(error) = thread::Builder::new().name("names".into()).spawn(resolving) {
        tracing::warn!(%error, "failed to start a thread that resolves a name");
    }
    resolved.await.unwrap_or_default()
}

fn resolve(name: &str) -> io::Result<Vec<IpAddr>> {
    Ok((name, 0).to_socket_addrs()?.map(|address| address.ip()).collect())
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
        Box::pin(async move {
            let mut found = names.addresses(name.as_str()).await;
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
mod tests {
    use std::{
        net::Ipv4Addr,
        sync::{
            atomic::{AtomicUsize, Ordering},
            mpsc,
        },
    };

    use futures_util::future::join;

    use super::*;

    const FOUND: IpAddr = IpAddr::V4(Ipv4Addr::LOCALHOST);

    /// Names that are found as slowly as answers are sent, and how often they were looked for.
    fn slow_names() -> (SystemNames, mpsc::Sender<Vec<IpAddr>>, Arc<AtomicUsize>) {
        let asked = Arc::new(AtomicUsize::new(0));
        let (answer, answers) = mpsc::channel();
        let (count, answers) = (Arc::clone(&asked), Mutex::new(answers));
        let slow = move |_: &str| {
            count.fetch_add(1, Ordering::SeqCst);
            Ok(answers.lock().unwrap().recv().unwrap())
        };
        (SystemNames::resolved_by(Arc::new(slow), 2), answer, asked)
    }

    #[tokio::test]
    async fn who_asks_for_a_name_that_is_being_resolved_joins_those_who_wait() {
        let (names, answer, asked) = slow_names();
        let [mut first, mut second] = [names.addresses("slow"), names.addresses("slow")];
        assert!((&mut first).now_or_never().is_none() && (&mut second).now_or_never().is_none());

        answer.send(vec![FOUND]).unwrap();

        assert_eq!(join(first, second).await, (vec![FOUND], vec![FOUND]));
        assert_eq!(asked.load(Ordering::SeqCst), 1);
    }

    #[tokio::test]
    async fn what_was_found_is_not_kept_also_if_nobody_waited_for_it() {
        let (names, answer, asked) = slow_names();
        assert!(names.addresses("slow").now_or_never().is_none());
        answer.send(vec![FOUND]).unwrap();
        while names.under_way.lock().unwrap().values().any(|it| !it.task.is_finished()) {
            tokio::time::sleep(Duration::from_millis(1)).await;
        }

        answer.send(Vec::new()).unwrap();

        assert!(names.addresses("slow").await.is_empty());
        assert_eq!(asked.load(Ordering::SeqCst), 2);
    }

    #[tokio::test]
    async fn a_name_that_hangs_takes_one_place_and_others_are_resolved_beside_it() {
        let (_never, answers) = mpsc::channel::<Vec<IpAddr>>();
        let answers = Mutex::new(answers);
        let hangs = move |name: &str| match name {
            "hangs" => Ok(answers.lock().unwrap().recv().unwrap_or_default()),
            "fails" => Err(io::Error::other("no such name")),
            _ => Ok(vec![FOUND]),
        };
        let names = SystemNames::resolved_by(Arc::new(hangs), 2);
        let mut hanging: Vec<_> = (0..8).map(|_| names.addresses("hangs")).collect();
        assert!(hanging.iter_mut().all(|it| it.now_or_never().is_none()));
        tokio::task::yield_now().await;

        assert_eq!(names.addresses("other").await, [FOUND]);
        assert!(names.addresses("fails").await.is_empty());
    }
}
