//! The messages of a conversation: the person's at the right, the assistant's at the left (ILL-46). Follows new content
//! while the reader is at the end.

use std::cell::RefCell;
use std::rc::Rc;

use leptos::html;
use leptos::prelude::*;
use wasm_bindgen::JsCast;
use wasm_bindgen::closure::Closure;
use web_sys::ResizeObserver;

use super::piece::{LatestCall, PendingView, PieceView, shots};
use super::provider;
use crate::browser;
use crate::cards::picture::{Kind, Shared};
use crate::chat::entry::{Body, Entry, Failure, Phase, Piece, ToolCard, Turn, Usage, UserMessage};
use crate::chat::talk::Talk;
use crate::chat::thread::Thread;
use crate::dates::grouped;
use crate::page::page;
use crate::text::{Key, Lang};
use crate::views::cards::{CallCard, PictureGrid};
use crate::views::output::copy;

/// Distance in pixels from the end of the page that counts as the end.
const NEAR_PX: f64 = 80.0;

/// How long the end of an answer may still grow, in milliseconds; longer where a form is loaded.
const SETTLING_MS: f64 = 1_500.0;
const LOADING_MS: f64 = 10_000.0;

/// How long a scroll after the reader's wheel, finger, pointer, key or move of the focus is theirs, in milliseconds.
const MOVING_MS: f64 = 300.0;

/// What waits for the reader.
const WAITING: &str = ".chat-log :is(.card-form > .request, .card-ask, .approval.is-open)";

#[component]
pub(super) fn Transcript() -> impl IntoView {
    let talk = Talk::shared();
    let is_running = Memo::new(move |_| talk.thread.with(|it| it.is_running()));
    // Each conversation numbers its own entries.
    let ids = Memo::new(move |_| {
        talk.thread.with(|thread| {
            thread.entries.iter().map(|it| (thread.id.clone(), it.id)).collect::<Vec<_>>()
        })
    });
    let log = NodeRef::<html::Div>::new();
    follow(talk, log);
    provide_context(LatestCall(Memo::new(move |_| talk.thread.with(LatestCall::find))));
    view! {
        // Streamed text is not read out: the live region announces beginning and end.
        <div class="chat-log" role="log" aria-live="off" node_ref=log
            aria-label=Key::ChatPlace
            aria-busy=move || is_running.get().to_string()>
            <For each=move || ids.get() key=Clone::clone children=move |(_, id)| view! { <Message id/> }/>
        </div>
    }
}

