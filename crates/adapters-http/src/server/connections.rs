//! Limits on the number of connected clients.

use std::{
    collections::HashMap,
    net::IpAddr,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use crate::{
    client_address::{TrustedProxies, network},
    log_throttle::LogThrottle,
};

/// The connections of all clients.
pub(super) struct Connections {
    most: usize,
    most_of_one: usize,
    proxies: TrustedProxies,
    open: Mutex<Open>,
    refused: LogThrottle,
}

#[derive(Default)]
struct Open {
    all: usize,
    /// Connections that are counted for each address; see [`network`].
    by_address: HashMap<IpAddr, usize>,
}

/// Place of a connection, until this is dropped.
pub(super) struct Place {
    connections: Arc<Connections>,
    address: Option<IpAddr>,
}

impl Connections {
    /// Allows at most `most` in all and `most_of_one` from one address.
    pub(super) fn new(most: usize, most_of_one: usize, proxies: TrustedProxies) -> Arc<Self> {
        let (open, refused) = (Mutex::default(), LogThrottle::new());
        Arc::new(Self { most, most_of_one, proxies, open, refused })
    }

    /// Takes a place for a connection from that address, unless there are too many. Loopback and
    /// trusted proxies, which stand for many clients, are only held to the total.
    pub(super) fn enter(self: &Arc<Self>, peer: Option<IpAddr>) -> Option<Place> {
        let peer = peer.map(|peer| peer.to_canonical());
        let counted = peer.filter(|peer| !peer.is_loopback() && !self.proxies.trusts(*peer));
        let address = counted.map(network);
        let mut open = self.open();
        let own = address.and_then(|address| open.by_address.get(&address)).copied().unwrap_or(0);
        if open.all >= self.most || own >= self.most_of_one {
            self.refuse(open.all, peer);
            return None;
        }
        open.all += 1;
        if let Some(address) = address {
            open.by_address.insert(address, own + 1);
        }
        Some(Place { connections: Arc::clone(self), address })
    }

    fn refuse(&self, open: usize, peer: Option<IpAddr>) {
        metrics::counter!("atumpan_http_connections_refused_total").increment(1);
        if let Some(refused) = self.refused.count() {
            let peer = peer.map(tracing::field::display);
            tracing::warn!(refused, open, peer, "refused connections: too many are open");
        }
    }

    fn open(&self) -> MutexGuard<'_, Open> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let mut open = self.connections.open();
        open.all = open.all.saturating_sub(1);
        let Some(address) = self.address else { return };
        match open.by_address.get_mut(&address) {
            Some(count) if *count > 1 => *count -= 1,
            _ => {
                open.by_address.remove(&address);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn enter(connections: &Arc<Connections>, address: &str) -> Option<Place> {
        connections.enter(Some(address.parse().unwrap()))
    }

    #[test]
    fn one_address_has_a_limit_and_its_place_is_given_back() {
        let connections = Connections::new(10, 2, TrustedProxies::default());
        let first = enter(&connections, "192.0.2.1");
        let second = enter(&connections, "192.0.2.1");
        assert!(first.is_some() && second.is_some());
        assert!(enter(&connections, "::ffff:192.0.2.1").is_none());
        assert!(enter(&connections, "192.0.2.2").is_some());

        drop(first);
        assert!(enter(&connections, "192.0.2.1").is_some());
    }

    #[test]
    fn neighbours_in_an_ipv6_network_share_a_limit() {
        let connections = Connections::new(10, 1, TrustedProxies::default());
        let _first = enter(&connections, "2001:db8::1").unwrap();
        assert!(enter(&connections, "2001:db8::2").is_none());
        assert!(enter(&connections, "2001:db8:0:1::1").is_some());
    }

    #[test]
    fn loopback_and_trusted_proxies_are_held_to_the_total_alone() {
        let connections = Connections::new(4, 1, "10.0.0.0/8".parse().unwrap());
        let places: Vec<_> = ["127.0.0.1", "::1", "10.1.2.3", "10.1.2.3"]
            .into_iter()
            .map(|address| enter(&connections, address).unwrap())
            .collect();
        assert!(enter(&connections, "127.0.0.1").is_none());
        drop(places);
        assert!(connections.open().by_address.is_empty());
        assert_eq!(connections.open().all, 0);
    }
}
