//! The conversation, message by message; it follows what comes for as long as the reader is at its end.

use std::cell::RefCell;
use std::rc::Rc;

use leptos::html;
use leptos::prelude::*;
use wasm_bindgen::JsCast;
use wasm_bindgen::closure::Closure;
use web_sys::ResizeObserver;

use super::message::Message;
use super::piece::LatestCall;
use crate::browser;
use crate::chat::talk::Talk;
use crate::text::Key;

/// How near to its end the page counts as there, in pixels.
const NEAR_PX: f64 = 80.0;

/// How long the end of an answer may still grow, in milliseconds.
const SETTLING_MS: f64 = 1_500.0;

/// The messages of the conversation.
#[component]
pub(super) fn Transcript() -> impl IntoView {
    let talk = Talk::here();
    let is_running = Memo::new(move |_| talk.thread.with(|it| it.is_running()));
    // Each conversation counts its own entries.
    let ids = Memo::new(move |_| {
        talk.thread.with(|thread| {
            thread.entries.iter().map(|it| (thread.id.clone(), it.id)).collect::<Vec<_>>()
        })
    });
    let log = NodeRef::<html::Div>::new();
    follow(talk, log);
    provide_context(LatestCall(Memo::new(move |_| talk.thread.with(LatestCall::of))));
    view! {
        // What streams is not read out bit by bit: the page's one voice says when it begins and ends.
        <div class="chat-log" role="log" aria-live="off" node_ref=log
            aria-label=Key::ChatPlace
            aria-busy=move || is_running.get().to_string()>
            <For each=move || ids.get() key=Clone::clone children=move |(_, id)| view! { <Message id/> }/>
        </div>
    }
}

/// The way back to the end, for a reader who has left it.
#[component]
pub(super) fn Latest() -> impl IntoView {
    let talk = Talk::here();
    // What waits for the reader has a way of its own to it, and buttons that this one would lie over.
    let is_away = Memo::new(move |_| {
        !talk.is_at_end.get() && talk.thread.with(|it| !it.is_empty() && !it.is_waiting())
    });
    let to_end = move |_| {
        talk.is_at_end.set(true);
        scroll_to_end();
        browser::focus_if_lost("chat-input");
    };
    view! {
        <div class="chat-latest">
            {move || is_away.get().then(|| view! {
                <button type="button" class="quiet small" on:click=to_end>
                    <span aria-hidden="true">"↓"</span>{Key::ToLatest}
                </button>
            })}
        </div>
    }
}

/// Whether the reader sees the end of the page.
fn is_near_end() -> bool {
    let window = window();
    let number = |it: Result<wasm_bindgen::JsValue, _>| it.ok().and_then(|it| it.as_f64());
    let height = document().document_element().map_or(0, |it| it.scroll_height());
    let (seen, top) = (number(window.inner_height()), window.scroll_y().unwrap_or_default());
    f64::from(height) - seen.unwrap_or_default() - top <= NEAR_PX
}

fn scroll_to_end() {
    if let Some(root) = document().document_element() {
        window().scroll_to_with_x_and_y(0.0, f64::from(root.scroll_height()));
    }
}

/// Keeps the end in sight while an answer grows, unless the reader scrolled away from it.
fn follow(talk: Talk, log: NodeRef<html::Div>) {
    let is_at_end = talk.is_at_end;
    let scrolled = window_event_listener(leptos::ev::scroll, move |_| {
        let is_there = is_near_end();
        if is_at_end.get_untracked() != is_there {
            is_at_end.set(is_there);
        }
    });
    on_cleanup(move || scrolled.remove());
    // A reader who asks something wants to see what comes.
    let count = Memo::new(move |_| {
        talk.thread.with(|it| (it.id.clone(), it.entries.last().map(|it| it.id)))
    });
    Effect::new(move |_| {
        // Read, not only tracked: a memo that nothing reads never looks.
        count.with(|_| ());
        is_at_end.set(true);
        request_animation_frame(scroll_to_end);
    });
    // What an answer ends with, a notice or its cards, comes after it has ended.
    let ended_ms = StoredValue::new(0.0);
    let is_running = Memo::new(move |_| talk.thread.with(|it| it.is_running()));
    Effect::new(move |_| {
        if !is_running.get() {
            ended_ms.set_value(browser::now_ms());
        }
    });
    type Kept = Rc<RefCell<Option<(ResizeObserver, Closure<dyn FnMut()>)>>>;
    let kept: Kept = Rc::default();
    let keeper = StoredValue::new_local(Rc::clone(&kept));
    Effect::new(move |_| {
        let Some(element) = log.get() else { return };
        let grown = Closure::<dyn FnMut()>::new(move || {
            // What the reader unfolds in an old message does not move the page.
            let since_ms = ended_ms.try_get_value().map(|it| browser::now_ms() - it);
            let is_moving = is_running.try_get_untracked() == Some(true)
                || since_ms.is_some_and(|it| it < SETTLING_MS);
            match is_at_end.try_get_untracked() {
                Some(true) if is_moving => scroll_to_end(),
                Some(before) if before != is_near_end() => drop(is_at_end.try_set(!before)),
                _ => {}
            }
        });
        if let Ok(observer) = ResizeObserver::new(grown.as_ref().unchecked_ref()) {
            observer.observe(&element);
            keeper.with_value(|it| *it.borrow_mut() = Some((observer, grown)));
        }
    });
    on_cleanup(move || {
        if let Some(Some((observer, _))) = keeper.try_with_value(|it| it.borrow_mut().take()) {
            observer.disconnect();
        }
    });
}
