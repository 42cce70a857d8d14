//! A person's chat with an agent.
