//! The tools that an assistant may call now, as the host lists them.

use std::sync::Arc;

use serde_json::{Map, Value};
use toolkit::assistants::running::{self, Tool};

/// A tool that may be called.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Offer {
    pub(crate) name: String,
    pub(crate) title: Option<String>,
    pub(crate) description: String,
    /// JSON Schema of its arguments.
    pub(crate) schema: Arc<Map<String, Value>>,
    /// Whose it is: the name of a component, or of another server.
    pub(crate) owner: String,
    /// Whether it changes nothing.
    pub(crate) is_read_only: bool,
    /// Whether a person has to allow each call.
    pub(crate) asks_first: bool,
    /// Whether it is there for pages alone.
    pub(crate) is_for_pages: bool,
    /// Which view draws its output.
    pub(crate) view: Option<String>,
}

impl Offer {
    /// Those of the assistant of that name.
    pub(crate) fn all(assistant: &str) -> Vec<Self> {
        running::tools(assistant).into_iter().map(Self::of).collect()
    }

    fn of(it: Tool) -> Self {
        let owner = it.owner.split_once(':').map_or(it.owner.as_str(), |it| it.1).to_owned();
        Self {
            schema: Arc::new(serde_json::from_str(&it.input_schema).unwrap_or_default()),
            owner,
            name: it.name,
            title: it.title,
            description: it.description,
            is_read_only: it.read_only,
            asks_first: it.asks_first,
            is_for_pages: it.for_pages,
            view: it.view,
        }
    }
}
