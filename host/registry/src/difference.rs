//! In what a new version's tools, prompts, templates and routes differ from those of the version before, and
//! what of it breaks their callers.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};
use strum::Display;

use sandbox::{
    component::{LoadedComponent, Route},
    definition::{Argument, Prompt, Template, Tool},
};

mod schema;

#[cfg(test)]
mod tests;

use schema::Side;

/// Differences that are reported; beyond that there is no point in reading on.
const DIFFERENCES_MAX: usize = 64;

/// One difference between two versions.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Difference {
    /// The tool, the prompt, the template or the route.
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

/// What callers see of one tool, prompt, template or route.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Surface {
    #[serde(default)]
    pub kind: Kind,
    pub name: String,
    pub description: String,
    pub input: Value,
    pub output: Option<Value>,
}

/// What a surface is of.
#[derive(Clone, Copy, Debug, Default, Display, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[strum(serialize_all = "lowercase")]
pub enum Kind {
    #[default]
    Tool,
    Prompt,
    #[strum(serialize = "resource template")]
    Template,
    Route,
}

impl Surface {
    /// Everything that callers see of `component`.
    pub fn all(component: &LoadedComponent) -> Vec<Self> {
        let mut surfaces = Self::of(component.tools());
        surfaces.extend(component.offers().prompts.iter().map(Self::of_prompt));
        surfaces.extend(component.offers().templates.iter().map(Self::of_template));
        surfaces.extend(component.routes.iter().map(Self::of_route));
        surfaces
    }

    /// A prompt takes texts, and what it puts out is not promised.
    fn of_prompt(it: &Prompt) -> Self {
        let text = |it: &Argument| (it.name.clone(), json!({ "type": "string" }));
        let properties: Map<_, _> = it.arguments.iter().map(text).collect();
        let required = it.arguments.iter().filter(|it| it.required);
        let required: Vec<_> = required.map(|it| &it.name).collect();
        Self {
            kind: Kind::Prompt,
            name: it.name.to_string(),
            description: it.description.clone().unwrap_or_default(),
            input: json!({ "type": "object", "properties": properties, "required": required }),
            output: None,
        }
    }

    fn of_template(it: &Template) -> Self {
        let description = it.listed["description"].as_str().unwrap_or_default().to_owned();
        Self::without_schemas(Kind::Template, it.uri_template.text().to_owned(), description)
    }

    /// A route promises no schemas; the tool that it stands for does.
    fn of_route(it: &Route) -> Self {
        Self::without_schemas(Kind::Route, it.to_string(), String::new())
    }

    fn without_schemas(kind: Kind, name: String, description: String) -> Self {
        Self { kind, name, description, input: json!({ "type": "object" }), output: None }
    }

    fn is_same(&self, other: &Self) -> bool {
        (self.kind, &self.name) == (other.kind, &other.name)
    }

    pub fn of(tools: &[Tool]) -> Vec<Self> {
        let surface = |it: &Tool| Self {
            kind: Kind::Tool,
            name: it.name.to_string(),
            description: it.description.clone(),
            input: Value::Object((*it.input_schema).clone()),
            output: it.output_schema.as_ref().map(|it| Value::Object((**it).clone())),
        };
        tools.iter().map(surface).collect()
    }
}

/// In what `after` differs from `before`, one by one.
pub fn between(before: &[Surface], after: &[Surface]) -> Vec<Difference> {
    let mut found = Vec::new();
    for old in before {
        let Some(new) = after.iter().find(|it| it.is_same(old)) else {
            found.push(difference(&old.name, &format!("the {} is gone", old.kind), true));
            continue;
        };
        if old.description != new.description {
            found.push(difference(&old.name, "its description changed", false));
        }
        found.extend(schema::compare(&old.name, Side::Input, (&old.input, &new.input)));
        match (&old.output, &new.output) {
            (Some(was), Some(is)) => {
                found.extend(schema::compare(&old.name, Side::Output, (was, is)));
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
    for new in after.iter().filter(|new| before.iter().all(|it| !it.is_same(new))) {
        found.push(difference(&new.name, &format!("the {} is new", new.kind), false));
    }
    // What breaks must not be cut off by what does not.
    found.sort_by_key(|it| !it.is_breaking);
    found.truncate(DIFFERENCES_MAX);
    found
}

fn difference(tool: &str, what: &str, is_breaking: bool) -> Difference {
    Difference { tool: tool.to_owned(), what: what.to_owned(), is_breaking }
}
