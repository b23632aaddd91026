//! Which addresses are public: those of no special purpose.
//!
//! After the registries of special-purpose addresses that IANA keeps. Must never let an address
//! through for want of knowing it: of IPv6, only what is given out as global unicast is public.

#[cfg(test)]
mod tests;

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// The addresses that begin with the same bits.
#[derive(Debug, Clone, Copy)]
struct Block<A> {
    first: A,
    bits: u32,
}

const fn v4(first: [u8; 4], bits: u32) -> Block<Ipv4Addr> {
    let [a, b, c, d] = first;
    Block { first: Ipv4Addr::new(a, b, c, d), bits }
}

/// Of an address whose last five groups are nought.
const fn v6(first: [u16; 3], bits: u32) -> Block<Ipv6Addr> {
    let [a, b, c] = first;
    Block { first: Ipv6Addr::new(a, b, c, 0, 0, 0, 0, 0), bits }
}

/// What is not public, and what it is.
const SPECIAL_V4: [(Block<Ipv4Addr>, &str); 19] = [
    (v4([0, 0, 0, 0], 8), "this network"),
    (v4([10, 0, 0, 0], 8), "private"),
    (v4([100, 64, 0, 0], 10), "shared by a carrier"),
    (v4([127, 0, 0, 0], 8), "loopback"),
    (v4([168, 63, 129, 16], 32), "a cloud's own services"),
    (v4([169, 254, 0, 0], 16), "link-local"),
    (v4([172, 16, 0, 0], 12), "private"),
    (v4([192, 0, 0, 0], 24), "protocol assignments"),
    (v4([192, 0, 2, 0], 24), "documentation"),
    (v4([192, 31, 196, 0], 24), "AS112"),
    (v4([192, 52, 193, 0], 24), "AMT"),
    (v4([192, 88, 99, 0], 24), "relays of 6to4"),
    (v4([192, 168, 0, 0], 16), "private"),
    (v4([192, 175, 48, 0], 24), "AS112"),
    (v4([198, 18, 0, 0], 15), "benchmarking"),
    (v4([198, 51, 100, 0], 24), "documentation"),
    (v4([203, 0, 113, 0], 24), "documentation"),
    (v4([224, 0, 0, 0], 4), "multicast"),
    (v4([240, 0, 0, 0], 4), "reserved"),
];

const GLOBAL_V6: Block<Ipv6Addr> = v6([0x2000, 0, 0], 3);

/// What is not public though it is global unicast, and what it is.
const SPECIAL_V6: [(Block<Ipv6Addr>, &str); 6] = [
    (v6([0x2001, 0, 0], 23), "protocol assignments, Teredo, benchmarking, ORCHID"),
    (v6([0x2001, 0xdb8, 0], 32), "documentation"),
    (v6([0x2002, 0, 0], 16), "6to4"),
    (v6([0x2620, 0x4f, 0x8000], 48), "AS112"),
    (v6([0x3ffe, 0, 0], 16), "6bone"),
    (v6([0x3fff, 0, 0], 20), "documentation"),
];

/// Why an address is not public; nothing where it is.
pub(super) fn special(address: IpAddr) -> Option<&'static str> {
    match address {
        IpAddr::V4(address) => {
            SPECIAL_V4.iter().find(|(block, _)| block.holds(address)).map(|(_, what)| *what)
        }
        IpAddr::V6(address) if !GLOBAL_V6.holds(address) => Some("not global unicast"),
        IpAddr::V6(address) => {
            SPECIAL_V6.iter().find(|(block, _)| block.holds(address)).map(|(_, what)| *what)
        }
    }
}

impl Block<Ipv4Addr> {
    fn holds(&self, address: Ipv4Addr) -> bool {
        let differing = address.to_bits() ^ self.first.to_bits();
        differing.leading_zeros() >= self.bits
    }
}

impl Block<Ipv6Addr> {
    fn holds(&self, address: Ipv6Addr) -> bool {
        let differing = address.to_bits() ^ self.first.to_bits();
        differing.leading_zeros() >= self.bits
    }
}
