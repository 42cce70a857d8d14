//! What keeps a form from being sent: all of it, with a way to each field.

use leptos::prelude::*;

use crate::browser;
use crate::families::forms::FormState;
use crate::families::forms::session::FormSession;
use crate::text::Key;

/// Fields named at most; correcting those shows the rest at the next try.
const FIELDS_MAX: usize = 50;

/// Takes the keyboard when a form could not be sent; what is corrected goes from it.
#[component]
pub(super) fn Summary(session: FormSession, form_state: FormState) -> impl IntoView {
    move || {
        let faulty = session.faulty.get();
        if faulty.is_empty() {
            return None;
        }
        let left_out = faulty.len().saturating_sub(FIELDS_MAX);
        let fault = |index: usize| (index, Memo::new(move |_| form_state.message(index)));
        let faults: Vec<_> = faulty.into_iter().take(FIELDS_MAX).map(fault).collect();
        let messages: Vec<_> = faults.iter().map(|it| it.1).collect();
        let count = Memo::new(move |_| {
            messages.iter().filter(|it| it.with(Option::is_some)).count() + left_out
        });
        let title = move || Key::ErrorSummary.fill(&[&count.get().to_string()]);
        let links = faults.into_iter().map(|(index, message)| {
            view! { <FaultLink form_state index message/> }
        });
        Some(view! {
            <div class="notice is-error request-summary" id=session.id("summary") tabindex="-1"
                role="group" aria-labelledby=session.id("summary-title")
                hidden=move || count.get() == 0>
                <p class="notice-title" id=session.id("summary-title")>{title}</p>
                <ul>{links.collect_view()}</ul>
            </div>
        })
    }
}

#[component]
fn FaultLink(form_state: FormState, index: usize, message: Memo<Option<String>>) -> impl IntoView {
    let id = StoredValue::new(form_state.id(index));
    move || {
        message.get().map(|message| {
            let follow = move |event: leptos::ev::MouseEvent| {
                // The address after # is the page's own.
                event.prevent_default();
                focus_field(&id.get_value());
            };
            view! {
                <li><a href=format!("#{}", id.get_value()) on:click=follow>{message}</a></li>
            }
        })
    }
}

/// Moves the keyboard to a field, or to the first thing in it that takes one.
pub(super) fn focus_field(id: &str) {
    let inner = "input, select, textarea, button, [tabindex]";
    let element = document().get_element_by_id(id);
    let takes = element.as_ref().is_some_and(|it| it.matches(inner).unwrap_or_default());
    let found = if takes { element } else { element.and_then(|it| first_of(&it, inner)) };
    if let Some(found) = found {
        if found.id().is_empty() {
            found.set_id(&format!("{id}-first"));
        }
        browser::focus(&found.id());
    }
}

fn first_of(element: &web_sys::Element, inner: &str) -> Option<web_sys::Element> {
    element.query_selector(inner).ok().flatten()
}
