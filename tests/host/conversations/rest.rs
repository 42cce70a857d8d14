//! The REST of people's chats (CONV 4.6).
