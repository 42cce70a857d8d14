//! Interventions of a person: writing to both agents, pausing, and ending by force.

use leptos::ev::{KeyboardEvent, SubmitEvent};
use leptos::prelude::*;
use output::text::is_blank;
use serde_json::{Value, json};

use crate::browser;
use crate::families::conversations::look;
use crate::families::conversations::unsent::{self, Unsent};
use crate::families::conversations::watch::Watch;
use crate::page::page;
use crate::text::{Key, Lang};
use crate::views::notice::Notice;

/// Maximum number of characters of a message, as in the tools (CONV-65).
const MESSAGE_MAX: usize = 4_000;

/// The actions; once the conversation is over, only the unsent text.
#[component]
pub(super) fn StepIn(watch: Watch) -> impl IntoView {
    let may = Memo::new(move |_| {
        let may = watch
            .read(|it| it.transcript.may_step_in && it.transcript.conversation.state.is_open());
        may.unwrap_or_default()
    });
    Effect::new(move |before: Option<bool>| {
        let may = may.get();
        if before == Some(true) && !may {
            browser::focus_if_lost("talk-log");
        }
        may
    });
    move || {
        if !may.get() {
            // A message being sent at the end may have arrived.
            watch.is_acting.track();
            return watch.id.with_value(|id| unsent::load(id)).map(unsent).into_any();
        }
        any_view! {
            <section class="talk-step-in" aria-labelledby="talk-step-in">
                <h2 id="talk-step-in" class="section-title">{Key::TalkStepIn}</h2>
                <Paused watch/>
                <Write watch/>
                {move || watch.refusal.get().map(|error| view! { <Notice error/> })}
                <div class="actions talk-controls"><Pause watch/><Stop watch/></div>
            </section>
        }
    }
}

/// Text unsent at the end stays visible for copying.
fn unsent(written: Unsent) -> impl IntoView {
    view! {
        <section class="talk-step-in">
            <p class="hint">{Key::TalkUnsent}</p>
            <p class="talk-text">{written.content}</p>
        </section>
    }
}

/// A notice of the pause, and who caused it.
#[component]
fn Paused(watch: Watch) -> impl IntoView {
    let by = Memo::new(move |_| {
        let by = watch.read(|live| {
            let own = &live.transcript.conversation;
            own.paused_at.as_ref()?;
            let by = own.paused_by.as_deref().unwrap_or("operator");
            Some(look::name(own, by, Lang::spoken()))
        });
        by.flatten()
    });
    move || {
        by.get().map(|by| {
            view! { <p class="notice is-warning">{Key::TalkPausedBy.fill(&[&by])}</p> }
        })
    }
}

/// A message to both agents.
#[component]
fn Write(watch: Watch) -> impl IntoView {
    let stored = watch.id.with_value(|id| unsent::load::<Unsent>(id));
    let stored =
        stored.unwrap_or_else(|| Unsent { client_id: browser::unique(), ..<_>::default() });
    let draft = RwSignal::new(stored.content);
    // A retry of a message keeps its id, since the first attempt may have arrived.
    let number = StoredValue::new(stored.client_id);
    let is_empty = move || draft.with(|it| is_blank(it));
    let is_long = move || draft.with(|it| it.chars().count() > MESSAGE_MAX);
    let send = move || {
        let content = draft.get_untracked();
        if is_blank(&content) || content.chars().count() > MESSAGE_MAX {
            return;
        }
        let (id, client_id) = (watch.id.get_value(), number.get_value());
        let message = json!({ "content": content, "client_message_id": client_id });
        watch.is_at_end.set(true);
        watch.act("write_message", &message, move || {
            unsent::written_taken(&id, &client_id);
            // Text typed while sending stays.
            if draft.try_with_untracked(|it| *it == content) == Some(true) {
                draft.set(String::new());
                number.set_value(browser::unique());
            }
            page().announce_key(Key::TalkSentAnnounced);
            // There is nothing more to send: the button is disabled, and the focus must not be lost.
            browser::focus_if_lost("talk-write");
        });
    };
    let submit = move |event: SubmitEvent| {
        event.prevent_default();
        send();
    };
    let key = move |event: KeyboardEvent| {
        // Enter alone breaks the line: the message goes to two agents and cannot be taken back.
        let is_sending = event.key() == "Enter" && (event.ctrl_key() || event.meta_key());
        if is_sending && !browser::is_composing(&event) {
            event.prevent_default();
            send();
        }
    };
    view! {
        <form class="talk-write" on:submit=submit>
            <label class="label" for="talk-write">{Key::TalkWrite}</label>
            <textarea id="talk-write" rows="2" aria-describedby="talk-write-hint"
                prop:value=move || draft.get() on:keydown=key
                on:input=move |event| {
                    let content = event_target_value(&event);
                    let client_id = browser::unique();
                    draft.set(content.clone());
                    number.set_value(client_id.clone());
                    watch.id.with_value(|id| unsent::save(id, Unsent { content, client_id }));
                }></textarea>
            <p class="error" role="alert">{move || is_long().then(|| Key::TalkTooLong.say())}</p>
            <div class="talk-write-foot">
                <p class="hint" id="talk-write-hint">{Key::TalkStepHint}</p>
                <button type="submit" disabled=move || is_empty() || is_long()
                    aria-disabled=move || watch.is_acting.get().then_some("true")>{Key::TalkSend}</button>
            </div>
        </form>
    }
}

