//! Agents that the host plays.
