//! Finds elements as screen readers do: by role and by name.

use std::{path::Path, time::Instant};

use fantoccini::{Locator, elements::Element, key::Key};
use serde_json::{Value, json};

use super::{Browser, LOOK_EVERY, PATIENCE};

/// Finds an element by role and name: first by the exact name, then by its prefix, then by a part. The role
/// `field` stands for inputs, lists and groups of them.
const FIND: &str = r#"
    const [role, name] = arguments;
    const inputs = 'input:not([type=hidden]),textarea,select,fieldset,[role=combobox],[role=group],[role=radiogroup],[role=listbox]';
    const own = {
        alert: '', button: 'button,input[type=button],input[type=submit],summary', link: 'a[href]',
        checkbox: 'input[type=checkbox]', radio: 'input[type=radio]', slider: 'input[type=range]',
        spinbutton: 'input[type=number]', combobox: 'select', group: 'fieldset',
        heading: 'h1,h2,h3,h4,h5,h6', separator: 'hr', dialog: 'dialog', row: 'tr',
        textbox: 'input:not([type]),input[type=text],input[type=search],input[type=email],input[type=password],textarea',
        field: inputs,
    }[role];
    const text = it => (it.textContent || '').trim().replace(/\s+/g, ' ');
    const label = it => {
        const by = (it.getAttribute('aria-labelledby') || '').split(/\s+/).filter(Boolean)
            .map(id => document.getElementById(id)).filter(Boolean);
        if (by.length) return by.map(text).join(' ');
        const said = it.getAttribute('aria-label') || [...(it.labels || [])].map(text).join(' ');
        if (said) return said;
        if (it.matches('fieldset')) return text(it.querySelector('legend') || it);
        return it.matches('input,textarea,select') ? it.title : text(it);
    };
    const seen = it => it.type === 'file' || it.checkVisibility();
    const css = [`[role=${role}]`, own].filter(Boolean).join(',');
    const all = [...document.querySelectorAll(css)].filter(seen)
        .filter(it => role === 'field' || !it.hasAttribute('role') || it.getAttribute('role') === role);
    const tests = [it => it === name, it => it.startsWith(name), it => it.includes(name)];
    const rest = tests.map(test => all.filter(it => test(label(it))));
    return rest.find(it => it.length) || [];
"#;

impl Browser {
    /// Waits for the element of that role whose name is, begins with, or contains `name`.
    pub async fn role(&self, role: &str, name: &str) -> Element {
        let began = Instant::now();
        loop {
            if let Some(element) = self.roles(role, name).await.into_iter().next() {
                return element;
            }
            if began.elapsed() > PATIENCE {
                panic!("no {role} {name:?}; the page says: {}", self.text("body").await);
            }
            tokio::time::sleep(LOOK_EVERY).await;
        }
    }

    /// All elements of that role and name now.
    pub async fn roles(&self, role: &str, name: &str) -> Vec<Element> {
        self.try_roles(role, name).await.unwrap_or_default()
    }

    /// The same; none where the page cannot be looked at now.
    async fn try_roles(&self, role: &str, name: &str) -> Option<Vec<Element>> {
        let found = self.client.execute(FIND, vec![json!(role), json!(name)]).await.ok()?;
        let found = found.as_array()?.iter();
        Some(found.filter_map(|it| self.element(it)).collect())
    }

    /// Waits until no element has that role and name.
    pub async fn no_role(&self, role: &str, name: &str) {
        let began = Instant::now();
        while !self.try_roles(role, name).await.is_some_and(|it| it.is_empty()) {
            assert!(began.elapsed() < PATIENCE, "there still is a {role} {name:?}");
            tokio::time::sleep(LOOK_EVERY).await;
        }
    }

    /// The field with that label: an input, a list, a group of them.
    pub async fn field(&self, label: &str) -> Element {
        self.role("field", label).await
    }

