//! The list, the live transcript and its trace.
