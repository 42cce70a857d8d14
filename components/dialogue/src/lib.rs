//! Understands sentences without a model, a key or a network: what people write in Japanese and English
//! about films, cards, routes, forms and conversations becomes calls of tools and answers in words.
//!
//! Everything here is a function of what was said and of what the tools came to. [`Builtin`] follows a
//! conversation, [`Talker`] plays an agent in one, and [`Planner`] chooses a route; each is asked for its
//! next [`Decision`] turn by turn.

mod builtin;
mod conversation;
mod language;
mod message;
mod planner;
mod turn;

pub use builtin::Builtin;
pub use builtin::talker::{By, Said, Scene, Talker};
pub use language::Language;
pub use message::{Body, Image, Message, Part};
toolkit::export_tools!();
toolkit::export_dialogue!(conversation::next);

use message::{images_of, text_of};
pub use planner::{Planner, Rule, Said as Remark, Trip, Wishes};
pub use turn::{
    Answered, Choice, Conclusion, Decision, Failure, Offer, Task, ToolCall, ToolResult, Turn,
};
