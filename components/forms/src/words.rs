//! Texts about a form for models and people: those of the specification, and where it is.

use output::form::{Field, Form, Kind, Status, Values};
use serde_json::Value;

use crate::refusals::say;

/// What `request_form` puts out while the form waits (FORM-1).
pub const WAITING: &str =
    "フォーム入力を待機しています。入力完了後、次のメッセージとして送信されます。";
/// What a client sends in the name of a person who cancelled (FORM-9).
pub const CANCELLED: &str = "フォーム入力をキャンセルしました。";
/// What it sends in the name of a person who does not want to answer.
pub const DECLINED: &str = "フォームへの回答を辞退しました。";

/// Fields that the definition's account in plain text has; more are too many to ask in a chat.
const FIELDS_MAX: usize = 60;
/// Options of one field that it has.
const OPTIONS_MAX: usize = 20;

/// What a client sends to its model in the name of the person who answered (FORM-5, FORM-9).
pub fn message(status: Status, values: Option<&Values>) -> Option<String> {
    match status {
        Status::Waiting => None,
        Status::Submitted => values.and_then(|it| serde_json::to_string_pretty(it).ok()),
        Status::Cancelled => Some(CANCELLED.to_owned()),
        Status::Declined => Some(DECLINED.to_owned()),
    }
}

/// The result's first text (FORM-8).
pub fn requested(form: &Form) -> String {
    format!(
        "フォーム入力を待機しています。\n\n【{}】\n{}\n\nフィールド数: {}\n\
         ユーザーがフォームに入力後、次のメッセージとして入力内容が送信されます。",
        form.title,
        form.description.as_deref().unwrap_or_default(),
        form.fields.len(),
    )
}

/// Where the form is, for a client that does not draw it: an address, or else what to ask.
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

/// The same in one line, for people who watch how a call gets on.
pub fn in_one_line(title: &str, handle: &str, url: Option<&str>) -> String {
    let waits = say("フォームの入力を待っています", "The form waits to be filled in");
    let place = url.map(|it| format!(" {it}")).unwrap_or_default();
    format!("{waits}: {title}{place} (handle: {handle})")
}

/// The fields, a line each, as a model can ask for them.
fn fields(form: &Form) -> String {
    let asked = form.fields.iter().filter(|it| !matches!(it.kind, Kind::Hidden(_)));
    let mut lines: Vec<_> = asked.clone().take(FIELDS_MAX).filter_map(field).collect();
    let rest = asked.count().saturating_sub(FIELDS_MAX);
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
