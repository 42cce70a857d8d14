//! What the cards of a conversation show, as plain data: secrets hidden, pictures read, choices kept.

pub(crate) mod masked;
pub(crate) mod picked;
pub(crate) mod picture;
pub(crate) mod secret;
pub(crate) mod shared;
pub(crate) mod shot;
pub(crate) mod told;
