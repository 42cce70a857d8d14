//! The server's state: a summary, figures, a chart of the last two minutes, and the nodes.

use std::time::Duration;

use leptos::prelude::*;

use super::fact;
use super::report::Followed;
use crate::dates;
use crate::operator::data::{Node, Nodes, Now, Problem};
use crate::operator::{HEIGHT, Operator, Reading, WIDTH, repeat, units};
use crate::page::page;
use crate::route::{OperatorTab, Route};
use crate::text::{Key, Lang};
use crate::views::notice::coded;

const EVERY: Duration = Duration::from_secs(2);

/// The server's last report, and whether it is outdated.
#[derive(Clone, Copy)]
struct State {
    operator: Operator,
    now: Followed<Now>,
}

impl State {
    async fn fetch(self) {
        let found = self.operator.get::<Now>("now").await;
        if let Ok(now) = &found {
            let reading = Reading { uptime_s: now.uptime_s, calls: now.calls };
            self.operator.readings.update(|it| it.take(reading));
        }
        self.now.take(found);
    }

    /// Reads a part of the report.
    fn read<T: Default>(self, f: impl Fn(&Now) -> T) -> T {
        self.now.found.with(|it| it.ready().map(f)).unwrap_or_default()
    }
}

#[component]
pub(super) fn NowView() -> impl IntoView {
    let operator: Operator = expect_context();
    let state = State { operator, now: Followed::new() };
    repeat(EVERY, || true, move || state.fetch());
    state.now.shown(
        move || state.fetch(),
        move || any_view! { <Health state/><Tiles state/><Chart/><NodesPart/> },
    )
}

/// Whether all is well, else the problems.
#[component]
fn Health(state: State) -> impl IntoView {
    // A build that waits for approval is no problem: its tile says so.
    let faults = |it: &Now| it.troubles.iter().filter(|it| !it.waits).cloned().collect::<Vec<_>>();
    let problems = Memo::new(move |_| state.read(faults));
    let summary = move || match problems.with(Vec::len) {
        0 => Key::OperatorWell.say().to_owned(),
        count => Key::OperatorUnwell.fill(&[&count.to_string()]),
    };
    // Announced on changes, not at each fetch.
    Effect::new(move |before: Option<usize>| {
        let count = problems.with(Vec::len);
        if before.is_some_and(|it| it != count) {
            page().announce(untrack(summary));
        }
        count
    });
    let is_well = move || problems.with(Vec::is_empty);
    view! {
        <section class="op-health" class:is-well=is_well aria-labelledby="op-health">
            <h2 id="op-health" class="op-health-title">
                <span class="op-mark" aria-hidden="true">{move || if is_well() { "✓" } else { "!" }}</span>
                {summary}
            </h2>
            {move || (!is_well()).then(|| view! {
                <ul class="op-troubles">
                    {problems.get().into_iter().map(|it| view! { <ProblemLine problem=it/> }).collect_view()}
                </ul>
            })}
        </section>
    }
}

/// A problem, linked to its component or server.
#[component]
fn ProblemLine(problem: Problem) -> impl IntoView {
    let subject = match (problem.name, problem.of.as_str()) {
        // Nodes have no view of their own.
        (Some(name), "node") => any_view! { <b>{name}</b> },
        (Some(name), kind) => {
            let route = Route::Operator(tab(kind, &name));
            any_view! { <a href=route.hash()>{name}</a> }
        }
        (None, "disk") => any_view! { <b>{Key::OperatorOfDisk}</b> },
        (None, _) => any_view! { <b>{Key::Server}</b> },
    };
    view! { <li>{subject}" "<span lang="en">{coded(&problem.why)}</span></li> }
}

/// The tab for a subject.
fn tab(kind: &str, name: &str) -> OperatorTab {
    match kind {
        "server" => OperatorTab::Servers,
        _ => OperatorTab::Components(Some(name.to_owned())),
    }
}

