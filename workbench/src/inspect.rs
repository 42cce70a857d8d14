//! Inspects a component's file: imports, offers, and the configuration it needs.

use std::collections::BTreeSet;

use futures::future::BoxFuture;
use serde::Serialize;
use serde_json::{Map, Value, json};

use crate::solo::{Compiled, Solo};
use base::{
    config::{Config, defaults, touches},
    grants::{self, Grant, Refused, Stubs},
    source::Source,
};
use registry::library::Library;
use sandbox::{
    Sandbox,
    component::{LoadError, Offers, Route},
    definition::{Prompt, Tool},
};

/// What an import needs from the operator.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Need {
    /// Nothing: available to every component.
    Nothing,
    /// This host does not offer it at all.
    #[serde(rename = "not offered")]
    NotOffered,
    /// Nothing: declared unused by the component, and not granted.
    Stub,
    /// Needs this grant.
    #[serde(untagged)]
    Grant(Grant),
}

impl Need {
    /// What an import needs.
    pub fn of_import(import: &str) -> Self {
        let all = BTreeSet::from(Grant::ALL);
        match grants::check("", [import], &all, &Stubs::default()) {
            Ok(needed) => needed.first().map_or(Self::Nothing, |it| Self::Grant(*it)),
            Err(_) => Self::NotOffered,
        }
    }

    /// What an export needs in order to be used.
    fn of_export(export: &str) -> Self {
        match export.split('@').next() {
            Some("madoguchi:tool/schedule") => Self::Grant(Grant::Schedule),
            Some("madoguchi:tool/jobs") => Self::Grant(Grant::Jobs),
            Some(
                "madoguchi:tool/endpoints" | "madoguchi:tool/routes" | "wasi:http/incoming-handler",
            ) => Self::Grant(Grant::Endpoints),
            _ => Self::Nothing,
        }
    }
}

/// An import or export, and what it needs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Part {
    /// The import's name.
    pub name: String,
    /// What it needs.
    pub needs: Need,
}

/// Refuses a component whose defaults cannot be read: its stubs would not hold either.
///
/// # Errors
/// When they are there and cannot be read.
pub fn check_defaults(bytes: &[u8]) -> anyhow::Result<()> {
    let checked = defaults::section(bytes)
        .and_then(|it| it.as_deref().map_or(Ok(()), |text| defaults::parse(text).map(drop)));
    checked.map_err(|it| anyhow::anyhow!("its defaults (defaults.toml) cannot be used: {it}"))
}

/// Everything that can be shown of a component's file without serving it.
#[derive(Debug, Serialize)]
pub struct Inspection {
    /// The component's name: the name of its file.
    pub name: String,
    /// The SHA-256 of the file, in hexadecimal.
    pub digest: String,
    /// The file's size.
    pub size_bytes: usize,
    /// Imports, with what each needs.
    pub imports: Vec<Part>,
    /// Exports, including optional parts of the contract.
    pub exports: Vec<Part>,
    /// The tools that it offers.
    pub tools: Vec<Value>,
    /// Functions that it exports and that are no tools, and why; only of a component that was not made for this host.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub left_out: Vec<Value>,
    /// Whether its instances come from the pool, or are made one by one; unknown, where it does not load.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pooled: Option<bool>,
    /// The prompts that it offers.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub prompts: Vec<Value>,
    /// Resources, as far as listed without database and settings.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub resources: Vec<Value>,
    /// Resource templates.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub templates: Vec<Value>,
    /// The requests that it answers.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub routes: Vec<Value>,
    /// Why its tools cannot be listed, where they cannot.
    pub trouble: Option<String>,
    /// Grants it requires.
    pub grants_needed: Vec<String>,
    /// The line that grants everything that it can use.
    pub line: String,
    /// Configuration line with stubs for unsupported imports, if any.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stubs: Option<String>,
    /// Its defaults as TOML, which are a request unless bundled.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub defaults: Option<String>,
    /// Why that cannot be used, where it cannot.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub defaults_problem: Option<String>,
    /// Stubs in its defaults of which it imports nothing.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub idle_stubs: Vec<String>,
    /// Why the current configuration rejects it, if it does.
    pub refused: Option<String>,
}

impl Inspection {
    /// Whether this host would serve it with the present configuration.
    pub fn is_accepted(&self) -> bool {
        self.refused.is_none() && self.trouble.is_none()
    }

    /// What its imports can touch once granted, in sentences.
    pub fn touches(&self) -> Vec<String> {
        let parts = [&self.imports[..], &self.exports].concat();
        let mut all: Vec<_> = granted_by(&parts)
            .into_iter()
            .map(|it| format!("it {}", touches(it, &self.name)))
            .collect();
        let not_offered = not_offered(&self.imports);
        all.extend(not_offered.written().map(|import| {
            format!("it imports {import}, which this host does not offer and nothing grants")
        }));
        if all.is_empty() {
            all.push("it computes, and touches nothing".to_owned());
        }
        all
    }
}

