//! Differences of tools, prompts, templates and routes between two versions, and which of them break callers.

use std::collections::BTreeSet;

use base::toolsets::Hints;
use sandbox::{
    component::{LoadedComponent, Route},
    definition::{Argument, Prompt, Rewording, Template, Tool, texts},
};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};
use strum::Display;

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
        found.extend(compare(&old.name, Side::Input, (&old.input, &new.input)));
        match (&old.output, &new.output) {
            (Some(was), Some(is)) => {
                found.extend(compare(&old.name, Side::Output, (was, is)));
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

// Compares two JSON Schemas: whether the new one accepts all arguments, or promises all output, of the old one.

/// Schemas within schemas that are looked into; `$ref`s may go in circles.
const DEPTH_MAX: usize = 12;
/// Maximum number of notes per pair of schemas.
const NOTES_MAX: usize = 64;

/// Keywords that allow less the greater their number is.
const AT_LEAST: [&str; 5] =
    ["minimum", "exclusiveMinimum", "minLength", "minItems", "minProperties"];
/// Keywords that allow less the smaller their number is.
const UPPER_BOUNDS: [&str; 5] =
    ["maximum", "exclusiveMaximum", "maxLength", "maxItems", "maxProperties"];
/// Keywords that allow less when they come, and something else when they change.
const RULES: [&str; 5] = ["pattern", "format", "multipleOf", "uniqueItems", "prefixItems"];

/// Direction of a schema.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Side {
    /// Input: the new schema must accept what the old one did.
    Input,
    /// The tool's: the new one must give what the old one promised.
    Output,
}

/// Differences of a schema of `tool` from `old` to `new`.
fn compare(tool: &str, side: Side, (old, new): (&Value, &Value)) -> Vec<Difference> {
    let mut comparison = Comparison { tool, side, old, new, notes: Vec::new() };
    comparison.schemas("", old, new, 0);
    comparison.notes
}

struct Comparison<'a> {
    tool: &'a str,
    side: Side,
    old: &'a Value,
    new: &'a Value,
    notes: Vec<Difference>,
}

impl<'a> Comparison<'a> {
    fn schemas(&mut self, at: &str, old: &'a Value, new: &'a Value, depth: usize) {
        let (old, new) = (resolve(self.old, old), resolve(self.new, new));
        if depth > DEPTH_MAX {
            return;
        }
        // Equal texts may refer to definitions that are not.
        if old == new && depth > 0 && !has_ref(old) {
            return;
        }
        let (old_map, new_map) = (members(old), members(new));
        if new == &Value::Bool(false) && old != new {
            self.note(at, "allows nothing any more", true);
        }
        if alternatives(old_map).is_some() || alternatives(new_map).is_some() {
            return self.alternatives(at, old, new, depth);
        }
        self.types(at, old_map, new_map);
        self.values(at, old_map, new_map);
        if self.side == Side::Input {
            self.limits(at, old_map, new_map);
        }
        self.properties(at, (old_map, new_map), depth);
        if let (Some(old), Some(new)) = (old_map.get("items"), new_map.get("items")) {
            self.schemas(&format!("{at}/*"), old, new, depth + 1);
        } else if self.side == Side::Input && new_map.contains_key("items") {
            self.note(at, "its items are narrowed", true);
        }
    }

    fn types(&mut self, at: &str, old: &Map<String, Value>, new: &Map<String, Value>) {
        let (was, is) = (types(old), types(new));
        // The direction of inclusion that callers need.
        let (inner, outer) = self.inner_outer(&was, &is);
        let fits = match (inner, outer) {
            (_, None) => true,
            (None, Some(_)) => false,
            (Some(inner), Some(outer)) => inner
                .iter()
                .all(|it| outer.contains(it) || (*it == "integer" && outer.contains("number"))),
        };
        if was != is {
            let what = format!("its type changed from {} to {}", listed(&was), listed(&is));
            self.note(at, &what, !fits);
        }
    }

    fn values(&mut self, at: &str, old: &Map<String, Value>, new: &Map<String, Value>) {
        match (values(old), values(new)) {
            (Some(was), Some(is)) => {
                for gone in was.iter().filter(|it| !is.contains(it)) {
                    self.note(at, &format!("{gone} is gone"), self.side == Side::Input);
                }
                for added in is.iter().filter(|it| !was.contains(it)) {
                    self.note(at, &format!("{added} is new"), false);
                }
            }
            (None, Some(_)) => {
                self.note(at, "only some values are left", self.side == Side::Input);
            }
            (Some(_), None) => self.note(at, "any value may come", false),
            (None, None) => {}
        }
    }

    fn limits(&mut self, at: &str, old: &Map<String, Value>, new: &Map<String, Value>) {
        let number = |map: &Map<String, Value>, name| map.get(name).and_then(Value::as_f64);
        for (names, is_narrower) in [
            (AT_LEAST, (|was, is| is > was) as fn(f64, f64) -> bool),
            (UPPER_BOUNDS, |was, is| is < was),
        ] {
            for name in names {
                match (number(old, name), number(new, name)) {
                    (None, Some(is)) => self.note(at, &format!("{name} {is} is new"), true),
                    (Some(was), Some(is)) if was != is => {
                        let what = format!("{name} changed from {was} to {is}");
                        self.note(at, &what, is_narrower(was, is));
                    }
                    _ => {}
                }
            }
        }
        for rule in RULES {
            if let Some(is) = new.get(rule).filter(|it| *it != &Value::Bool(false))
                && old.get(rule) != Some(is)
            {
                self.note(at, &format!("{rule} {is} is new"), true);
            }
        }
    }

