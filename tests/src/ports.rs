//! Ports for tests, which stay free while a server is down.

use std::{
    net::{Ipv4Addr, SocketAddr, TcpListener},
    sync::{
        LazyLock,
        atomic::{AtomicU32, Ordering},
    },
};

/// An unused address of this machine that stays unused: its port is below the system's ephemeral ports.
///
/// # Panics
/// If there is none.
pub fn free_addr() -> SocketAddr {
    const FIRST: u32 = 10_000;
    const PORTS: u32 = 20_000;
    // Concurrent test binaries begin at different ports.
    static NEXT: LazyLock<AtomicU32> =
        LazyLock::new(|| AtomicU32::new(std::process::id().wrapping_mul(131)));
    let next = |_| FIRST + NEXT.fetch_add(1, Ordering::Relaxed) % PORTS;
    let mut ports = (0..PORTS).map(next).filter_map(|it| u16::try_from(it).ok());
    let free = ports.find(|it| TcpListener::bind((Ipv4Addr::LOCALHOST, *it)).is_ok());
    SocketAddr::from((Ipv4Addr::LOCALHOST, free.expect("a port is free")))
}
