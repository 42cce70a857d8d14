//! Apps that tools bring along (MCP Apps, 2026-01-26): their owner, what of them is shown, and which tools they may
//! call. The messages between page and app are in [`bridge`].

pub(crate) mod bridge;
pub(crate) mod live;

use serde::Deserialize;
use serde_json::{Map, Value, json};

use crate::base64;
use crate::error::CallError;
use crate::mcp::wire::Tool;
use crate::rest;
use crate::route::encoded;
use crate::text::Lang;

/// MIME type of an app's document.
const MIME: &str = "text/html;profile=mcp-app";
/// Maximum size of a document in bytes.
const HTML_BYTES_MAX: usize = 4 << 20;
/// Maximum size in bytes of the policy an app asks for, encoded for an address.
const CSP_BYTES_MAX: usize = 8_000;

/// Where the page shows apps, as configured by the host.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub(crate) struct Origin {
    pub(crate) origin: String,
    /// Browser permissions that apps may request.
    #[serde(default)]
    permissions: Vec<String>,
}

#[derive(Deserialize)]
struct PageFacts {
    apps: Option<Origin>,
}

/// Fetches where apps are shown; none if they are not shown.
pub(crate) async fn origin() -> Result<Option<Origin>, CallError> {
    let facts = rest::get::<PageFacts>("/api/page").await?;
    Ok(facts
        .apps
        .filter(|it| it.origin.starts_with("https://") || it.origin.starts_with("http://")))
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Owner {
    Server(String),
    Component(String),
}

impl Owner {
    /// Returns the tool's owner; none if the host does not name it.
    pub(crate) fn of_tool(tool: &Tool) -> Option<Self> {
        let named = |key: &str| tool.meta.get(key).and_then(Value::as_str).map(str::to_owned);
        let component = || tool.component().map(str::to_owned).map(Self::Component);
        named("madoguchi/server").map(Self::Server).or_else(component)
    }

    pub(crate) fn name(&self) -> &str {
        match self {
            Self::Server(name) | Self::Component(name) => name,
        }
    }

    /// Request metadata that names the owner of a resource.
    pub(crate) fn meta(&self) -> Value {
        match self {
            Self::Server(name) => json!({ "madoguchi/server": name }),
            Self::Component(name) => json!({ "madoguchi/component": name }),
        }
    }
}

/// The tool's name on its own server.
pub(crate) fn own_name(tool: &Tool) -> &str {
    tool.meta.get("madoguchi/name").and_then(Value::as_str).unwrap_or(&tool.name)
}

/// Why an app may not call a tool.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Barred {
    /// The app's own server has no such tool.
    Unknown,
    /// The tool is for models only.
    NotForApps,
}

/// Finds the tool that an app of `owner` calls `name`: one of its own server's, and for apps.
pub(crate) fn callable<'a>(
    tools: &'a [Tool],
    owner: &Owner,
    name: &str,
) -> Result<&'a Tool, Barred> {
    let mut own = tools.iter().filter(|it| Owner::of_tool(it).as_ref() == Some(owner));
    let tool = own.find(|it| own_name(it) == name).ok_or(Barred::Unknown)?;
    let visibility = tool.meta.get("ui").and_then(|it| it.get("visibility")?.as_array());
    match visibility {
        Some(all) if all.iter().all(|it| it != "app") => Err(Barred::NotForApps),
        _ => Ok(tool),
    }
}

/// Whether the operator trusts the tool's own annotations.
pub(crate) fn is_believed(tool: &Tool) -> bool {
    match Owner::of_tool(tool) {
        Some(Owner::Server(_)) => tool.meta.get("madoguchi/believed") == Some(&Value::Bool(true)),
        Some(Owner::Component(_)) => true,
        None => false,
    }
}

/// Whether calls of the tool change nothing.
pub(crate) fn only_reads(tool: &Tool) -> bool {
    is_believed(tool) && tool.annotations.read_only_hint
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Document {
    pub(crate) html: String,
    /// The policy it asks for: JSON, encoded for an address.
    pub(crate) csp: String,
    /// The permissions it gets, as the `allow` attribute of a frame.
    pub(crate) allow: String,
    pub(crate) has_border: bool,
}

impl Document {
    /// Parses the result of `resources/read`.
    ///
    /// # Errors
    /// If it is no document of an app, or too long.
    pub(crate) fn read(result: &Value, uri: &str, origin: &Origin) -> Result<Self, &'static str> {
        let all = result.get("contents").and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
        let one = all.iter().find(|it| it.get("uri").and_then(Value::as_str) == Some(uri));
        let one = one.or(all.first()).ok_or("there is nothing in it")?;
        let mime = one.get("mimeType").and_then(Value::as_str).unwrap_or_default();
        if mime.replace(' ', "").to_ascii_lowercase() != MIME {
            return Err("it is no document of an app (text/html;profile=mcp-app)");
        }
        let blob = || base64::decoded(one.get("blob")?.as_str()?);
        let html = match one.get("text").and_then(Value::as_str) {
            Some(text) => text.to_owned(),
            None => blob().and_then(|it| String::from_utf8(it).ok()).ok_or("it has no text")?,
        };
        if html.len() > HTML_BYTES_MAX {
            return Err("it has more than 4 MiB");
        }
        let ui = one.pointer("/_meta/ui").cloned().unwrap_or_default();
        let csp = ui.get("csp").filter(|it| it.is_object()).map(Value::to_string);
        let csp = csp.map(|it| encoded(&it)).unwrap_or_default();
        if csp.len() > CSP_BYTES_MAX {
            return Err("it wants to reach too many places");
        }
        Ok(Self {
            html,
            csp,
            allow: origin.allow(ui.get("permissions").and_then(Value::as_object)),
            has_border: ui.get("prefersBorder") != Some(&Value::Bool(false)),
        })
    }
}

