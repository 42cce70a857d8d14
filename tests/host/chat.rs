//! Talking to assistants at `/api/chat`, with models of other people that this process plays.

mod gemini;
mod specification;
