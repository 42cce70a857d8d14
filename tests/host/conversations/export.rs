//! chat.jsonl, out and in.