    fn properties(
        &mut self,
        at: &str,
        (old, new): (&'a Map<String, Value>, &'a Map<String, Value>),
        depth: usize,
    ) {
        let properties = |map: &'a Map<String, Value>| map.get("properties")?.as_object();
        let (was, is) =
            (properties(old).unwrap_or(nothing()), properties(new).unwrap_or(nothing()));
        let (was_required, is_required) = (required(old), required(new));
        let is_closed =
            |map: &Map<String, Value>| map.get("additionalProperties") == Some(&Value::Bool(false));
        for (name, old_schema) in was {
            let at = format!("{at}/{name}");
            match is.get(name) {
                Some(new_schema) => self.schemas(&at, old_schema, new_schema, depth + 1),
                None => self.note(&at, "is gone", self.side == Side::Output || is_closed(new)),
            }
        }
        for name in is.keys().filter(|it| !was.contains_key(*it)) {
            let is_demanded = self.side == Side::Input && is_required.contains(name.as_str());
            let what = if is_demanded { "is new and required" } else { "is new" };
            self.note(&format!("{at}/{name}"), what, is_demanded);
        }
        for name in is_required.difference(&was_required).filter(|it| was.contains_key(**it)) {
            self.note(&format!("{at}/{name}"), "is now required", self.side == Side::Input);
        }
        for name in was_required.difference(&is_required).filter(|it| is.contains_key(**it)) {
            let what = "is no longer required";
            self.note(&format!("{at}/{name}"), what, self.side == Side::Output);
        }
        if self.side == Side::Input && is_closed(new) && !is_closed(old) {
            self.note(at, "other properties are no longer taken", true);
        }
    }

    /// Each alternative must fit one of the other side.
    fn alternatives(&mut self, at: &str, old: &'a Value, new: &'a Value, depth: usize) {
        let branches = |schema: &'a Value| {
            let listed = schema.as_object().and_then(alternatives);
            listed.unwrap_or_else(|| std::slice::from_ref(schema))
        };
        let (was, is) = (branches(old), branches(new));
        let (inner, outer) = self.inner_outer(was, is);
        for (index, one) in inner.iter().enumerate() {
            let fits = |other: &&'a Value| {
                let (old, new) = self.inner_outer(one, *other);
                let mut trial = Comparison { notes: Vec::new(), ..*self };
                trial.schemas("", old, new, depth + 1);
                trial.notes.iter().all(|it| !it.is_breaking)
            };
            if !outer.iter().any(|it| fits(&it)) {
                let what = match self.side {
                    Side::Input => format!("its alternative {} is no longer taken", index + 1),
                    Side::Output => format!("its alternative {} may come now", index + 1),
                };
                self.note(at, &what, true);
            }
        }
        if was.len() != is.len() {
            let what = format!("it has {} alternatives in place of {}", is.len(), was.len());
            self.note(at, &what, false);
        }
    }

    /// Orders old and new as contained and containing schema.
    fn inner_outer<T>(&self, old: T, new: T) -> (T, T) {
        if self.side == Side::Input { (old, new) } else { (new, old) }
    }

    fn note(&mut self, at: &str, what: &str, is_breaking: bool) {
        if self.notes.len() < NOTES_MAX {
            let side = if self.side == Side::Input { "arguments" } else { "output" };
            self.notes.push(difference(self.tool, &format!("{side}{at}: {what}"), is_breaking));
        }
    }
}

/// The members of a schema; `true` has none.
fn members(schema: &Value) -> &Map<String, Value> {
    schema.as_object().unwrap_or(nothing())
}

fn nothing() -> &'static Map<String, Value> {
    static NOTHING: std::sync::OnceLock<Map<String, Value>> = std::sync::OnceLock::new();
    NOTHING.get_or_init(Map::new)
}

/// Resolves a reference within `root`.
fn resolve<'a>(root: &'a Value, schema: &'a Value) -> &'a Value {
    let mut schema = schema;
    for _ in 0..DEPTH_MAX {
        let target = schema.get("$ref").and_then(Value::as_str);
        let Some(found) = target.and_then(|it| root.pointer(it.strip_prefix('#')?)) else { break };
        schema = found;
    }
    schema
}

fn has_ref(schema: &Value) -> bool {
    match schema {
        Value::Object(map) => map.contains_key("$ref") || map.values().any(has_ref),
        Value::Array(items) => items.iter().any(has_ref),
        _ => false,
    }
}

fn alternatives(schema: &Map<String, Value>) -> Option<&[Value]> {
    let listed = schema.get("anyOf").or_else(|| schema.get("oneOf"))?;
    listed.as_array().map(Vec::as_slice)
}

/// The types that a schema allows; all of them where it names none.
fn types(schema: &Map<String, Value>) -> Option<BTreeSet<&str>> {
    match schema.get("type")? {
        Value::String(one) => Some(BTreeSet::from([one.as_str()])),
        Value::Array(some) => Some(some.iter().filter_map(Value::as_str).collect()),
        _ => None,
    }
}

fn listed(types: &Option<BTreeSet<&str>>) -> String {
    match types {
        Some(types) => types.iter().copied().collect::<Vec<_>>().join(" or "),
        None => "any".to_owned(),
    }
}

/// The values that a schema allows; all of them where it names none.
fn values(schema: &Map<String, Value>) -> Option<Vec<&Value>> {
    if let Some(only) = schema.get("const") {
        return Some(vec![only]);
    }
    Some(schema.get("enum")?.as_array()?.iter().collect())
}

fn required(schema: &Map<String, Value>) -> BTreeSet<&str> {
    let listed = schema.get("required").and_then(Value::as_array);
    listed.into_iter().flatten().filter_map(Value::as_str).collect()
}

#[cfg(test)]
mod tests;
