//! Assistants of the configuration that a component asks.
//!
//! ```ignore
//! let run = assistants::start(&Task { assistant: "clerk".to_owned(), message, .. });
//! while let Some(event) = run.next() {
//!     if event.name == assistants::ENDED {
//!         let ended: Value = serde_json::from_str(&event.data)?;
//!     }
//! }
//! ```

pub use crate::bindings::madoguchi::tool::assistants::{
    Event, Given, Part, Run, about, play, start,
};
pub use crate::bindings::madoguchi::tool::tasks::{Facts, Remark, Task};

/// What a component that runs assistants exports, by [`export_runs!`](crate::export_runs), and what it calls
/// tools by; with the grant `runs`.
pub mod running {
    pub use crate::bindings::madoguchi::tool::assistant_calls::{
        Approval, Calls, Ended, Manner, Outcome, Request, Standing, Tally, Tool, Usage, approvals,
        call, lacks, tools, withdraw,
    };
    pub use crate::bindings::runs::exports::madoguchi::tool::runs::{Guest, Role};
}

/// The name of a run's last event, whose data says what it came to.
pub const ENDED: &str = "ended";
/// The name of an event with a piece of the answer's text, `{"text": "…"}`.
pub const TEXT: &str = "text_delta";
/// What decides where no model does.
pub const BUILTIN: &str = "builtin";
