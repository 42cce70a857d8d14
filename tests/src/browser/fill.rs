//! Filling in a form as a person does: a field is found by its label, an option by what it says.

use std::path::Path;

use fantoccini::elements::Element;
use fantoccini::key::Key;

use super::Browser;

impl Browser {
    /// Types into a field; what was in it goes.
    pub async fn fill(&self, label: &str, text: &str) {
        let all = format!("{}a{}", char::from(Key::Control), char::from(Key::Null));
        self.type_into(label, &format!("{all}{}", char::from(Key::Delete))).await;
        if !text.is_empty() {
            self.type_into(label, text).await;
        }
    }

    /// Types at the end of what is in a field.
    pub async fn type_into(&self, label: &str, text: &str) {
        self.send_found(label, async || self.field(label).await, text).await;
    }

    /// Types at the end of what is in what fits a CSS selector.
    pub async fn type_at(&self, css: &str, text: &str) {
        self.send_found(css, async || self.find(css).await, text).await;
    }

    /// Clicks what has that role and name.
    pub async fn hit(&self, role: &str, name: &str) {
        self.tap_found(name, async || self.role(role, name).await).await;
    }

    /// Picks an option of a list, be it the browser's own or a combobox.
    pub async fn pick(&self, label: &str, option: &str) {
        self.is_loaded(label).await;
        let field = self.field(label).await;
        if tag(&field).await == "select" {
            self.has_option(label, option).await;
            field.select_by_label(option).await.expect("the option is there");
            return;
        }
        self.tap_found(label, async || self.field(label).await).await;
        self.fill(label, option).await;
        self.hit("option", option).await;
    }

    /// Types what to search for and picks an option of what is found.
    pub async fn search(&self, label: &str, typed: &str, option: &str) {
        self.tap_found(label, async || self.field(label).await).await;
        self.type_into(label, typed).await;
        self.hit("option", option).await;
    }

    /// Waits until the browser's own list has an option.
    pub async fn has_option(&self, label: &str, option: &str) {
        let began = std::time::Instant::now();
        loop {
            let options = self.options(label).await;
            if options.iter().any(|it| it == option) {
                return;
            }
            assert!(began.elapsed() < super::PATIENCE, "{label:?} has {options:?}, not {option:?}");
            tokio::time::sleep(super::LOOK_EVERY).await;
        }
    }

    /// Waits until a list has been loaded: it can be chosen from.
    pub async fn is_loaded(&self, label: &str) {
        let began = std::time::Instant::now();
        while !self.field(label).await.is_enabled().await.unwrap_or_default() {
            assert!(began.elapsed() < super::PATIENCE, "{label:?} does not load");
            tokio::time::sleep(super::LOOK_EVERY).await;
        }
    }

    /// What the options of the browser's own list say.
    pub async fn options(&self, label: &str) -> Vec<String> {
        let script = "return [...(arguments[0].options || [])].map(it => it.label);";
        let field = serde_json::to_value(self.field(label).await).expect("a reference is JSON");
        serde_json::from_value(self.ask(script, vec![field]).await).expect("they are strings")
    }

    /// Gives files to a field for files.
    pub async fn upload(&self, label: &str, files: &[&Path]) {
        let field = self.field(label).await;
        let own = self.within(&field, "input[type=file]").await;
        let field = own.into_iter().next().unwrap_or(field);
        let files: Vec<_> = files.iter().map(|it| it.display().to_string()).collect();
        field.send_keys(&files.join("\n")).await.expect("it takes files");
    }

    /// Leaves the field that has the focus.
    pub async fn leave(&self) {
        self.script("document.activeElement?.blur()").await;
    }
}

async fn tag(element: &Element) -> String {
    element.tag_name().await.unwrap_or_default().to_lowercase()
}
