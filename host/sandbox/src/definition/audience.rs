//! The audience of a tool (`ui.visibility` of MCP Apps), the viewer of a list, and texts by language
//! (`madoguchi/text`); and digests of a tool's owner and definition. A person's approval or an
//! operator's trust holds for exactly these.

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::Tool;
use base::toolsets::Owner;
use store::digest::digest;

/// Client extensions that show views: MCP Apps, and this server's page.
const VIEWS: [&str; 2] = [super::APPS_EXTENSION, PAGE_CAPABILITY];
const PAGE_CAPABILITY: &str = "madoguchi/views";

/// Audience of a tool.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Audience {
    /// Models, and views as well.
    Models,
    /// Views alone: no model sees it.
    Views,
    /// The host itself: no caller sees it.
    Host,
}

/// Viewer of a list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Viewer {
    /// A client that passes lists to a model.
    Client,
    /// A client that draws views.
    Page,
}

impl Audience {
    /// The audience of a tool with that meta; without an entry, models and views.
    pub fn from_meta(meta: &Map<String, Value>) -> Self {
        let visibility = meta.get("ui").and_then(|it| it.get("visibility")?.as_array());
        match visibility {
            Some(all) if all.is_empty() => Self::Host,
            Some(all) if all.iter().all(|it| it != "model") => Self::Views,
            _ => Self::Models,
        }
    }

    /// Whether `viewer` sees it.
    pub fn has(self, viewer: Viewer) -> bool {
        match self {
            Self::Models => true,
            Self::Views => viewer == Viewer::Page,
            Self::Host => false,
        }
    }
}

impl Viewer {
    /// Detects the viewer by client capabilities, a JSON object.
    pub fn from_capabilities(capabilities: &str) -> Self {
        if declares(capabilities, &VIEWS) { Self::Page } else { Self::Client }
    }

    /// The part of `_meta` that the viewer can use: page and view texts are for clients that show views. The app
    /// (`ui`) is for all, so that lists do not depend on it.
    pub fn meta(self, meta: &Map<String, Value>) -> Map<String, Value> {
        let is_for_pages = |name: &str| name.starts_with("madoguchi/");
        let all = meta.iter().filter(|(name, _)| self == Self::Page || !is_for_pages(name));
        all.map(|(name, value)| (name.clone(), value.clone())).collect()
    }
}

/// Whether a client with these capabilities, a JSON object, is this server's own page.
pub fn is_own_page(capabilities: &str) -> bool {
    declares(capabilities, &[PAGE_CAPABILITY])
}

/// Whether these capabilities have one of those extensions.
fn declares(capabilities: &str, extensions: &[&str]) -> bool {
    // Capabilities are usually short, so they are parsed per list.
    let capabilities: Value = serde_json::from_str(capabilities).unwrap_or_default();
    let places = ["extensions", "experimental"].into_iter();
    let mut places = places.filter_map(|it| capabilities.get(it));
    places.any(|place| extensions.iter().any(|it| place.get(*it).is_some()))
}

/// `_meta` key of localized texts.
const TEXTS: &str = "madoguchi/text";

/// A tool's texts in one language.
pub struct Localized {
    pub title: Option<String>,
    pub description: String,
    pub input_schema: Arc<Map<String, Value>>,
}

impl Tool {
    /// Texts in `language` (`ja`, `en`), with fallback to the tool's own.
    pub fn localized(&self, language: &str) -> Localized {
        let own = texts(&self.meta, language);
        let text = |name: &str| own?.get(name)?.as_str().map(str::to_owned);
        let arguments = own.and_then(|it| it.get("arguments")?.as_object());
        let input_schema = match arguments.filter(|it| !it.is_empty()) {
            Some(arguments) => {
                let mut schema = (*self.input_schema).clone();
                for (path, text) in arguments {
                    describe(&mut schema, path, text);
                }
                Arc::new(schema)
            }
            None => self.input_schema.clone(),
        };
        Localized {
            title: text("title").or_else(|| self.title.clone()),
            description: text("description").unwrap_or_else(|| self.description.clone()),
            input_schema,
        }
    }
}

/// Localized texts of a definition.
pub fn texts<'a>(meta: &'a Map<String, Value>, language: &str) -> Option<&'a Value> {
    meta.get(TEXTS)?.get(language)
}

