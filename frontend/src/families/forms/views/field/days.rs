//! Days and times: the browser's own inputs, with the limits as text below.

use leptos::prelude::*;
use output::form::{Days, Field};
use serde_json::Value;

use super::text::{required, shown};
use super::{Spot, around, described};
use crate::browser;
use crate::dates;
use crate::families::forms::FormState;
use crate::text::{Key, Lang};

/// The last possible date.
const YEAR_MAX: &str = "9999-12-31";

/// `date` (FORM-34), or `datetime` (FORM-35) with a time.
pub(super) fn days(spot: Spot, field: Field, limits: Days, has_time: bool) -> AnyView {
    let today = FormState::today();
    let resolve = |day: Option<output::form::Day>| {
        today.and_then(|today| Some(day?.on(today.latest).to_string()))
    };
    let (min, max) = (resolve(limits.min), resolve(limits.max));
    let node = browser::mirrored(move || shown(spot));
    let put = move |event| {
        let text = event_target_value(&event);
        spot.form_state.put(spot.index, (!text.is_empty()).then_some(Value::String(text)));
    };
    let at = |day: &Option<String>, time: &str| {
        day.as_ref().map(|day| if has_time { format!("{day}T{time}") } else { day.clone() })
    };
    let parts: &[&str] = if min.is_some() || max.is_some() { &["count"] } else { &[] };
    // A browser would accept years of six digits.
    let last = Some(max.clone().unwrap_or_else(|| YEAR_MAX.to_owned()));
    let widget = view! {
        <input type=if has_time { "datetime-local" } else { "date" } class="ask-day" node_ref=node
            id=spot.id() min=at(&min, "00:00") max=at(&last, "23:59")
            aria-describedby=described(spot, &field, parts) aria-required=required(&field)
            aria-invalid=move || spot.invalid() disabled=move || spot.is_closed()
            on:input=put on:blur=move |_| spot.leave()/>
    };
    around(spot, field, widget.into_any(), limits_text(spot, min, max))
}

/// The limits as text.
fn limits_text(spot: Spot, min: Option<String>, max: Option<String>) -> AnyView {
    if min.is_none() && max.is_none() {
        return ().into_any();
    }
    let text = move || {
        let lang = Lang::spoken();
        let long = |day: &String| {
            dates::Day::parse(day).map_or_else(|| day.clone(), |it| dates::dated(it, lang))
        };
        match (min.as_ref().map(long), max.as_ref().map(long)) {
            (Some(min), Some(max)) => lang.fill(Key::FieldDaysBetween, &[&min, &max]),
            (Some(min), None) => lang.fill(Key::FieldDaysFrom, &[&min]),
            (None, Some(max)) => lang.fill(Key::FieldDaysUntil, &[&max]),
            (None, None) => String::new(),
        }
    };
    any_view! { <p class="field-count is-said" id=spot.part("count")>{text}</p> }
}
