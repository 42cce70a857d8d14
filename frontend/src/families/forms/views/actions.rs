//! Actions of a form: sending, cancelling, declining; and the state of its draft.

use leptos::prelude::*;

use super::frame::focus_field;
use crate::browser;
use crate::error::CallError;
use crate::families::forms::FormState;
use crate::families::forms::saver::{Safe, Saver};
use crate::families::forms::session::{Close, FormSession, Step};
use crate::text::{Key, Lang};
use crate::views::notice::{Notice, details};

/// The buttons, labelled by the definition; the progress; and the state of the draft.
#[component]
pub(super) fn Actions(
    session: FormSession,
    form_state: FormState,
    saver: Saver,
    is_asking: RwSignal<bool>,
) -> impl IntoView {
    let form = form_state.form();
    let label = |own: &Option<String>, key: Key| {
        let own = own.clone().filter(|it| !it.is_empty());
        Signal::derive(move || own.clone().unwrap_or_else(|| key.say().to_owned()))
    };
    let send = label(&form.submit_label, Key::Send);
    let cancel = label(&form.cancel_label, Key::Cancel);
    let is_sending = Memo::new(move |_| session.step.with(|it| *it == Step::Sending));
    let is_busy =
        Memo::new(move |_| session.step.with(|it| matches!(it, Step::Sending | Step::Closing)));
    let text =
        move || if is_sending.get() { Key::FormSending.say().to_owned() } else { send.get() };
    let progress = move || {
        let (filled, all) = form_state.progress.get();
        let text = Key::FormProgress.fill(&[&filled.to_string(), &all.to_string()]);
        (all > 1).then(|| view! { <span>{text}</span> })
    };
    view! {
        <Sure session is_asking/>
        <StepView session form_state send/>
        <div class="request-actions">
            <div class="actions">
                <button type="submit" class="main-action" id=session.id("send")
                    aria-disabled=move || is_busy.get().to_string()>{text}</button>
                <button type="button" class="quiet" id=session.id("cancel")
                    on:click=move |_| session.close(Close::Cancel)>{move || cancel.get()}</button>
                <button type="button" class="plain"
                    on:click=move |_| session.close(Close::Decline)>{Key::FormDecline}</button>
            </div>
            <div class="request-state">{progress}<SafeView saver/></div>
        </div>
    }
}

/// Escape asks for confirmation: it is easily pressed by accident.
#[component]
fn Sure(session: FormSession, is_asking: RwSignal<bool>) -> impl IntoView {
    let before = StoredValue::new_local(None::<web_sys::Element>);
    let keep = move || {
        is_asking.set(false);
        match before.get_value() {
            Some(element) if !element.id().is_empty() => browser::focus_soon(element.id()),
            _ => browser::focus_soon(session.id("cancel")),
        }
    };
    move || {
        if !is_asking.get() {
            return None;
        }
        before.set_value(document().active_element());
        browser::focus_soon(session.id("go-on"));
        Some(view! {
            <div class="notice is-warning" role="alertdialog" aria-labelledby=session.id("sure")
                on:keydown=move |event| if browser::takes_escape(&event) { keep() }>
                <p class="notice-title" id=session.id("sure")>{Key::FormCancelAsk}</p>
                <div class="actions">
                    <button type="button" class="quiet" id=session.id("go-on") on:click=move |_| keep()>
                        {Key::FormCancelNo}
                    </button>
                    <button type="button" class="quiet is-grave"
                        on:click=move |_| session.close(Close::Cancel)>{Key::FormCancelYes}</button>
                </div>
            </div>
        })
    }
}

/// The result of the last action, unless it was an answer.
#[component]
fn StepView(session: FormSession, form_state: FormState, send: Signal<String>) -> impl IntoView {
    move || match session.step.get() {
        Step::NotClosed(error) => any_view! { <Notice error/> },
        Step::NotSent(error) => {
            let is_offline = error == CallError::Offline;
            let error = StoredValue::new(error);
            let advice = move || {
                let lang = Lang::spoken();
                if is_offline {
                    return Key::FormNotSentOffline.fill(&[&send.get()]);
                }
                error.with_value(|error| {
                    format!("{}{}{}", error.title(lang), lang.colon(), error.advice(lang))
                })
            };
            let more = move || error.with_value(|it| details(it, &it.advice(Lang::spoken())));
            any_view! {
                <div class="notice is-error" role="alert" id=session.id("trouble") tabindex="-1">
                    <p class="notice-title">{Key::FormNotSent}</p>
                    <p>{advice}</p>
                    {more}
                </div>
            }
        }
        Step::Uploading(index) if form_state.is_uploading(index) => any_view! {
            <div class="notice" role="alert">
                <p>{Key::FormUploading}</p>
                <button type="button" class="link"
                    on:click=move |_| focus_field(&form_state.id(index))>
                    {form_state.form().fields[index].label.clone()}
                </button>
            </div>
        },
        _ => ().into_any(),
    }
}

/// Lets the reader choose between two drafts.
#[component]
pub(super) fn Drafts(saver: Saver, id: String) -> impl IntoView {
    let id = StoredValue::new(id);
    let has_rival = Memo::new(move |_| saver.rival.with(Option::is_some));
    let has_dropped = Memo::new(move |_| saver.dropped.with(Option::is_some));
    let ask = move || {
        view! {
            <div class="notice is-warning" role="group" aria-labelledby=id.get_value()>
                <p class="notice-title" id=id.get_value()>{Key::DraftTwo}</p>
                <p>{Key::DraftTwoHint}</p>
                <div class="actions">
                    <button type="button" on:click=move |_| saver.decide(true)>{Key::DraftOurs}</button>
                    <button type="button" class="quiet" on:click=move |_| saver.decide(false)>
                        {Key::DraftTheirs}
                    </button>
                </div>
            </div>
        }
    };
    let swap = move || {
        view! {
            <p class="request-swap">
                <span>{Key::DraftDropped}</span>
                <button type="button" class="quiet small" on:click=move |_| saver.take_dropped()>
                    {Key::DraftSwap}
                </button>
            </p>
        }
    };
    move || match (has_rival.get(), has_dropped.get()) {
        (true, _) => ask().into_any(),
        (_, true) => swap().into_any(),
        _ => ().into_any(),
    }
}

/// Shows whether the draft is safe. No live region: important changes are announced once.
#[component]
fn SafeView(saver: Saver) -> impl IntoView {
    let class = move || match saver.safe.get() {
        Safe::LocalOnly(_) => "request-safe is-here",
        _ => "request-safe",
    };
    let text = move || match saver.safe.get() {
        Safe::Nothing => String::new(),
        Safe::Soon => Key::Saving.say().to_owned(),
        Safe::Saved(time) => Key::DraftThere.fill(&[&time]),
        Safe::LocalOnly(CallError::Refused(it)) if !it.message.is_empty() => {
            format!("{} {}", Key::DraftHere.say(), it.message)
        }
        Safe::LocalOnly(_) => Key::DraftHere.say().to_owned(),
    };
    view! { <p class=class>{text}</p> }
}
