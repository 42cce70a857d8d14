//! Chooses how a form reaches the person, by the client's capabilities, and formats the texts about it.

use output::form::{Field, Form, Kind, Status, Values};
use serde_json::Value;
use toolkit::apps;

use crate::refusals::say;

/// Maximum fields asked by questions; a page is better for more.
const FIELDS_ASKED_MAX: usize = 12;

/// Delivery of a form.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Delivery {
    /// The client draws the form itself.
    Page,
    /// The client asks questions, and the form fits into them.
    Questions,
    /// The client opens a URL.
    Address,
    /// The client supports none of these, or shows the form as an app: the result says where the form is.
    Link,
}

/// Chooses the delivery of `form` for a client's capabilities; `has_page` if there is a URL.
pub fn choose_delivery(form: &Form, capabilities: &Value, has_page: bool, fits: bool) -> Delivery {
    if draws_forms(capabilities) {
        return Delivery::Page;
    }
    // A client with apps shows the form next to the call, whatever else it supports; the result mentions the URL.
    if apps::shows(capabilities) {
        return Delivery::Link;
    }
    let elicitation = &capabilities["elicitation"];
    let can_open = can_open(capabilities, has_page);
    // Before MCP had two modes, every client with elicitation supported forms.
    let puts_questions = elicitation["form"].is_object()
        || (elicitation.is_object() && elicitation["url"].is_null());
    let is_small = count_inputs(form) <= FIELDS_ASKED_MAX || !can_open;
    if puts_questions && fits && is_small {
        Delivery::Questions
    } else if can_open {
        Delivery::Address
    } else {
        Delivery::Link
    }
}

/// Whether the client opens URLs, and there is one.
pub fn can_open(capabilities: &Value, has_page: bool) -> bool {
    capabilities["elicitation"]["url"].is_object() && has_page
}

/// Whether the client draws forms itself, as our page does.
pub fn draws_forms(capabilities: &Value) -> bool {
    capabilities["extensions"]["madoguchi/forms"].is_object()
}

/// Whether the client is a chat, which draws the form in the answer, and whose results models read as well.
pub fn is_chat(capabilities: &Value) -> bool {
    draws_forms(capabilities) && capabilities["extensions"]["madoguchi/handles"].is_object()
}

fn count_inputs(form: &Form) -> usize {
    form.fields.iter().filter(|it| it.is_input() && !matches!(it.kind, Kind::Hidden(_))).count()
}

// Texts about a form for models and people: those of the specification, and where it is.

/// Message of `request_form` while the form waits (FORM-1).
pub const WAITING: &str =
    "フォーム入力を待機しています。入力完了後、次のメッセージとして送信されます。";
/// Message sent for a person who cancelled (FORM-9).
const CANCELLED: &str = "フォーム入力をキャンセルしました。";
/// Message sent for a person who declined.
const DECLINED: &str = "フォームへの回答を辞退しました。";

/// Maximum fields in the textual summary of a definition.
const FIELDS_MAX: usize = 60;
/// Maximum options of one field in it.
const OPTIONS_MAX: usize = 20;

/// Message that a client sends to its model for the person (FORM-5, FORM-9).
pub fn message(status: Status, values: Option<&Values>) -> Option<String> {
    match status {
        Status::Waiting => None,
        Status::Submitted => values.and_then(|it| serde_json::to_string_pretty(it).ok()),
        Status::Cancelled => Some(CANCELLED.to_owned()),
        Status::Declined => Some(DECLINED.to_owned()),
    }
}

/// First text of the result (FORM-8).
pub fn requested(form: &Form) -> String {
    format!(
        "フォーム入力を待機しています。\n\n【{}】\n{}\n\nフィールド数: {}\n\
         ユーザーがフォームに入力後、次のメッセージとして入力内容が送信されます。",
        form.title,
        form.description.as_deref().unwrap_or_default(),
        form.fields.len(),
    )
}

