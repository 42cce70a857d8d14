//! What the cards of a conversation show, as plain data: secrets hidden, pictures read, choices kept.

pub(crate) mod bytes;
pub(crate) mod masked;
pub(crate) mod picked;
pub(crate) mod secret;
pub(crate) mod shot;
pub(crate) mod told;
