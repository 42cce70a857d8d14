//! An assistant: a loop in which somebody decides which tools are called, until there is an answer.
//!
//! Who decides is behind one trait, [`Decider`]: what understands sentences by [`understanding`], and the
//! [`models`] of other people.

mod asked;
mod call;
mod decide;
mod message;
pub(crate) mod models;
mod played;
pub(crate) mod reading;
mod result;
mod run;
pub(crate) mod turns;
mod understanding;

pub(crate) use crate::calls::Offer;
pub use crate::config::{AssistantConfig, ModelConfig, Models, Provider};
pub(crate) use crate::language::Language;
pub(crate) use crate::metrics::Usage;
pub(crate) use asked::Runner;
pub(crate) use call::{Answered, Held, ToolCall, ToolResult, Wait};
pub(crate) use decide::{
    Choice, Conclusion, Decider, Decision, Event, Task, Teller, Turn, Undecided, Why,
};
pub(crate) use message::{Body, Image, Message, Part, images_of, text_of};
pub(crate) use played::Played;
pub(crate) use run::{
    Asker, Assistant, Before, Came, Ending, Run, Stopped, Trouble, answered, outcome, tell_ended,
    tell_running,
};
pub(crate) use understanding::Understanding;
