//! Another agent's token, another project, a person's chat: nothing of it can be read or written.
