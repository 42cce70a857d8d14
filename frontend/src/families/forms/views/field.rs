//! A field of a requested form: its label, description, widget and error.

mod choices;
mod combobox;
mod days;
mod files;
mod loaded;
mod number;
mod popup;
mod text;

use leptos::prelude::*;
use output::form::{Field, Kind};

use crate::browser;
use crate::families::forms::FormState;
use crate::text::{Key, cut};

/// Maximum number of characters shown of a label or description; a schema must not fill the page.
const LABEL_MAX: usize = 300;
const DESCRIPTION_MAX: usize = 2_000;

/// A field within its form.
#[derive(Clone, Copy)]
pub(super) struct Spot {
    form_state: FormState,
    index: usize,
    /// Its error, once due.
    message: Memo<Option<String>>,
}

impl Spot {
    fn new(form_state: FormState, index: usize) -> Self {
        let message = Memo::new(move |_| form_state.message(index));
        Self { form_state, index, message }
    }

    /// Id of the focusable element.
    fn id(self) -> String {
        self.form_state.id(self.index)
    }

    /// Id of a part.
    fn part(self, part: &str) -> String {
        format!("{}-{part}", self.id())
    }

    fn invalid(self) -> Option<&'static str> {
        self.message.get().map(|_| "true")
    }

    fn is_closed(self) -> bool {
        self.form_state.is_closed.get()
    }

    /// Marks it as left. A field removed while focused fires this after its form is gone. The error appears only after
    /// the click that left it, since it moves the elements below.
    fn leave(self) {
        browser::once_released(move || {
            if self.form_state.is_closed.try_get_untracked().is_some() {
                self.form_state.touch(self.index);
            }
        });
    }

    /// Like `leave`, once the focus is on none of several controls.
    fn leave_all(self, event: &leptos::ev::FocusEvent) {
        if browser::is_left(event) {
            self.leave();
        }
    }
}

/// Draws a field while it is shown.
#[component]
pub(crate) fn FieldView(form_state: FormState, index: usize) -> impl IntoView {
    let is_shown = Memo::new(move |_| form_state.is_shown(index));
    let form = form_state.form();
    let field = form.fields.get(index).filter(|it| !matches!(it.kind, Kind::Hidden(_))).cloned();
    field.map(|field| {
        let field = StoredValue::new(field);
        move || {
            let draw = || field.with_value(|field| draw(Spot::new(form_state, index), field));
            is_shown.get().then(draw)
        }
    })
}

fn draw(spot: Spot, field: &Field) -> AnyView {
    let own = field.clone();
    match field.kind.clone() {
        Kind::Divider => divider(spot, field),
        Kind::Heading(level) => heading(spot, field, level),
        Kind::Hidden(_) => ().into_any(),
        Kind::Text(text) => text::line(spot, own, text),
        Kind::Textarea { rows, text } => text::lines(spot, own, rows, text),
        Kind::Number(number) => number::number(spot, own, number),
        Kind::Range { number, show_value } => number::range(spot, own, number, show_value),
        Kind::Date(limits) => days::days(spot, own, limits, false),
        Kind::Datetime(limits) => days::days(spot, own, limits, true),
        Kind::Checkbox => choices::checkbox(spot, own),
        Kind::Radio(options) => choices::radio(spot, own, options),
        Kind::Select(options) => choices::select(spot, own, options),
        Kind::Multiselect(options, count) => choices::multiselect(spot, own, options, count),
        Kind::Autocomplete(lookup) => loaded::search(spot, own, lookup, None),
        Kind::MultiAutocomplete(lookup, count) => loaded::search(spot, own, lookup, Some(count)),
        Kind::CascadingSelect(lookup) | Kind::AsyncSelect(lookup) => {
            loaded::whole(spot, own, lookup)
        }
        Kind::File(files) => files::files(spot, own, files),
    }
}

