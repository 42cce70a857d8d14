//! MCP Apps: a page in one file that other programs show in a frame, where a chat has called a tool.
//!
//! ```
//! use toolkit::{Text, apps::App, resources::Page};
//!
//! const LOANS: App = App {
//!     uri: "ui://library/loans",
//!     name: "loans",
//!     title: Text { ja: "貸出", en: "Loans" },
//!     style: "li { color: var(--text) }",
//!     script: &["app.start({ result(result) { app.root.textContent = result.structuredContent.text; } });"],
//! };
//!
//! let page = Page::from(vec![LOANS.resource(&[])]);
//! assert_eq!(page.resources[0].mime_type.as_deref(), Some("text/html;profile=mcp-app"));
//! assert!(LOANS.html().contains("app.start"));
//! ```
//!
//! A tool says `const APP: Option<&str> = Some(LOANS.uri)`; the component's [resources](crate::resources) list the app
//! on their first page and read it. `app/bridge.js` beside this crate's sources says what a script finds in `app`: how
//! it hears of the tool's arguments and result, calls tools, and makes elements. `app/theme.css` has the colours and
//! controls, which follow the program that shows the page.

use serde_json::{Value, json};

use crate::{
    Text, caller,
    resources::{Contents, Resource},
};

/// MIME type of an app's page.
pub const MIME_TYPE: &str = "text/html;profile=mcp-app";
/// Extension in the capabilities of clients with apps.
const EXTENSION: &str = "io.modelcontextprotocol/ui";
/// Library of an app's script.
const BRIDGE: &str = include_str!("../app/bridge.js");
/// Base style of an app.
const THEME: &str = include_str!("../app/theme.css");

/// An app of a component. It loads nothing except from named origins, and knows of the server only what tools return.
#[derive(Clone, Copy, Debug)]
pub struct App {
    /// `ui://COMPONENT/NAME`, named by a tool's [`APP`](crate::Tool::APP).
    pub uri: &'static str,
    /// Name for programs.
    pub name: &'static str,
    /// Title for people.
    pub title: Text,
    /// CSS, after the theme.
    pub style: &'static str,
    /// JavaScript, after the bridge: parts of one script, so that data may be inserted between them.
    pub script: &'static [&'static str],
}

impl App {
    /// Entry in the list of resources. `images` are permitted origins of pictures: `https://tiles.example`.
    #[must_use]
    pub fn resource(&self, images: &[String]) -> Resource {
        let Text { ja, en } = self.title;
        Resource::new(self.uri, self.name)
            .title(&format!("{ja} / {en}"))
            .mime_type(MIME_TYPE)
            .meta(meta(images))
    }

    /// Content at its URI.
    #[must_use]
    pub fn contents(&self, images: &[String]) -> Contents {
        self.contents_of(self.html(), images)
    }

    /// Content for a page made from [`App::html`].
    #[must_use]
    pub fn contents_of(&self, html: String, images: &[String]) -> Contents {
        Contents::text(self.uri, html).mime_type(MIME_TYPE).meta(meta(images))
    }

    /// The whole page.
    #[must_use]
    pub fn html(&self) -> String {
        let title = self.title.en.replace('&', "&amp;").replace('<', "&lt;");
        let head = format!(
            "<!doctype html>\n<html lang=\"en\">\n<meta charset=\"utf-8\">\n\
             <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>{title}</title>\n<style>\n"
        );
        let body = "</style>\n<main id=\"app\"></main>\n\
                    <p id=\"said\" class=\"only-heard\" role=\"status\" aria-live=\"polite\"></p>\n<script>\n";
        let parts = [&head, THEME, self.style, body, BRIDGE];
        [parts.concat(), self.script.concat(), "</script>\n</html>\n".to_owned()].concat()
    }
}

/// Whether the caller's client shows apps.
#[must_use]
pub fn are_shown() -> bool {
    shows(&caller::client_capabilities())
}

/// Whether a client with these capabilities shows apps: it has the extension and does not exclude this MIME type.
#[must_use]
pub fn shows(capabilities: &Value) -> bool {
    let extension = &capabilities["extensions"][EXTENSION];
    let types = extension["mimeTypes"].as_array();
    extension.is_object() && types.is_none_or(|it| it.iter().any(|it| it == MIME_TYPE))
}

/// `_meta` for clients that show it.
fn meta(images: &[String]) -> Value {
    json!({ "ui": { "csp": { "connectDomains": [], "resourceDomains": images }, "prefersBorder": true } })
}

#[cfg(test)]
mod tests {
    use super::*;

    const APP: App = App {
        uri: "ui://shop/cart",
        name: "cart",
        title: Text { ja: "かご", en: "Cart <&>" },
        style: "p{}",
        script: &["const DATA = ", "[1]", ";\n"],
    };

    #[test]
    fn app_is_one_file_without_requests() {
        let html = APP.html();
        assert!(
            html.contains("<title>Cart &lt;&amp;></title>") && html.contains("const DATA = [1];")
        );
        assert_eq!(html.matches("<script").count(), 1);
        let html = html.replace("http://www.w3.org/2000/svg", "");
        for outside in ["src=", "href=", "@import", "url(", "http://", "https://"] {
            assert!(!html.contains(outside), "{outside}");
        }
    }

    #[test]
    fn recognizes_clients_with_apps() {
        let declares = |extension: Value| shows(&json!({ "extensions": { EXTENSION: extension } }));
        assert!(declares(json!({})) && declares(json!({ "mimeTypes": [MIME_TYPE] })));
        assert!(!declares(json!({ "mimeTypes": ["text/plain"] })) && !declares(json!(true)));
        assert!(!shows(&json!({ "extensions": { "madoguchi/forms": {} } })));
    }

    #[test]
    fn list_and_contents_share_the_csp() {
        let images = ["https://tiles.example".to_owned()];
        let (listed, read) = (APP.resource(&images), APP.contents(&images));
        assert_eq!((&listed.uri, &listed.mime_type), (&read.uri, &read.mime_type));
        assert_eq!(listed.meta, read.meta);
        let meta: Value = serde_json::from_str(read.meta.as_deref().unwrap()).unwrap();
        assert_eq!(meta["ui"]["csp"]["resourceDomains"][0], "https://tiles.example");
        assert_eq!(meta["ui"]["csp"]["connectDomains"], json!([]));
    }
}
