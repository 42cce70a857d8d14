//! An assistant: a loop in which somebody decides which tools are called, until there is an answer.
//!
//! Who decides is behind one trait, [`Decider`]: today the built-in [`planner`], and models beside it.

mod decide;
pub(crate) mod planner;
mod run;

pub(crate) use decide::{
    Answered, Choice, Conclusion, Decider, Decision, Event, Language, Said, Task, Teller, ToolCall,
    ToolResult, Undecided,
};
pub(crate) use run::{Asker, Assistant, Run, Trouble};
