//! Inputs for one value and for several.

use leptos::ev::Event;
use leptos::prelude::*;

use super::{Label, described};
use crate::browser;
use crate::form::{Choice, Entry, Field, Format, Item, Number, Text};
use crate::text::Key;
use crate::views::form::Filling;

/// A field with one text.
#[derive(Clone, Copy)]
struct One {
    filling: Filling,
    field: StoredValue<Field>,
}

impl One {
    fn text(self) -> String {
        self.field.with_value(|it| self.filling.draft.with(|draft| draft.text(it)))
    }

    /// Stores the input's text.
    fn put(self, event: &Event) {
        let text = event_target_value(event);
        self.field.with_value(|it| self.filling.put(it, |draft| draft.put(it, Entry::Text(text))));
    }

    fn leave(self) {
        self.filling.leave(self.field);
    }

    /// Whether it is marked as invalid.
    fn invalid(self) -> Option<&'static str> {
        self.field.with_value(|it| self.filling.message(&it.pointer)).map(|_| "true")
    }
}

#[component]
pub(super) fn TextInput(filling: Filling, field: Field, text: Text) -> AnyView {
    let id = filling.id(&field);
    let described = described(filling, &field);
    let max = text.length.max.map(|it| it.to_string());
    let required = field.required.then_some("true");
    let example = field.example.clone();
    let one = One { filling, field: StoredValue::new(field) };
    let (value, invalid) = (move || one.text(), move || one.invalid());
    let (input, blur) = (move |event| one.put(&event), move |_| one.leave());
    if text.format == Format::Long {
        return any_view! {
            <textarea id=id rows="4" aria-describedby=described aria-invalid=invalid
                aria-required=required maxlength=max placeholder=example
                prop:value=value on:input=input on:blur=blur></textarea>
        };
    }
    let (kind, complete) = match text.format {
        Format::Date => ("date", "off"),
        // `datetime-local` and `time` lack what many schemas require: zone and seconds.
        Format::Email => ("email", "email"),
        Format::Url => ("url", "url"),
        Format::Secret => ("password", "off"),
        _ => ("text", "off"),
    };
    let example = example.or_else(|| match text.format {
        Format::DateTime => Some("2026-11-21T10:00:00+09:00".to_owned()),
        Format::Time => Some("10:00:00".to_owned()),
        _ => None,
    });
    any_view! {
        <input id=id type=kind autocomplete=complete aria-describedby=described aria-invalid=invalid
            aria-required=required maxlength=max placeholder=example spellcheck="false"
            prop:value=value on:input=input on:blur=blur/>
    }
}

#[component]
pub(super) fn NumberInput(filling: Filling, field: Field, number: Number) -> impl IntoView {
    let id = filling.id(&field);
    let described = described(filling, &field);
    let required = field.required.then_some("true");
    let range = match (number.min, number.max) {
        (Some(min), Some(max)) => Some(format!("{min} – {max}")),
        (Some(min), None) => Some(format!("≥ {min}")),
        (None, Some(max)) => Some(format!("≤ {max}")),
        (None, None) => None,
    };
    let mode =
        if number.integer && number.min.is_some_and(|it| it >= 0.0) { "numeric" } else { "text" };
    let example = field.example.clone().or(range);
    let one = One { filling, field: StoredValue::new(field) };
    // Not `type=number`, which loses unparsable text and changes by the wheel.
    view! {
        <input id=id type="text" inputmode=mode autocomplete="off" class="number"
            aria-describedby=described aria-invalid=move || one.invalid() aria-required=required placeholder=example
            prop:value=move || one.text() on:input=move |event| one.put(&event)
            on:blur=move |_| one.leave()/>
    }
}

#[component]
pub(super) fn SwitchInput(filling: Filling, field: Field) -> impl IntoView {
    let id = filling.id(&field);
    let described = described(filling, &field);
    let own = StoredValue::new(field.clone());
    let target = id.clone();
    let is_on =
        move || own.with_value(|it| filling.draft.with(|draft| draft.flag(it))).unwrap_or_default();
    let change = move |event| {
        let on = event_target_checked(&event);
        own.with_value(|it| filling.put(it, |draft| draft.put(it, Entry::Flag(on))));
    };
    view! {
        <label class="switch" for=target>
            <input id=id type="checkbox" aria-describedby=described prop:checked=is_on on:change=change/>
            <span class="label"><Label field/></span>
        </label>
    }
}

