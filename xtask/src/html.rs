//! Expands the `data-trunk` elements of index.html as trunk does.

use anyhow::{Context, Result, bail};

/// HTML of the page, and files to copy beside it.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Page {
    pub(crate) html: String,
    /// Files and folders: where from (relative to index.html), where to (relative to the page).
    pub(crate) copies: Vec<(String, String)>,
    /// Style sheets in their order: one after another they are [`STYLE`].
    pub(crate) styles: Vec<String>,
    /// Files marked `data-later`, concatenated to [`LATER`].
    pub(crate) later: Vec<String>,
}

/// The style of what every visit shows.
pub(crate) const STYLE: &str = "style.css";
/// The style of what parts of the program draw: it is loaded with the first of them, by `frontend/src/part.rs`.
pub(crate) const LATER: &str = "later.css";

/// The elements that start the program. `boot.js` is a file because the page's CSP allows no inline script.
const START: &str = r#"<link rel="modulepreload" href="frontend.js">
  <link rel="modulepreload" href="parts.js">
  <link rel="preload" href="frontend_bg.wasm" as="fetch" type="application/wasm" crossorigin>
  <script type="module" src="boot.js"></script>"#;

/// Reads index.html. An element that we do not know how to turn is an error: trunk would act on it.
pub(crate) fn plain(source: &str) -> Result<Page> {
    let mut page = Page::default();
    let mut rest = source;
    while let Some(begin) = next_element(rest) {
        let end = rest[begin..].find('>').context("an element without its `>`")? + begin + 1;
        let element = &rest[begin..end];
        page.html.push_str(&rest[..begin]);
        if attribute(element, "data-trunk-public-url").is_some() {
            page.html.push_str(r#"<base href="/">"#);
        } else if attribute(element, "data-trunk").is_some() {
            let plain = page.turn(element)?;
            if plain.is_empty() {
                // Nothing is left of it, and nothing of its line.
                page.html.truncate(page.html.trim_end().len());
            }
            page.html.push_str(&plain);
        } else {
            page.html.push_str(element);
        }
        rest = &rest[end..];
    }
    page.html.push_str(rest);
    Ok(page)
}

/// Start of the next element for trunk.
fn next_element(html: &str) -> Option<usize> {
    ["<link", "<base", "<script"].iter().filter_map(|tag| html.find(tag)).min()
}

impl Page {
    fn turn(&mut self, element: &str) -> Result<String> {
        let href = attribute(element, "href").unwrap_or_default();
        let name = href.rsplit('/').next().unwrap_or_default();
        let target = attribute(element, "data-target-path").unwrap_or(name);
        match attribute(element, "rel").unwrap_or_default() {
            "rust" => Ok(START.to_owned()),
            "css" => {
                let is_later = attribute(element, "data-later").is_some();
                let (sheets, element) = if is_later {
                    // No browser follows it until the program makes it a style sheet.
                    (
                        &mut self.later,
                        format!(r#"<link id="later-style" rel="later" href="{LATER}">"#),
                    )
                } else {
                    (&mut self.styles, format!(r#"<link rel="stylesheet" href="{STYLE}">"#))
                };
                sheets.push(href.to_owned());
                Ok(if sheets.len() == 1 { element } else { String::new() })
            }
            "icon" => {
                self.copies.push((href.to_owned(), name.to_owned()));
                Ok(format!(r#"<link rel="icon" href="{name}">"#))
            }
            "copy-dir" => {
                self.copies.push((href.to_owned(), target.to_owned()));
                Ok(String::new())
            }
            "copy-file" => {
                let folder = attribute(element, "data-target-path").map(|path| format!("{path}/"));
                self.copies.push((href.to_owned(), folder.unwrap_or_default() + name));
                Ok(String::new())
            }
            other => bail!("index.html: no way to turn rel=\"{other}\" of {element}"),
        }
    }
}

/// An attribute's value; the empty string for one that has none.
fn attribute<'a>(element: &'a str, name: &str) -> Option<&'a str> {
    let mut rest = element.trim_start_matches('<').trim_end_matches('>').trim_end_matches('/');
    rest = rest.split_once(char::is_whitespace).map_or("", |(_, rest)| rest);
    loop {
        rest = rest.trim_start();
        if rest.is_empty() {
            return None;
        }
        let end = rest.find(|c: char| c == '=' || c.is_whitespace()).unwrap_or(rest.len());
        let (found, after) = rest.split_at(end);
        let (value, after) = match after.strip_prefix("=\"") {
            Some(quoted) => quoted.split_once('"')?,
            None if after.starts_with('=') => {
                after[1..].split_once(char::is_whitespace).unwrap_or((&after[1..], ""))
            }
            None => ("", after),
        };
        if found == name {
            return Some(value);
        }
        rest = after;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn expands_trunk_elements_and_keeps_the_rest() {
        let page = plain(
            r#"<head><meta charset="utf-8"><base data-trunk-public-url>
<link data-trunk rel="rust" href="frontend/Cargo.toml"
      data-wasm-opt="0" />
<link data-trunk rel="css" href="frontend/style/page.css">
<link data-trunk rel="css" href="frontend/style/home.css">
<link data-trunk rel="css" data-later href="frontend/style/hall.css">
<link data-trunk rel="css" data-later href="frontend/style/map.css">
<link data-trunk rel="copy-dir" href="node_modules/leaflet/dist" data-target-path="vendor/leaflet">
<link rel="stylesheet" href="vendor/leaflet/leaflet.css"></head>"#,
        )
        .unwrap();
        assert!(!page.html.contains("data-trunk"), "{}", page.html);
        assert!(page.html.contains(r#"<base href="/">"#));
        assert!(page.html.contains(r#"<script type="module" src="boot.js">"#));
        assert_eq!(page.html.matches(r#"<link rel="stylesheet" href="style.css">"#).count(), 1);
        assert!(!page.html.contains("\n\n"), "{}", page.html);
        assert_eq!(
            page.html.matches(r#"<link id="later-style" rel="later" href="later.css">"#).count(),
            1
        );
        assert_eq!(page.styles, ["frontend/style/page.css", "frontend/style/home.css"]);
        assert_eq!(page.later, ["frontend/style/hall.css", "frontend/style/map.css"]);
        assert!(
            page.html
                .ends_with("<link rel=\"stylesheet\" href=\"vendor/leaflet/leaflet.css\"></head>")
        );
        let copies = [("node_modules/leaflet/dist".to_owned(), "vendor/leaflet".to_owned())];
        assert_eq!(page.copies, copies);
    }

    #[test]
    fn unknown_trunk_element_is_an_error() {
        let error = plain(r#"<link data-trunk rel="sass" href="a.scss">"#).unwrap_err();
        assert!(error.to_string().contains("sass"), "{error}");
    }
}
