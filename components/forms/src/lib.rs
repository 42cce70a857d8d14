//! Forms.

pub mod demo;