impl Origin {
    /// Returns the requested permissions that the operator allows.
    fn allow(&self, wanted: Option<&Map<String, Value>>) -> String {
        let names = [
            ("camera", "camera"),
            ("microphone", "microphone"),
            ("geolocation", "geolocation"),
            ("clipboardWrite", "clipboard-write"),
        ];
        let is_given = |name: &str| {
            wanted.is_some_and(|it| it.contains_key(name))
                && self.permissions.iter().any(|it| it == name)
        };
        let given = names.into_iter().filter(|it| is_given(it.0));
        given.map(|it| format!("{} *", it.1)).collect::<Vec<_>>().join("; ")
    }
}

/// Style variables passed to apps: the names defined by MCP Apps, and the page's own.
const STYLES: [(&str, &str); 46] = [
    ("--color-background-primary", "--surface"),
    ("--color-background-secondary", "--paper"),
    ("--color-background-tertiary", "--surface-sunk"),
    ("--color-background-inverse", "--ink"),
    ("--color-background-info", "--access-soft"),
    ("--color-background-danger", "--grave-soft"),
    ("--color-background-success", "--good-soft"),
    ("--color-background-warning", "--premium-soft"),
    ("--color-background-disabled", "--surface-sunk"),
    ("--color-text-primary", "--ink"),
    ("--color-text-secondary", "--ink-soft"),
    ("--color-text-tertiary", "--ink-soft"),
    ("--color-text-inverse", "--paper"),
    ("--color-text-info", "--access"),
    ("--color-text-danger", "--grave"),
    ("--color-text-success", "--good"),
    ("--color-text-warning", "--premium"),
    ("--color-text-disabled", "--seat-taken-ink"),
    ("--color-border-primary", "--line"),
    ("--color-border-secondary", "--line-strong"),
    ("--color-border-tertiary", "--line"),
    ("--color-border-info", "--access"),
    ("--color-border-danger", "--grave"),
    ("--color-border-success", "--good"),
    ("--color-border-warning", "--premium"),
    ("--color-ring-primary", "--focus"),
    ("--color-ring-secondary", "--line-strong"),
    ("--color-ring-info", "--access"),
    ("--color-ring-danger", "--grave"),
    ("--color-ring-success", "--good"),
    ("--color-ring-warning", "--premium"),
    ("--font-sans", "--sans"),
    ("--font-mono", "--mono"),
    ("--font-text-xs-size", "--text-1"),
    ("--font-text-sm-size", "--text-3"),
    ("--font-text-md-size", "--text-4"),
    ("--font-text-lg-size", "--text-5"),
    ("--font-heading-xs-size", "--text-4"),
    ("--font-heading-sm-size", "--text-5"),
    ("--font-heading-md-size", "--text-6"),
    ("--font-heading-lg-size", "--text-7"),
    ("--border-radius-xs", "--radius-1"),
    ("--border-radius-sm", "--radius-1"),
    ("--border-radius-md", "--radius-2"),
    ("--border-radius-lg", "--radius-3"),
    ("--border-radius-full", "--radius-4"),
];

/// Changeable properties of the page that an app is informed of.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Surroundings {
    pub(crate) is_dark: bool,
    pub(crate) lang: Lang,
    pub(crate) is_fullscreen: bool,
    /// Width in CSS pixels.
    pub(crate) width: f64,
    pub(crate) max_height: f64,
}

impl Surroundings {
    /// Formats them as `hostContext`.
    pub(crate) fn context(&self) -> Value {
        let mode = if self.is_fullscreen { "fullscreen" } else { "inline" };
        json!({
            "theme": if self.is_dark { "dark" } else { "light" },
            "locale": self.lang.tag(),
            "displayMode": mode,
            "containerDimensions": { "width": self.width, "maxHeight": self.max_height },
        })
    }
}

