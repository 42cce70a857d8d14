//! Storage of components and of the host: SQL databases, files, documents and events.

#![allow(missing_docs, reason = "what is public here is so for the other crates of the host")]

pub mod answers;
pub mod backup;
pub mod blobs;
pub mod ceremonies;
pub mod clock;
pub mod data;
pub mod database;
pub mod digest;
pub mod disk;
pub mod documents;
pub mod events;
pub mod leases;
pub mod live_nodes;
pub mod private;
pub mod seal;
pub mod sessions;

/// Does on a thread of its own what may wait.
///
/// # Errors
/// Errors of `work`, or that it panicked.
pub async fn blocking<T: Send + 'static, E: From<std::io::Error> + Send + 'static>(
    work: impl FnOnce() -> Result<T, E> + Send + 'static,
) -> Result<T, E> {
    tokio::task::spawn_blocking(work).await.map_err(std::io::Error::other)?
}

/// Host name of this machine, if known.
pub fn machine_name() -> String {
    let name = std::fs::read_to_string("/proc/sys/kernel/hostname").unwrap_or_default();
    let name = name.trim();
    if name.is_empty() { "unnamed".to_owned() } else { name.to_owned() }
}