/// Describes the argument at `path` (`message.sender`), be it in an object or in a list's entries.
fn describe(schema: &mut Map<String, Value>, path: &str, text: &Value) {
    let (name, rest) = path.split_once('.').map_or((path, None), |it| (it.0, Some(it.1)));
    let holder = match schema.contains_key("properties") {
        true => Some(schema),
        false => schema.get_mut("items").and_then(Value::as_object_mut),
    };
    let properties = holder.and_then(|it| it.get_mut("properties")?.as_object_mut());
    let argument = properties.and_then(|it| it.get_mut(name)?.as_object_mut());
    match (argument, rest) {
        (Some(argument), None) => _ = argument.insert("description".to_owned(), text.clone()),
        (Some(argument), Some(rest)) => describe(argument, rest, text),
        (None, _) => {}
    }
}

/// Digests of a tool's definition, part by part.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Shown {
    /// The owner: `component:NAME` or `server:NAME`.
    owner: String,
    title: String,
    description: String,
    input_schema: String,
    output_schema: String,
    annotations: String,
}

/// A definition in two versions, in MCP format.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Rewording {
    /// Kind and name: `the tool greet`.
    pub of: String,
    /// Serving definition, or null if new.
    pub pinned: Value,
    /// Other definition, or null if removed.
    pub waiting: Value,
}

impl std::fmt::Display for Rewording {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let what = match (&self.pinned, &self.waiting) {
            (Value::Null, _) => "is new",
            (_, Value::Null) => "is gone",
            _ => "says something else",
        };
        write!(f, "{} {what}", self.of)
    }
}

/// Parts of a tool's definition as text.
pub struct ToolTexts<'a> {
    pub title: Option<&'a str>,
    pub description: &'a str,
    pub input_schema: String,
    pub output_schema: Option<String>,
    pub annotations: String,
}

impl Shown {
    /// Digests of `texts`, without an owner.
    pub fn digests(texts: &ToolTexts<'_>) -> Self {
        let of = |text: &str| digest(text.as_bytes());
        let optional = |text: Option<&str>| text.map(of).unwrap_or_default();
        Self {
            owner: String::new(),
            title: optional(texts.title),
            description: of(texts.description),
            input_schema: of(&texts.input_schema),
            output_schema: optional(texts.output_schema.as_deref()),
            annotations: of(&texts.annotations),
        }
    }

    /// The same digests for a tool of `owner`.
    pub fn with_owner(&self, owner: Owner<'_>) -> Self {
        let owner = match owner {
            Owner::Component(name) => format!("component:{name}"),
            Owner::Server(name) => format!("server:{name}"),
        };
        Self { owner, ..self.clone() }
    }

