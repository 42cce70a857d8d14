//! What a tool is: its arguments, which describe themselves and run.

use schemars::JsonSchema;
use serde::{Serialize, de::DeserializeOwned};

use crate::{Definition, Stop, User};

pub use crate::bindings::exports::madoguchi::tool::tools::Annotations as Hints;

impl Hints {
    /// A call adds something, and takes nothing away that may be missed.
    pub const ADDITIVE: Self = Self::empty();
}

/// The same in Japanese and in English.
#[derive(Clone, Copy, Debug)]
pub struct Text {
    /// 日本語で。
    pub ja: &'static str,
    /// The text in English.
    pub en: &'static str,
}

/// The English for what the doc comments of a tool say in Japanese.
#[derive(Clone, Copy, Debug)]
pub struct English {
    /// What the tool does.
    pub description: &'static str,
    /// Each argument and what it is; one inside another by a dotted path, `message.sender`.
    pub arguments: &'static [(&'static str, &'static str)],
}

/// A tool, named after what it does; `self` is the arguments of one call.
///
/// The doc comment of the implementing struct is the tool's description and those of its fields
/// describe the arguments, to models and in forms alike. The struct must deny unknown fields, so
/// that a mistyped argument is an error and not ignored.
pub trait Tool: DeserializeOwned + JsonSchema {
    /// Verb first, `[A-Za-z0-9_.-]`, at most 128 bytes.
    const NAME: &'static str;
    /// The title for people.
    const TITLE: Text;
    /// The English of the doc comments.
    const ENGLISH: English;
    /// What forms call arguments whose explanation is no label, by the same paths as in [`English`]. Pages alone
    /// see it; no model reads it.
    const LABELS: &'static [(&'static str, Text)] = &[];
    /// What a call does to the world (SYS-7): [`Hints::READ_ONLY`], [`Hints::ADDITIVE`], or, of a tool that
    /// says nothing, the worst: [`Hints::DESTRUCTIVE`], which is also what cancels, retires, stops or
    /// renews. [`Hints::IDEMPOTENT`] joins any of them.
    const HINTS: Hints = Hints::DESTRUCTIVE;
    /// Which view of the page draws the output.
    const VIEW: Option<&'static str> = None;
    /// Which of the component's [apps](crate::apps) draws the output in clients that show MCP Apps: its URI.
    const APP: Option<&'static str> = None;
    /// More entries for the definition's `_meta`: a JSON object.
    const META: Option<&'static str> = None;
    /// The schema of the arguments verbatim, where the struct cannot say all of it.
    const INPUT_SCHEMA: Option<&'static str> = None;
    /// Whether a first call may bring answers along, to questions that were not put. Never where an
    /// answer is consent: the user may not have seen what to.
    const TAKES_UNASKED_ANSWERS: bool = false;
    /// An object; it goes out as `structuredContent`. Or `()`, of a tool that only
    /// [shows](User::show) something.
    type Output: Serialize + JsonSchema;

    /// Completes what is told of the tool, where a text is made of a table.
    fn complete(_: &mut Definition) {}

    /// Runs the call. It runs again from the top each time `user` has answered, so whatever comes
    /// before a question must have no lasting effect.
    ///
    /// # Errors
    /// Stops where the call cannot reach its output; see [`Stop`].
    fn call(self, user: &User) -> Result<Self::Output, Stop>;
}
