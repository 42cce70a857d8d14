//! Whom a tool is for, by what its meta says (`ui.visibility`, as MCP Apps have it), and who looks.

use serde_json::{Map, Value};

/// Extensions whose clients draw views: MCP Apps, and this server's own page.
const VIEWS: [&str; 2] = ["io.modelcontextprotocol/ui", "madoguchi/views"];

/// Whom a tool is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Audience {
    /// Models, and views as well.
    Models,
    /// Views alone: no model is told of it.
    Views,
    /// The host itself: nobody else is told of it.
    Host,
}

/// Who looks at a list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Viewer {
    /// A client that hands what it gets to a model.
    Client,
    /// One that draws views.
    Page,
}

impl Audience {
    /// Of a tool with that meta; one that says nothing is for everybody.
    pub fn of(meta: &Map<String, Value>) -> Self {
        let visibility = meta.get("ui").and_then(|it| it.get("visibility")?.as_array());
        match visibility {
            Some(all) if all.is_empty() => Self::Host,
            Some(all) if all.iter().all(|it| it != "model") => Self::Views,
            _ => Self::Models,
        }
    }

    /// Whether `viewer` is told of it.
    pub fn has(self, viewer: Viewer) -> bool {
        match self {
            Self::Models => true,
            Self::Views => viewer == Viewer::Page,
            Self::Host => false,
        }
    }
}

impl Viewer {
    /// Of a client with these capabilities, a JSON object.
    pub fn of(capabilities: &str) -> Self {
        // Most clients say little, and what they say is read for each list.
        let capabilities: Value = serde_json::from_str(capabilities).unwrap_or_default();
        let declares = |name: &str| {
            let places = ["extensions", "experimental"].into_iter();
            places.filter_map(|it| capabilities.get(it)).any(|it| it.get(name).is_some())
        };
        if VIEWS.iter().any(|it| declares(it)) { Self::Page } else { Self::Client }
    }

    /// What of a tool's meta it can use: texts for pages and words on views are for those that draw.
    pub fn meta(self, meta: &Map<String, Value>) -> Map<String, Value> {
        let is_for_pages = |name: &str| name == "ui" || name.starts_with("madoguchi/");
        let all = meta.iter().filter(|(name, _)| self == Self::Page || !is_for_pages(name));
        all.map(|(name, value)| (name.clone(), value.clone())).collect()
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_tool_is_for_those_whom_it_names() {
        for (ui, audience) in [
            (json!({}), Audience::Models),
            (json!({ "visibility": ["app"] }), Audience::Views),
            (json!({ "visibility": ["model", "app"] }), Audience::Models),
            (json!({ "visibility": [] }), Audience::Host),
            (json!({ "visibility": "app" }), Audience::Models),
        ] {
            let meta = json!({ "ui": ui });
            assert_eq!(Audience::of(meta.as_object().unwrap()), audience, "{meta}");
        }
        assert!(!Audience::Host.has(Viewer::Page));
        assert!(Audience::Views.has(Viewer::Page) && !Audience::Views.has(Viewer::Client));
    }

    #[test]
    fn a_client_that_draws_says_so() {
        for (capabilities, viewer) in [
            ("{}", Viewer::Client),
            ("no JSON", Viewer::Client),
            (r#"{"extensions":{"madoguchi/forms":{}}}"#, Viewer::Client),
            (r#"{"extensions":{"madoguchi/views":{}}}"#, Viewer::Page),
            (r#"{"extensions":{"io.modelcontextprotocol/ui":{"mimeTypes":[]}}}"#, Viewer::Page),
            (r#"{"experimental":{"io.modelcontextprotocol/ui":{}}}"#, Viewer::Page),
        ] {
            assert_eq!(Viewer::of(capabilities), viewer, "{capabilities}");
        }
        let meta = json!({ "madoguchi/view": "seats", "ui": {}, "shop/colour": "red" });
        let left = Viewer::Client.meta(meta.as_object().unwrap());
        assert_eq!(left.keys().collect::<Vec<_>>(), ["shop/colour"]);
    }
}
