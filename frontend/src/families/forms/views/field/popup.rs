//! Drawing of a combobox: chosen values, box, options, and hints.

use leptos::ev::{FocusEvent, KeyboardEvent};
use leptos::prelude::*;
use output::form::{Choice, Field};

use super::combobox::{Picker, Source};
use super::text::required;
use super::{LABEL_MAX, cut, described};
use crate::browser;
use crate::error::CallError;
use crate::lookup;
use crate::lookup::combo::{Combo, Found, Press, SHOWN_MAX};
use crate::text::{Key, Lang};
use crate::views::notice::details;

pub(super) fn draw(picker: Picker, field: &Field) -> AnyView {
    let is_open = Memo::new(move |_| picker.combo.with(|it| it.is_open));
    let leave = move |event: FocusEvent| {
        if browser::is_left(&event) {
            // An error message then moves the elements below.
            browser::once_released(move || {
                picker.combo.try_update(Combo::close);
            });
            picker.spot.leave();
        }
    };
    any_view! {
        <div class="combo" on:focusout=leave>
            {picker.count.map(|_| chips(picker))}
            <div class="combo-box" class:is-open=move || is_open.get()>
                {input(picker, field, is_open)}
                {picker.count.is_none().then(|| clear(picker))}
            </div>
            {move || is_open.get().then(|| popup(picker))}
        </div>
        {note(picker)}
    }
}

fn input(picker: Picker, field: &Field, is_open: Memo<bool>) -> impl IntoView + use<> {
    let spot = picker.spot;
    let is_composing = StoredValue::new(false);
    let text = Memo::new(move |_| picker.combo.with(|it| it.text.clone()));
    let node = browser::mirrored(move || text.get());
    let is_full = Memo::new(move |_| picker.is_full());
    let type_in = move || {
        if let Some(input) = node.get_untracked() {
            picker.type_in(&input.value());
        }
    };
    let press = move |event: KeyboardEvent| {
        let is_command = event.ctrl_key() || event.meta_key() || event.alt_key();
        if browser::is_composing(&event) || is_command || spot.form_state.is_closed.get_untracked()
        {
            return;
        }
        let Some(press) = Press::from_key(&event.key()) else { return };
        if is_full.get_untracked() && press != Press::Backspace {
            return;
        }
        if picker.change(|it| it.press(press)) {
            event.prevent_default();
            // Escape closes the options, not their surroundings.
            event.stop_propagation();
        }
    };
    // Typing replaces the chosen text.
    let mark = move || {
        let is_settled = picker.combo.with_untracked(|it| it.is_settled);
        if let Some(input) = node.get_untracked().filter(|_| is_settled) {
            input.select();
        }
    };
    let open = move |_| {
        if !is_full.get_untracked() && !spot.form_state.is_closed.get_untracked() {
            picker.change(|it| it.open());
        }
        mark();
    };
    let active = move || {
        let active = picker.combo.with(|it| it.active.filter(|_| it.is_open));
        active.map(|it| spot.part(&format!("option{it}")))
    };
    let list = spot.part("list");
    let hint = field.placeholder.clone();
    view! {
        <input type="text" role="combobox" node_ref=node id=spot.id() autocomplete="off"
            spellcheck="false" autocapitalize="none" aria-autocomplete="list" aria-haspopup="listbox"
            aria-expanded=move || if is_open.get() { "true" } else { "false" }
            aria-controls=move || is_open.get().then(|| list.clone())
            aria-activedescendant=active
            aria-describedby=described(spot, field, &["note"]) aria-required=required(field)
            aria-invalid=move || spot.invalid()
            placeholder=move || hint.clone().unwrap_or_else(|| Key::LookupType.say().to_owned())
            disabled=move || spot.is_closed() readonly=move || is_full.get()
            on:compositionstart=move |_| is_composing.set_value(true)
            on:compositionend=move |_| {
                is_composing.set_value(false);
                type_in();
            }
            on:input=move |_| {
                // Unfinished kana is no query.
                if !is_composing.get_value() {
                    type_in();
                }
            }
            on:keydown=press on:click=open on:focus=move |_| mark()/>
    }
}

/// Clears the chosen value.
fn clear(picker: Picker) -> impl IntoView {
    let spot = picker.spot;
    let is_there =
        Memo::new(move |_| !spot.is_closed() && spot.form_state.value(spot.index).is_some());
    let name = move || picker.label.with_value(|it| Key::LookupClear.fill(&[it]));
    let clear = move |_| {
        browser::focus(&spot.id());
        picker.clear();
    };
    move || {
        is_there.get().then(|| {
            view! {
                <button type="button" class="combo-clear" aria-label=name on:click=clear>"×"</button>
            }
        })
    }
}

/// The chosen values, each with a remove button.
fn chips(picker: Picker) -> impl IntoView {
    let spot = picker.spot;
    let held = Memo::new(move |_| picker.held());
    let chip = move |choice: Choice| {
        let label = cut(&choice.label, LABEL_MAX);
        let own = label.clone();
        let remove = move |_| {
            // The button disappears; the focus must not be lost.
            browser::focus(&spot.id());
            picker.remove(&choice);
        };
        view! {
            <li class="chip is-chosen">
                <span>{label}</span>
                <button type="button" class="chip-remove" disabled=move || spot.is_closed()
                    aria-label=move || Key::LookupRemove.fill(&[&own])
                    on:click=remove>"×"</button>
            </li>
        }
    };
    let is_some = Memo::new(move |_| held.with(|it| !it.is_empty()));
    move || {
        is_some.get().then(|| {
            view! {
                <ul class="chips" aria-label=Key::LookupChosenList>
                    <For each=move || held.get() key=|it| (it.value.to_string(), it.label.clone())
                        children=chip/>
                </ul>
            }
        })
    }
}

