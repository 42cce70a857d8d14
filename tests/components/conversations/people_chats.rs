//! People's chats with agents (CONV 4.6).
