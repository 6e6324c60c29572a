//! Client addresses behind proxies.

use std::{
    fmt,
    net::{IpAddr, Ipv6Addr, SocketAddr},
    str::FromStr,
};

use ipnet::IpNet;
use thiserror::Error;

/// Trusted proxies: their forwarding headers are believed. None by default.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TrustedProxies(Vec<IpNet>);

/// Error for a text that is not a list of networks.
#[derive(Debug, Error)]
#[error("{0:?} is neither a network such as 10.0.0.0/8 nor an address")]
pub struct NotANetwork(String);

impl FromStr for TrustedProxies {
    type Err = NotANetwork;

    /// Parses networks and addresses separated by commas.
    fn from_str(text: &str) -> Result<Self, NotANetwork> {
        let entries = text.split(',').map(str::trim).filter(|entry| !entry.is_empty());
        let network = |entry: &str| {
            let network = entry.parse::<IpNet>().ok();
            let network = network.or_else(|| entry.parse::<IpAddr>().ok().map(IpNet::from));
            network.ok_or_else(|| NotANetwork(entry.to_owned()))
        };
        Ok(Self(entries.map(network).collect::<Result<_, _>>()?))
    }
}

impl fmt::Display for TrustedProxies {
    /// Writes the networks, separated by commas.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, network) in self.0.iter().enumerate() {
            if index > 0 {
                f.write_str(",")?;
            }
            write!(f, "{network}")?;
        }
        Ok(())
    }
}

impl TrustedProxies {
    /// True if the address belongs to a trusted proxy.
    pub(crate) fn trusts(&self, address: IpAddr) -> bool {
        let address = address.to_canonical();
        self.0.iter().any(|network| network.contains(&address))
    }

    /// Returns the client's address: the peer's own, unless the peer is a trusted proxy; then the
    /// last address in `forwarded` that was added by a trusted proxy and is none itself.
    /// `forwarded` lists the addresses in the order in which proxies added them.
    pub(crate) fn client(&self, peer: IpAddr, forwarded: &[&str]) -> IpAddr {
        let mut client = peer.to_canonical();
        for entry in forwarded.iter().rev() {
            if !self.trusts(client) {
                break;
            }
            // An unnamed client is represented by the proxy that did not name it.
            let Some(address) = parse(entry) else { break };
            client = address;
        }
        client
    }
}

/// Returns the address that stands for one host: an IPv4 address, or an IPv6 network of 64 bits,
/// which usually belongs to one host.
pub(crate) fn network(address: IpAddr) -> IpAddr {
    match address.to_canonical() {
        IpAddr::V4(address) => IpAddr::V4(address),
        IpAddr::V6(address) => {
            IpAddr::V6(Ipv6Addr::from_bits(address.to_bits() & (u128::MAX << 64)))
        }
    }
}

/// Parses an address in `X-Forwarded-For` or `Forwarded`, with or without a port, brackets and quotes.
fn parse(entry: &str) -> Option<IpAddr> {
    let entry = entry.trim().trim_matches('"');
    let bare = entry.strip_prefix('[').and_then(|entry| entry.strip_suffix(']')).unwrap_or(entry);
    let address = bare.parse::<IpAddr>().ok();
    let address = address.or_else(|| entry.parse::<SocketAddr>().ok().map(|it| it.ip()));
    address.map(|address| address.to_canonical())
}

/// Returns the entries of `X-Forwarded-For`.
pub(crate) fn of_x_forwarded_for(value: &str) -> impl Iterator<Item = &str> {
    value.split(',')
}

