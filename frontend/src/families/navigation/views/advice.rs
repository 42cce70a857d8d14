//! The planner's messages: its reasons, its actions, and the next message to it (NAV-65, NAV-66).

use leptos::ev::SubmitEvent;
use leptos::prelude::*;

use crate::families::navigation::board::Board;
use crate::families::navigation::event::Message;
use crate::families::navigation::log::{Call, Entry, Kind, ToolResult};
use crate::families::navigation::query::{CONDITION_MAX, Mode, Planner};
use crate::families::navigation::run::Phase;
use crate::text::{Key, Lang};
use crate::views::notice::coded;

/// The planner's text, visibly separate from the router's facts.
#[component]
pub(super) fn Advice() -> impl IntoView {
    let board: Board = expect_context();
    let message = Memo::new(move |_| board.run.with(|it| it.message.clone()));
    // Without a result there is no choice to explain.
    let title = Memo::new(move |_| {
        let is_in_vain = board.run.with(|it| it.phase == Phase::Done && it.found.is_empty());
        if is_in_vain { Key::NavAnswer } else { Key::NavReason }
    });
    move || {
        let message = message.get();
        (!message.is_empty()).then(|| {
            view! {
                <section class="nav-advice" aria-labelledby="nav-advice-title">
                    <h3 class="section-title" id="nav-advice-title">{move || title.get().say()}</h3>
                    <p class="nav-advice-text">{coded(&message)}</p>
                    <p class="hint">{move || Planner::reason_hint(board.planner.get()).say()}</p>
                </section>
            }
        })
    }
}

/// The messages so far, and a field for the next one about the same ends.
#[component]
pub(super) fn FollowUp() -> impl IntoView {
    let board: Board = expect_context();
    let is_there = Memo::new(move |_| {
        board.run.with(|it| it.query.mode == Mode::Ai && it.phase == Phase::Done)
    });
    let text = RwSignal::new(String::new());
    let submit = move |event: SubmitEvent| {
        event.prevent_default();
        let condition = text.get_untracked();
        if !condition.trim().is_empty() {
            text.set(String::new());
            board.ask_again(&condition);
            crate::browser::focus_if_lost("nav-stop");
        }
    };
    let is_empty = Memo::new(move |_| text.with(|it| it.trim().is_empty()));
    move || {
        is_there.get().then(|| {
            view! {
                <Talk/>
                <form class="nav-follow" on:submit=submit aria-label=Key::NavFollowUp>
                    <label class="label" for="nav-follow">{Key::NavFollowUp}</label>
                    <div class="nav-follow-row">
                        <input type="text" id="nav-follow" autocomplete="off" maxlength=CONDITION_MAX
                            placeholder=Key::NavFollowUpHint
                            prop:value=move || text.get()
                            on:input=move |event| text.set(event_target_value(&event))/>
                        <button type="submit" disabled=move || is_empty.get()>{Key::NavAgain}</button>
                    </div>
                </form>
            }
        })
    }
}

/// The conversation; a single question and answer are not shown twice.
#[component]
fn Talk() -> impl IntoView {
    let board: Board = expect_context();
    let history = Memo::new(move |_| board.run.with(|it| it.history.clone()));
    let item = move |message: Message| {
        let is_own = message.role == "user";
        let name = move || if is_own { Key::NavYou } else { Planner::name(board.planner.get()) };
        let who = move || name().say();
        view! {
            <li class="nav-said" class:is-own=is_own>
                <span class="nav-who">{who}</span>
                <span>{message.content}</span>
            </li>
        }
    };
    move || {
        let history = history.get();
        (history.len() > 2).then(|| {
            view! {
                <section class="nav-talk" aria-labelledby="nav-talk-title">
                    <h3 class="section-title" id="nav-talk-title">{Key::NavTalk}</h3>
                    <ol>{history.into_iter().map(item).collect_view()}</ol>
                </section>
            }
        })
    }
}

/// Folded, for readers who want the details.
#[component]
pub(super) fn LogView() -> impl IntoView {
    let board: Board = expect_context();
    let entries = Memo::new(move |_| {
        board.run.with(|it| match it.query.mode {
            Mode::Ai => it.log.entries().to_vec(),
            Mode::Normal | Mode::Walk => Vec::new(),
        })
    });
    let is_there = Memo::new(move |_| entries.with(|it| !it.is_empty()));
    let calls = move || Key::NavLogCount.fill(&[&board.run.with(|it| it.log.calls()).to_string()]);
    move || {
        is_there.get().then(|| {
            view! {
                <details class="nav-log">
                    <summary>{Key::NavLog}<span class="count">{calls}</span></summary>
                    <ol>{move || {
                        entries.get().into_iter().map(entry).collect_view()
                    }}</ol>
                </details>
            }
        })
    }
}

fn entry(entry: Entry) -> impl IntoView {
    let seconds = format!("{:.1}", entry.after_ms / 1_000.0);
    let at = move || Key::NavSeconds.fill(&[&seconds]);
    let body = match entry.kind {
        Kind::Thought(text) => {
            any_view! { <p class="nav-log-name">{Key::NavLogThought}</p><p>{coded(&text)}</p> }
        }
        Kind::Call(call) => called(call).into_any(),
    };
    view! { <li class="nav-log-entry"><span class="nav-log-at">{at}</span><div>{body}</div></li> }
}

fn called(call: Call) -> impl IntoView {
    let Call { name, params, reason, outcome, .. } = call;
    let is_bad = outcome.as_ref().is_some_and(|it| matches!(it.result, ToolResult::Refused(_)));
    let param = |(name, value): (String, String)| {
        view! { <li><code>{name}</code>" "{value}</li> }
    };
    let ended = move || match &outcome {
        None => coded(Key::NavLogRunning.say()),
        Some(outcome) => {
            let ms = outcome.ms.map(|it| Key::NavMs.fill(&[&it.to_string()]));
            let result = outcome.result.text(Lang::spoken());
            let parts = [Some(result), ms].into_iter().flatten().filter(|it| !it.is_empty());
            coded(&parts.collect::<Vec<_>>().join(" · "))
        }
    };
    view! {
        <p class="nav-log-name"><code>{name}</code></p>
        <dl>
            {(!reason.is_empty()).then(|| view! {
                <dt>{Key::Reason}</dt><dd>{coded(&reason)}</dd>
            })}
            <dt>{Key::NavLogParams}</dt>
            <dd><ul class="nav-log-params">{params.into_iter().map(param).collect_view()}</ul></dd>
            <dt>{Key::Outcome}</dt>
            <dd class:error=is_bad>{ended}</dd>
        </dl>
    }
}
