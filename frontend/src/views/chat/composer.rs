//! The composer: Enter sends, Shift + Enter breaks the line, and input methods are respected (ILL-46).

use leptos::ev::{ClipboardEvent, DragEvent, Event, KeyboardEvent, MouseEvent, SubmitEvent};
use leptos::prelude::*;
use output::text::is_blank;
use wasm_bindgen::JsCast;
use web_sys::HtmlInputElement;

use super::current;
use super::transcript::Latest;
use crate::browser;
use crate::cards::picture::{KINDS, Picture, Shared};
use crate::chat::talk::{ATTACHED_MAX, Talk};
use crate::chat::thread::MESSAGE_MAX;
use crate::page::page;
use crate::text::{Key, Lang};

/// Selector of the element to focus in a pending item.
const WAITING: &str = ".chat-log :is(.card-form form, .card-ask, .approval.is-open) \
    :is(input, select, textarea, button)";

#[component]
pub(super) fn Composer() -> impl IntoView {
    let talk = Talk::shared();
    let submit = move |event: SubmitEvent| {
        event.prevent_default();
        talk.send();
    };
    let drop_files = move |event: DragEvent| {
        if let Some(files) = event.data_transfer().and_then(|it| it.files()) {
            event.prevent_default();
            talk.attach(&files);
        }
    };
    let note = move || match talk.editing.get() {
        Some(id) => Some(talk.editing_key(id)),
        None => talk.thread.with(|it| match it.is_waiting() {
            true => Some(Key::ChatUnanswered),
            false => it.is_elsewhere().then_some(Key::ChatElsewhere),
        }),
    };
    let note = Memo::new(move |_| note());
    // What waits for an answer needs the room on phones.
    let is_waiting =
        move || note.get() == Some(Key::ChatUnanswered) && talk.attached.with(Vec::is_empty);
    let is_choosing = Memo::new(move |_| current(talk).is_some_and(|it| it.makes_pictures));
    view! {
        <form class="chat-composer" class:is-waiting=is_waiting on:submit=submit on:drop=drop_files
            on:dragover=move |event: DragEvent| event.prevent_default()>
            <Latest/>
            <div class="chat-note" id="chat-note">
                {move || note.get().map(|key| view! { <p class="hint">{key}</p> })}
                {move || (note.get() == Some(Key::ChatUnanswered)).then(|| view! {
                    <button type="button" class="quiet small" on:click=|_| browser::focus_first(WAITING)>
                        {Key::ChatAnswerIt}
                    </button>
                })}
                {move || talk.editing.get().is_some().then(|| view! {
                    <button type="button" class="quiet small" on:click=move |_| talk.stop_editing()>
                        {Key::ChatEditStop}
                    </button>
                })}
            </div>
            <Trusted/>
            <Apps/>
            <Attached/>
            <Input/>
            <div class="chat-tools">
                <Attach/>
                {move || is_choosing.get().then(|| view! {
                    <label class="switch chat-choose">
                        <input type="checkbox" prop:checked=move || talk.thread.with(|it| it.chooses)
                            on:change=move |event| {
                                let is_on = event_target_checked(&event);
                                talk.thread.update(|it| it.chooses = is_on);
                                talk.keep();
                            }/>
                        <span>{Key::ChatChoose}</span>
                    </label>
                })}
                <span class="chat-keys hint" id="chat-keys">{Key::SendKeys}</span>
                <Send/>
            </div>
        </form>
    }
}

/// The trusted tools, and the button to revoke trust.
#[component]
fn Trusted() -> impl IntoView {
    let talk = Talk::shared();
    let trusts = Memo::new(move |_| talk.thread.with(|it| it.trusts.clone()));
    let names = move || {
        let title = |trust: &String| {
            let name = trust.split('@').next().unwrap_or_default();
            page().tool(name).map_or_else(|| name.to_owned(), |it| it.title(Lang::spoken()))
        };
        let names = trusts.with(|it| it.iter().map(title).collect::<Vec<_>>());
        Key::ChatTrusted.fill(&[&names.join(Lang::spoken().comma())])
    };
    let is_any = Memo::new(move |_| trusts.with(|it| !it.is_empty()));
    move || {
        is_any.get().then(|| {
            view! {
                <div class="chat-note">
                    <p class="hint">{names}</p>
                    <button type="button" class="quiet small" on:click=move |_| talk.distrust()>
                        {Key::ChatDistrust}
                    </button>
                </div>
            }
        })
    }
}

/// The texts of apps that are sent along.
#[component]
fn Apps() -> impl IntoView {
    let talk = Talk::shared();
    view! {
        <For each=move || talk.apps.get() key=|it| (it.number, it.title.clone()) let:app>
            <div class="chat-note">
                <p class="hint">{move || Key::AppTells.fill(&[&app.title])}</p>
                <button type="button" class="quiet small" on:click=move |_| {
                    talk.forget_app(app.number);
                    browser::focus_soon("chat-input");
                }>{Key::AppTellsNot}</button>
            </div>
        </For>
    }
}

