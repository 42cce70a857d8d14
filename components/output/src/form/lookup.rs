//! Options that come from elsewhere: what to ask, and how to read the answer (FORM-41 to FORM-44).

use serde_json::Value;

/// One of the options of a field.
#[derive(Clone, Debug, PartialEq)]
pub struct Choice {
    /// What is sent: a string, a number or a boolean.
    pub value: Value,
    /// What people read.
    pub label: String,
}

/// Where the options of a field come from.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Lookup {
    /// `searchUrl` or `loadUrl`: `https://…`, or a path of this host.
    pub url: String,
    /// The query, `{query}` standing for what is typed; `q={query}` where nothing is said and something
    /// is typed.
    pub params: Vec<(String, String)>,
    /// The member of an item that people read.
    pub display_field: String,
    /// The member of an item that is sent.
    pub value_field: String,
    /// `{member}` stands for a member of the item; in place of `display_field`.
    pub template: Option<String>,
    /// Characters to type before a search.
    pub chars_min: usize,
    /// How long to wait after a key.
    pub debounce_ms: u32,
    /// The field whose value this one depends on, and the name of the query parameter for it.
    pub depends_on: Option<(String, String)>,
}

impl Lookup {
    /// The URL to ask: `typed` is what is searched for, `parent` the value that this depends on.
    #[must_use]
    pub fn url(&self, _typed: &str, _parent: Option<&Value>) -> String {
        self.url.clone()
    }
}

/// The options in an answer: an array, or an object with one under `items`, `results` or `data`.
///
/// # Errors
/// A sentence that says what is wrong with the answer.
pub fn choices(_lookup: &Lookup, _answer: &Value) -> Result<Vec<Choice>, String> {
    Ok(Vec::new())
}
