//! Examples with which a component proves itself: the host calls them, in their order and on a
//! database that is thrown away, before a new version serves.

use serde_json::Value;

pub use crate::bindings::examples::exports::madoguchi::tool::examples::{Example, Expected};

/// A call whose expected outcome is yet to be given.
#[derive(Clone, Debug)]
#[must_use]
pub struct Try {
    name: String,
    tool: String,
    arguments: String,
}

/// The call of `tool` with `arguments`; `name` is a sentence that says what it shows.
///
/// It runs without settings, at 2027-01-01T00:00:00Z, a Friday.
pub fn example(name: &str, tool: &str, arguments: Value) -> Try {
    Try { name: name.to_owned(), tool: tool.to_owned(), arguments: arguments.to_string() }
}

impl Try {
    /// It puts out an object that has all that `output` has, and may have more.
    #[must_use]
    pub fn gives(self, output: Value) -> Example {
        self.ends(Expected::Output(output.to_string()))
    }

    /// It is refused with that code.
    #[must_use]
    pub fn refuses(self, code: &str) -> Example {
        self.ends(Expected::Refused(code.to_owned()))
    }

    /// The arguments must be corrected.
    #[must_use]
    pub fn refuses_the_arguments(self) -> Example {
        self.ends(Expected::InvalidArguments)
    }

    /// The user is asked.
    #[must_use]
    pub fn asks(self) -> Example {
        self.ends(Expected::InputRequired)
    }

    fn ends(self, expected: Expected) -> Example {
        let Self { name, tool, arguments } = self;
        Example { name, tool, arguments, expected }
    }
}
