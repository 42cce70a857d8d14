//! The planner's log: what it called, with what, why, and what came of it (NAV-65).

use leptos::prelude::*;

use crate::families::navigation::board::Board;
use crate::families::navigation::log::{Call, Entry, Kind, ToolResult};
use crate::families::navigation::query::Mode;
use crate::text::{Key, Lang};
use crate::views::coded::coded;

/// Folded, because it is the planner's business; there for a reader who wants to know.
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
                        entries.get().into_iter().map(|it| entry(it)).collect_view()
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
            view! { <p class="nav-log-name">{Key::NavLogThought}</p><p>{coded(&text)}</p> }
                .into_any()
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
