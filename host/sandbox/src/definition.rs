//! Tool definitions of a component, checked once and prepared for lists. Prompts and resources are in files of their
//! own.

mod audience;

use std::{collections::HashSet, sync::Arc};

use base::{
    clean,
    toolsets::is_name,
    uri_template::{URI_BYTES_MAX, UriTemplate, has_scheme},
};
use serde_json::{Map, Value, json};

use crate::bindings::exports::madoguchi::tool::{
    prompts, resources as wit,
    tools::{Annotations, Definition},
};

pub use audience::{Audience, Localized, Rewording, Shown, ToolTexts, Viewer, is_own_page, texts};
pub use base::toolsets::Hints;

/// Tools that one component may offer.
pub(crate) const TOOLS_MAX: usize = 256;

/// `_meta` key of request entries that a model may set, as JSON Schemas by name.
pub const REQUEST_META: &str = "madoguchi/request-meta";
/// `_meta` key of tools that accept unrequested answers.
const UNASKED_ANSWERS: &str = "madoguchi/takes-unasked-answers";

/// `_meta` key of task support.
const TASK: &str = "madoguchi/task";

/// Whether a call of a tool is answered as a task, to a client that takes tasks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum TaskUse {
    /// When it takes long.
    #[default]
    Possible,
    /// From the start. Questions are asked through the task.
    Always,
    /// After its first questions. Modern clients without tasks are refused.
    Required,
    Never,
}

/// A tool on offer.
#[derive(Clone, Debug)]
pub struct Tool {
    /// The name by which it is called.
    pub name: Arc<str>,
    /// Its name for people.
    pub title: Option<String>,
    /// Description for models.
    pub description: String,
    /// JSON Schema of its arguments.
    pub input_schema: Arc<Map<String, Value>>,
    /// JSON Schema of its structured output.
    pub output_schema: Option<Arc<Map<String, Value>>>,
    /// Effects of a call.
    pub hints: Hints,
    /// More about it, the view among it.
    pub meta: Map<String, Value>,
    /// The URI of the app that is to draw its output, which stands in its meta once there is one.
    pub app: Option<Arc<str>>,
    /// Whether clients send some of its arguments in headers too (`x-mcp-header`).
    pub has_header_arguments: bool,
    /// Whether it accepts unrequested answers.
    pub takes_unasked_answers: bool,
    /// Whether its calls are tasks.
    pub task: TaskUse,
    pub audience: Audience,
    /// Digests of its definition, part by part.
    pub shown: Shown,
}

/// Why a tool, a prompt, a resource or a template cannot be offered, and what to fix.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct OfferError(String);

impl Tool {
    pub fn read_all(definitions: Vec<Definition>) -> Result<Vec<Self>, OfferError> {
        if definitions.is_empty() {
            return Err(OfferError("it offers no tool".to_owned()));
        }
        read_all(("tools", TOOLS_MAX), definitions, Self::read, ("tools named", |it| &it.name))
    }

    fn read(definition: Definition) -> Result<Self, OfferError> {
        let wrong = |why: String| wrong("tool", &definition.name, &why);
        if !is_name(&definition.name) {
            return Err(wrong(NAMES.to_owned()));
        }
        let meta = optional_object(definition.meta.as_deref());
        let mut meta = meta.map_err(|why| wrong(format!("its meta {why}")))?.unwrap_or_default();
        if let Some(view) = definition.view {
            meta.insert("madoguchi/view".to_owned(), view.into());
        }
        let app = take_app(&mut meta);
        let shown = Shown::digests(&ToolTexts {
            title: definition.title.as_deref(),
            description: &definition.description,
            input_schema: match meta.get(REQUEST_META) {
                Some(beside) => format!("{}{beside}", definition.input_schema),
                None => definition.input_schema.clone(),
            },
            output_schema: definition.output_schema.clone(),
            annotations: format!("{:?}", definition.annotations),
        });
        let input_schema = schema(&definition.input_schema);
        let input_schema = input_schema.map_err(|why| wrong(format!("its input schema {why}")))?;
        let output_schema = definition.output_schema.as_deref().map(schema).transpose();
        let output_schema =
            output_schema.map_err(|why| wrong(format!("its output schema {why}")))?;
        Ok(Self {
            shown,
            has_header_arguments: definition.input_schema.contains("x-mcp-header"),
            audience: Audience::from_meta(&meta),
            task: TaskUse::from_meta(&meta).map_err(wrong)?,
            takes_unasked_answers: meta.get(UNASKED_ANSWERS) == Some(&Value::Bool(true)),
            input_schema,
            output_schema,
            title: definition.title.as_deref().map(clean::title),
            description: clean::text(&definition.description),
            hints: Hints {
                read_only: definition.annotations.contains(Annotations::READ_ONLY),
                destructive: definition.annotations.contains(Annotations::DESTRUCTIVE),
                idempotent: definition.annotations.contains(Annotations::IDEMPOTENT),
                open_world: definition.annotations.contains(Annotations::OPEN_WORLD),
            },
            name: definition.name.into(),
            meta,
            app,
        })
    }
}

