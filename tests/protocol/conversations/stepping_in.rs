//! Pausing, writing and ending as a person.
