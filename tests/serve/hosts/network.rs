//! A network namespace of the test's own, as another machine would be, with one way to it.

use crate::disk::as_root;
use std::net::Ipv4Addr;
use std::sync::atomic::{AtomicU32, Ordering};

/// The network for measurements of RFC 2544: nobody's.
const NETWORK: u32 = u32::from_be_bytes([198, 18, 0, 0]);

/// It ends with the test.
pub(crate) struct Network {
    name: String,
    /// The test's end of the cable.
    cable: String,
    first: u32,
}

impl Network {
    pub(crate) fn new() -> Self {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        // Of 16,384 networks of eight addresses, one that no other test is likely to have.
        let number = std::process::id() % 2_048 * 8 + COUNT.fetch_add(1, Ordering::Relaxed) % 8;
        let (name, cable) = (format!("regate-test-{number}"), format!("regate{number}"));
        let network = Self { name, cable, first: NETWORK + number * 8 };
        network.lay();
        network
    }

    fn lay(&self) {
        let Self { name, cable, .. } = self;
        let [outside, inside, also] = [1, 2, 3].map(|number| format!("{}/29", self.ip(number)));
        ip(&["netns", "add", name]);
        ip(&["link", "add", cable, "type", "veth", "peer", "name", "engine", "netns", name]);
        ip(&["address", "add", &outside, "dev", cable]);
        ip(&["link", "set", cable, "up"]);
        for address in [&inside, &also] {
            ip(&["-n", name, "address", "add", address, "dev", "engine"]);
        }
        ip(&["-n", name, "link", "set", "engine", "up"]);
    }

    /// Where it is kept.
    pub(crate) fn path(&self) -> String {
        format!("/run/netns/{}", self.name)
    }

    /// The addresses inside.
    pub(crate) fn addresses(&self) -> [String; 2] {
        [2, 3].map(|number| self.ip(number).to_string())
    }

    fn ip(&self, number: u32) -> Ipv4Addr {
        Ipv4Addr::from_bits(self.first + number)
    }
}

impl Drop for Network {
    fn drop(&mut self) {
        // The other end of the cable goes with it.
        let _ = as_root("ip").args(["link", "delete", &self.cable]).status();
        let _ = as_root("ip").args(["netns", "delete", &self.name]).status();
    }
}

fn ip(words: &[&str]) {
    let done = as_root("ip").args(words).output().unwrap();
    assert!(done.status.success(), "ip {}: {done:?}", words.join(" "));
}
