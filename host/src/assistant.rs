//! An assistant: a loop in which somebody decides which tools are called, until there is an answer.
//!
//! Who decides is behind one trait, [`Decider`]: what understands sentences by [`understanding`], and the
//! [`models`] of other people.

pub(crate) mod agents;
mod asked;
mod call;
mod config;
mod decide;
mod message;
pub(crate) mod models;
pub(crate) mod reading;
mod result;
mod run;
pub(crate) mod turns;
mod understanding;

pub(crate) use crate::calls::Offer;
pub(crate) use crate::language::Language;
pub(crate) use agents::Binding;
pub use agents::CoordinatorConfig;
pub(crate) use asked::Runner;
pub(crate) use call::{Answered, Held, ToolCall, ToolResult, Wait};
pub(crate) use config::check;
pub use config::{AssistantConfig, ModelConfig, Models, Provider};
pub(crate) use decide::{
    Choice, Conclusion, Decider, Decision, Event, Task, Teller, Turn, Undecided, Usage, Why,
};
pub(crate) use message::{Body, Image, Message, Part, images_of, text_of};
pub(crate) use run::{
    Asker, Assistant, Before, Bounds, Came, Ending, Run, Stopped, Trouble, answered, outcome,
    tell_ended, tell_running,
};
pub(crate) use understanding::Understanding;
