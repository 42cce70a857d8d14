//! Ports that tests may listen on, and that stay free while a server is away.

use std::{
    net::{Ipv4Addr, SocketAddr, TcpListener},
    sync::{
        LazyLock,
        atomic::{AtomicU32, Ordering},
    },
};

/// An address of this machine on which nothing listens, and will not by chance: its port is below those that a system
/// gives to listeners and connections that ask for none.
///
/// # Panics
/// If there is none.
pub fn free_addr() -> SocketAddr {
    const FIRST: u32 = 10_000;
    const PORTS: u32 = 20_000;
    // Test binaries that run beside each other begin in different places.
    static NEXT: LazyLock<AtomicU32> =
        LazyLock::new(|| AtomicU32::new(std::process::id().wrapping_mul(131)));
    let next = |_| FIRST + NEXT.fetch_add(1, Ordering::Relaxed) % PORTS;
    let mut ports = (0..PORTS).map(next).filter_map(|it| u16::try_from(it).ok());
    let free = ports.find(|it| TcpListener::bind((Ipv4Addr::LOCALHOST, *it)).is_ok());
    SocketAddr::from((Ipv4Addr::LOCALHOST, free.expect("a port is free")))
}