/// The figures as tiles.
#[component]
fn Tiles(state: State) -> impl IntoView {
    let number = move |value: u64| dates::number(value as f64, Lang::spoken());
    let none = || units::NONE.to_owned();
    let rate =
        move || state.operator.readings.with(|it| it.latest()).map_or_else(none, units::rate);
    let time = move |f: fn(&Now) -> u64| move || state.read(|it| units::within(f(it), it.calls));
    let errors = move || state.read(|it| units::share(it.errors, it.calls));
    let errors_of = move || {
        let (errors, calls, traps) = state.read(|it| (it.errors, it.calls, it.traps));
        Key::OperatorErrorsOf.fill(&[&number(errors), &number(calls), &number(traps)])
    };
    let under_way = move || {
        let (running, queued) = state.read(|it| (it.running, it.queued));
        format!("{} / {}", number(running), number(queued))
    };
    let waiting = move || Key::OperatorWaitingCalls.fill(&[&number(state.read(|it| it.waiting))]);
    let memory = move || state.read(|it| it.memory_bytes).map_or_else(none, units::bytes);
    let uptime = move || units::length(state.read(|it| it.uptime_s), Lang::spoken());
    let version = move || Key::OperatorVersion.fill(&[&state.read(|it| it.version.clone())]);
    let tools = move || Key::OperatorServingTools.fill(&[&number(state.read(|it| it.tools))]);
    let pending = Memo::new(move |_| state.read(Now::awaits));
    let pending_of = move || {
        let (builds, tools) = state.read(|it| (it.pending, it.waiting_tools));
        Key::OperatorPendingOf.fill(&[&number(builds), &number(tools)])
    };
    let components = Route::Operator(OperatorTab::Components(None)).hash();
    let link = components.clone();
    view! {
        <dl class="op-tiles">
            {fact(Key::OperatorRate, rate)}
            {fact(Key::OperatorP50, time(|it| it.p50_us))}
            {fact(Key::OperatorP99, time(|it| it.p99_us))}
            <div>
                <dt>{Key::OperatorErrors}</dt>
                <dd>{errors}</dd>
                <dd class="op-note">{errors_of}</dd>
            </div>
            <div>
                <dt>{Key::OperatorUnderWay}</dt>
                <dd>{under_way}</dd>
                <dd class="op-note">{waiting}</dd>
            </div>
            {fact(Key::OperatorMemory, memory)}
            <div>
                <dt>{Key::OperatorUptime}</dt>
                <dd>{uptime}</dd>
                <dd class="op-note">{version}</dd>
            </div>
            <div>
                <dt>{Key::OperatorServing}</dt>
                <dd><a href=components>{move || number(state.read(|it| it.serving))}</a></dd>
                <dd class="op-note">{tools}</dd>
            </div>
            <div class:is-waiting=move || { pending.get() > 0 }>
                <dt>{Key::OperatorPending}</dt>
                <dd><a href=link>{move || number(pending.get())}</a></dd>
                {move || (pending.get() > 0).then(|| view! {
                    <dd class="op-note">{pending_of}</dd>
                })}
            </div>
        </dl>
        <p class="hint">{Key::OperatorSince}</p>
    }
}

/// The chart with a text alternative.
#[component]
pub(super) fn Chart() -> impl IntoView {
    let operator: Operator = expect_context();
    let readings = operator.readings;
    let is_line = Memo::new(move |_| readings.with(|it| it.is_line()));
    let format =
        move |value: Option<f64>| value.map_or_else(|| units::NONE.to_owned(), units::rate);
    let most = move || format(readings.with(|it| it.most()));
    let label = move || {
        let latest = format(readings.with(|it| it.latest()));
        Key::OperatorChartSaid.fill(&[&latest, &most()])
    };
    let picture = move || {
        view! {
            <svg class="op-chart-line" role="img" aria-label=label preserveAspectRatio="none"
                viewBox=format!("0 0 {WIDTH} {HEIGHT}")>
                <line class="op-chart-ground" x1="0" x2=WIDTH y1=HEIGHT y2=HEIGHT></line>
                <line class="op-chart-ground" x1="0" x2=WIDTH y1=HEIGHT / 2.0 y2=HEIGHT / 2.0></line>
                <path class="op-chart-area" d=move || readings.with(|it| it.area())></path>
                <path class="op-chart-path" d=move || readings.with(|it| it.line())></path>
            </svg>
            <p class="op-chart-axis" aria-hidden="true">
                <span>{Key::OperatorChartAgo}</span>
                <span>{move || Key::OperatorChartMost.fill(&[&most()])}</span>
                <span>{Key::OperatorChartNow}</span>
            </p>
        }
    };
    view! {
        <section class="op-chart" aria-labelledby="op-chart">
            <h2 id="op-chart" class="section-title">{Key::OperatorChart}</h2>
            {move || match is_line.get() {
                true => picture().into_any(),
                false => any_view! { <p class="hint">{Key::OperatorChartNone}</p> },
            }}
        </section>
    }
}