/// Frame of a single-control widget, with `below` under it.
fn around(spot: Spot, field: Field, widget: AnyView, below: AnyView) -> AnyView {
    let kind = field.kind.name();
    any_view! {
        <div class=format!("field ask is-{kind}") data-field=field.name.clone()>
            <label class="label" for=spot.id() id=spot.part("label")>{name(&field)}</label>
            {description(spot, &field)}
            {widget}
            <div class="field-foot">{error(spot)}{below}</div>
        </div>
    }
}

/// Frame of several controls: a set with a legend. `role` is `group` or `radiogroup`.
fn around_set(
    spot: Spot,
    field: Field,
    role: &'static str,
    widget: AnyView,
    below: AnyView,
) -> AnyView {
    let kind = field.kind.name();
    let is_radio = role == "radiogroup";
    let required = (is_radio && field.required).then_some("true");
    any_view! {
        <fieldset class=format!("field ask is-{kind}") data-field=field.name.clone()
            id=spot.id() tabindex="-1" role=role aria-describedby=described(spot, &field, &["count"])
            aria-required=required aria-invalid=move || spot.invalid().filter(|_| is_radio)
            disabled=move || spot.is_closed()
            on:focusout=move |event| spot.leave_all(&event)>
            <legend class="label" id=spot.part("label")>{name(&field)}</legend>
            {description(spot, &field)}
            {widget}
            <div class="field-foot">{error(spot)}{below}</div>
        </fieldset>
    }
}

/// The label, with a mark if it is required.
fn name(field: &Field) -> impl IntoView + use<> {
    view! {
        <span class="label-text">{cut(&field.label, LABEL_MAX)}</span>
        {field.is_needed().then(|| view! { <span class="required">{Key::Required}</span> })}
    }
}

fn description(spot: Spot, field: &Field) -> Option<impl IntoView + use<>> {
    let text = field.description.as_ref()?;
    let text = cut(text, DESCRIPTION_MAX);
    Some(view! { <p class="hint" id=spot.part("hint")>{text}</p> })
}

fn error(spot: Spot) -> impl IntoView {
    view! { <p class="error" id=spot.part("error")>{move || spot.message.get()}</p> }
}

/// Ids of its descriptions, for `aria-describedby`; `parts` are the widget's.
fn described(spot: Spot, field: &Field, parts: &[&str]) -> String {
    let hint = field.description.is_some().then_some("hint");
    let all = hint.into_iter().chain(parts.iter().copied()).chain(["error"]);
    all.map(|it| spot.part(it)).collect::<Vec<_>>().join(" ")
}

/// A divider, with its section's title if any (FORM-22).
fn divider(spot: Spot, field: &Field) -> AnyView {
    let label = cut(&field.label, LABEL_MAX);
    if label.trim().is_empty() {
        return any_view! { <hr class="divider"/> };
    }
    // The line alone would be a thematic break; with a title it is a heading.
    any_view! {
        <div class="divider-named">
            <hr class="divider" aria-hidden="true"/>
            {titled(spot, "divider-name".to_owned(), label)}
        </div>
    }
}

/// A heading (FORM-23).
fn heading(spot: Spot, field: &Field, level: u8) -> AnyView {
    let text = cut(&field.label, LABEL_MAX);
    let description = field.description.as_ref().map(|it| cut(it, DESCRIPTION_MAX));
    let heading = titled(spot, format!("heading is-level-{}", level.clamp(1, 4)), text);
    any_view! {
        <div class="heading-block">
            {heading}
            {description.map(|it| view! { <p class="hint">{it}</p> })}
        </div>
    }
}

/// A heading of the page, of the level that its place in the form has.
fn titled(spot: Spot, class: String, text: String) -> AnyView {
    match spot.form_state.level(spot.index) {
        ..=2 => any_view! { <h2 class=class>{text}</h2> },
        3 => any_view! { <h3 class=class>{text}</h3> },
        4 => any_view! { <h4 class=class>{text}</h4> },
        5 => any_view! { <h5 class=class>{text}</h5> },
        _ => any_view! { <h6 class=class>{text}</h6> },
    }
}
