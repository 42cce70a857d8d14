//! Forms.

pub mod demo;
pub mod lookup;
