//! What only divides a form: lines and headings.

use leptos::prelude::*;
use output::form::Field;

use super::{DESCRIPTION_MAX, LABEL_MAX, cut};

/// A line, with its section's name where it has one (FORM-22).
pub(super) fn divider(field: &Field) -> AnyView {
    let label = cut(&field.label, LABEL_MAX);
    if label.trim().is_empty() {
        return view! { <hr class="divider"/> }.into_any();
    }
    // The line alone would be a thematic break; with a name it heads what follows.
    view! {
        <div class="divider-named">
            <hr class="divider" aria-hidden="true"/>
            <h3 class="divider-name">{label}</h3>
        </div>
    }
    .into_any()
}

/// A heading (FORM-23). The page has `h1` for the form's own title, so that level 1 is an `h2` here.
pub(super) fn heading(field: &Field, level: u8) -> AnyView {
    let text = cut(&field.label, LABEL_MAX);
    let description = field.description.as_ref().map(|it| cut(it, DESCRIPTION_MAX));
    let level = level.clamp(1, 4);
    let class = format!("heading is-level-{level}");
    let heading = match level {
        1 => view! { <h2 class=class>{text}</h2> }.into_any(),
        2 => view! { <h3 class=class>{text}</h3> }.into_any(),
        3 => view! { <h4 class=class>{text}</h4> }.into_any(),
        _ => view! { <h5 class=class>{text}</h5> }.into_any(),
    };
    view! {
        <div class="heading-block">
            {heading}
            {description.map(|it| view! { <p class="hint">{it}</p> })}
        </div>
    }
    .into_any()
}
