//! Inputs for several values: a list that grows, and a few to choose from.

use leptos::prelude::*;

use crate::browser;
use crate::form::{Choice, Entry, Field, Format, Item};
use crate::text::Key;
use crate::views::form::Filling;

/// Items beyond this are typed nowhere.
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
            field.with_value(|it| {
                filling.put(it, |draft| value.with_value(|value| draft.choose(it, value, on)));
                filling.touch(it);
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
    // An empty required list shows one place to type into.
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
        <ol class="items">
            <For each=move || 0..count.get() key=|index| *index children=row/>
        </ol>
        <button type="button" class="quiet small" id=format!("{id}-add") on:click=add>
            "＋ "{Key::AddItem}
        </button>
    }
}
