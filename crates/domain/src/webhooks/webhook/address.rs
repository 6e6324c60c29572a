//! Internet addresses that webhooks may call.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// Class of an address, which decides if it may be called.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AddressClass {
    /// Reachable by everybody.
    Public,
    /// This machine, or a private network.
    Private,
    /// No valid endpoint: cloud metadata, link-local, carrier-grade NAT, multicast or unassigned.
    Forbidden,
}

/// This machine (RFC 1122) and private networks (RFC 1918).
const PRIVATE_V4: [(Ipv4Addr, u32); 4] = [
    (Ipv4Addr::new(10, 0, 0, 0), 8),
    (Ipv4Addr::new(127, 0, 0, 0), 8),
    (Ipv4Addr::new(172, 16, 0, 0), 12),
    (Ipv4Addr::new(192, 168, 0, 0), 16),
];

/// Other special addresses registered at IANA or used by clouds.
const FORBIDDEN_V4: [(Ipv4Addr, u32); 12] = [
    // This network. Linux takes 0.0.0.0 for this machine.
    (Ipv4Addr::UNSPECIFIED, 8),
    // Between carriers and their customers; includes the metadata of Alibaba.
    (Ipv4Addr::new(100, 64, 0, 0), 10),
    // Link-local; includes the metadata of most clouds.
    (Ipv4Addr::new(169, 254, 0, 0), 16),
    // The host agent of machines in Azure.
    (Ipv4Addr::new(168, 63, 129, 16), 32),
    // Protocols of the IETF; includes the metadata of Oracle.
    (Ipv4Addr::new(192, 0, 0, 0), 24),
    // Documentation.
    (Ipv4Addr::new(192, 0, 2, 0), 24),
    (Ipv4Addr::new(198, 51, 100, 0), 24),
    (Ipv4Addr::new(203, 0, 113, 0), 24),
    // Relays of 6to4.
    (Ipv4Addr::new(192, 88, 99, 0), 24),
    // Benchmarks.
    (Ipv4Addr::new(198, 18, 0, 0), 15),
    // Multicast.
    (Ipv4Addr::new(224, 0, 0, 0), 4),
    // Reserved, and broadcast.
    (Ipv4Addr::new(240, 0, 0, 0), 4),
];

/// This machine (RFC 4291) and private networks (RFC 4193).
const PRIVATE_V6: [(Ipv6Addr, u32); 2] =
    [(Ipv6Addr::LOCALHOST, 128), (Ipv6Addr::new(0xfc00, 0, 0, 0, 0, 0, 0, 0), 7)];

/// Forbidden parts of the private networks and of [`GLOBAL_V6`].
const FORBIDDEN_V6: [(Ipv6Addr, u32); 6] = [
    // Metadata of Amazon and of Google.
    (Ipv6Addr::new(0xfd00, 0xec2, 0, 0, 0, 0, 0, 0), 32),
    (Ipv6Addr::new(0xfd20, 0xce, 0, 0, 0, 0, 0, 0), 32),
    // Protocols of the IETF, such as Teredo, which embeds an IPv4 address.
    (Ipv6Addr::new(0x2001, 0, 0, 0, 0, 0, 0, 0), 23),
    // Documentation.
    (Ipv6Addr::new(0x2001, 0xdb8, 0, 0, 0, 0, 0, 0), 32),
    (Ipv6Addr::new(0x3fff, 0, 0, 0, 0, 0, 0, 0), 20),
    // 6to4, which embeds an IPv4 address.
    (Ipv6Addr::new(0x2002, 0, 0, 0, 0, 0, 0, 0), 16),
];

/// All addresses assigned for global use. The rest is local or unassigned.
const GLOBAL_V6: (Ipv6Addr, u32) = (Ipv6Addr::new(0x2000, 0, 0, 0, 0, 0, 0, 0), 3);

