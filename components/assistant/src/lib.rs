//! Runs assistants: who picks tools for people is a model of a provider's, or the components that understand
//! sentences. People talk with them at `/api/chat` (ILL-40), and components ask them by the interface
//! `assistants`.
//!
//! [`run`] is the loop; behind one trait, [`decide::ToolPicker`], is what decides: the [`ensemble`] and the
//! [`models`]. Calls are made and held by the host: nothing here can let one happen that its person has not
//! allowed.

mod asked;
mod call;
mod chat;
mod check;
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

use call::{Answered, Failure, Held, Offer, ToolResult, Wait};
use config::{AssistantConfig, ModelConfig, Models, Provider, Settings};
use decide::{Conclusion, Decision, ModelError, Teller, ToolPicker, Turn, Usage, Why};
use run::{Assistant, Before, Came, Ending, Run, RunError, Stopped};
use understanding::Understanding;

toolkit::export_tools!();
toolkit::export_defaults!("../defaults.toml", models::DEFAULTS);
toolkit::export_migrations!(1 "turns" => "../migrations/1-turns.sql");
toolkit::export_configured!(check::configure);
toolkit::export_routes!(chat::routes);
toolkit::export_endpoints!(health::get);
toolkit::export_runs!(asked::run, asked::about);
