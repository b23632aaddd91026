//! From a host's name to a connection with it.
//!
//! Must never dial an address that was not looked at, nor ask for it a second time.

use super::address::special;
use super::{Refused, Target};
use std::net::SocketAddr;
use tokio::net::{TcpStream, lookup_host};

/// So many addresses of a host are tried.
const ADDRESSES_MAX: usize = 8;

/// Resolves the name once, and dials one of its addresses.
pub(super) async fn dial(target: &Target) -> Result<TcpStream, Refused> {
    let addresses = resolve(target).await?;
    for address in addresses.into_iter().take(ADDRESSES_MAX) {
        match TcpStream::connect(address).await {
            Ok(stream) => {
                // One that cannot be told so is no slower than others.
                let _ = stream.set_nodelay(true);
                return Ok(stream);
            }
            Err(error) => tracing::debug!(%target, %address, %error, "a host does not answer"),
        }
    }
    Err(Refused::Unreachable)
}

/// The addresses of a host, all of which are public.
async fn resolve(target: &Target) -> Result<Vec<SocketAddr>, Refused> {
    let found = lookup_host((target.host(), target.port())).await;
    let addresses: Vec<SocketAddr> = found.map(Iterator::collect).unwrap_or_default();
    if addresses.is_empty() {
        return Err(Refused::Unresolved);
    }
    match addresses.iter().find_map(|address| special(address.ip())) {
        None => Ok(addresses),
        Some(what) => {
            tracing::warn!(%target, what, "a host has an address that is not public");
            Err(Refused::Address)
        }
    }
}