/// Prefixes that stand for the IPv4 address in the last 32 bits: for the operating system, and on
/// networks with IPv6 only (RFC 6052).
const EMBEDDING_V6: [(Ipv6Addr, u32); 2] = [
    (Ipv6Addr::new(0, 0, 0, 0, 0, 0xffff, 0, 0), 96),
    (Ipv6Addr::new(0x64, 0xff9b, 0, 0, 0, 0, 0, 0), 96),
];

impl AddressClass {
    /// Returns the class of an address.
    pub fn of(address: IpAddr) -> Self {
        match address {
            IpAddr::V4(address) => Self::of_v4(address),
            IpAddr::V6(address) => Self::of_v6(address),
        }
    }

    /// True if it may be called. `allow_private` permits private addresses, but no forbidden ones.
    pub const fn is_callable(self, allow_private: bool) -> bool {
        match self {
            Self::Public => true,
            Self::Private => allow_private,
            Self::Forbidden => false,
        }
    }

    fn of_v4(address: Ipv4Addr) -> Self {
        let is_in = |network: &(Ipv4Addr, u32)| is_in_v4(address, *network);
        if FORBIDDEN_V4.iter().any(is_in) {
            Self::Forbidden
        } else if PRIVATE_V4.iter().any(is_in) {
            Self::Private
        } else {
            Self::Public
        }
    }

    fn of_v6(address: Ipv6Addr) -> Self {
        let is_in = |network: &(Ipv6Addr, u32)| is_in_v6(address, *network);
        if EMBEDDING_V6.iter().any(is_in) {
            let [.., a, b, c, d] = address.octets();
            Self::of_v4(Ipv4Addr::new(a, b, c, d))
        } else if FORBIDDEN_V6.iter().any(is_in) {
            Self::Forbidden
        } else if PRIVATE_V6.iter().any(is_in) {
            Self::Private
        } else if is_in(&GLOBAL_V6) {
            Self::Public
        } else {
            Self::Forbidden
        }
    }
}

const fn is_in_v4(address: Ipv4Addr, (network, bits): (Ipv4Addr, u32)) -> bool {
    (address.to_bits() ^ network.to_bits()) >> (32 - bits) == 0
}