    /// The role and the name that the browser computes for screen readers.
    pub async fn computed(&self, element: &Element) -> (String, String) {
        let reference = serde_json::to_value(element).expect("a reference is JSON");
        let id = reference.as_object().and_then(|it| it.values().next()).and_then(Value::as_str);
        let id = id.expect("a reference has an id");
        let ask = |what: &'static str| super::driver::Computed { id: id.to_owned(), what };
        let role = self.client.issue_cmd(ask("computedrole")).await.expect("it has a role");
        let label = self.client.issue_cmd(ask("computedlabel")).await.expect("it has a name");
        let shown = |it: Value| it.as_str().unwrap_or_default().to_owned();
        (shown(role), shown(label))
    }

    /// The description of a field: its help and its errors.
    pub async fn described(&self, label: &str) -> String {
        let script = "
            const ids = ['aria-describedby', 'aria-errormessage']
                .flatMap(it => (arguments[0].getAttribute(it) || '').split(/\\s+/)).filter(Boolean);
            return [...new Set(ids)].map(id => document.getElementById(id)?.textContent || '').join(' ');";
        self.of_field(label, script).await.as_str().unwrap_or_default().to_owned()
    }

    /// What a script returns of the field with that label, its argument.
    pub(super) async fn of_field(&self, label: &str, script: &str) -> Value {
        let ask = async || {
            let field = super::reference(&self.field(label).await);
            self.client.execute(script, vec![field]).await
        };
        self.undisturbed(ask).await.expect("the script runs")
    }

    /// Waits until the description of a field contains `part`.
    pub async fn describes(&self, label: &str, part: &str) {
        let began = Instant::now();
        loop {
            let name = self.described(label).await;
            if name.contains(part) {
                return;
            }
            assert!(began.elapsed() < PATIENCE, "of {label:?} is said {name:?} and not {part:?}");
            tokio::time::sleep(LOOK_EVERY).await;
        }
    }

    /// The value of an attribute of a field; empty where the field lacks it.
    pub async fn attribute(&self, label: &str, attribute: &str) -> String {
        let read = async || self.field(label).await.attr(attribute).await;
        self.undisturbed(read).await.ok().flatten().unwrap_or_default()
    }

    /// The value of a field.
    pub async fn content(&self, label: &str) -> String {
        let read = async || self.field(label).await.prop("value").await;
        self.undisturbed(read).await.ok().flatten().unwrap_or_default()
    }

    /// Waits until a field has the value `text`.
    pub async fn holds(&self, label: &str, text: &str) {
        let began = Instant::now();
        loop {
            let content = self.content(label).await;
            if content == text {
                return;
            }
            assert!(began.elapsed() < PATIENCE, "{label:?} holds {content:?} and not {text:?}");
            tokio::time::sleep(LOOK_EVERY).await;
        }
    }

    /// Opens another tab on the page; [`Browser::tab`] returns to the first.
    pub async fn new_tab(&self, address: &str) {
        let tab = self.client.new_window(true).await.expect("there is another tab");
        self.client.switch_to_window(tab.handle).await.expect("it can be looked at");
        self.go(address).await;
    }

    /// Switches to a tab by the order of opening.
    pub async fn tab(&self, number: usize) {
        let tabs = self.client.windows().await.expect("there are tabs");
        self.client.switch_to_window(tabs[number].clone()).await.expect("it can be looked at");
    }

    /// All matching elements inside an element.
    pub async fn within(&self, element: &Element, css: &str) -> Vec<Element> {
        element.find_all(Locator::Css(css)).await.expect("the page is there")
    }
}

// Fills in forms: fields are found by their labels, options by their texts.

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
        let began = Instant::now();
        loop {
            let options = self.options(label).await;
            if options.iter().any(|it| it == option) {
                return;
            }
            assert!(began.elapsed() < PATIENCE, "{label:?} has {options:?}, not {option:?}");
            tokio::time::sleep(LOOK_EVERY).await;
        }
    }

    /// Waits until a list is loaded.
    pub async fn is_loaded(&self, label: &str) {
        let began = Instant::now();
        while !self.field(label).await.is_enabled().await.unwrap_or_default() {
            assert!(began.elapsed() < PATIENCE, "{label:?} does not load");
            tokio::time::sleep(LOOK_EVERY).await;
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