/// Pauses and resumes it.
#[component]
fn Pause(watch: Watch) -> impl IntoView {
    let is_paused = Memo::new(move |_| {
        watch.read(|it| it.transcript.conversation.paused_at.is_some()).unwrap_or_default()
    });
    let turn = move |_| {
        let paused = !is_paused.get_untracked();
        let received = if paused { Key::TalkPausedAnnounced } else { Key::TalkResumedAnnounced };
        watch.act("pause_conversation", &json!({ "paused": paused }), move || {
            page().announce_key(received);
        });
    };
    let text = move || if is_paused.get() { Key::TalkResume } else { Key::TalkPause }.say();
    let is_due = Memo::new(move |_| {
        watch.read(|it| look::may_pause(&it.transcript.conversation)).unwrap_or_default()
    });
    move || {
        is_due.get().then(|| {
            view! {
                <button type="button" class="quiet" on:click=turn
                    aria-disabled=move || watch.is_acting.get().then_some("true")>{text}</button>
            }
        })
    }
}

/// Ends it after confirmation.
#[component]
fn Stop(watch: Watch) -> impl IntoView {
    let is_asking = RwSignal::new(false);
    let reason = RwSignal::new(String::new());
    let ask = move |_| {
        is_asking.set(true);
        browser::focus_soon("talk-stop-reason");
    };
    let leave = move || {
        is_asking.set(false);
        browser::focus_soon("talk-stop");
    };
    let stop = move || {
        let text = reason.get_untracked().trim().to_owned();
        let more = if text.is_empty() { json!({}) } else { json!({ "reason_text": text }) };
        stop(watch, &more);
    };
    view! {
        {move || if is_asking.get() {
            any_view! {
                <form class="notice is-warning talk-stop-ask"
                    aria-labelledby="talk-stop-ask"
                    on:submit=move |event: SubmitEvent| {
                        event.prevent_default();
                        stop();
                    }
                    on:keydown=move |event| if browser::takes_escape(&event) { leave() }>
                    <p class="notice-title" id="talk-stop-ask">{Key::TalkStopAsk}</p>
                    <p>{Key::TalkStopHint}</p>
                    <label class="label" for="talk-stop-reason">{Key::TalkStopReason}</label>
                    <input id="talk-stop-reason" type="text" autocomplete="off" maxlength="400"
                        prop:value=move || reason.get()
                        on:input=move |event| reason.set(event_target_value(&event))/>
                    <div class="actions">
                        <button type="submit" class="is-grave"
                            aria-disabled=move || watch.is_acting.get().then_some("true")>
                            {Key::TalkStopDo}
                        </button>
                        <button type="button" class="quiet" on:click=move |_| leave()>
                            {Key::TalkStopNot}
                        </button>
                    </div>
                </form>
            }
        } else {
            any_view! {
                <button type="button" id="talk-stop" class="quiet is-grave" on:click=ask>
                    {Key::TalkStop}
                </button>
            }
        }}
    }
}

fn stop(watch: Watch, more: &Value) {
    watch.act("stop_conversation", more, move || page().announce_key(Key::TalkStoppedAnnounced));
}