/// Tells a client that does not draw forms where the form is, or what to ask.
pub fn place(form: &Form, handle: &str, url: Option<&str>) -> String {
    let then = say(
        "フォームは回答されるまで開いています。回答は get_form_submission で取得できます（timeout_seconds を指定すると回答を待ち、まだなら waiting を返します。そのときはもう一度呼び出してください）。",
        "The form stays open until it is answered. get_form_submission brings the answer (with timeout_seconds it waits; while its status is waiting, call it again).",
    );
    let head = match url {
        Some(url) => {
            let ask = say(
                "ユーザーに次のURLを伝え、フォームに入力してもらってください。",
                "Give the user this address, where they can fill in the form.",
            );
            format!("{ask}\n{url}")
        }
        None => {
            let ask = say(
                "このフォームを開ける画面がありません。次の項目を会話でユーザーに尋ね、\
                 submit_form に handle と values を渡して送信してください。",
                "There is no page that shows this form. Ask the user for these in the conversation, \
                 and send them by submit_form with the handle and values.",
            );
            format!("{ask}\n{}", fields(form))
        }
    };
    format!("{head}\n\nhandle: {handle}\n{then}")
}

/// The same in one line, for progress notifications.
pub fn in_one_line(title: &str, handle: &str, url: Option<&str>) -> String {
    let waits = say("フォームの入力を待っています", "The form waits to be filled in");
    let place = url.map(|it| format!(" {it}")).unwrap_or_default();
    format!("{waits}: {title}{place} (handle: {handle})")
}

/// Lists the fields for a model that asks for them.
fn fields(form: &Form) -> String {
    let inputs = form.fields.iter().filter(|it| !matches!(it.kind, Kind::Hidden(_)));
    let mut lines: Vec<_> = inputs.clone().take(FIELDS_MAX).filter_map(field).collect();
    let rest = inputs.count().saturating_sub(FIELDS_MAX);
    if rest > 0 {
        lines.push(format!("{} {rest}", say("以下省略:", "and more:")));
    }
    lines.join("\n")
}

fn field(field: &Field) -> Option<String> {
    if !field.is_input() {
        return (!field.label.is_empty()).then(|| format!("[{}]", field.label));
    }
    let options = match &field.kind {
        Kind::Select(it) | Kind::Multiselect(it, _) | Kind::Radio(it) => it.as_slice(),
        _ => &[],
    };
    let shown = options.iter().take(OPTIONS_MAX);
    let shown = shown.map(|it| format!("{}={}", plain(&it.value), it.label)).collect::<Vec<_>>();
    let options = if shown.is_empty() { String::new() } else { format!(" [{}]", shown.join(", ")) };
    let required = if field.required { say("（必須）", " (required)") } else { "" };
    Some(format!("- {}: {}{required} <{}>{options}", field.name, field.label, field.kind.name()))
}

fn plain(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

#[cfg(test)]
mod tests {
    use output::form::Field;
    use serde_json::json;

    use super::*;

    fn form(fields: usize) -> Form {
        let field = Field { name: "a".into(), kind: Kind::Checkbox, ..Field::default() };
        Form { fields: vec![field; fields], ..Form::default() }
    }

    #[test]
    fn chooses_the_best_supported_delivery() {
        let both = json!({ "elicitation": { "form": {}, "url": {} } });
        let app = json!({
            "extensions": { "io.modelcontextprotocol/ui": {} },
            "elicitation": { "form": {}, "url": {} },
        });
        let page = json!({ "extensions": { "madoguchi/forms": {} }, "elicitation": {} });
        for (capabilities, fields, has_page, fits, expected) in [
            (json!({}), 1, true, true, Delivery::Link),
            (page, 1, true, true, Delivery::Page),
            (app, 1, true, true, Delivery::Link),
            (json!({ "elicitation": {} }), 1, true, true, Delivery::Questions),
            (json!({ "elicitation": { "form": {} } }), 1, true, false, Delivery::Link),
            (json!({ "elicitation": { "url": {} } }), 1, true, true, Delivery::Address),
            (json!({ "elicitation": { "url": {} } }), 1, false, true, Delivery::Link),
            (both.clone(), 1, true, true, Delivery::Questions),
            (both.clone(), 1, true, false, Delivery::Address),
            (both.clone(), 50, true, true, Delivery::Address),
            (both, 50, false, true, Delivery::Questions),
        ] {
            let found = choose_delivery(&form(fields), &capabilities, has_page, fits);
            assert_eq!(found, expected, "{capabilities} {fields} {has_page} {fits}");
        }
    }
}
