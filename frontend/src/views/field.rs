//! A form field, drawn by its kind.

mod inputs;

use leptos::prelude::*;

use super::form::Filling;
use super::notice::coded;
use crate::form::{Entry, Field, Kind};
use crate::text::Key;
use inputs::{
    ChoiceInput, ChoicesInput, JsonInput, ListInput, NumberInput, SwitchInput, TextInput,
};

/// Draws a field with its label, description and fault.
#[component]
pub(crate) fn FieldView(filling: Filling, field: Field) -> AnyView {
    match &field.kind {
        Kind::Group(inner) => {
            let inner = inner.clone();
            any_view! { <GroupView filling field inner/> }
        }
        Kind::Choices { .. } | Kind::List { .. } => any_view! { <SetView filling field/> },
        Kind::Switch => {
            any_view! { <div class="field"><SwitchInput filling field=field.clone()/><Below filling field/></div> }
        }
        _ => {
            let id = filling.id(&field);
            any_view! {
                <div class="field">
                    <label class="label" for=id><Label field=field.clone()/></label>
                    <SingleInput filling field=field.clone()/>
                    <Below filling field/>
                </div>
            }
        }
    }
}

#[component]
fn SingleInput(filling: Filling, field: Field) -> AnyView {
    match field.kind.clone() {
        Kind::Text(text) => any_view! { <TextInput filling field text/> },
        Kind::Number(number) => any_view! { <NumberInput filling field number/> },
        Kind::Choice(choices) => any_view! { <ChoiceInput filling field choices/> },
        _ => any_view! { <JsonInput filling field/> },
    }
}

/// Its label and schema name, with a mark if it is required.
#[component]
fn Label(field: Field) -> impl IntoView {
    view! {
        <span class="label-text">{coded(&field.label)}</span>
        <code class="label-name">{field.name}</code>
        {field.required.then(|| view! { <span class="required">{Key::Required}</span> })}
    }
}

/// The description and the fault.
#[component]
fn Below(filling: Filling, field: Field) -> impl IntoView {
    let id = filling.id(&field);
    let pointer = field.pointer;
    view! {
        {field.help.map(|help| view! { <p class="hint" id=format!("{id}-hint")>{coded(&help)}</p> })}
        <p class="error" id=format!("{id}-error")>{move || filling.message(&pointer).map(|it| coded(&it))}</p>
    }
}

/// Ids of a field's descriptions, for `aria-describedby`.
fn described(filling: Filling, field: &Field) -> String {
    let id = filling.id(field);
    let hint = field.help.as_ref().map(|_| format!("{id}-hint ")).unwrap_or_default();
    format!("{hint}{id}-error")
}

/// Several values under one name: a field set with a legend.
#[component]
fn SetView(filling: Filling, field: Field) -> impl IntoView {
    let id = filling.id(&field);
    let input = match field.kind.clone() {
        Kind::Choices { choices, .. } => {
            any_view! { <ChoicesInput filling field=field.clone() choices/> }
        }
        Kind::List { item, .. } => {
            any_view! { <ListInput filling field=field.clone() item/> }
        }
        _ => ().into_any(),
    };
    let described = described(filling, &field);
    view! {
        <fieldset class="field" id=id tabindex="-1" aria-describedby=described>
            <legend class="label"><Label field=field.clone()/></legend>
            {input}
            <Below filling field/>
        </fieldset>
    }
}

/// An object: its fields, behind a switch if it is optional.
#[component]
fn GroupView(filling: Filling, field: Field, inner: Vec<Field>) -> AnyView {
    let id = filling.id(&field);
    let label = field.label.clone();
    let required = field.required;
    let own = StoredValue::new(field.clone());
    let is_open = move || own.with_value(|own| filling.draft.with(|it| it.includes(own)));
    let open = move |event| {
        let on = event_target_checked(&event);
        own.with_value(|own| filling.put(own, |it| it.put(own, Entry::Flag(on))));
    };
    let inner = StoredValue::new(inner);
    any_view! {
        <fieldset class="field group" id=id tabindex="-1">
            <legend class="label"><Label field=field.clone()/></legend>
            <Below filling field/>
            {(!required).then(|| view! {
                <label class="switch">
                    <input type="checkbox" prop:checked=is_open on:change=open/>
                    <span>{move || Key::Include.fill(&[&label])}</span>
                </label>
            })}
            {move || is_open().then(|| {
                let field = |field: Field| view! { <FieldView filling field/> };
                inner.get_value().into_iter().map(field).collect_view()
            })}
        </fieldset>
    }
}
