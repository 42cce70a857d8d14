//! Fills in forms: fields are found by their labels, options by their texts.

use std::path::Path;

use fantoccini::{Locator, key::Key};

use super::Browser;

impl Browser {
    /// Replaces the text of a field.
    pub async fn fill(&self, label: &str, text: &str) {
        let all = format!("{}a{}", char::from(Key::Control), char::from(Key::Null));
        self.type_into(label, &format!("{all}{}", char::from(Key::Delete))).await;
        if !text.is_empty() {
            self.send_found(label, async || self.field(label).await, text).await;
        }
    }

    /// Appends text to a field.
    pub async fn type_into(&self, label: &str, text: &str) {
        self.field(label).await;
        self.has_focused().await;
        self.send_found(label, async || self.field(label).await, text).await;
    }

    /// Appends text to the field that matches a CSS selector.
    pub async fn type_at(&self, css: &str, text: &str) {
        self.find(css).await;
        self.has_focused().await;
        self.send_found(css, async || self.find(css).await, text).await;
    }

    /// Clicks the element of that role and name.
    pub async fn hit(&self, role: &str, name: &str) {
        self.tap_found(name, async || self.role(role, name).await).await;
    }

    /// Picks an option of a native list or a combobox.
    pub async fn pick(&self, label: &str, option: &str) {
        self.is_loaded(label).await;
        let tag = self.undisturbed(async || self.field(label).await.tag_name().await).await;
        if tag.expect("a field has a name").eq_ignore_ascii_case("select") {
            self.has_option(label, option).await;
            let choose = async || self.field(label).await.select_by_label(option).await;
            self.undisturbed(choose).await.expect("the option is there");
            return;
        }
        self.tap_found(label, async || self.field(label).await).await;
        self.fill(label, option).await;
        self.hit("option", option).await;
    }

    /// Types a search and picks an option of the results.
    pub async fn search(&self, label: &str, typed: &str, option: &str) {
        self.tap_found(label, async || self.field(label).await).await;
        self.type_into(label, typed).await;
        self.hit("option", option).await;
    }

    /// Waits until a native list has an option.
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

    /// Waits until a list is loaded.
    pub async fn is_loaded(&self, label: &str) {
        let began = std::time::Instant::now();
        while !self.field(label).await.is_enabled().await.unwrap_or_default() {
            assert!(began.elapsed() < super::PATIENCE, "{label:?} does not load");
            tokio::time::sleep(super::LOOK_EVERY).await;
        }
    }

    /// The texts of a native list's options.
    pub async fn options(&self, label: &str) -> Vec<String> {
        let script = "return [...(arguments[0].options || [])].map(it => it.label);";
        serde_json::from_value(self.of_field(label, script).await).expect("they are strings")
    }

    /// Selects files in a file field.
    pub async fn upload(&self, label: &str, files: &[&Path]) {
        let files: Vec<_> = files.iter().map(|it| it.display().to_string()).collect();
        let files = files.join("\n");
        let send = async || {
            let field = self.field(label).await;
            let own = field.find_all(Locator::Css("input[type=file]")).await?;
            own.into_iter().next().unwrap_or(field).send_keys(&files).await
        };
        self.undisturbed(send).await.expect("it takes files");
    }

    /// Moves the focus out of the current field.
    pub async fn leave(&self) {
        self.script("document.activeElement?.blur()").await;
    }
}
