//! The latest calls of the audit log, newest first.

use std::time::Duration;

use leptos::prelude::*;
use leptos::task::spawn_local;

use super::report::Followed;
use crate::dates;
use crate::operator::data::{Audit, Line, newest_first};
use crate::operator::{Operator, repeat, units};
use crate::page::page;
use crate::route::{OperatorTab, Route};
use crate::text::{Key, Lang};
use crate::views::notice::Empty;

const EVERY: Duration = Duration::from_secs(3);
/// The fetched address.
const LAST: &str = "audit?lines=200";
const COLUMNS: [Key; 7] = [
    Key::Time,
    Key::Tool,
    Key::OperatorComponent,
    Key::OperatorCaller,
    Key::OperatorSurface,
    Key::Outcome,
    Key::OperatorTook,
];

/// The known calls and the filters.
#[derive(Clone, Copy)]
struct Log {
    operator: Operator,
    lines: Followed<Vec<Line>>,
    is_paused: RwSignal<bool>,
    sought: RwSignal<String>,
    is_bad_only: RwSignal<bool>,
}

impl Log {
    async fn fetch(self) {
        let found = self.operator.get::<Audit>(LAST).await;
        self.lines.take(found.map(|it| newest_first(it.lines)));
    }

    /// The calls matching the filters.
    fn fitting(self) -> Vec<Line> {
        let sought = self.sought.with(|it| it.trim().to_lowercase());
        let is_bad_only = self.is_bad_only.get();
        let fits = |line: &&Line| {
            if line.is_note() {
                sought.is_empty()
            } else {
                line.has(&sought) && !(is_bad_only && line.is_done())
            }
        };
        self.lines.found.with(|it| it.ready().into_iter().flatten().filter(fits).cloned().collect())
    }
}

#[component]
pub(super) fn CallsView() -> impl IntoView {
    let operator: Operator = expect_context();
    let log = Log {
        operator,
        lines: Followed::new(),
        is_paused: RwSignal::new(false),
        sought: RwSignal::new(String::new()),
        is_bad_only: RwSignal::new(false),
    };
    repeat(EVERY, move || log.is_paused.try_get_untracked() == Some(false), move || log.fetch());
    let is_empty =
        Memo::new(move |_| log.lines.found.with(|it| it.ready().is_none_or(Vec::is_empty)));
    let drawn = move || match is_empty.get() {
        true => any_view! { <Empty title=Key::OperatorCallsNone hint=Key::OperatorCallsNoneHint/> },
        false => any_view! { <Filters log/><Table log/> },
    };
    log.lines.shown(move || log.fetch(), move || any_view! { {drawn} })
}

/// The filters, and the button that pauses updates.
#[component]
fn Filters(log: Log) -> impl IntoView {
    let pause = move |_| {
        log.is_paused.update(|it| *it = !*it);
        if log.is_paused.get_untracked() {
            page().announce_key(Key::OperatorPaused);
        } else {
            spawn_local(log.fetch());
        }
    };
    let choose = move |event| log.is_bad_only.set(event_target_value(&event) == "bad");
    view! {
        <div class="op-filters">
            <div class="field">
                <label class="label" for="op-sought">{Key::OperatorFilter}</label>
                <input id="op-sought" type="search" autocomplete="off" spellcheck="false"
                    prop:value=log.sought
                    on:input=move |event| log.sought.set(event_target_value(&event))/>
            </div>
            <div class="field">
                <label class="label" for="op-outcomes">{Key::OperatorOutcomes}</label>
                <select id="op-outcomes" on:change=choose>
                    <option value="all">{Key::All}</option>
                    <option value="bad">{Key::OperatorNotDone}</option>
                </select>
            </div>
            <button type="button" class="quiet" on:click=pause>
                {move || match log.is_paused.get() {
                    true => Key::OperatorGoOn,
                    false => Key::OperatorPause,
                }.say()}
            </button>
        </div>
    }
}

#[component]
fn Table(log: Log) -> impl IntoView {
    let lines = Memo::new(move |_| log.fitting());
    let is_none = Memo::new(move |_| lines.with(Vec::is_empty));
    let counted = move || {
        let count = |all: &[Line]| all.iter().filter(|it| !it.is_note()).count().to_string();
        let all = log.lines.found.with(|it| it.ready().map(|it| count(it)).unwrap_or_default());
        Key::OperatorCallsShown.fill(&[&lines.with(|it| count(it)), &all])
    };
    let column = move |key: Key| view! { <th role="columnheader" scope="col">{key}</th> };
    view! {
        <div class="table-scroll op-calls" tabindex="0" role="region"
            aria-label=Key::OperatorCallsTable>
            <table role="table" class="data-table is-cards">
                <caption>{counted}</caption>
                <thead role="rowgroup"><tr role="row">{COLUMNS.map(column).into_iter().collect_view()}</tr></thead>
                <tbody role="rowgroup">
                    <For each=move || lines.get() key=|it| it.key.clone()
                        children=move |it| row(it)/>
                </tbody>
            </table>
        </div>
        {move || is_none.get().then(|| view! { <Empty title=Key::OperatorCallsNoneFit/> })}
    }
}

/// The caller for display.
pub(super) fn caller(principal: &str) -> String {
    match principal {
        "anonymous" => Key::OperatorAnonymous.say().to_owned(),
        other => other.to_owned(),
    }
}

/// One call, or a number of calls without lines.
fn row(line: Line) -> AnyView {
    let time = line.time.clone();
    let at = move || match time.as_str() {
        "" => String::new(),
        time => dates::second(time, Lang::spoken()),
    };
    let note = (line.lines_dropped.map(|it| (Key::OperatorLost, it)))
        .or(line.more_refused.map(|it| (Key::OperatorMoreRefused, it)));
    if let Some((key, count)) = note {
        return any_view! {
            <tr role="row" class="op-calls-note">
                <td role="cell">{at}</td>
                <td role="cell" colspan="6">{move || key.fill(&[&count.to_string()])}</td>
            </tr>
        };
    }
    let what = line.called_name();
    let opened = line.opens().map(|it| Route::Operator(OperatorTab::Calls(Some(it))).hash());
    let generation = line.generation.map(|it| format!("({it})"));
    let who = line.answerer().to_owned();
    let principal = line.principal;
    let surface = match line.era {
        Some(era) if !era.is_empty() => format!("{} ({era})", line.surface),
        _ => line.surface,
    };
    let (kind, _) = units::outcome(&line.outcome, Lang::now());
    let text = move || units::outcome(&line.outcome, Lang::spoken()).1;
    any_view! {
        <tr role="row">
            <td role="cell" class="op-when">{at}</td>
            <th role="rowheader" scope="row">{match opened {
                Some(href) => any_view! { <a href=href><code>{what}</code></a> },
                None => any_view! { <code>{what}</code> },
            }}</th>
            <td role="cell">{who}" "{generation}</td>
            <td role="cell">{move || caller(&principal)}</td>
            <td role="cell">{surface}</td>
            <td role="cell"><span class=kind.class()>
                <span class="op-mark" aria-hidden="true">{kind.mark()}</span>{text}
            </span>{line.trap.map(|it| view! { <code class="op-trap">{it}</code> })}</td>
            <td role="cell" class="is-number">{units::took(line.duration_us)}</td>
        </tr>
    }
}
