//! Differences of tools, prompts, templates and routes between two versions, and which of them break callers.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};
use strum::Display;

use base::tool_set::Hints;
use sandbox::{
    component::{LoadedComponent, Route},
    definition::{Argument, Prompt, Rewording, Template, Tool, texts},
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
    /// Description without full stop.
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

/// The visible definition of a tool, prompt, template or route.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Surface {
    #[serde(default)]
    pub kind: Kind,
    pub name: String,
    pub description: String,
    pub input: Value,
    pub output: Option<Value>,
    /// All parts that models read, in MCP format. `None` if invisible to models, or stored by an older version.
    pub said: Option<Value>,
}

/// Kind of a surface.
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
        let mut surfaces = Self::of_tools(component.tools());
        surfaces.extend(component.offers().prompts.iter().map(Self::of_prompt));
        surfaces.extend(component.offers().templates.iter().map(Self::of_template));
        surfaces.extend(component.routes.iter().map(Self::of_route));
        surfaces
    }

    /// A prompt takes texts and promises no output.
    fn of_prompt(prompt: &Prompt) -> Self {
        let text = |it: &Argument| (it.name.clone(), json!({ "type": "string" }));
        let properties: Map<_, _> = prompt.arguments.iter().map(text).collect();
        let required = prompt.arguments.iter().filter(|it| it.required);
        let required: Vec<_> = required.map(|it| &it.name).collect();
        Self {
            kind: Kind::Prompt,
            name: prompt.name.to_string(),
            description: prompt.description.clone().unwrap_or_default(),
            input: json!({ "type": "object", "properties": properties, "required": required }),
            output: None,
            said: Some(json!({
                "title": prompt.title,
                "description": prompt.description,
                "arguments": prompt.arguments.iter().map(argument_json).collect::<Vec<_>>(),
                "instructions": prompt.instructions,
                "texts": prompt.meta.as_ref().map(localized_texts),
            })),
        }
    }

    fn of_template(template: &Template) -> Self {
        let description = template.listed["description"].as_str().unwrap_or_default().to_owned();
        let name = template.uri_template.text().to_owned();
        let surface = Self::without_schemas(Kind::Template, name, description);
        Self { said: Some(template.listed.clone()), ..surface }
    }

    /// A route promises no schemas; its tool does.
    fn of_route(route: &Route) -> Self {
        Self::without_schemas(Kind::Route, route.to_string(), String::new())
    }

    fn without_schemas(kind: Kind, name: String, description: String) -> Self {
        let input = json!({ "type": "object" });
        Self { kind, name, description, input, output: None, said: None }
    }

    fn is_same(&self, other: &Self) -> bool {
        (self.kind, &self.name) == (other.kind, &other.name)
    }

    fn reworded(&self, pinned: Value, waiting: Value) -> Rewording {
        Rewording { of: format!("the {} {}", self.kind, self.name), pinned, waiting }
    }

    pub fn of_tools(tools: &[Tool]) -> Vec<Self> {
        let surface = |tool: &Tool| Self {
            kind: Kind::Tool,
            name: tool.name.to_string(),
            description: tool.description.clone(),
            input: Value::Object((*tool.input_schema).clone()),
            output: tool.output_schema.as_ref().map(|it| Value::Object((**it).clone())),
            said: Some(json!({
                "title": tool.title,
                "description": tool.description,
                "inputSchema": *tool.input_schema,
                "outputSchema": tool.output_schema.as_deref(),
                "annotations": hints_json(tool.hints),
                "texts": localized_texts(&tool.meta),
            })),
        };
        tools.iter().map(surface).collect()
    }
}

fn argument_json(argument: &Argument) -> Value {
    json!({ "name": argument.name, "title": argument.title, "description": argument.description, "required": argument.required })
}

fn hints_json(hints: Hints) -> Value {
    json!({
        "readOnlyHint": hints.read_only,
        "destructiveHint": hints.destructive,
        "idempotentHint": hints.idempotent,
        "openWorldHint": hints.open_world,
    })
}

fn localized_texts(meta: &Map<String, Value>) -> Map<String, Value> {
    let own = |language: &str| Some((language.to_owned(), texts(meta, language)?.clone()));
    ["en", "ja"].into_iter().filter_map(own).collect()
}

/// Definitions that models would read differently in `after`.
pub fn rewordings(before: &[Surface], after: &[Surface]) -> Vec<Rewording> {
    let is_read = |it: &&Surface| it.kind != Kind::Route;
    let find = |all: &[Surface], like: &Surface| all.iter().find(|it| it.is_same(like)).cloned();
    let mut found = Vec::new();
    for old in before.iter().filter(is_read) {
        // Unknown old definitions are not counted as different.
        let Some(pinned) = &old.said else { continue };
        let waiting = find(after, old).and_then(|it| it.said).unwrap_or_default();
        if *pinned != waiting {
            found.push(old.reworded(pinned.clone(), waiting));
        }
    }
    for new in after.iter().filter(is_read).filter(|it| find(before, it).is_none()) {
        found.push(new.reworded(Value::Null, new.said.clone().unwrap_or_default()));
    }
    found.truncate(DIFFERENCES_MAX);
    found
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
    // Breaking differences come first, so that they are not cut off.
    found.sort_by_key(|it| !it.is_breaking);
    found.truncate(DIFFERENCES_MAX);
    found
}

fn difference(tool: &str, what: &str, is_breaking: bool) -> Difference {
    Difference { tool: tool.to_owned(), what: what.to_owned(), is_breaking }
}
