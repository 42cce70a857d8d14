//! A closed form: its answers, and the text returned to the agent.

use std::sync::Arc;

use leptos::prelude::*;
use leptos::task::spawn_local;
use output::form::{Choice, Field, Form, Kind, OpenForm, Status, size_of};
use serde_json::Value;

use super::frame::Head;
use crate::browser;
use crate::dates::{self, Day};
use crate::families::forms::session::{Close, FormSession, Step};
use crate::families::forms::{choices_of, keeping};
use crate::mcp;
use crate::text::{Key, Lang};
use crate::views::notice::Notice;
use crate::views::output::Raw;

/// Texts for the agent when a form is cancelled (FORM-9) or declined.
const CANCELLED: &str = "フォーム入力をキャンセルしました。";
const DECLINED: &str = "フォームへの回答を辞退しました。";

/// How it was closed, and with which values.
#[component]
pub(super) fn Answered(
    session: FormSession,
    form: Arc<OpenForm>,
    is_fresh: bool,
    is_place: bool,
) -> impl IntoView {
    if is_place {
        browser::focus_soon(session.id("title"));
    }
    let (key, class) = match form.status {
        Status::Submitted if is_fresh => (Key::FormSent, "notice is-good"),
        Status::Cancelled => (Key::FormCancelled, "notice"),
        Status::Declined => (Key::FormDeclined, "notice"),
        _ => (Key::FormAnswered, "notice is-good"),
    };
    let is_submitted = form.status == Status::Submitted;
    let hint = if is_submitted { Key::FormAnsweredHint } else { Key::FormClosedHint };
    let at = form.answered_at.clone();
    let when = move || {
        let moment = dates::moment(at.as_deref()?, Lang::spoken());
        let key = if is_submitted { Key::FormAnsweredAt } else { Key::FormClosedAt };
        Some(key.fill(&[&moment]))
    };
    let values = form.values.clone().unwrap_or_default();
    let rest = if is_submitted {
        any_view! {
            <Values form=Arc::clone(&form)/>
            // Exactly this text is returned to the agent (FORM-5).
            <Raw value=Value::Object(values) title=Key::FormBack is_open=is_fresh/>
            {keeping::take_other(&form).map(|values| view! {
                <Raw value=Value::Object(values) title=Key::FormLeft is_open=true/>
            })}
        }
    } else {
        let sentence = if form.status == Status::Cancelled { CANCELLED } else { DECLINED };
        any_view! {
            <p class="request-told">
                <span>{Key::FormBackSentence}</span>
                <q lang="ja">{sentence}</q>
            </p>
        }
    };
    view! {
        <Head session form is_place/>
        <div class=class>
            <p class="notice-title">{key}</p>
            <p>{when}</p>
            <p>{hint}</p>
            {(!is_submitted).then(|| view! { <Undo session/> })}
        </div>
        {rest}
    }
}

#[component]
fn Undo(session: FormSession) -> impl IntoView {
    let error = move || match session.step.get() {
        Step::NotClosed(error) => Some(view! { <Notice error/> }),
        _ => None,
    };
    view! {
        <button type="button" class="quiet" id=session.id("undo")
            on:click=move |_| session.close(Close::Reopen)>{Key::FormUndo}</button>
        {error}
    }
}

/// The values with labels, readable.
#[component]
fn Values(form: Arc<OpenForm>) -> impl IntoView {
    let read = Form::read(&Value::Object(form.schema.clone())).unwrap_or_default();
    let values = form.values.clone().unwrap_or_default();
    let labels = form.labels.clone().unwrap_or_default();
    let is_drawn = |it: &Field| it.is_input() && !matches!(it.kind, Kind::Hidden(_));
    let entry = |field: Field| {
        let value = values.get(&field.name).cloned();
        let chosen = choices_of(labels.get(&field.name));
        let label = field.label.clone();
        let shown = value_view(&field, value, &chosen);
        view! { <div class="entry"><dt>{label}</dt><dd>{shown}</dd></div> }
    };
    let entries = read.fields.into_iter().filter(is_drawn).map(entry).collect_view();
    view! {
        <section class="request-values" aria-label=Key::FormWhat>
            <h2 class="section-title">{Key::FormWhat}</h2>
            <dl class="data">{entries}</dl>
        </section>
    }
}

fn value_view(field: &Field, value: Option<Value>, chosen: &[Choice]) -> AnyView {
    let Some(value) = value else {
        return any_view! { <span class="nothing">{Key::FormEmptyValue}</span> };
    };
    let options = match &field.kind {
        Kind::Select(options) | Kind::Multiselect(options, _) | Kind::Radio(options) => {
            options.as_slice()
        }
        _ => chosen,
    };
    match (&field.kind, value) {
        (Kind::File(_), value) => {
            let files = match value {
                Value::Array(files) => files,
                file => vec![file],
            };
            let file = |file| view! { <li><FileLink file/></li> };
            any_view! { <ul class="request-files">{files.into_iter().map(file).collect_view()}</ul> }
        }
        (_, Value::Bool(flag)) => {
            let key = if flag { Key::Yes } else { Key::No };
            any_view! { <span>{key}</span> }
        }
        (_, Value::Array(values)) => {
            let item = |it: &Value| view! { <li>{label_of(options, it)}</li> };
            any_view! {
                <ul class="data-list is-short">{values.iter().map(item).collect_view()}</ul>
            }
        }
        (Kind::Date(_) | Kind::Datetime(_), Value::String(time)) => {
            let shown = move || moment(&time, Lang::spoken());
            any_view! { <span>{shown}</span> }
        }
        (_, value) => any_view! { <span class="value">{label_of(options, &value)}</span> },
    }
}

/// Formats a day or a local time.
fn moment(time: &str, lang: Lang) -> String {
    let Some(day) = Day::of_time(time) else { return time.to_owned() };
    let day = dates::long_day(day, lang);
    if time.len() > 10 { format!("{day} {}", dates::clock(time)) } else { day }
}

/// The label of a value, if it has one.
fn label_of(options: &[Choice], value: &Value) -> String {
    let label = options.iter().find(|it| it.value == *value).map(|it| it.label.clone());
    label.unwrap_or_else(|| match value {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    })
}

/// A file by name, fetched on demand with the page's token.
#[component]
fn FileLink(file: Value) -> impl IntoView {
    let text = |name: &str| file.get(name).and_then(Value::as_str).unwrap_or_default().to_owned();
    let (name, id, mime) = (text("name"), text("fileId"), text("type"));
    let size = size_of(file.get("size").and_then(Value::as_u64).unwrap_or_default());
    let is_gone = RwSignal::new(false);
    let shown = name.clone();
    let label = name.clone();
    let fetch = move |_| {
        let (name, id, mime) = (name.clone(), id.clone(), mime.clone());
        spawn_local(async move {
            let bytes = mcp::blob(&id).await;
            let is_here = bytes.is_ok_and(|it| browser::download(&name, &it, &mime).is_ok());
            let _ = is_gone.try_set(!is_here);
        });
    };
    view! {
        <button type="button" class="link" on:click=fetch
            aria-label=move || Key::FormFile.fill(&[&label])>{shown}</button>
        " "<span class="count">{size}</span>
        {move || is_gone.get().then(|| view! {
            <span class="error" role="alert">{Key::FormFileGone}</span>
        })}
    }
}