const fn is_in_v6(address: Ipv6Addr, (network, bits): (Ipv6Addr, u32)) -> bool {
    (address.to_bits() ^ network.to_bits()) >> (128 - bits) == 0
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::{
        AddressClass::{Forbidden, Private, Public},
        *,
    };

    fn class(address: &str) -> AddressClass {
        AddressClass::of(address.parse().unwrap())
    }

    #[test]
    fn addresses_of_the_internet_are_public() {
        for address in [
            "1.1.1.1",
            "9.255.255.255",
            "11.0.0.0",
            "100.63.255.255",
            "100.128.0.0",
            "126.255.255.255",
            "128.0.0.1",
            "168.63.129.15",
            "169.253.255.255",
            "172.15.255.255",
            "172.32.0.0",
            "192.0.1.1",
            "192.167.255.255",
            "198.17.255.255",
            "198.20.0.0",
            "223.255.255.255",
            "2001:200::1",
            "2606:4700:4700::1111",
            "2a00:1450:4001:82b::200e",
            "3fff:1000::1",
            "::ffff:1.1.1.1",
            "64:ff9b::1.1.1.1",
        ] {
            assert_eq!(class(address), Public, "{address}");
        }
    }

    #[test]
    fn this_machine_and_private_networks_are_private() {
        for address in [
            "10.0.0.1",
            "10.255.255.255",
            "127.0.0.1",
            "127.255.255.254",
            "172.16.0.0",
            "172.31.255.255",
            "192.168.0.1",
            "192.168.255.255",
            "::1",
            "fc00::1",
            "fd12:3456:789a::1",
            "fdff:ffff::1",
            "::ffff:127.0.0.1",
            "::ffff:10.0.0.1",
            "64:ff9b::7f00:1",
        ] {
            assert_eq!(class(address), Private, "{address}");
        }
    }

    #[test]
    fn other_special_addresses_are_forbidden() {
        for address in [
            "0.0.0.0",
            "0.255.255.255",
            "100.64.0.0",
            "100.100.100.200",
            "100.127.255.255",
            "168.63.129.16",
            "169.254.0.0",
            "169.254.169.254",
            "169.254.170.2",
            "192.0.0.0",
            "192.0.0.192",
            "192.0.2.1",
            "192.88.99.1",
            "198.18.0.1",
            "198.19.255.255",
            "198.51.100.1",
            "203.0.113.1",
            "224.0.0.1",
            "239.255.255.255",
            "240.0.0.1",
            "255.255.255.255",
            "::",
            "::127.0.0.1",
            "::8.8.8.8",
            "::ffff:0:127.0.0.1",
            "::ffff:169.254.169.254",
            "::ffff:0.0.0.0",
            "64:ff9b::169.254.169.254",
            "64:ff9b:1::1",
            "64:ff9b:1::127.0.0.1",
            "100::1",
            "100:0:0:1::1",
            "2001::1",
            "2001:0:4136:e378:8000:63bf:3fff:fdd2",
            "2001:2::1",
            "2001:10::1",
            "2001:20::1",
            "2001:1ff:ffff::1",
            "2001:db8::1",
            "2002:7f00:1::1",
            "2002:808:808::1",
            "3fff::1",
            "3fff:fff:ffff::1",
            "4000::1",
            "5f00::1",
            "fd00:ec2::254",
            "fd00:ec2::23",
            "fd20:ce::254",
            "fe80::1",
            "febf::1",
            "fec0::1",
            "ff02::1",
            "ff0e::1",
            "ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff",
        ] {
            assert_eq!(class(address), Forbidden, "{address}");
            assert!(!class(address).is_callable(true), "{address}");
        }
    }

    #[test]
    fn a_setting_lets_private_addresses_through_and_no_others() {
        let callable = |allow_private| {
            [Public, Private, Forbidden].map(|class| class.is_callable(allow_private))
        };
        assert_eq!(callable(false), [true, false, false]);
        assert_eq!(callable(true), [true, true, false]);
    }

    proptest! {
        #[test]
        fn an_embedded_ipv4_address_is_judged_as_itself(bits: u32) {
            let address = Ipv4Addr::from_bits(bits);
            let of_v4 = AddressClass::of(address.into());

            prop_assert_eq!(AddressClass::of(address.to_ipv6_mapped().into()), of_v4);
            let translated = Ipv6Addr::from_bits((0x64_ff9b << 96) | u128::from(bits));
            prop_assert_eq!(AddressClass::of(translated.into()), of_v4);
        }

        #[test]
        fn other_addresses_that_embed_ipv4_are_never_called(bits: u32, rest: u64) {
            let (inside, rest) = (u128::from(bits), u128::from(rest));
            // ::1 is this machine.
            prop_assume!(bits != 1);
            for address in [
                inside,
                (0xffff << 48) | inside,
                (0x64_ff9b_0001 << 80) | inside,
                (0x2002 << 112) | (inside << 80) | rest,
                (0x2001 << 112) | (rest << 32) | inside,
            ] {
                let address = Ipv6Addr::from_bits(address);
                prop_assert_eq!(AddressClass::of(address.into()), Forbidden, "{}", address);
            }
        }

        #[test]
        fn addresses_local_to_the_standard_library_are_not_public(bits: u32, more: u128) {
            let v4 = Ipv4Addr::from_bits(bits);
            if v4.is_private() || v4.is_loopback() || v4.is_link_local() || v4.is_multicast()
                || v4.is_broadcast() || v4.is_documentation() || v4.is_unspecified()
            {
                prop_assert_ne!(AddressClass::of(v4.into()), Public);
            }
            let v6 = Ipv6Addr::from_bits(more);
            if v6.is_unique_local() || v6.is_unicast_link_local() || v6.is_multicast() {
                prop_assert_ne!(AddressClass::of(v6.into()), Public);
            }
        }
    }
}