fn popup(picker: Picker) -> impl IntoView {
    let spot = picker.spot;
    let found = Memo::new(move |_| picker.combo.with(|it| it.found.clone()));
    let id = spot.part("popup");
    let own = id.clone();
    Effect::new(move |_| {
        found.track();
        browser::reveal(&own);
    });
    Effect::new(move |_| {
        if let Some(active) = picker.combo.with(|it| it.active) {
            browser::reveal(&spot.part(&format!("option{active}")));
        }
    });
    let inside = move || match found.get() {
        Found::Nothing => {
            let chars = picker.chars_min.to_string();
            any_view! { <p class="popup-note">{Key::LookupMin.fill(&[&chars])}</p> }
        }
        Found::Loading => any_view! { <p class="popup-note is-loading">{Key::LookupLoading}</p> },
        Found::Ready(options) if options.is_empty() => none(picker),
        Found::Ready(_) => list(picker),
        Found::Failed(error) => failed(picker, &error),
    };
    // Pressing an option keeps the focus in the box.
    view! {
        <div class="popup" id=id on:mousedown=move |event| event.prevent_default()>{inside}</div>
    }
}

fn none(picker: Picker) -> AnyView {
    let text = move || {
        let text = picker.combo.with(|it| it.text.clone());
        if text.trim().is_empty() {
            return Key::LookupEmpty.say().to_owned();
        }
        Key::LookupNone.fill(&[&cut(&text, 60)])
    };
    any_view! { <p class="popup-note">{text}</p> }
}

fn failed(picker: Picker, error: &CallError) -> AnyView {
    let error = StoredValue::new(error.clone());
    let why = move || error.with_value(|it| lookup::why(it, Lang::spoken()));
    let more = move || error.with_value(|it| details(it, &why()));
    any_view! {
        <div class="popup-note is-failed">
            <p>{Key::LookupFailed}</p>
            <p>{why}</p>
            {more}
            <button type="button" class="quiet small"
                on:click=move |_| {
                    picker.change(|it| it.retry());
                }>
                {Key::Retry}
            </button>
        </div>
    }
}

fn list(picker: Picker) -> AnyView {
    let spot = picker.spot;
    let active = Memo::new(move |_| picker.combo.with(|it| it.active));
    let held = Memo::new(move |_| picker.held().into_iter().map(|it| it.value).collect::<Vec<_>>());
    let several = picker.count.is_some();
    let (options, more) = picker.combo.with_untracked(|it| (it.options().to_vec(), it.hidden()));
    let option = move |(index, choice): (usize, Choice)| {
        let value = choice.value.clone();
        let is_held = Memo::new(move |_| held.with(|it| it.contains(&value)));
        let is_active = move || active.get() == Some(index);
        let is_selected = move || if several { is_held.get() } else { is_active() };
        let label = cut(&choice.label, LABEL_MAX);
        view! {
            <li role="option" class="option" id=spot.part(&format!("option{index}"))
                class:is-active=is_active class:is-held=move || is_held.get()
                aria-selected=move || if is_selected() { "true" } else { "false" }
                on:click=move |_| picker.choose(choice.clone())>{label}</li>
        }
    };
    debug_assert!(options.len() <= SHOWN_MAX, "the rest is counted only");
    let options = options.into_iter().enumerate().map(option).collect_view();
    let rest = (more > 0).then(|| {
        let text = move || Key::LookupMore.fill(&[&more.to_string()]);
        view! { <p class="popup-note">{text}</p> }
    });
    any_view! {
        <ul role="listbox" class="listbox" id=spot.part("list") aria-labelledby=spot.part("label")
            aria-multiselectable=several.then_some("true")>{options}</ul>
        {rest}
    }
}

/// Hints: maximum reached, nothing found, characters to type.
fn note(picker: Picker) -> impl IntoView {
    let spot = picker.spot;
    let is_search = picker.source.with_value(|it| matches!(it, Source::Search(_)));
    let loose = Memo::new(move |_| {
        picker.combo.with(|it| (it.is_loose() && !it.is_open).then(|| cut(it.text.trim(), 60)))
    });
    let is_full = Memo::new(move |_| picker.is_full());
    let text = move || {
        if let Some(text) = loose.get() {
            return Key::LookupUnchosen.fill(&[&text]);
        }
        if is_full.get() {
            let max = picker.count.and_then(|it| it.max).unwrap_or_default().to_string();
            return Key::LookupFull.fill(&[&max]);
        }
        if is_search && picker.chars_min > 1 {
            return Key::LookupMin.fill(&[&picker.chars_min.to_string()]);
        }
        String::new()
    };
    view! {
        <p class="combo-note" class:is-warning=move || loose.with(Option::is_some)
            id=spot.part("note")>{text}</p>
    }
}