/// The button that returns to the end.
#[component]
pub(super) fn Latest() -> impl IntoView {
    let talk = Talk::shared();
    // Pending items have their own button and must not be covered.
    let is_away = Memo::new(move |_| {
        !talk.is_at_end.get() && talk.thread.with(|it| !it.is_empty() && !it.is_waiting())
    });
    let to_end = move |_| {
        talk.is_at_end.set(true);
        scroll_to_end(false);
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

/// Whether the end of the page is visible.
fn is_near_end() -> bool {
    let window = window();
    let number = |it: Result<wasm_bindgen::JsValue, _>| it.ok().and_then(|it| it.as_f64());
    let (height_seen, top) = (number(window.inner_height()), window.scroll_y().unwrap_or_default());
    f64::from(height()) - height_seen.unwrap_or_default() - top <= NEAR_PX
}

/// The height of the whole page.
fn height() -> i32 {
    document().document_element().map_or(0, |it| it.scroll_height())
}

/// Scrolls to the end, but no further than to the beginning of what waits for the reader.
fn scroll_to_end(is_waiting: bool) {
    let waiting = document().query_selector(WAITING).ok().flatten();
    if let Some(waiting) = waiting.filter(|_| is_waiting) {
        waiting.scroll_into_view();
    } else {
        window().scroll_to_with_x_and_y(0.0, f64::from(height()));
    }
}

/// Keeps the end in view while an answer grows, unless the reader scrolled away.
fn follow(talk: Talk, log: NodeRef<html::Div>) {
    let is_at_end = talk.is_at_end;
    let is_waiting = Memo::new(move |_| talk.thread.with(Thread::is_waiting));
    let top = move || window().scroll_y().unwrap_or_default();
    // What is drawn moves the page as well: a scroll that comes with another height, and not from the reader, must not
    // look as if the reader had scrolled away.
    let own_top = StoredValue::new(-1.0);
    let last_height = StoredValue::new(-1);
    let moved_ms = StoredValue::new(0.0);
    let follow_end = move || {
        scroll_to_end(is_waiting.try_get_untracked() == Some(true));
        let _gone = own_top.try_set_value(top());
        let _gone = last_height.try_set_value(height());
    };
    let scrolled = window_event_listener(leptos::ev::scroll, move |_| {
        let (was_there, height) = (is_at_end.get_untracked(), height());
        let is_readers = browser::now_ms() - moved_ms.get_value() < MOVING_MS;
        let is_drawing = was_there && last_height.get_value() != height && !is_readers;
        last_height.set_value(height);
        let is_there = is_near_end() || own_top.get_value() == top() || is_drawing;
        if was_there != is_there {
            is_at_end.set(is_there);
        }
    });
    let note_move = move || moved_ms.set_value(browser::now_ms());
    let wheeled = window_event_listener(leptos::ev::wheel, move |_| note_move());
    let touched = window_event_listener(leptos::ev::touchmove, move |_| note_move());
    let pressed = window_event_listener(leptos::ev::pointerdown, move |_| note_move());
    let focused = window_event_listener(leptos::ev::focusin, move |_| note_move());
    let typed = window_event_listener(leptos::ev::keydown, move |event| {
        // Enter sends, and scrolls nothing.
        if event.key() != "Enter" {
            note_move();
        }
    });
    let listeners = [scrolled, wheeled, touched, pressed, focused, typed];
    on_cleanup(move || listeners.into_iter().for_each(|it| it.remove()));
    // A reader who asks something wants to see the answer.
    let count = Memo::new(move |_| {
        talk.thread.with(|it| (it.id.clone(), it.entries.last().map(|it| it.id)))
    });
    Effect::new(move |_| {
        // Read, not only tracked: a memo that is never read is never evaluated.
        count.with(|_| ());
        moved_ms.set_value(0.0);
        is_at_end.set(true);
        request_animation_frame(follow_end);
    });
    // Notices and cards at the end of an answer are drawn after it has ended.
    let ended_ms = StoredValue::new(0.0);
    let is_running = Memo::new(move |_| talk.thread.with(|it| it.is_running()));
    Effect::new(move |_| {
        if !is_running.get() {
            ended_ms.set_value(browser::now_ms());
        }
    });
    type ObserverCell = Rc<RefCell<Option<(ResizeObserver, Closure<dyn FnMut()>)>>>;
    let observing: ObserverCell = Rc::default();
    let stored = StoredValue::new_local(Rc::clone(&observing));
    Effect::new(move |_| {
        let Some(element) = log.get() else { return };
        let grown = Closure::<dyn FnMut()>::new(move || {
            // Unfolding something in an old message must not scroll the page.
            let since_ms = ended_ms.try_get_value().map(|it| browser::now_ms() - it);
            let is_waiting = is_waiting.try_get_untracked() == Some(true);
            let settling_ms = if is_waiting { LOADING_MS } else { SETTLING_MS };
            let is_moving = is_running.try_get_untracked() == Some(true)
                || since_ms.is_some_and(|it| it < settling_ms);
            match is_at_end.try_get_untracked() {
                Some(true) if is_moving => follow_end(),
                Some(before) if before != is_near_end() => drop(is_at_end.try_set(!before)),
                _ => {}
            }
        });
        if let Ok(observer) = ResizeObserver::new(grown.as_ref().unchecked_ref()) {
            observer.observe(&element);
            stored.with_value(|it| *it.borrow_mut() = Some((observer, grown)));
        }
    });
    on_cleanup(move || {
        if let Some(Some((observer, _))) = stored.try_with_value(|it| it.borrow_mut().take()) {
            observer.disconnect();
        }
    });
}

/// A message, for as long as it exists.
#[component]
pub(super) fn Message(id: u64) -> impl IntoView {
    let talk = Talk::shared();
    let entry = Memo::new(move |_| {
        talk.thread.with(|it| it.entries.iter().find(|it| it.id == id).cloned())
    });
    let place = Memo::new(move |_| {
        talk.thread.with(|thread| {
            let index = thread.entries.iter().position(|it| it.id == id);
            (index.unwrap_or_default() + 1, thread.entries.len())
        })
    });
    let is_answer = entry.with_untracked(|it| it.as_ref().is_some_and(|it| it.turn().is_some()));
    let name = move || {
        let key = if is_answer { Key::ChatAssistantAt } else { Key::ChatYouAt };
        let (index, count) = place.get();
        key.fill(&[&index.to_string(), &count.to_string()])
    };
    let class = if is_answer { "chat-message is-answer" } else { "chat-message is-own" };
    view! {
        <article class=class aria-label=name id=format!("chat-message-{id}")>
            {if is_answer {
                any_view! { <Answer id entry/> }
            } else {
                any_view! { <UserMessageView id entry/> }
            }}
        </article>
    }
}

type SharedEntry = Memo<Option<Shared<Entry>>>;

fn turn<T>(entry: SharedEntry, read: impl FnOnce(&Turn) -> T) -> Option<T> {
    entry.with(|it| it.as_ref().and_then(|it| it.turn()).map(read))
}

#[component]
fn UserMessageView(id: u64, entry: SharedEntry) -> impl IntoView {
    let talk = Talk::shared();
    let message = Memo::new(move |_| {
        entry.with(|it| match it.as_ref().map(|it| &it.body) {
            Some(Body::Asked(message)) => message.clone(),
            _ => UserMessage::default(),
        })
    });
    let copied = move |_| copy(&message.with_untracked(|it| it.text.clone()), Key::Copied);
    let is_running = Memo::new(move |_| talk.thread.with(|it| it.is_running()));
    let sent = Memo::new(move |_| message.with(|it| shots(&it.pictures, Kind::Sent)));
    let has_sent = Memo::new(move |_| sent.with(|it| !it.is_empty()));
    let done = Memo::new(move |_| message.with(|it| it.done.clone()));
    let card = |card: Shared<ToolCard>| {
        view! { <CallCard card=Memo::new(move |_| (*card).clone()) is_last=false/> }
    };
    view! {
        {move || done.with(|it| !it.is_empty()).then(|| view! {
            <div class="chat-done">
                <p class="hint">{Key::ChatDone}</p>
                {done.get().into_iter().map(card).collect_view()}
            </div>
        })}
        <div class="chat-bubble">
            {move || has_sent.get().then(|| view! { <PictureGrid shots=sent/> })}
            <p class="chat-own-text">{move || message.with(|it| it.text.clone())}</p>
        </div>
        {move || message.with(|it| it.is_out).then(|| view! {
            <p class="hint">{Key::ChatLeftOut}</p>
        })}
        <div class="chat-acts">
            <button type="button" class="plain small" on:click=copied
                aria-label=Key::ChatCopyNamed>{Key::Copy}</button>
            <button type="button" class="plain small" on:click=move |_| talk.edit(id)
                disabled=move || is_running.get()
                aria-label=Key::ChatEditNamed>{Key::ChatEdit}</button>
        </div>
    }
}

#[component]
fn Answer(id: u64, entry: SharedEntry) -> impl IntoView {
    let count = Memo::new(move |_| turn(entry, |it| it.pieces.len()).unwrap_or_default());
    let is_running = Memo::new(move |_| turn(entry, Turn::is_running) == Some(true));
    let pending = move |index: usize| {
        let pending =
            Memo::new(move |_| turn(entry, |it| it.pending.get(index).cloned()).flatten());
        view! { <PendingView pending/> }
    };
    let below = move |piece: Option<usize>| {
        let waits = Memo::new(move |_| turn(entry, |it| it.waits_below(piece)).unwrap_or_default());
        view! { <For each=move || waits.get() key=|it| *it children=pending/> }
    };
    let piece = move |index: usize| {
        let piece = Memo::new(move |_| turn(entry, |it| it.pieces.get(index).cloned()).flatten());
        let is_open = Memo::new(move |_| is_running.get() && index + 1 == count.get());
        view! {
            <PieceView place=(id, index) piece is_open/>
            {below(Some(index))}
        }
    };
    let is_bare = Memo::new(move |_| {
        let is_bare = |it: &Turn| it.pieces.is_empty() && it.pending.is_empty();
        turn(entry, |it| it.phase == Phase::Done && is_bare(it)) == Some(true)
    });
    view! {
        <div class="chat-answer">
            <For each=move || 0..count.get() key=|it| *it children=piece/>
            {below(None)}
            {move || is_bare.get().then(|| view! { <p class="hint">{Key::ChatEmpty}</p> })}
            <Status entry/>
        </div>
        <Ending entry/>
    }
}

/// What the host is doing.
#[component]
fn Status(entry: SharedEntry) -> impl IntoView {
    let doing = Memo::new(move |_| {
        turn(entry, |it| match &it.phase {
            Phase::Thinking => Some(None),
            Phase::Tool(name) => Some(Some(name.clone())),
            _ => None,
        })
        .flatten()
    });
    let is_writing = Memo::new(move |_| {
        turn(entry, |it| matches!(it.pieces.last(), Some(Piece::Text(_)))) == Some(true)
    });
    move || {
        let tool = doing.get()?;
        let text = move || match &tool {
            Some(name) => {
                let title = page().tool(name).map(|it| it.title(Lang::spoken()));
                Key::ChatRunning.fill(&[&title.unwrap_or_else(|| name.clone())])
            }
            None => Key::ChatThinking.say().to_owned(),
        };
        Some(view! {
            <p class="chat-status" class:is-writing=move || is_writing.get()>
                <span class="chat-dots" aria-hidden="true"><i></i><i></i><i></i></span>
                <span>{text}</span>
            </p>
        })
    }
}

/// The end of an answer: answerer and actions.
#[component]
fn Ending(entry: SharedEntry) -> impl IntoView {
    let talk = Talk::shared();
    let phase = Memo::new(move |_| turn(entry, |it| it.phase.clone()).unwrap_or_default());
    let is_last = Memo::new(move |_| {
        let own = entry.with(|it| it.as_ref().map(|it| it.id));
        talk.thread.with(|it| it.entries.last().map(|it| it.id)) == own
    });
    let is_bare = Memo::new(move |_| turn(entry, |it| it.pieces.is_empty()) == Some(true));
    let is_over = Memo::new(move |_| !matches!(phase.get(), Phase::Thinking | Phase::Tool(_)));
    let copied =
        move |_| copy(&untrack(|| turn(entry, Turn::text)).unwrap_or_default(), Key::Copied);
    let has_acted = Memo::new(move |_| turn(entry, Turn::has_acted) == Some(true));
    let may_repeat =
        move || is_last.get() && !matches!(phase.get(), Phase::Failed(_) | Phase::Waiting);
    // Completed calls are not repeated; pending ones continue.
    let may_retry = Memo::new(move |_| {
        is_last.get() && (!has_acted.get() || talk.thread.with(|it| it.goes_on()))
    });
    let has_text = Memo::new(move |_| turn(entry, |it| !it.text().is_empty()) == Some(true));
    let again = move |_| {
        talk.again();
        browser::focus_if_lost("chat-input");
    };
    let notes = move || {
        let (notice, reason) =
            turn(entry, |it| (it.notice.clone(), it.stop_reason.clone())).unwrap_or_default();
        let key = match reason.as_deref() {
            Some("max_tool_rounds") => Some(Key::ChatRounds),
            Some("deadline") => Some(Key::ChatDeadline),
            Some("max_tokens") => Some(Key::ChatMaxTokens),
            _ => None,
        };
        // Pending items speak for themselves.
        let notice = notice.filter(|_| reason.as_deref() != Some("waiting"));
        key.map(|key| key.say().to_owned()).or(notice)
    };
    view! {
        {move || notes().map(|it| view! { <p class="chat-notice hint">{it}</p> })}
        {move || (phase.get() == Phase::Stopped).then(|| view! {
            <p class="chat-notice hint">{Key::ChatStoppedHere}</p>
        })}
        {move || match phase.get() {
            Phase::Failed(failure) => Some(view! { <Failed failure may_retry is_bare/> }),
            _ => None,
        }}
        {move || is_over.get().then(|| view! {
            <div class="chat-acts">
                {move || has_text.get().then(|| view! {
                    <button type="button" class="plain small" on:click=copied
                        aria-label=Key::ChatCopyNamed>{Key::Copy}</button>
                })}
                {move || (may_repeat() && !has_acted.get()).then(|| view! {
                    <button type="button" class="plain small" on:click=again
                        aria-label=Key::ChatAgainNamed>{Key::ChatAgain}</button>
                })}
                {move || (may_repeat() && has_acted.get()).then(|| view! {
                    <p class="hint">{Key::ChatActed}</p>
                })}
                <Facts turn=Signal::derive(move || turn(entry, Clone::clone).unwrap_or_default())/>
            </div>
        })}
    }
}

/// Why an answer failed; what arrived stays above.
#[component]
fn Failed(failure: Failure, may_retry: Memo<bool>, is_bare: Memo<bool>) -> impl IntoView {
    let talk = Talk::shared();
    let Failure { status, error, details, retry_after_s } = failure;
    let text = move || match (error.as_str(), status) {
        ("", 0) if is_bare.get() => Key::ErrorOfflineAdvice.say().to_owned(),
        ("", 0) => Key::ChatLost.say().to_owned(),
        ("", _) => Key::ChatUnreadable.say().to_owned(),
        (error, _) => error.to_owned(),
    };
    let again = move |_| {
        talk.again();
        browser::focus_if_lost("chat-input");
    };
    view! {
        <div class="notice is-error chat-failed" role="alert">
            <p class="notice-title">{move || {
                if is_bare.get() { Key::ChatNoAnswer } else { Key::ChatIncomplete }.say()
            }}</p>
            <p>{text}</p>
            {retry_after_s.map(|seconds| view! {
                <p>{move || Key::ChatRetryAfter.fill(&[&seconds.to_string()])}</p>
            })}
            {(!details.is_empty()).then(|| view! {
                <details><summary>{Key::Details}</summary><p>{details}</p></details>
            })}
            {move || may_retry.get().then(|| view! {
                <button type="button" class="quiet" on:click=again>{Key::Retry}</button>
            })}
        </div>
    }
}

/// The line below an answer.
#[component]
pub(super) fn Facts(#[prop(into)] turn: Signal<Turn>) -> impl IntoView {
    let facts = Memo::new(move |_| {
        turn.with(|turn| {
            let (own, lang) = (&turn.answerer, Lang::spoken());
            let who = (!own.provider.is_empty()).then(|| provider(lang, &own.provider, &own.model));
            // A model may say that it did something.
            let uncalled = turn.is_words_alone().then(|| lang.say(Key::ChatUncalled).to_owned());
            let parts = who.into_iter().chain(uncalled).chain(taken(&turn.usage, lang));
            parts.collect::<Vec<_>>().join(" · ")
        })
    });
    view! { <span class="chat-facts hint">{facts}</span> }
}

/// The usage, as far as known.
fn taken(usage: &Usage, lang: Lang) -> Vec<String> {
    let mut parts = Vec::new();
    if usage.input_tokens + usage.output_tokens > 0 {
        let counts = [grouped(usage.input_tokens), grouped(usage.output_tokens)];
        parts.push(lang.fill(Key::ChatTokens, &[&counts[0], &counts[1]]));
    }
    if usage.cached_tokens > 0 {
        parts.push(lang.fill(Key::ChatCached, &[&grouped(usage.cached_tokens)]));
    }
    if let Some(micros) = usage.cost_micros.filter(|it| *it > 0) {
        parts.push(lang.fill(Key::Cost, &[&dollars(micros)]));
    }
    parts
}

/// As many digits as are significant.
fn dollars(micros: u64) -> String {
    let dollars = micros as f64 / 1e6;
    match micros {
        0..10_000 => format!("{dollars:.4}"),
        10_000..1_000_000 => format!("{dollars:.3}"),
        _ => format!("{dollars:.2}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shows_known_usage_of_an_answer() {
        let usage = Usage {
            input_tokens: 12_345,
            cached_tokens: 0,
            output_tokens: 67,
            cost_micros: Some(1_234),
        };
        assert_eq!(taken(&usage, Lang::En), ["12,345 tokens in, 67 out", "about $0.0012"]);
        assert_eq!(taken(&Usage::default(), Lang::Ja), [""; 0]);
        assert_eq!((grouped(1_000_000), dollars(2_500_000)), ("1,000,000".into(), "2.50".into()));
    }
}