/// Returns the `for` parameters of `Forwarded` (RFC 7239).
pub(crate) fn of_forwarded(value: &str) -> impl Iterator<Item = &str> {
    value.split(',').map(|element| {
        let mut pairs = element.split(';').filter_map(|pair| pair.split_once('='));
        let made_for = pairs.find(|(name, _)| name.trim().eq_ignore_ascii_case("for"));
        made_for.map_or("unknown", |(_, address)| address)
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn client(peer: &str, forwarded: &[&str]) -> String {
        let proxies: TrustedProxies = "10.0.0.0/8, 2001:db8:1::/48 ,192.0.2.7".parse().unwrap();
        proxies.client(peer.parse().unwrap(), forwarded).to_string()
    }

    #[test]
    fn ignores_the_headers_of_an_untrusted_peer() {
        assert_eq!(client("203.0.113.1", &["198.51.100.1"]), "203.0.113.1");
    }

    #[test]
    fn uses_the_last_address_that_is_not_a_trusted_proxy() {
        assert_eq!(client("10.0.0.1", &["198.51.100.1"]), "198.51.100.1");
        assert_eq!(client("10.0.0.1", &["6.6.6.6", "198.51.100.1"]), "198.51.100.1");
        assert_eq!(client("10.0.0.1", &["6.6.6.6", "198.51.100.1", "10.9.9.9"]), "198.51.100.1");
        assert_eq!(client("2001:db8:1::9", &["6.6.6.6", "192.0.2.7"]), "6.6.6.6");
        assert_eq!(client("::ffff:10.0.0.1", &["198.51.100.1"]), "198.51.100.1");
    }

    #[test]
    fn uses_the_proxy_for_an_unnamed_client() {
        assert_eq!(client("10.0.0.1", &[]), "10.0.0.1");
        assert_eq!(client("10.0.0.1", &["198.51.100.1", "unknown"]), "10.0.0.1");
        assert_eq!(client("10.0.0.1", &["198.51.100.1", "_hidden", "10.0.0.2"]), "10.0.0.2");
        assert_eq!(client("10.0.0.1", &["10.0.0.3", "10.0.0.2"]), "10.0.0.3");
    }

    #[test]
    fn addresses_are_read_as_proxies_write_them() {
        for (entry, address) in [
            (" 198.51.100.1 ", "198.51.100.1"),
            ("198.51.100.1:4711", "198.51.100.1"),
            ("2001:db8::1", "2001:db8::1"),
            ("\"[2001:db8::1]:4711\"", "2001:db8::1"),
            ("[2001:db8::1]", "2001:db8::1"),
        ] {
            assert_eq!(client("10.0.0.1", &[entry]), address, "{entry}");
        }
        let value = "for=198.51.100.1;proto=https, For=\"[2001:db8::1]\";by=10.0.0.1 , proto=http";
        let entries: Vec<_> = of_forwarded(value).collect();
        assert_eq!(entries, ["198.51.100.1", "\"[2001:db8::1]\"", "unknown"]);
    }

    #[test]
    fn refuses_and_names_an_invalid_network() {
        let error = "10.0.0.0/8, proxy.example.com".parse::<TrustedProxies>().unwrap_err();
        assert!(error.to_string().contains("proxy.example.com"), "{error}");
        assert_eq!("".parse::<TrustedProxies>().unwrap(), TrustedProxies::default());
    }

    proptest! {
        /// Entries that a client invents stand left of those that the first trusted proxy adds.
        #[test]
        fn nothing_that_a_client_sends_changes_its_address(
            invented in proptest::collection::vec(".{0,20}", 0..6),
            client in any::<u32>().prop_filter("no proxy", |bits| {
                let address = std::net::Ipv4Addr::from_bits(*bits);
                address.octets()[0] != 10 && address != std::net::Ipv4Addr::new(192, 0, 2, 7)
            }),
        ) {
            let proxies: TrustedProxies = "10.0.0.0/8,192.0.2.7".parse().unwrap();
            let client = std::net::Ipv4Addr::from_bits(client);
            let own = client.to_string();
            let mut forwarded: Vec<&str> = invented.iter().map(String::as_str).collect();
            forwarded.extend([own.as_str(), "192.0.2.7"]);

            let found = proxies.client("10.0.0.1".parse().unwrap(), &forwarded);

            prop_assert_eq!(found, IpAddr::V4(client));
        }
    }
}
