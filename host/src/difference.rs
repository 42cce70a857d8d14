//! In what a new version's tools differ from those of the version before, and what of it breaks
//! their callers.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::definition::Tool;

mod schema;

#[cfg(test)]
mod tests;

use schema::Side;

/// Differences that are told; beyond that there is no point in reading on.
const DIFFERENCES_MAX: usize = 64;

/// One difference between two versions.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Difference {
    /// The tool.
    pub tool: String,
    /// What is different: a sentence without its full stop.
    pub what: String,
    /// Whether what fitted the version before may fail with this one.
    pub is_breaking: bool,
}

impl std::fmt::Display for Difference {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let kind = if self.is_breaking { "breaking" } else { "compatible" };
        write!(f, "{}: {} ({kind})", self.tool, self.what)
    }
}

/// What callers see of one tool.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Surface {
    pub(crate) name: String,
    pub(crate) description: String,
    pub(crate) input: Value,
    pub(crate) output: Option<Value>,
}

impl Surface {
    pub(crate) fn of(tools: &[Tool]) -> Vec<Self> {
        let surface = |it: &Tool| Self {
            name: it.name.to_string(),
            description: it.description.clone(),
            input: Value::Object((*it.input_schema).clone()),
            output: it.output_schema.as_ref().map(|it| Value::Object((**it).clone())),
        };
        tools.iter().map(surface).collect()
    }
}

/// In what `after` differs from `before`, tool by tool.
pub(crate) fn between(before: &[Surface], after: &[Surface]) -> Vec<Difference> {
    let mut found = Vec::new();
    for old in before {
        let Some(new) = after.iter().find(|it| it.name == old.name) else {
            found.push(difference(&old.name, "the tool is gone", true));
            continue;
        };
        if old.description != new.description {
            found.push(difference(&old.name, "its description changed", false));
        }
        tell(&mut found, &old.name, schema::compare(Side::Input, &old.input, &new.input));
        match (&old.output, &new.output) {
            (Some(old_output), Some(new_output)) => {
                let noted = schema::compare(Side::Output, old_output, new_output);
                tell(&mut found, &old.name, noted);
            }
            (Some(_), None) => {
                found.push(difference(&old.name, "it no longer says what it puts out", true));
            }
            (None, Some(_)) => {
                found.push(difference(&old.name, "it says what it puts out", false));
            }
            (None, None) => {}
        }
    }
    for new in after.iter().filter(|new| before.iter().all(|it| it.name != new.name)) {
        found.push(difference(&new.name, "the tool is new", false));
    }
    // What breaks must not be cut off by what does not.
    found.sort_by_key(|it| !it.is_breaking);
    found.truncate(DIFFERENCES_MAX);
    found
}

fn difference(tool: &str, what: &str, is_breaking: bool) -> Difference {
    Difference { tool: tool.to_owned(), what: what.to_owned(), is_breaking }
}

fn tell(found: &mut Vec<Difference>, tool: &str, noted: Vec<schema::Note>) {
    found.extend(noted.into_iter().map(|it| difference(tool, &it.what, it.is_breaking)));
}
