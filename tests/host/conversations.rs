//! Conversations through the whole server.

mod completing;
mod coordinator;
mod export;
mod guide;
mod load;
mod passkey;
mod race;
mod rest;
mod specification;
mod use_case;
