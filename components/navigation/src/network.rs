//! The bundled network: Tokyo, Kawasaki and Yokohama, made from `data/` when the component is built.

/// The bytes of its graph.
pub static NETWORK: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/network.graph"));

#[cfg(test)]
mod tests;
