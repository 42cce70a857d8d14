//! The app that draws a tool's output, as MCP Apps have it: `_meta.ui.resourceUri` stands where its component has the
//! page, and there alone.

use std::sync::Arc;

use serde_json::{Map, Value, json};

use super::{Resource, Tool};

/// The extension, as clients and servers name it.
pub const EXTENSION: &str = "io.modelcontextprotocol/ui";
/// The type of a page that is an app.
pub const MIME_TYPE: &str = "text/html;profile=mcp-app";
/// Where older tools name their apps.
const OLDER: &str = "ui/resourceUri";

/// Takes the name of the app out of a tool's meta.
pub(super) fn take(meta: &mut Map<String, Value>) -> Option<Arc<str>> {
    let older = meta.remove(OLDER);
    let named = meta.get_mut("ui").and_then(|it| it.as_object_mut()?.remove("resourceUri"));
    if meta.get("ui").is_some_and(|it| it.as_object().is_none_or(Map::is_empty)) {
        meta.remove("ui");
    }
    named.or(older)?.as_str().map(Into::into)
}

impl Tool {
    /// The same tool, whose meta names its app where that is among the resources of its own component.
    #[must_use]
    pub fn with_app(&self, component: &str, resources: &[Resource]) -> Self {
        let mut tool = self.clone();
        take(&mut tool.meta);
        let Some(uri) = &self.app else { return tool };
        let is_app = |it: &&Resource| it.uri == *uri && it.listed["mimeType"] == MIME_TYPE;
        if uri.starts_with("ui://") && resources.iter().any(|it| is_app(&it)) {
            let ui = tool.meta.entry("ui").or_insert_with(|| json!({}));
            ui["resourceUri"] = (&**uri).into();
        } else {
            let (tool, app) = (&*self.name, base::clean::title(uri));
            tracing::warn!(
                component,
                tool,
                app,
                "its app is left out: the component lists no such resource of the type {MIME_TYPE}"
            );
        }
        tool
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// APP-2.
    #[test]
    fn the_name_of_an_app_is_taken_out_and_visibility_stays() {
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
            assert_eq!(take(&mut meta).as_deref(), named);
            assert_eq!(Value::Object(meta), left);
        }
    }
}