impl TaskUse {
    fn from_meta(meta: &Map<String, Value>) -> Result<Self, String> {
        match meta.get(TASK).map(|it| it.as_str()) {
            None => Ok(Self::Possible),
            Some(Some("always")) => Ok(Self::Always),
            Some(Some("required")) => Ok(Self::Required),
            Some(Some("never")) => Ok(Self::Never),
            Some(_) => Err(format!(
                "its meta's {TASK:?} is none of \"always\", \"required\" and \"never\""
            )),
        }
    }
}

/// Reads a bounded number of definitions with unique names.
fn read_all<D, T>(
    (what, most): (&'static str, usize),
    definitions: Vec<D>,
    read: impl Fn(D) -> Result<T, OfferError>,
    (named, name): (&'static str, impl Fn(&T) -> &str),
) -> Result<Vec<T>, OfferError> {
    if definitions.len() > most {
        let found = definitions.len();
        return Err(OfferError(format!("it offers {found} {what}; {most} is most")));
    }
    let all: Vec<_> = definitions.into_iter().map(read).collect::<Result<_, _>>()?;
    match duplicate(&all, name) {
        Some(name) => Err(OfferError(format!("it offers two {named} {name:?}"))),
        None => Ok(all),
    }
}

/// Why the `what` called `name` cannot be offered.
fn wrong(what: &'static str, name: &str, why: &str) -> OfferError {
    let name: String = name.chars().take(256).collect();
    OfferError(format!("{what} {name:?}: {why}"))
}

/// Valid names of tools and prompts.
const NAMES: &str = "1 to 128 of A-Z a-z 0-9 _ . - are right";

/// The object in `json`, where there is one.
fn optional_object(json: Option<&str>) -> Result<Option<Map<String, Value>>, &'static str> {
    let mut object: Option<Map<String, Value>> =
        json.map(serde_json::from_str).transpose().map_err(|_| "is not a JSON object")?;
    object.iter_mut().for_each(clean::meta);
    Ok(object)
}

/// The first name, or other mark, that two of `items` have.
fn duplicate<T>(items: &[T], name: impl Fn(&T) -> &str) -> Option<&str> {
    let mut names = HashSet::new();
    items.iter().map(name).find(|it| !names.insert(*it))
}

fn schema(json: &str) -> Result<Arc<Map<String, Value>>, String> {
    let schema: Map<String, Value> =
        serde_json::from_str(json).map_err(|_| "is not a JSON object")?;
    if schema.get("type") != Some(&Value::from("object")) {
        return Err(
            "is not a JSON Schema of type object: a tool takes and gives objects with named fields"
                .to_owned(),
        );
    }
    let wrong = |why: String| format!("is not a JSON Schema (2020-12): {why}");
    let mut schema = Value::Object(schema);
    clean::schema(&mut schema).map_err(|why| wrong(why.to_owned()))?;
    if let Err(error) = jsonschema::draft202012::meta::validate(&schema) {
        let why = format!("{}: {error}", error.instance_path());
        return Err(wrong(why.chars().take(256).collect()));
    }
    let Value::Object(schema) = schema else { return Err("is not a JSON object".to_owned()) };
    Ok(Arc::new(schema))
}

// The app that draws a tool's output, as MCP Apps have it: `_meta.ui.resourceUri` stands where its component has the
// page, and there alone.

/// The extension, as clients and servers name it.
pub const APPS_EXTENSION: &str = "io.modelcontextprotocol/ui";
/// The type of a page that is an app.
pub const APP_MIME_TYPE: &str = "text/html;profile=mcp-app";
/// Older `_meta` key of apps.
const OLDER: &str = "ui/resourceUri";

/// Takes the name of the app out of a tool's meta.
fn take_app(meta: &mut Map<String, Value>) -> Option<Arc<str>> {
    let older = meta.remove(OLDER);
    let named = meta.get_mut("ui").and_then(|it| it.as_object_mut()?.remove("resourceUri"));
    if meta.get("ui").is_some_and(|it| it.as_object().is_none_or(Map::is_empty)) {
        meta.remove("ui");
    }
    named.or(older)?.as_str().map(Into::into)
}

impl Tool {
    /// The tool with its app, if that is a resource of its component.
    #[must_use]
    pub fn with_app(&self, component: &str, resources: &[Resource]) -> Self {
        let mut tool = self.clone();
        take_app(&mut tool.meta);
        let Some(uri) = &self.app else { return tool };
        let is_app = |it: &&Resource| it.uri == *uri && it.listed["mimeType"] == APP_MIME_TYPE;
        if uri.starts_with("ui://") && resources.iter().any(|it| is_app(&it)) {
            let ui = tool.meta.entry("ui").or_insert_with(|| json!({}));
            ui["resourceUri"] = (&**uri).into();
        } else {
            self.note_no_app(
                component,
                &format!("lists no such resource of the type {APP_MIME_TYPE}"),
            );
        }
        tool
    }

    /// Logs that the tool has no app, where it names one and its component exports no resources at all.
    pub(crate) fn note_no_resources(&self, component: &str) {
        self.note_no_app(component, "exports no `resources`, of which it would be one");
    }

    fn note_no_app(&self, component: &str, why: &str) {
        let Some(uri) = &self.app else { return };
        let (tool, app) = (&*self.name, clean::title(uri));
        tracing::warn!(component, tool, app, "its app is left out: the component {why}");
    }
}

// Definitions of prompts and resources, checked and prepared for `prompts/list` and `resources/list`.

/// Prompts that one component may offer.
const PROMPTS_MAX: usize = 256;
/// Arguments that one prompt may take.
const ARGUMENTS_MAX: usize = 64;

/// The entry of a prompt's `_meta` that models read before they ask for anything.
const INSTRUCTIONS: &str = "madoguchi/instructions";
/// Bytes that it may have.
const INSTRUCTIONS_BYTES_MAX: usize = 2 << 10;

/// A prompt on offer.
#[derive(Clone, Debug)]
pub struct Prompt {
    /// The name by which it is asked for.
    pub name: Arc<str>,
    /// Its name for people.
    pub title: Option<String>,
    pub description: Option<String>,
    /// The arguments that it takes.
    pub arguments: Vec<Argument>,
    /// Its `_meta`, where it has one.
    pub meta: Option<Map<String, Value>>,
    /// Instructions for models: `_meta["madoguchi/instructions"]`.
    pub instructions: Option<Arc<str>>,
}

/// An argument of a prompt.
#[derive(Clone, Debug)]
pub struct Argument {
    /// The argument's name.
    pub name: String,
    /// Its name for people.
    pub title: Option<String>,
    pub description: Option<String>,
    /// Whether the prompt cannot do without.
    pub required: bool,
}

impl Prompt {
    pub fn read_all(definitions: Vec<prompts::Definition>) -> Result<Vec<Self>, OfferError> {
        read_all(
            ("prompts", PROMPTS_MAX),
            definitions,
            Self::read,
            ("prompts named", |it| &it.name),
        )
    }

    fn read(definition: prompts::Definition) -> Result<Self, OfferError> {
        let wrong = |why: String| wrong("prompt", &definition.name, &why);
        if !is_name(&definition.name) {
            return Err(wrong(NAMES.to_owned()));
        }
        if definition.arguments.len() > ARGUMENTS_MAX {
            return Err(wrong(format!("it takes more than {ARGUMENTS_MAX} arguments")));
        }
        let is_none = |name: &&str| name.is_empty() || !clean::is_clean(name);
        let unnamed = definition.arguments.iter().map(|it| it.name.as_str()).find(is_none);
        if let Some(name) = unnamed.or_else(|| duplicate(&definition.arguments, |it| &it.name)) {
            return Err(wrong(format!("its argument {name:?} has no name or one twice given")));
        }
        let meta = optional_object(definition.meta.as_deref())
            .map_err(|why| wrong(format!("its meta {why}")))?;
        let instructions = match meta.as_ref().and_then(|it| it.get(INSTRUCTIONS)) {
            None => None,
            Some(Value::String(text)) if text.len() <= INSTRUCTIONS_BYTES_MAX => {
                Some(text.trim().into())
            }
            Some(_) => {
                return Err(wrong(format!(
                    "its meta {INSTRUCTIONS} is not a text of at most {INSTRUCTIONS_BYTES_MAX} bytes"
                )));
            }
        };
        let argument = |argument: prompts::Argument| {
            let title = argument.title.as_deref().map(clean::title);
            let description = argument.description.as_deref().map(clean::text);
            Argument { name: argument.name, title, description, required: argument.required }
        };
        Ok(Self {
            name: definition.name.into(),
            title: definition.title.as_deref().map(clean::title),
            description: definition.description.as_deref().map(clean::text),
            arguments: definition.arguments.into_iter().map(argument).collect(),
            meta,
            instructions,
        })
    }
}

/// Templates that one component may offer.
const TEMPLATES_MAX: usize = 256;
/// Resources that may stand on one page.
const PAGE_MAX: usize = 1_024;

/// A resource: one thing to read.
#[derive(Clone, Debug)]
pub struct Resource {
    /// The URI by which it is read.
    pub uri: Arc<str>,
    /// The listed form.
    pub listed: Value,
}

/// A resource template: many things to read.
#[derive(Clone, Debug)]
pub struct Template {
    /// The template of their URIs.
    pub uri_template: UriTemplate,
    /// The listed form.
    pub listed: Value,
}

/// Builds the listed form of a resource or template.
fn listed(
    (key, uri): (&str, &str),
    (name, title, description): (String, Option<String>, Option<String>),
    mime_type: Option<String>,
    (annotations, meta): (Option<String>, Option<String>),
) -> Result<Value, String> {
    let object = |what: &str, json: Option<String>| {
        let object = optional_object(json.as_deref()).map_err(|why| format!("its {what} {why}"));
        object.map(|it| it.map(Value::Object))
    };
    let optional = [
        ("title", title.as_deref().map(clean::title).map(Value::from)),
        ("description", description.as_deref().map(clean::text).map(Value::from)),
        ("mimeType", mime_type.map(Value::from)),
        ("annotations", object("annotations", annotations)?),
        ("_meta", object("meta", meta)?),
    ];
    let mut listed = json!({ "name": clean::title(&name), key: uri });
    for (key, value) in optional.into_iter().filter(|it| it.1.is_some()) {
        listed[key] = value.into();
    }
    Ok(listed)
}

impl Resource {
    pub fn read_all(definitions: Vec<wit::Definition>) -> Result<Vec<Self>, OfferError> {
        let most = ("resources on one page", PAGE_MAX);
        read_all(most, definitions, Self::read, ("resources at", |it| &it.uri))
    }

    fn read(definition: wit::Definition) -> Result<Self, OfferError> {
        let wrong = |why: &str| wrong("resource", &definition.uri, why);
        check_uri(&definition.uri).map_err(wrong)?;
        let (names, more) = (
            (definition.name, definition.title, definition.description),
            (definition.annotations, definition.meta),
        );
        let listed = listed(("uri", &definition.uri), names, definition.mime_type, more);
        let mut listed = listed.map_err(|why| wrong(&why))?;
        if let Some(size) = definition.size {
            listed["size"] = size.into();
        }
        Ok(Self { uri: definition.uri.into(), listed })
    }
}

impl Template {
    pub fn read_all(definitions: Vec<wit::Template>) -> Result<Vec<Self>, OfferError> {
        let most = ("resource templates", TEMPLATES_MAX);
        read_all(most, definitions, Self::read, (most.0, |it| it.uri_template.text()))
    }

    fn read(template: wit::Template) -> Result<Self, OfferError> {
        let wrong = |why: &str| wrong("resource template", &template.uri_template, why);
        let uri_template = UriTemplate::new(&template.uri_template).map_err(|why| wrong(&why))?;
        let (names, more) = (
            (template.name, template.title, template.description),
            (template.annotations, template.meta),
        );
        let listed =
            listed(("uriTemplate", &template.uri_template), names, template.mime_type, more);
        Ok(Self { uri_template, listed: listed.map_err(|why| wrong(&why))? })
    }
}

pub fn check_uri(uri: &str) -> Result<(), &'static str> {
    if uri.len() > URI_BYTES_MAX {
        return Err("its URI has more than 2048 bytes");
    }
    if !has_scheme(uri) || uri.chars().any(|it| it.is_control() || it == ' ') {
        return Err(
            "its URI must have a scheme, such as `shop://`, and neither spaces nor control characters",
        );
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn definition(name: &str, input_schema: &str) -> Definition {
        Definition {
            name: name.to_owned(),
            title: None,
            description: String::new(),
            input_schema: input_schema.to_owned(),
            output_schema: None,
            annotations: Annotations::READ_ONLY,
            view: Some("seat_map".to_owned()),
            meta: None,
        }
    }

    #[test]
    fn tool_keeps_view_and_hints() {
        let tools = Tool::read_all(vec![definition("sit", r#"{"type":"object"}"#)]).unwrap();
        assert_eq!(tools[0].meta["madoguchi/view"], "seat_map");
        assert!(tools[0].hints.read_only && !tools[0].hints.destructive);
    }

    /// TASK-1.
    #[test]
    fn tool_declares_task_support() {
        let read = |meta: Option<&str>| {
            let tool = definition("t", r#"{"type":"object"}"#);
            let tool = Definition { meta: meta.map(str::to_owned), ..tool };
            Tool::read_all(vec![tool]).map(|it| it[0].task)
        };
        assert_eq!(read(None), Ok(TaskUse::Possible));
        let task_use = |value: &str| read(Some(&format!(r#"{{"madoguchi/task":{value}}}"#)));
        assert_eq!(task_use("\"required\""), Ok(TaskUse::Required));
        for wrong in ["\"often\"", "true", "null"] {
            let error = task_use(wrong).unwrap_err().to_string();
            assert!(error.contains("madoguchi/task") && error.contains("never"), "{error}");
        }
    }

    #[test]
    fn cleans_tool_texts() {
        let nasty = "a\u{1b}[2J\u{202e}b\0";
        let schema = r#"{"type":"object","description":"x\u001by\u2066z"}"#;
        let meta = Some(r#"{"madoguchi/text":{"en":{"title":"a\u0007b"}}}"#.to_owned());
        let (title, description) = (Some(nasty.to_owned()), nasty.to_owned());
        let tool = Definition { title, description, meta, ..definition("t", schema) };
        let tools = Tool::read_all(vec![tool]).unwrap();
        assert_eq!(tools[0].title.as_deref(), Some("a[2Jb"));
        assert_eq!(tools[0].description, "a[2Jb");
        assert_eq!(tools[0].input_schema["description"], "xyz");
        assert_eq!(tools[0].meta["madoguchi/text"]["en"]["title"], "ab");
        let unclean = r#"{"type":"object","properties":{"a\u001b":{}}}"#;
        assert!(Tool::read_all(vec![definition("t", unclean)]).is_err());
    }

    #[test]
    fn missing_or_wrong_tool_names_remedy() {
        let object = r#"{"type":"object"}"#;
        let error = |definitions| Tool::read_all(definitions).unwrap_err().to_string();
        assert_eq!(error(vec![]), "it offers no tool");
        assert!(error(vec![definition("a b", object)]).contains("A-Z a-z 0-9"));
        assert!(error(vec![definition("a", "[]")]).contains("input schema is not a JSON object"));
        assert!(error(vec![definition("a", "{}")]).contains("of type object"));
        let wrong = r#"{"type":"object","properties":{"a":{"type":"strnig"}}}"#;
        let message = error(vec![definition("a", wrong)]);
        assert!(message.contains("input schema") && message.contains("/properties/a"), "{message}");
        assert!(
            error(vec![definition("a", object), definition("a", object)]).contains("two tools")
        );
    }

    /// APP-2.
    #[test]
    fn removes_app_name_and_keeps_visibility() {
        for (meta, named, left) in [
            (json!({}), None, json!({})),
            (json!({ "ui": { "resourceUri": "ui://a/b" } }), Some("ui://a/b"), json!({})),
            (json!({ "ui/resourceUri": "ui://a/b" }), Some("ui://a/b"), json!({})),
            (
                json!({ "ui": { "resourceUri": "ui://a/b", "visibility": ["app"] }, "x": 1 }),
                Some("ui://a/b"),
                json!({ "ui": { "visibility": ["app"] }, "x": 1 }),
            ),
            (json!({ "ui": { "resourceUri": 7 } }), None, json!({})),
            (json!({ "ui": "ui://a/b" }), None, json!({})),
        ] {
            let mut meta = meta.as_object().unwrap().clone();
            assert_eq!(take_app(&mut meta).as_deref(), named);
            assert_eq!(Value::Object(meta), left);
        }
    }

    fn resource(uri: &str) -> wit::Definition {
        wit::Definition {
            uri: uri.to_owned(),
            name: "it".to_owned(),
            title: None,
            description: None,
            mime_type: None,
            size: None,
            annotations: None,
            meta: None,
        }
    }

    #[test]
    fn names_invalid_resource_with_remedy() {
        assert_eq!(
            Resource::read_all(vec![resource("shop://a"), resource("mailto:b")]).unwrap().len(),
            2
        );
        let error = |definitions| Resource::read_all(definitions).unwrap_err().to_string();
        assert!(error(vec![resource("orders/1")]).contains("must have a scheme"));
        assert!(error(vec![resource("shop://a b")]).contains("neither spaces"));
        assert!(
            error(vec![resource("shop://a"), resource("shop://a")]).contains("two resources at")
        );
        let meta = wit::Definition { annotations: Some("1".to_owned()), ..resource("shop://a") };
        assert!(error(vec![meta]).contains("annotations is not a JSON object"));
        let long = format!("shop://{}", "a".repeat(URI_BYTES_MAX));
        assert!(error(vec![resource(&long)]).contains("2048 bytes"));
    }

    #[test]
    fn rejects_unmatchable_template() {
        let template = |text: &str| wit::Template {
            uri_template: text.to_owned(),
            name: "it".to_owned(),
            title: None,
            description: None,
            mime_type: None,
            annotations: None,
            meta: None,
        };
        assert!(Template::read_all(vec![template("shop://{id}")]).is_ok());
        let error = |definitions| Template::read_all(definitions).unwrap_err().to_string();
        assert!(error(vec![template("shop://{id*}")]).contains("cannot be matched"));
        assert!(
            error(vec![template("a:{b}"), template("a:{b}")]).contains("two resource templates")
        );
    }

    fn prompt(name: &str, arguments: &[&str]) -> prompts::Definition {
        let argument = |name: &&str| prompts::Argument {
            name: (*name).to_owned(),
            title: None,
            description: None,
            required: true,
        };
        prompts::Definition {
            name: name.to_owned(),
            title: None,
            description: None,
            arguments: arguments.iter().map(argument).collect(),
            meta: None,
        }
    }

    #[test]
    fn names_invalid_prompt_with_remedy() {
        assert_eq!(Prompt::read_all(vec![prompt("review", &["topic"])]).unwrap().len(), 1);
        let error = |definitions| Prompt::read_all(definitions).unwrap_err().to_string();
        assert!(error(vec![prompt("a b", &[])]).contains("A-Z a-z 0-9"));
        assert!(
            error(vec![prompt("a", &[]), prompt("a", &[])]).contains("two prompts named \"a\"")
        );
        assert!(error(vec![prompt("a", &["x", "x"])]).contains("argument \"x\""));
        let meta = prompts::Definition { meta: Some("[]".to_owned()), ..prompt("a", &[]) };
        assert!(error(vec![meta]).contains("meta is not a JSON object"));
        let read = |text: String| {
            let meta = serde_json::json!({ "madoguchi/instructions": text }).to_string();
            vec![prompts::Definition { meta: Some(meta), ..prompt("a", &[]) }]
        };
        let most = Prompt::read_all(read("a".repeat(2_048))).unwrap();
        assert_eq!(most[0].instructions.as_deref().map(str::len), Some(2_048));
        assert!(error(read("a".repeat(2_049))).contains("at most 2048 bytes"));
        let many = (0..=PROMPTS_MAX).map(|it| prompt(&format!("p{it}"), &[])).collect();
        assert!(error(many).contains("257 prompts"));
    }
}
