//! One of a few options, as the browser's own list; of many, as a box to search in.

use leptos::html::Select;
use leptos::prelude::*;
use output::form::{Choice, Field, is_same};
use serde_json::Value;

use super::combobox::{self, Source};
use super::text::required;
use super::{LABEL_MAX, Spot, around, cut, described};
use crate::lookup::Options;
use crate::text::Key;

/// The browser's own list is best up to here; above that one wants to type.
pub(super) const LISTED_MAX: usize = 30;

/// `select` (FORM-24).
pub(super) fn select(spot: Spot, field: Field, options: Vec<Choice>) -> AnyView {
    let options = Options::from(options);
    if options.len() > LISTED_MAX {
        return combobox::combobox(spot, field, Source::Fixed(options), None);
    }
    let described = described(spot, &field, &[]);
    let list = list(spot, &field, options, described);
    around(spot, field, list, ().into_any())
}

/// The browser's own list of options.
pub(super) fn list(spot: Spot, field: &Field, options: Options, described: String) -> AnyView {
    let node = NodeRef::<Select>::new();
    let own = options.clone();
    let place = Memo::new(move |_| {
        let value = spot.form_state.value(spot.index)?;
        own.iter().position(|it| is_same(&it.value, &value))
    });
    Effect::new(move |_| {
        let place = place.get().map_or(0, |it| i32::try_from(it + 1).unwrap_or(0));
        if let Some(select) = node.get().filter(|it| it.selected_index() != place) {
            select.set_selected_index(place);
        }
    });
    let own = options.clone();
    let change = move |_| {
        let place = node.get().and_then(|it| usize::try_from(it.selected_index() - 1).ok());
        let chosen = place.and_then(|it| own.get(it)).cloned();
        spot.form_state.choose(spot.index, chosen.into_iter().collect());
    };
    let none = if field.required { Key::Choose } else { Key::NoChoice };
    let placeholder = field.placeholder.clone();
    let option = |choice: &Choice| {
        let value = value_text(&choice.value);
        view! { <option value=value>{cut(&choice.label, LABEL_MAX)}</option> }
    };
    view! {
        <select node_ref=node id=spot.id() aria-describedby=described aria-required=required(field)
            aria-invalid=move || spot.invalid() disabled=move || spot.is_closed()
            on:change=change on:blur=move |_| spot.leave()>
            <option value="">
                {move || placeholder.clone().unwrap_or_else(|| none.say().to_owned())}
            </option>
            {options.iter().map(option).collect_view()}
        </select>
    }
    .into_any()
}

/// A value as a text, where there is no label for it.
pub(super) fn value_text(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}
