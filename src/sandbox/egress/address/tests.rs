use super::{SPECIAL_V4, SPECIAL_V6, special};
use std::net::IpAddr;

fn is_public(address: &str) -> bool {
    special(address.parse::<IpAddr>().unwrap()).is_none()
}

/// The first and the last address of each block, and its neighbours that are public.
#[test]
fn no_address_of_the_table_is_public_and_their_neighbours_are() {
    let rows: [(&str, &str, &str, &str); 19] = [
        ("0.0.0.0", "0.255.255.255", "", "1.0.0.0"),
        ("10.0.0.0", "10.255.255.255", "9.255.255.255", "11.0.0.0"),
        ("100.64.0.0", "100.127.255.255", "100.63.255.255", "100.128.0.0"),
        ("127.0.0.0", "127.255.255.255", "126.255.255.255", "128.0.0.0"),
        ("168.63.129.16", "168.63.129.16", "168.63.129.15", "168.63.129.17"),
        ("169.254.0.0", "169.254.255.255", "169.253.255.255", "169.255.0.0"),
        ("172.16.0.0", "172.31.255.255", "172.15.255.255", "172.32.0.0"),
        ("192.0.0.0", "192.0.0.255", "191.255.255.255", "192.0.1.0"),
        ("192.0.2.0", "192.0.2.255", "192.0.1.255", "192.0.3.0"),
        ("192.31.196.0", "192.31.196.255", "192.31.195.255", "192.31.197.0"),
        ("192.52.193.0", "192.52.193.255", "192.52.192.255", "192.52.194.0"),
        ("192.88.99.0", "192.88.99.255", "192.88.98.255", "192.88.100.0"),
        ("192.168.0.0", "192.168.255.255", "192.167.255.255", "192.169.0.0"),
        ("192.175.48.0", "192.175.48.255", "192.175.47.255", "192.175.49.0"),
        ("198.18.0.0", "198.19.255.255", "198.17.255.255", "198.20.0.0"),
        ("198.51.100.0", "198.51.100.255", "198.51.99.255", "198.51.101.0"),
        ("203.0.113.0", "203.0.113.255", "203.0.112.255", "203.0.114.0"),
        ("224.0.0.0", "239.255.255.255", "223.255.255.255", ""),
        ("240.0.0.0", "255.255.255.255", "", ""),
    ];
    for ((first, last, before, after), (block, what)) in rows.into_iter().zip(SPECIAL_V4) {
        assert_eq!(first, block.first.to_string(), "{what}");
        assert_eq!(special(first.parse().unwrap()), Some(what));
        assert_eq!(special(last.parse().unwrap()), Some(what));
        for neighbour in [before, after].into_iter().filter(|neighbour| !neighbour.is_empty()) {
            assert!(is_public(neighbour), "{neighbour}");
        }
    }
}

#[test]
fn no_address_of_the_second_table_is_public_and_their_neighbours_are() {
    let rows: [(&str, &str, &str); 6] = [
        ("2001::", "2001:1ff:ffff::1", "2001:200::"),
        ("2001:db8::", "2001:db8:ffff::1", "2001:db9::"),
        ("2002::", "2002:ffff::1", "2003::"),
        ("2620:4f:8000::", "2620:4f:8000:ffff::1", "2620:4f:8001::"),
        ("3ffe::", "3ffe:ffff::1", "3ffd:ffff::"),
        ("3fff::", "3fff:fff::1", "3fff:1000::"),
    ];
    for ((first, last, after), (_, what)) in rows.into_iter().zip(SPECIAL_V6) {
        assert_eq!(special(first.parse().unwrap()), Some(what), "{first}");
        assert_eq!(special(last.parse().unwrap()), Some(what), "{last}");
        assert!(is_public(after), "{after}");
    }
}

/// Every other row of the registry of IPv6, and what stands for an address of IPv4.
#[test]
fn of_the_rest_nothing_is_public_but_what_is_given_out() {
    let refused = [
        ("unspecified", "::"),
        ("loopback", "::1"),
        ("compatible with IPv4", "::93.184.216.34"),
        ("mapped from IPv4", "::ffff:93.184.216.34"),
        ("translated from IPv4", "::ffff:0:93.184.216.34"),
        ("NAT64", "64:ff9b::93.184.216.34"),
        ("NAT64 of a network", "64:ff9b:1::1"),
        ("discarded", "100::1"),
        ("dummy", "100:0:0:1::1"),
        ("Teredo", "2001::1"),
        ("benchmarking", "2001:2::1"),
        ("ORCHID", "2001:10::1"),
        ("ORCHIDv2", "2001:20::1"),
        ("segment routing", "5f00::1"),
        ("unique local", "fc00::1"),
        ("unique local, the other half", "fd12:3456::1"),
        ("link-local", "fe80::1"),
        ("site-local", "fec0::1"),
        ("multicast", "ff02::1"),
    ];
    for (what, address) in refused {
        assert!(!is_public(address), "{what}: {address}");
    }
    for address in ["2606:2800:220:1:248:1893:25c8:1946", "2a00:1450::1", "93.184.216.34"] {
        assert!(is_public(address), "{address}");
    }
}