/// Collects the style variables; `value` looks up each.
pub(crate) fn styles(value: impl Fn(&str) -> Option<String>) -> Value {
    let styles = STYLES.iter().filter_map(|(theirs, ours)| {
        let value = value(ours).filter(|it| !it.is_empty())?;
        Some(((*theirs).to_owned(), Value::from(value.trim())))
    });
    Value::Object(styles.collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tool(name: &str, meta: Value) -> Tool {
        let meta = meta.as_object().cloned().unwrap_or_default();
        Tool { name: name.to_owned(), meta, ..Tool::default() }
    }

    #[test]
    fn app_reaches_only_its_own_servers_tools() {
        let tools = [
            tool("a_look", json!({ "madoguchi/server": "a", "madoguchi/name": "look" })),
            tool("b_look", json!({ "madoguchi/server": "b", "madoguchi/name": "look" })),
            tool(
                "a_think",
                json!({ "madoguchi/server": "a", "madoguchi/name": "think", "ui": { "visibility": ["model"] } }),
            ),
            tool(
                "a_press",
                json!({ "madoguchi/server": "a", "madoguchi/name": "press", "ui": { "visibility": ["app"] } }),
            ),
            tool(
                "a_none",
                json!({ "madoguchi/server": "a", "madoguchi/name": "none", "ui": { "visibility": [] } }),
            ),
            tool("look", json!({ "madoguchi/component": "a" })),
            tool("bare", json!({})),
        ];
        let a = Owner::Server("a".to_owned());
        let found = |owner: &Owner, name: &str| callable(&tools, owner, name).map(|it| &*it.name);
        assert_eq!(found(&a, "look"), Ok("a_look"));
        assert_eq!(found(&a, "press"), Ok("a_press"));
        assert_eq!(found(&Owner::Server("b".to_owned()), "look"), Ok("b_look"));
        assert_eq!(found(&Owner::Component("a".to_owned()), "look"), Ok("look"));
        for (name, why) in [
            ("think", Barred::NotForApps),
            ("none", Barred::NotForApps),
            ("b_look", Barred::Unknown),
            ("a_look", Barred::Unknown),
            ("bare", Barred::Unknown),
            ("", Barred::Unknown),
        ] {
            assert_eq!(found(&a, name), Err(why), "{name}");
        }
    }

    #[test]
    fn read_only_hint_counts_only_from_believed_servers() {
        let reads = |meta: Value| {
            let mut tool = tool("x", meta);
            tool.annotations.read_only_hint = true;
            only_reads(&tool)
        };
        assert!(!reads(json!({ "madoguchi/server": "a" })));
        assert!(reads(json!({ "madoguchi/server": "a", "madoguchi/believed": true })));
        assert!(reads(json!({ "madoguchi/component": "a" })));
        assert!(!reads(json!({})));
        assert!(!only_reads(&tool("x", json!({ "madoguchi/component": "a" }))));
    }

    #[test]
    fn reads_app_document_with_allowed_permissions() {
        let origin = Origin {
            origin: "http://x".to_owned(),
            permissions: vec!["clipboardWrite".to_owned()],
        };
        let read = |one: Value| Document::read(&json!({ "contents": [one] }), "ui://a", &origin);
        let app = json!({ "uri": "ui://a", "mimeType": "text/html; profile=mcp-app", "text": "<p>", "_meta": { "ui": {
            "csp": { "connectDomains": ["https://a.example"] }, "prefersBorder": false,
            "permissions": { "camera": {}, "clipboardWrite": {} },
        } } });
        let document = read(app).unwrap();
        assert_eq!(document.html, "<p>");
        assert_eq!(document.csp, encoded(r#"{"connectDomains":["https://a.example"]}"#));
        assert_eq!(document.allow, "clipboard-write *");
        assert!(!document.has_border);
        let blob = json!({ "uri": "ui://a", "mimeType": MIME, "blob": "PHA+" });
        assert_eq!(read(blob).unwrap().html, "<p>");
        for wrong in [
            json!({ "uri": "ui://a", "mimeType": "text/html", "text": "<p>" }),
            json!({ "uri": "ui://a", "mimeType": MIME }),
            json!({ "uri": "ui://a", "mimeType": MIME, "blob": "?" }),
            json!({ "uri": "ui://a", "mimeType": MIME, "text": "x".repeat(HTML_BYTES_MAX + 1) }),
            json!({ "uri": "ui://a", "mimeType": MIME, "text": "", "_meta": { "ui": { "csp": { "a": "x".repeat(CSP_BYTES_MAX) } } } }),
        ] {
            assert!(read(wrong).is_err());
        }
        assert!(Document::read(&json!({ "contents": [] }), "ui://a", &origin).is_err());
    }

    #[test]
    fn app_styles_take_the_pages_values() {
        let styles = styles(|it| (it == "--ink").then(|| " #000 ".to_owned()));
        assert_eq!(
            styles,
            json!({ "--color-background-inverse": "#000", "--color-text-primary": "#000" })
        );
    }
}