const NODES_EVERY: Duration = Duration::from_secs(5);

/// All nodes; nothing if this server is alone.
#[component]
fn NodesPart() -> impl IntoView {
    let operator: Operator = expect_context();
    let latest = RwSignal::new(Nodes::default());
    repeat(
        NODES_EVERY,
        || true,
        move || async move {
            // Old data is better than none; its age is shown above.
            if let Ok(found) = operator.get::<Nodes>("nodes").await {
                let _gone = latest.try_set(found);
            }
        },
    );
    let is_shared = Memo::new(move |_| latest.with(|it| it.shared));
    let ids =
        Memo::new(move |_| latest.with(|it| it.nodes.iter().map(|it| it.id).collect::<Vec<_>>()));
    move || {
        is_shared.get().then(|| {
            view! {
                <section class="op-part" aria-labelledby="op-nodes">
                    <h2 id="op-nodes" class="section-title">{Key::OperatorNodes}</h2>
                    <ul class="op-list op-nodes">
                        <For each=move || ids.get() key=|id| *id let:id>
                            <li><Card latest id/></li>
                        </For>
                    </ul>
                </section>
            }
        })
    }
}

#[component]
fn Card(latest: RwSignal<Nodes>, id: i64) -> impl IntoView {
    let node = Memo::new(move |_| {
        latest.with(|it| it.nodes.iter().find(|it| it.id == id).cloned()).unwrap_or_default()
    });
    let title = format!("op-node-{id}");
    let is_on = move || node.with(Node::is_in_rotation);
    let state = move || {
        node.with(|it| match (it.is_gone, &it.not_ready) {
            (true, _) => Key::OperatorNodeGone,
            (_, Some(_)) => Key::OperatorNodeOut,
            _ => Key::OperatorNodeIn,
        })
        .say()
    };
    let why = move || {
        let wrong = |text: String| view! { <p class="op-wrong" lang="en">{coded(&text)}</p> };
        node.with(|it| it.wrong().into_iter().map(wrong).collect_view())
    };
    let is_here = move || node.with(|it| it.is_here).then_some(Key::OperatorNodeHere);
    let read = move |f: fn(&Node) -> Option<String>| {
        move || node.with(f).unwrap_or_else(|| units::NONE.to_owned())
    };
    let seen = move || dates::second(&node.with(|it| it.seen_at.clone()), Lang::spoken());
    view! {
        <article class="op-card" aria-labelledby=title>
            <div class="op-card-head">
                <h3 id=title.clone()>{move || node.with(|it| it.name.clone())}</h3>
                <span class="op-state" class:is-on=is_on>{state}</span>
                <p class="op-facts">
                    {move || Key::OperatorNodeNumber.fill(&[&id.to_string()])}
                    {is_here}
                </p>
            </div>
            {why}
            <dl class="op-numbers">
                {fact(Key::OperatorNodeAddress, read(|it| it.address.clone()))}
                {fact(Key::OperatorNodeVersion, read(|it| Some(it.version.clone())))}
                {fact(Key::OperatorNodeEpoch, read(|it| Some(it.epoch()?.to_string())))}
                {fact(Key::OperatorNodeSeen, seen)}
            </dl>
        </article>
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn problem_links_to_its_subject() {
        assert_eq!(tab("server", "weather"), OperatorTab::Servers);
        let component = OperatorTab::Components(Some("cinema".to_owned()));
        assert_eq!(tab("component", "cinema"), component);
    }
}
