//! A form that the assistant asked for (FORM-3): filled in where it stands; what was filled in is the
//! next message (FORM-5), and the form is read-only from then on.

use leptos::html;
use leptos::prelude::*;
use output::form::{OpenForm, Status};
use serde_json::Value;

use crate::cards::masked::masked;
use crate::cards::told::submitted;
use crate::chat::waiting::Reply;
use crate::table::{self, Closed, Forms};
use crate::text::Key;
use crate::views::part::drawn_by;
use crate::views::structured::Structured;

/// The form. One with a handle goes through the component that keeps forms, which checks it again
/// (FORM-10) and tells others that ask for it (FORM-11); then its values go to the assistant.
#[component]
pub(super) fn FormCard(
    schema: Value,
    handle: Option<String>,
    reply: Memo<Option<Reply>>,
    on_reply: Callback<Reply>,
) -> AnyView {
    let Some(handle) = handle else {
        return any_view! { <Loose schema reply on_reply/> };
    };
    // Closed already when it came here: the reader says whether to go on with that.
    let found = RwSignal::new(None::<Reply>);
    let closed = move |(form, is_fresh): (OpenForm, bool)| {
        if reply.get_untracked().is_some() {
            return;
        }
        let said = reply_of(&form);
        if is_fresh { on_reply.run(said) } else { found.set(Some(said)) }
    };
    let is_over = Memo::new(move |_| reply.with(Option::is_some));
    let form = move || {
        let handle = handle.clone();
        if is_over.get() {
            return any_view! { <Over handle reply/> };
        }
        any_view! {
            {kept(handle, Some(Callback::new(closed)))}
            {move || found.get().map(|said| view! {
                <div class="actions">
                    <span class="hint">{Key::CardFormDone}</span>
                    <button type="button" on:click=move |_| on_reply.run(said.clone())>
                        {Key::CardFormGoOn}
                    </button>
                </div>
            })}
        }
    };
    any_view! { <div class="card-form">{form}</div> }
}

/// The form of that handle, as its family draws it.
fn kept(handle: String, on_closed: Option<Closed>) -> Option<AnyView> {
    let draw = move |it: &Forms| (it.kept)(handle.clone(), on_closed);
    table::forms().map(|code| drawn_by(code, draw))
}

/// A form that is kept nowhere, as its family draws it.
fn loose(schema: Value, on_answer: Callback<Option<output::form::Values>>) -> Option<AnyView> {
    let draw = move |it: &Forms| (it.loose)(schema.clone(), on_answer);
    table::forms().map(|code| drawn_by(code, draw))
}

/// A form whose outcome the assistant has, folded away: read-only, as the component keeps it.
#[component]
fn Over(handle: String, reply: Memo<Option<Reply>>) -> impl IntoView {
    let details = NodeRef::<html::Details>::new();
    let is_unfolded = RwSignal::new(false);
    let unfold = move |_| {
        is_unfolded.set(details.get_untracked().is_some_and(|it| it.has_attribute("open")));
    };
    let told = move || match reply.get() {
        Some(Reply::Submitted(_)) => Key::CardFormSent.say(),
        _ => Key::CardFormCancelled.say(),
    };
    view! {
        <details class="card-form-over" node_ref=details on:toggle=unfold>
            <summary class="card-said">{told}</summary>
            {move || is_unfolded.get().then(|| {
                let handle = handle.clone();
                kept(handle, None)
            })}
        </details>
    }
}

/// The text for the assistant where a form is closed.
fn reply_of(form: &OpenForm) -> Reply {
    match (form.status, &form.values) {
        (Status::Submitted, Some(values)) => Reply::Submitted(submitted(values)),
        (Status::Submitted, None) => Reply::Submitted("{}".to_owned()),
        _ => Reply::Cancelled,
    }
}

/// A form that is not kept.
#[component]
fn Loose(schema: Value, reply: Memo<Option<Reply>>, on_reply: Callback<Reply>) -> impl IntoView {
    let schema = StoredValue::new(schema);
    let send = move |values: Option<output::form::Values>| {
        on_reply.run(values.map_or(Reply::Cancelled, |it| Reply::Submitted(submitted(&it))));
    };
    move || match reply.get() {
        None => any_view! {
            <div class="card-form">{loose(schema.get_value(), Callback::new(send))}</div>
        },
        Some(Reply::Submitted(text)) => {
            let values = serde_json::from_str::<Value>(&text).unwrap_or(Value::String(text));
            any_view! {
                <div class="card-form is-over">
                    <p class="card-said is-good">{Key::CardFormSent}</p>
                    <Structured value=masked(&values)/>
                </div>
            }
        }
        Some(_) => any_view! { <p class="card-said">{Key::CardFormCancelled}</p> },
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn what_was_filled_in_is_told_and_what_was_not_is_cancelled() {
        let form = |status: Status, values: Option<Value>| OpenForm {
            status,
            values: values.map(|it| serde_json::from_value(it).unwrap()),
            ..OpenForm::default()
        };
        let sent = form(Status::Submitted, Some(json!({ "a": 1 })));
        assert_eq!(reply_of(&sent), Reply::Submitted("{\n  \"a\": 1\n}".to_owned()));
        assert_eq!(reply_of(&form(Status::Cancelled, None)), Reply::Cancelled);
        assert_eq!(reply_of(&form(Status::Declined, None)), Reply::Cancelled);
    }
}