/// The text input, growing with its content.
#[component]
fn Input() -> impl IntoView {
    let talk = Talk::shared();
    let keydown = move |event: KeyboardEvent| {
        // Enter and Escape of an input method are not ours.
        if browser::is_composing(&event) {
            return;
        }
        match event.key().as_str() {
            "Enter" if !event.shift_key() && !event.alt_key() => {
                event.prevent_default();
                talk.send();
            }
            "Escape" if talk.editing.get_untracked().is_some() => {
                event.prevent_default();
                talk.stop_editing();
            }
            _ => {}
        }
    };
    let paste = move |event: ClipboardEvent| {
        let files = event.clipboard_data().and_then(|it| it.files());
        if let Some(files) = files.filter(|it| it.length() > 0) {
            event.prevent_default();
            talk.attach(&files);
        }
    };
    let is_long = move || talk.draft.with(|it| it.chars().count() >= MESSAGE_MAX);
    view! {
        <label class="only-heard" for="chat-input">{Key::ChatInput}</label>
        // The hidden copy gives both the height of the text.
        <div class="chat-grow" data-text=move || talk.draft.get()>
            <textarea id="chat-input" rows="1" maxlength=MESSAGE_MAX enterkeyhint="send"
                aria-describedby="chat-note chat-keys"
                placeholder=Key::ChatInputHint
                prop:value=move || talk.draft.get()
                on:input=move |event| {
                    talk.draft.set(event_target_value(&event));
                    talk.keep_draft();
                }
                on:keydown=keydown on:paste=paste></textarea>
        </div>
        <p class="error" role="alert">
            {move || is_long().then(|| Key::ChatTooLong.fill(&[&MESSAGE_MAX.to_string()]))}
        </p>
    }
}

/// The send button, which stops a running answer.
#[component]
fn Send() -> impl IntoView {
    let talk = Talk::shared();
    let is_running = Memo::new(move |_| talk.thread.with(|it| it.is_running()));
    let is_empty = move || talk.draft.with(|it| is_blank(it)) && talk.attached.with(Vec::is_empty);
    // The button becomes the send button before this click ends, and must not send.
    let stop = move |event: MouseEvent| {
        if is_running.get_untracked() {
            event.prevent_default();
            talk.stop();
        }
    };
    view! {
        // The same button throughout, so that it keeps the focus.
        <button type=move || if is_running.get() { "button" } else { "submit" }
            id=move || if is_running.get() { "chat-stop" } else { "chat-send" }
            class="main-action chat-send" class:is-stop=is_running
            disabled=move || !is_running.get() && is_empty() on:click=stop>
            {move || is_running.get().then(|| view! {
                <span class="chat-stop-mark" aria-hidden="true"></span>
            })}
            {move || if is_running.get() { Key::ChatStop } else { Key::Send }.say()}
        </button>
    }
}

#[component]
fn Attach() -> impl IntoView {
    let talk = Talk::shared();
    let change = move |event: Event| {
        let input = event.target().and_then(|it| it.dyn_into::<HtmlInputElement>().ok());
        let Some(input) = input else { return };
        if let Some(files) = input.files() {
            talk.attach(&files);
        }
        // Lets the same file be chosen again.
        input.set_value("");
    };
    let is_full = move || talk.attached.with(Vec::len) >= ATTACHED_MAX;
    view! {
        <span class="chat-attach">
            <input type="file" id="chat-files" class="only-heard" multiple accept=KINDS.join(",")
                disabled=is_full on:change=change/>
            <label for="chat-files" class="button quiet small">
                <span aria-hidden="true">"＋"</span>{Key::ChatAttach}
            </label>
        </span>
    }
}

#[component]
fn Attached() -> impl IntoView {
    let talk = Talk::shared();
    let one = move |picture: Shared<Picture>| {
        let (id, name) = (picture.id.clone(), picture.name.clone());
        let label = name.clone();
        view! {
            <li class="chat-thumb">
                <img src=picture.url().unwrap_or_default() alt=name/>
                <button type="button" class="quiet small" on:click=move |_| talk.detach(&id)
                    aria-label=move || Key::ChatDetach.fill(&[&label])>
                    <span aria-hidden="true">"×"</span>
                </button>
            </li>
        }
    };
    let is_any = Memo::new(move |_| talk.attached.with(|it| !it.is_empty()));
    move || {
        is_any.get().then(|| {
            view! {
                <ul class="chat-thumbs" aria-label=Key::ChatAttached>
                    <For each=move || talk.attached.get() key=|it| it.id.clone() children=one/>
                </ul>
            }
        })
    }
}
