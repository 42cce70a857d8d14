//! Understands sentences without a model, a key or a network: what people write in Japanese and English
//! about films, cards, routes, forms and conversations becomes calls of tools and answers in words.
//!
//! Everything here is a function of what was said and of what the tools came to. `Builtin` follows a
//! conversation, `Talker` plays an agent in one, and `Planner` chooses a route; each is asked for its
//! next `Decision` turn by turn, by [`conversation::next`].

#[path = "../../language/src/chat.rs"]
mod builtin;
#[path = "../../language/src/contract.rs"]
pub mod conversation;
#[path = "../../language/src/language.rs"]
mod language;
#[path = "../../language/src/message.rs"]
mod message;
#[path = "../../navigation/src/sentences/planner.rs"]
mod planner;
#[path = "../../language/src/turn.rs"]
mod turn;

use builtin::{
    Builtin,
    talker::{Said, Scene, Talker},
};
use language::Language;
use message::{Body, Image, Message, Part, images_of, text_of};
use planner::{Planner, Rule, Said as Remark, Trip, Wishes};
use turn::{
    Answered, Choice, Conclusion, Decision, Failure, Offer, Task, ToolCall, ToolResult, Turn,
};

toolkit::export_tools!();
toolkit::export_dialogue!(conversation::next);