#[component]
pub(super) fn ChoiceInput(filling: Filling, field: Field, choices: Vec<Choice>) -> impl IntoView {
    let id = filling.id(&field);
    let described = described(filling, &field);
    let required = field.required;
    let one = One { filling, field: StoredValue::new(field) };
    let value = move || one.text();
    let change = move |event| {
        one.put(&event);
        one.leave();
    };
    let none = if required { Key::Choose } else { Key::NoChoice };
    let option = move |choice: Choice| {
        let own = choice.value.clone();
        view! { <option value=choice.value selected=move || value() == own>{choice.label}</option> }
    };
    view! {
        <select id=id aria-describedby=described aria-invalid=move || one.invalid()
            aria-required=required.then_some("true") on:change=change>
            <option value="" selected=move || value().is_empty()>{none}</option>
            {choices.into_iter().map(option).collect_view()}
        </select>
    }
}

#[component]
pub(super) fn JsonInput(filling: Filling, field: Field) -> impl IntoView {
    let id = filling.id(&field);
    let described = described(filling, &field);
    let one = One { filling, field: StoredValue::new(field) };
    view! {
        <textarea id=id class="code" rows="4" spellcheck="false" aria-describedby=described
            aria-invalid=move || one.invalid() placeholder=Key::JsonHint
            prop:value=move || one.text() on:input=move |event| one.put(&event)
            on:blur=move |_| one.leave()></textarea>
    }
}

/// Maximum number of items.
const ITEMS_MAX: usize = 200;

#[component]
pub(super) fn ChoicesInput(filling: Filling, field: Field, choices: Vec<Choice>) -> impl IntoView {
    let field = StoredValue::new(field);
    let option = move |choice: Choice| {
        let value = StoredValue::new(choice.value);
        let is_on = move || {
            let chosen = field.with_value(|it| filling.draft.with(|draft| draft.items(it)));
            value.with_value(|it| chosen.contains(it))
        };
        let change = move |event| {
            let on = event_target_checked(&event);
            field.with_value(|field| {
                filling
                    .put(field, |draft| value.with_value(|value| draft.choose(field, value, on)));
                filling.touch(field);
            });
        };
        view! {
            <label class="switch">
                <input type="checkbox" prop:checked=is_on on:change=change/>
                <span>{choice.label}</span>
            </label>
        }
    };
    view! { <div class="choices">{choices.into_iter().map(option).collect_view()}</div> }
}

#[component]
pub(super) fn ListInput(filling: Filling, field: Field, item: Item) -> impl IntoView {
    let id = filling.id(&field);
    let least = usize::from(field.required);
    let field = StoredValue::new(field);
    let items = move || field.with_value(|it| filling.draft.with(|draft| draft.items(it)));
    // An empty required list shows one input.
    let count = Memo::new(move |_| items().len().max(least).min(ITEMS_MAX));
    let change = move |edit: &dyn Fn(&mut Vec<String>)| {
        let mut all = items();
        all.resize(all.len().max(least), String::new());
        edit(&mut all);
        field.with_value(|it| filling.put(it, |draft| draft.put(it, Entry::Items(all))));
    };
    let item_id = {
        let id = id.clone();
        move |index: usize| format!("{id}-{index}")
    };
    let add = {
        let item_id = item_id.clone();
        move |_| {
            let next = count.get_untracked();
            change(&|all| all.push(String::new()));
            browser::focus_soon(item_id(next));
        }
    };
    let remove = {
        let add_id = format!("{id}-add");
        move |index: usize| {
            change(&|all| {
                if index < all.len() {
                    all.remove(index);
                }
            });
            browser::focus_soon(add_id.clone());
        }
    };
    let mode = match &item {
        Item::Number(_) => "decimal",
        Item::Text(_) => "text",
    };
    let kind = match &item {
        Item::Text(text) if text.format == Format::Date => "date",
        _ => "text",
    };
    let row = move |index: usize| {
        let value = move || items().get(index).cloned().unwrap_or_default();
        let name = move || {
            let label = field.with_value(|it| it.label.clone());
            Key::ItemName.fill(&[&label, &(index + 1).to_string()])
        };
        let input = move |event| {
            let text = event_target_value(&event);
            change(&|all| {
                if let Some(item) = all.get_mut(index) {
                    item.clone_from(&text);
                }
            });
        };
        let remove = remove.clone();
        view! {
            <li>
                <input id=item_id(index) type=kind inputmode=mode autocomplete="off" spellcheck="false"
                    aria-label=name prop:value=value on:input=input
                    on:blur=move |_| filling.leave(field)/>
                <button type="button" class="plain small"
                    aria-label=move || Key::RemoveItem.fill(&[&(index + 1).to_string()])
                    on:click=move |_| remove(index)>"×"</button>
            </li>
        }
    };
    view! {
        <ol class="items"><For each=move || 0..count.get() key=|index| *index children=row/></ol>
        <button type="button" class="quiet small" id=format!("{id}-add") on:click=add>
            "＋ "{Key::AddItem}
        </button>
    }
}
