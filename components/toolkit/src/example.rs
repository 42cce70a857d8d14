//! Examples of a component: the host runs them in order, on a temporary database, before a new version serves.

use serde_json::Value;

pub use crate::bindings::examples::exports::madoguchi::tool::examples::{Example, Expected};

/// A call without its expected outcome.
#[derive(Clone, Debug)]
#[must_use]
pub struct Try {
    name: String,
    tool: String,
    arguments: String,
}

/// A call of `tool` with `arguments`; `name` is a sentence that describes it.
///
/// It runs without settings, at 2027-01-01T00:00:00Z, a Friday.
pub fn example(name: &str, tool: &str, arguments: Value) -> Try {
    Try { name: name.to_owned(), tool: tool.to_owned(), arguments: arguments.to_string() }
}

impl Try {
    /// Expects an output with at least the members of `output`.
    #[must_use]
    pub fn gives(self, output: Value) -> Example {
        self.ends(Expected::Output(output.to_string()))
    }

    /// Expects an error with this code.
    #[must_use]
    pub fn refuses(self, code: &str) -> Example {
        self.ends(Expected::Refused(code.to_owned()))
    }

    /// Expects invalid arguments.
    #[must_use]
    pub fn refuses_the_arguments(self) -> Example {
        self.ends(Expected::InvalidArguments)
    }

    /// Expects a question to the user.
    #[must_use]
    pub fn asks(self) -> Example {
        self.ends(Expected::InputRequired)
    }

    fn ends(self, expected: Expected) -> Example {
        let Self { name, tool, arguments } = self;
        Example { name, tool, arguments, expected }
    }
}
