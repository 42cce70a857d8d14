//! Runs assistants: a provider's model, or the components that understand sentences, choose tools for people. People
//! use them at `/api/chat` (ILL-40); components use them through the interface `assistants`.
//!
//! [`run`] is the agent loop. Behind the trait [`decide::ToolPicker`], the [`ensemble`] or one of the [`models`]
//! decides. The host makes and approves the calls: nothing here can make one that its person has not allowed.

mod call;
mod chat;
mod check;
mod component_run;
mod config;
mod decide;
pub mod ensemble;
mod health;
mod models;
mod reading;
mod run;
mod turns;
mod understanding;

use ::language::{
    Language,
    message::{Body, Image, Message, Part, images_of, text_of},
    turn::{Choice, Task, ToolCall},
};

use call::{Answered, Failure, Offer, PendingCall, ToolResult, Wait};
use config::{AssistantConfig, ModelConfig, Models, Provider, Settings};
use decide::{Conclusion, Decision, ErrorKind, EventSink, ModelError, ToolPicker, Turn, Usage};
use run::{Assistant, CallOutcome, EarlierResults, Ending, Run, RunError, Stopped};
use understanding::Understanding;

toolkit::export_tools!();
toolkit::export_defaults!("../defaults.toml", models::DEFAULTS);
toolkit::export_migrations!(1 "turns" => "../migrations/1-turns.sql");
toolkit::export_configured!(check::configure);
toolkit::export_routes!(chat::routes);
toolkit::export_endpoints!(health::get);
toolkit::export_runs!(component_run::run, component_run::about);
