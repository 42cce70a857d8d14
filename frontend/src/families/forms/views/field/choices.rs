//! Checkboxes, radio buttons and selections of a few options.

use leptos::html::Select;
use leptos::prelude::*;
use output::form::{Choice, Count, Field, is_same};
use serde_json::Value;

use super::combobox::{self, Source};
use super::text::required;
use super::{LABEL_MAX, Spot, around, around_set, cut, described, description, error, name};
use crate::lookup::Options;
use crate::text::Key;

/// Maximum number of checkboxes; more options are searched.
const BOXES_MAX: usize = 12;
/// Maximum number of radio buttons; more options are searched.
const RADIOS_MAX: usize = 40;

/// `checkbox` (FORM-30).
pub(super) fn checkbox(spot: Spot, field: Field) -> AnyView {
    let is_on = move || spot.form_state.value(spot.index) == Some(Value::Bool(true));
    let change = move |event| {
        spot.form_state.put(spot.index, Some(Value::Bool(event_target_checked(&event))));
    };
    any_view! {
        <div class="field ask is-checkbox" data-field=field.name.clone()>
            <label class="tick" for=spot.id()>
                <input type="checkbox" id=spot.id() aria-describedby=described(spot, &field, &[])
                    aria-required=field.required.then_some("true") aria-invalid=move || spot.invalid()
                    disabled=move || spot.is_closed() prop:checked=is_on
                    on:change=change on:blur=move |_| spot.leave()/>
                <span class="label">{name(&field)}</span>
            </label>
            {description(spot, &field)}
            {error(spot)}
        </div>
    }
}

/// `radio` (FORM-31).
pub(super) fn radio(spot: Spot, field: Field, options: Vec<Choice>) -> AnyView {
    if options.len() > RADIOS_MAX {
        return combobox::combobox(spot, field, Source::Fixed(options.into()), None);
    }
    let group = spot.part("group");
    let option = |choice: Choice| {
        let Choice { value, label } = choice;
        let own = value.clone();
        let is_on = Memo::new(move |_| spot.form_state.value(spot.index).as_ref() == Some(&own));
        let change = move |_| spot.form_state.put(spot.index, Some(value.clone()));
        view! {
            <label class="tick">
                <input type="radio" name=group.clone() prop:checked=move || is_on.get() on:change=change/>
                <span>{cut(&label, LABEL_MAX)}</span>
            </label>
        }
    };
    let widget =
        view! { <div class="ticks">{options.into_iter().map(option).collect_view()}</div> };
    around_set(spot, field, "radiogroup", widget.into_any(), ().into_any())
}

/// `multiselect` (FORM-25).
pub(super) fn multiselect(spot: Spot, field: Field, options: Vec<Choice>, count: Count) -> AnyView {
    if options.len() > BOXES_MAX {
        return combobox::combobox(spot, field, Source::Fixed(options.into()), Some(count));
    }
    let order = StoredValue::new(options.iter().map(|it| it.value.clone()).collect::<Vec<_>>());
    let option = |choice: Choice| {
        let Choice { value, label } = choice;
        let own = value.clone();
        let is_on = Memo::new(move |_| picked(spot).contains(&own));
        // At the maximum, only ticked options can be changed.
        let is_beyond = Memo::new(move |_| !is_on.get() && is_full(count, picked(spot).len()));
        let change = move |event| {
            let on = event_target_checked(&event);
            let mut all = untrack(|| picked(spot));
            all.retain(|it| *it != value);
            if on {
                all.push(value.clone());
            }
            // In the order of the options, whichever was ticked first.
            let place =
                |it: &Value| order.with_value(|order| order.iter().position(|own| own == it));
            all.sort_by_key(place);
            spot.form_state.put(spot.index, (!all.is_empty()).then_some(Value::Array(all)));
        };
        view! {
            <label class="tick">
                <input type="checkbox" prop:checked=move || is_on.get()
                    disabled=move || is_beyond.get() || spot.is_closed()
                    aria-invalid=move || spot.invalid() on:change=change/>
                <span>{cut(&label, LABEL_MAX)}</span>
            </label>
        }
    };
    let widget =
        view! { <div class="ticks">{options.into_iter().map(option).collect_view()}</div> };
    around_set(spot, field, "group", widget.into_any(), tally(spot, count))
}

/// Whether no more can be chosen.
pub(super) fn is_full(count: Count, chosen: usize) -> bool {
    count.max.is_some_and(|max| chosen >= max)
}

/// Number of chosen options, and the maximum.
pub(super) fn tally(spot: Spot, count: Count) -> AnyView {
    let chosen = Memo::new(move |_| picked(spot).len());
    let is_over = move || count.max.is_some_and(|max| chosen.get() > max);
    let text = move || {
        let chosen = chosen.get().to_string();
        match count.max {
            Some(max) => Key::FieldPicked.fill(&[&chosen, &max.to_string()]),
            None => Key::FieldPickedBare.fill(&[&chosen]),
        }
    };
    any_view! { <p class="field-count" class:is-over=is_over id=spot.part("count")>{text}</p> }
}

/// The values of a multiple-choice field.
pub(super) fn picked(spot: Spot) -> Vec<Value> {
    match spot.form_state.value(spot.index) {
        Some(Value::Array(values)) => values,
        _ => Vec::new(),
    }
}

/// Maximum number of options in the browser's own list; more are searched.
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
        let value = choice.value.as_str().map_or_else(|| choice.value.to_string(), str::to_owned);
        view! { <option value=value>{cut(&choice.label, LABEL_MAX)}</option> }
    };
    any_view! {
        <select node_ref=node id=spot.id() aria-describedby=described aria-required=required(field)
            aria-invalid=move || spot.invalid() disabled=move || spot.is_closed()
            on:change=change on:blur=move |_| spot.leave()>
            <option value="">
                {move || placeholder.clone().unwrap_or_else(|| none.say().to_owned())}
            </option>
            {options.iter().map(option).collect_view()}
        </select>
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limits_choices_to_the_forms_maximum() {
        let three = Count { max: Some(3), ..Count::default() };
        assert_eq!([2, 3, 4].map(|it| is_full(three, it)), [false, true, true]);
        assert!(!is_full(Count::default(), 99));
    }
}