/// Looks into `bytes` as the component named `name`, and runs it as far as its tools' definitions,
/// in a sandbox with nothing in it.
pub fn inspect<'a>(
    name: &'a str,
    bytes: &'a [u8],
    config: &'a Config,
) -> BoxFuture<'a, Result<Inspection, LoadError>> {
    Box::pin(async move {
        let sandbox = Sandbox::with(&config.sandbox, config.memory_bytes_max());
        let sandbox = sandbox.map_err(LoadError::Link)?;
        let source = Source::new(bytes.to_vec(), name.to_owned());
        let compiled = Compiled::load_or_compile(&Library::look(config), &sandbox, &source).await?;
        let (imports, exports) = parts(&compiled, name, config);
        let solo = Solo::new(name, &[]).grant(Grant::ALL).limits(config.limits(name));
        let prefix = config.component(name).prefix.unwrap_or_default();
        let solo = solo.stubs(Stubs::all()).prefix(&prefix);
        let (mut left_out, mut pooled) = (Vec::new(), None);
        let (tools, routes, offers, trouble) = match solo.describe(&compiled).await {
            Ok(component) => {
                pooled = Some(component.is_pooled());
                let left = component.left_out().iter();
                left_out = left.map(|it| json!({ "name": it.function, "why": it.why })).collect();
                // The component may list more once it has its grants.
                let listed = component.listed().await;
                let listed = listed.as_ref().unwrap_or(&component);
                let routes = component.routes.iter().map(route).collect();
                let tools = listed.tools().iter().map(tool).collect();
                (tools, routes, listed.offers().clone(), None)
            }
            Err(error) => (Vec::new(), Vec::new(), Offers::default(), Some(error.to_string())),
        };
        let (defaults, defaults_problem) = match defaults::section(bytes) {
            Ok(text) => {
                let problem = text.as_deref().and_then(|it| defaults::parse(it).err());
                (text, problem)
            }
            Err(problem) => (None, Some(problem)),
        };
        let needed = granted_by(&imports);
        let idle = compiled.own_stubs.idle(imports.iter().map(|it| it.name.as_str()));
        let idle_stubs = idle.into_iter().map(str::to_owned).collect();
        let mut useful = needed.clone();
        useful.extend(granted_by(&exports));
        Ok(Inspection {
            digest: source.digest,
            size_bytes: bytes.len(),
            tools,
            left_out,
            pooled,
            prompts: offers.prompts.iter().map(prompt).collect(),
            resources: offers.resources.iter().map(|it| about(&it.listed)).collect(),
            templates: offers.templates.iter().map(|it| about(&it.listed)).collect(),
            routes,
            trouble,
            grants_needed: needed.iter().map(Grant::to_string).collect(),
            line: line(&useful),
            stubs: stubs_line(&imports),
            refused: refusal(name, &imports, &compiled, config),
            defaults,
            defaults_problem,
            idle_stubs,
            name: name.to_owned(),
            imports,
            exports,
        })
    })
}

/// Number of examples of a component.
///
/// # Errors
/// When it cannot be loaded with every grant, or does not list them.
pub fn examples<'a>(
    name: &'a str,
    source: &'a Source,
    config: &'a Config,
) -> BoxFuture<'a, Result<usize, LoadError>> {
    Box::pin(async move {
        let sandbox = Sandbox::with(&config.sandbox, config.memory_bytes_max());
        let sandbox = sandbox.map_err(LoadError::Link)?;
        let compiled = Compiled::load_or_compile(&Library::look(config), &sandbox, source).await?;
        let solo = Solo::new(name, &[]).grant(Grant::ALL).stubs(Stubs::all());
        let component = solo.limits(config.limits(name)).describe(&compiled).await?;
        Ok(component.examples().await?.len())
    })
}

/// Why `config` does not let a component with these imports in.
pub(crate) fn refusal(
    name: &str,
    imports: &[Part],
    compiled: &Compiled,
    config: &Config,
) -> Option<String> {
    let component = config.component(name);
    if component.enabled == Some(false) {
        return Some(format!("it is switched off by enabled = false under [components.{name}]"));
    }
    let may_ask = compiled.asks() && component.grants.is_none();
    let granted = component.grants.unwrap_or_default();
    let stubs = component.stubs.unwrap_or_else(|| compiled.own_stubs.clone());
    let imports = imports.iter().filter(|it| it.needs != Need::Nothing);
    let imports = imports.map(|it| it.name.as_str());
    Some(match grants::check(name, imports, &granted, &stubs).err()? {
        Refused::NotGranted { .. } if may_ask => {
            format!("it waits to be allowed, with: madoguchi accept {name}")
        }
        refused => refused.to_string(),
    })
}

