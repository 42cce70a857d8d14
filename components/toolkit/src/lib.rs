//! The author's kit: what a tool component is written against.
//!
//! A tool is its arguments: a struct that can be read from JSON, describes itself as a JSON Schema,
//! and runs. [`export_tools!`] turns a list of such structs into a component.
//!
//! ```
//! use schemars::JsonSchema;
//! use serde::{Deserialize, Serialize};
//! use toolkit::{Stop, Text, Tool, User};
//!
//! toolkit::export_tools!(Greet);
//!
//! /// 名前を呼んで挨拶する。
//! /// en: Greets someone by name.
//! #[derive(Deserialize, JsonSchema)]
//! #[serde(deny_unknown_fields)]
//! struct Greet {
//!     /// 相手の名前
//!     /// en: Their name
//!     name: String,
//! }
//!
//! #[derive(Serialize, JsonSchema)]
//! struct Greeting {
//!     text: String,
//! }
//!
//! impl Tool for Greet {
//!     const NAME: &str = "greet";
//!     const TITLE: Text = Text { ja: "挨拶", en: "Greet" };
//!     type Output = Greeting;
//!
//!     fn call(self, _: &User) -> Result<Greeting, Stop> {
//!         Ok(Greeting { text: format!("Hello, {}!", self.name) })
//!     }
//! }
//! ```

pub mod apps;
pub mod arguments;
#[doc(hidden)]
#[allow(missing_docs, unsafe_code, reason = "generated from wit/")]
pub mod bindings;
pub mod caller;
pub mod clock;
pub mod completions;
pub mod definition;
pub mod dialogue;
pub mod endpoints;
#[doc(hidden)]
pub mod export;
mod host;
pub mod http;
pub mod jobs;
pub mod names;
pub mod pace;
pub mod prompt;
pub mod question;
pub mod resources;
pub mod routes;
pub mod settings;
pub mod sql;
pub mod stop;
mod tool;
mod user;

pub use bindings::{
    configured::exports::madoguchi::tool::configured::Guest as Configured,
    endpoints::exports::madoguchi::tool::endpoints::Guest as Endpoints,
    examples::exports::madoguchi::tool::examples::Guest as Examples,
    exports::madoguchi::tool::tools::{Definition, Guest as Tools, Invocation, Output},
    madoguchi::tool::types::{Datetime, Problem},
    migrations::exports::madoguchi::tool::migrations::{Guest as Migrations, Migration},
    schedule::exports::madoguchi::tool::schedule::Guest as Scheduled,
};
pub use host::{assistants, blobs, calls, events, files, log, progress};
pub use stop::{Refusal, Stop, invalid, refused, unavailable};
pub use tool::{Content, English, Example, Expected, Hints, Text, Tool, example, fresh_id};
pub use user::User;
