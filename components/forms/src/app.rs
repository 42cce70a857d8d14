//! A form as an app that other programs show (APP-4).

use toolkit::{Text, apps::App};

/// A form to fill in, and what became of it.
pub const FORM: App = App {
    uri: "ui://forms/form",
    name: "form_app",
    title: Text { ja: "フォーム", en: "Form" },
    style: include_str!("../app/form.css"),
    script: &[include_str!("../app/form.js")],
};