/// Unsupported imports.
fn not_offered(imports: &[Part]) -> Stubs {
    let names = imports.iter().filter(|it| it.needs == Need::NotOffered).map(|it| &it.name);
    names.map(|it| it.split(['@', '/']).next().unwrap_or(it).to_owned()).collect()
}

/// Formats `stubs = […]` for `[components.NAME]`.
fn stubs_line(imports: &[Part]) -> Option<String> {
    let stubs: Vec<_> = not_offered(imports).written().map(|it| format!("{it:?}")).collect();
    (!stubs.is_empty()).then(|| format!("stubs = [{}]", stubs.join(", ")))
}

/// The grants that these parts ask for.
pub(crate) fn granted_by(parts: &[Part]) -> BTreeSet<Grant> {
    let grant = |part: &Part| match part.needs {
        Need::Grant(grant) => Some(grant),
        Need::Nothing | Need::NotOffered | Need::Stub => None,
    };
    parts.iter().filter_map(grant).collect()
}

/// The imports and exports of the component called `name` under `config`.
pub(crate) fn parts(compiled: &Compiled, name: &str, config: &Config) -> (Vec<Part>, Vec<Part>) {
    let acting = compiled.acting_imports();
    let granted = config.component(name).grants.unwrap_or_default();
    let need = |name: &String| match acting.contains(name) {
        true if grants::is_stub(name, &granted, &compiled.own_stubs) => Need::Stub,
        true => Need::of_import(name),
        false => Need::Nothing,
    };
    let imports = compiled.imports().into_iter().map(|name| Part { needs: need(&name), name });
    let exports =
        compiled.exports().into_iter().map(|name| Part { needs: Need::of_export(&name), name });
    (imports.collect(), exports.collect())
}

/// Formats `grants = […]` for `[components.NAME]`.
pub fn line(grants: &BTreeSet<Grant>) -> String {
    let names: Vec<_> = grants.iter().map(|it| format!("\"{it}\"")).collect();
    format!("grants = [{}]", names.join(", "))
}

fn tool(tool: &Tool) -> Value {
    let mut object = Map::from_iter([("name".to_owned(), Value::from(&*tool.name))]);
    if let Some(title) = &tool.title {
        object.insert("title".to_owned(), title.as_str().into());
    }
    object.insert("description".to_owned(), tool.description.as_str().into());
    object.insert(
        "annotations".to_owned(),
        json!({
            "readOnlyHint": tool.hints.read_only,
            "destructiveHint": tool.hints.destructive,
            "idempotentHint": tool.hints.idempotent,
            "openWorldHint": tool.hints.open_world,
        }),
    );
    object.insert("inputSchema".to_owned(), Value::Object((*tool.input_schema).clone()));
    if let Some(schema) = &tool.output_schema {
        object.insert("outputSchema".to_owned(), Value::Object((**schema).clone()));
    }
    if let Some(app) = tool.meta.get("ui").and_then(|it| it.get("resourceUri")) {
        object.insert("app".to_owned(), app.clone());
    } else if let Some(app) = &tool.app {
        object.insert("appLeftOut".to_owned(), Value::from(&**app));
    }
    Value::Object(object)
}

/// Renders a route with its tools.
fn route(route: &Route) -> Value {
    let mut object = json!({ "method": route.method.as_str(), "path": route.path });
    if !route.tools.is_empty() {
        object["tools"] = route.tools.clone().into();
    }
    if route.streams {
        object["streams"] = true.into();
    }
    object
}

fn prompt(prompt: &Prompt) -> Value {
    let arguments =
        prompt.arguments.iter().map(|it| json!({ "name": it.name, "required": it.required }));
    let arguments: Vec<_> = arguments.collect();
    let mut object = json!({ "name": &*prompt.name, "arguments": arguments });
    put(&mut object, "title", &prompt.title);
    put(&mut object, "description", &prompt.description);
    object
}

/// Renders a listed resource or template.
fn about(listed: &Value) -> Value {
    let fields = ["name", "uri", "uriTemplate", "title", "description", "mimeType"];
    let mut object = listed.clone();
    if let Some(object) = object.as_object_mut() {
        object.retain(|key, _| fields.contains(&&**key));
    }
    object
}

fn put(object: &mut Value, key: &str, value: &Option<String>) {
    if let Some(value) = value {
        object[key] = value.as_str().into();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn import_is_free_grantable_or_unavailable() {
        assert_eq!(Need::of_import("wasi:cli/stderr@0.2.6"), Need::Nothing);
        assert_eq!(Need::of_import("madoguchi:tool/sql@0.1.0"), Need::Grant(Grant::Sql));
        assert_eq!(Need::of_import("wasi:sockets/tcp@0.2.6"), Need::NotOffered);
        assert_eq!(Need::of_export("madoguchi:tool/tools@0.1.0"), Need::Nothing);
        assert_eq!(
            line(&BTreeSet::from([Grant::Clock, Grant::Sql])),
            r#"grants = ["sql", "clock"]"#
        );
    }
}