    /// The component or server that owns it.
    pub fn owner(&self) -> Option<Owner<'_>> {
        match self.owner.split_once(':')? {
            ("component", name) => Some(Owner::Component(name)),
            ("server", name) => Some(Owner::Server(name)),
            _ => None,
        }
    }

    /// Names of parts that differ from `before`.
    pub fn changes(&self, before: &Self) -> Vec<&'static str> {
        let parts = [
            ("owner", &self.owner, &before.owner),
            ("title", &self.title, &before.title),
            ("description", &self.description, &before.description),
            ("input schema", &self.input_schema, &before.input_schema),
            ("output schema", &self.output_schema, &before.output_schema),
            ("annotations", &self.annotations, &before.annotations),
        ];
        parts.into_iter().filter(|(_, now, then)| now != then).map(|it| it.0).collect()
    }

    /// `NAME@DIGEST`, by which a person trusts exactly this definition.
    pub fn trusted_as(&self, tool: &str) -> String {
        let Self { owner, title, description, input_schema, output_schema, annotations } = self;
        let all = [owner, title, description, input_schema, output_schema, annotations];
        let all = all.map(String::as_str).join("\n");
        format!("{tool}@{:.32}", digest(all.as_bytes()))
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::bindings::exports::madoguchi::tool::tools::{Annotations, Definition};

    #[test]
    fn tool_is_visible_to_named_audiences() {
        for (ui, audience) in [
            (json!({}), Audience::Models),
            (json!({ "visibility": ["app"] }), Audience::Views),
            (json!({ "visibility": ["model", "app"] }), Audience::Models),
            (json!({ "visibility": [] }), Audience::Host),
            (json!({ "visibility": "app" }), Audience::Models),
        ] {
            let meta = json!({ "ui": ui });
            assert_eq!(Audience::from_meta(meta.as_object().unwrap()), audience, "{meta}");
        }
        assert!(!Audience::Host.has(Viewer::Page));
        assert!(Audience::Views.has(Viewer::Page) && !Audience::Views.has(Viewer::Client));
    }

    #[test]
    fn recognizes_client_with_apps() {
        for (capabilities, viewer) in [
            ("{}", Viewer::Client),
            ("no JSON", Viewer::Client),
            (r#"{"extensions":{"madoguchi/forms":{}}}"#, Viewer::Client),
            (r#"{"extensions":{"madoguchi/views":{}}}"#, Viewer::Page),
            (r#"{"extensions":{"io.modelcontextprotocol/ui":{"mimeTypes":[]}}}"#, Viewer::Page),
            (r#"{"experimental":{"io.modelcontextprotocol/ui":{}}}"#, Viewer::Page),
        ] {
            assert_eq!(Viewer::from_capabilities(capabilities), viewer, "{capabilities}");
        }
        let meta = json!({ "madoguchi/view": "seats", "shop/colour": "red", "ui": {} });
        let left = Viewer::Client.meta(meta.as_object().unwrap());
        assert_eq!(left.keys().collect::<Vec<_>>(), ["shop/colour", "ui"]);
    }

    fn tool() -> Tool {
        let schema = json!({ "type": "object", "properties": {
            "day": { "type": "string", "description": "日付" },
            "guests": { "type": "array", "description": "客", "items": {
                "type": "object", "properties": { "name": { "type": "string" } } } },
        } });
        let meta = json!({ "madoguchi/text": { "ja": { "title": "予約" }, "en": {
            "title": "Book", "description": "Books.",
            "arguments": { "day": "The day", "guests.name": "Who", "gone": "?" },
        } } });
        let definition = Definition {
            name: "book".to_owned(),
            title: Some("予約".to_owned()),
            description: "予約する。".to_owned(),
            input_schema: schema.to_string(),
            output_schema: None,
            annotations: Annotations::empty(),
            view: None,
            meta: Some(meta.to_string()),
        };
        Tool::read_all(vec![definition]).unwrap().remove(0)
    }

    #[test]
    fn describes_audience_in_the_reader_language() {
        let localized = tool().localized("en");
        assert_eq!((localized.title.as_deref(), &*localized.description), (Some("Book"), "Books."));
        let properties = &localized.input_schema["properties"];
        assert_eq!(properties["day"]["description"], "The day");
        assert_eq!(properties["guests"]["description"], "客");
        let name = &properties["guests"]["items"]["properties"]["name"];
        assert_eq!(name["description"], "Who");
        let texts = tool().localized("ja");
        assert_eq!((texts.title.as_deref(), &*texts.description), (Some("予約"), "予約する。"));
        assert_eq!(texts.input_schema["properties"]["day"]["description"], "日付");
        assert_eq!(tool().localized("fr").description, "予約する。");
    }

    fn shown(owner: Owner<'_>, description: &str, annotations: &str) -> Shown {
        let texts = ToolTexts {
            title: None,
            description,
            input_schema: "{}".to_owned(),
            output_schema: None,
            annotations: annotations.to_owned(),
        };
        Shown::digests(&texts).with_owner(owner)
    }

    #[test]
    fn names_changed_fields() {
        let letter = shown(Owner::Server("post"), "Sends a letter.", "{}");
        let same = shown(Owner::Server("post"), "Sends a letter.", "{}");
        assert_eq!(letter.changes(&same), [""; 0]);
        assert_eq!(letter.trusted_as("send"), same.trusted_as("send"));
        for (other, changes) in [
            (shown(Owner::Server("post"), "Wires all money.", "{}"), vec!["description"]),
            (shown(Owner::Component("post"), "Sends a letter.", "{}"), vec!["owner"]),
            (shown(Owner::Server("post"), "Sends a letter.", "{\"a\":1}"), vec!["annotations"]),
        ] {
            assert_eq!(other.changes(&letter), changes);
            assert_ne!(other.trusted_as("send"), letter.trusted_as("send"));
        }
    }
}
