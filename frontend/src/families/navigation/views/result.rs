//! The result of a search: its progress, routes, steps and reasons (NAV-64, NAV-66).

use leptos::prelude::*;

use super::advice::{Advice, FollowUp, LogView};
use super::routes::{Chosen, Routes, Steps, name};
use crate::browser;
use crate::error::CallError;
use crate::families::navigation::board::{Board, Side};
use crate::families::navigation::drawn::ComparisonView;
use crate::families::navigation::export::ExportedRoute;
use crate::families::navigation::found::Alternative;
use crate::families::navigation::place::{Area, EXAMPLE};
use crate::families::navigation::query::Mode;
use crate::families::navigation::run::{Phase, Run};
use crate::page::page;
use crate::part::{Part, part};
use crate::table::Draw;
use crate::text::{Key, Lang};
use crate::views::notice::{Notice, Skeleton, details};
use crate::views::part::drawn_by;

/// What is found is drawn by the part that searches.
static FOUND: Part<Draw> = part!(navigation_found: Draw = &Draw(|what| match what {
    ROUTES => any_view! { <Chosen/><Routes/> },
    _ => any_view! { <Steps/><Share/> },
}));
const ROUTES: &str = "routes";
const STEPS: &str = "steps";

#[component]
pub(super) fn ResultView() -> impl IntoView {
    let board: Board = expect_context();
    let phase = Memo::new(move |_| board.run.with(|it| it.phase.clone()));
    let is_running = Memo::new(move |_| board.run.with(Run::is_running));
    let has_routes = Memo::new(move |_| board.run.with(|it| !it.found.is_empty()));
    let status = move || match phase.get() {
        Phase::Searching => Key::NavSearching.say().to_owned(),
        Phase::Tool(name) => Key::NavRunning.fill(&[&name]),
        _ => String::new(),
    };
    view! {
        <h2 id="nav-result" class="section-title" tabindex="-1">{Key::NavResult}</h2>
        <p class="nav-status" role="status">{status}</p>
        {move || error(board, phase.get())}
        <FellBack/>
        <div class="nav-result" class:is-old=move || is_running.get()
            aria-busy=move || if is_running.get() { "true" } else { "false" }>
            {move || match (phase.get(), has_routes.get()) {
                (Phase::Idle, _) => any_view! { <Idle/> },
                (_, true) => drawn_by(&FOUND, |it| (it.0)(ROUTES)),
                (Phase::Searching | Phase::Tool(_), false) => any_view! { <Skeleton lines=5/> },
                (Phase::Done, false) => nothing(board).into_any(),
                (Phase::Failed(_), false) => ().into_any(),
            }}
            {move || (phase.get() != Phase::Done || has_routes.get()).then(|| view! { <Advice/> })}
            <Comparisons/>
            {move || has_routes.get().then(|| drawn_by(&FOUND, |it| (it.0)(STEPS)))}
        </div>
        <LogView/>
        <FollowUp/>
    }
}

/// Whether other places or another condition may help, which they do not against a missing token or a rate limit.
fn is_about_places(error: &CallError) -> bool {
    matches!(error, CallError::Refused(refusal) if refusal.status < 500 && ![403, 429].contains(&refusal.status))
}

/// The error and what to try.
fn error(board: Board, phase: Phase) -> Option<AnyView> {
    let Phase::Failed(error) = phase else { return None };
    let retry = Callback::new(move |()| board.retry());
    let is_about_places = is_about_places(&error);
    let has_old = move || board.run.with(|it| !it.found.is_empty());
    Some(any_view! {
        <Notice error on_retry=retry/>
        {is_about_places.then(|| view! { <Tries/> })}
        {move || has_old().then(|| view! { <p class="hint">{Key::NavBefore}</p> })}
    })
}

/// No route is no error: shows the answer's text and what to try.
fn nothing(board: Board) -> impl IntoView {
    let has_message = move || board.run.with(|it| !it.is_in_vain() || !it.message.is_empty());
    view! {
        <div class="nav-none">
            <p class="empty-title">{Key::NavNoRoute}</p>
            {move || (!has_message()).then(|| view! { <p>{Key::NavNoRouteHint}</p> })}
            // The cause comes before what may help.
            <Advice/>
            <Tries/>
        </div>
    }
}

#[component]
fn Tries() -> impl IntoView {
    let tries = [Key::NavTryNames, Key::NavTryMap, Key::NavTryCondition];
    view! {
        <div class="nav-tries">
            <p>{Key::NavTry}</p>
            <ul>{tries.map(|it| view! { <li>{it}</li> }).into_iter().collect_view()}</ul>
            <Covered/>
        </div>
    }
}

/// The planner's comparisons.
#[component]
fn Comparisons() -> impl IntoView {
    let board: Board = expect_context();
    let comparisons = Memo::new(move |_| board.run.with(|it| it.comparisons.clone()));
    let drawn = |comparison| view! { <ComparisonView comparison/> };
    move || {
        let comparisons = comparisons.get();
        (!comparisons.is_empty()).then(|| {
            view! {
                <section class="nav-comparison" aria-labelledby="nav-comparison-title">
                    <h3 class="section-title" id="nav-comparison-title">{Key::NavComparison}</h3>
                    {comparisons.into_iter().map(drawn).collect_view()}
                </section>
            }
        })
    }
}

/// Shown before the first search.
#[component]
fn Idle() -> impl IntoView {
    let board: Board = expect_context();
    view! {
        <div class="nav-none">
            <p class="empty-title">{Key::NavIdle}</p>
            <p>{Key::NavIdleHint}</p>
            <Example board/>
        </div>
    }
}

#[component]
fn Example(board: Board) -> impl IntoView {
    view! {
        <button type="button" class="quiet" on:click=move |_| board.try_example()>
            {Key::NavTryExample}
        </button>
    }
}

/// The area covered by the host's map, with a button if a search went outside of it.
#[component]
fn Covered() -> impl IntoView {
    let board: Board = expect_context();
    Effect::new(move |_| {
        // Its name is in the reader's language.
        page().lang.track();
        board.ask_area();
    });
    let draw = move |_| {
        board.is_area_drawn.set(true);
        browser::reveal("nav-map");
    };
    move || {
        let area = board.area.get()?;
        let has_example = area.as_ref().is_none_or(|it| EXAMPLE.iter().all(|end| it.has(end.1)));
        let middle = area.as_ref().map(Area::middle).filter(|_| !has_example);
        let covered = area.map(|area| {
            view! {
                <p class="nav-covered">{Key::NavArea.fill(&[&area.name])}</p>
                <button type="button" class="quiet" on:click=draw>{Key::NavAreaDraw}</button>
            }
        });
        let middle = middle.map(|middle| {
            let (side, name) = match board.run.with_untracked(Run::has_no_origin) {
                true => (Side::From, Key::NavFrom),
                false => (Side::To, Key::NavTo),
            };
            view! {
                <button type="button" class="quiet" on:click=move |_| board.set_point(side, middle)>
                    {Key::NavAreaMiddle.fill(&[name.say()])}
                </button>
            }
        });
        Some(view! {
            {covered}
            {middle}
            {has_example.then(|| view! { <Example board/> })}
        })
    }
}

/// A notice that the planner failed and the router answered, with the reason (NAV-18).
#[component]
fn FellBack() -> impl IntoView {
    let board: Board = expect_context();
    let why = Memo::new(move |_| {
        board.run.with(|it| it.fell_back.clone().filter(|_| it.query.mode == Mode::Ai))
    });
    move || {
        why.get().map(|why| {
            let error = why.clone();
            view! {
                <div class="notice is-calm nav-fell-back" role="alert">
                    <p class="notice-title">{Key::NavFellBack}</p>
                    <p>{move || error.advice(Lang::spoken())}</p>
                    {move || details(&why, &why.advice(Lang::spoken()))}
                </div>
            }
        })
    }
}

#[component]
pub(super) fn Share() -> impl IntoView {
    let board: Board = expect_context();
    let chosen =
        move || board.run.with_untracked(|run| run.found.alternatives.get(run.chosen).cloned());
    let copy = move |text: String, done: Key| {
        page().notify(if browser::copy(&text) { done } else { Key::NavNotCopied });
    };
    let copy_steps = move |_| {
        if let Some(own) = chosen() {
            copy(directions(&own, &name(&own)), Key::Copied);
        }
    };
    let save = move |is_gpx: bool| {
        let exported = board.run.with_untracked(|run| {
            let own = run.found.alternatives.get(run.chosen)?;
            let ends = (run.query.from.as_str(), run.query.to.as_str());
            let attribution = &run.found.attribution;
            Some(ExportedRoute::new(&own.route, Some(&own.details), &own.line, ends, attribution))
        });
        if let Some(exported) = exported {
            exported.save(is_gpx);
        }
    };
    let (provider, attribution) = (
        Memo::new(move |_| board.run.with(|it| it.found.provider.clone())),
        Memo::new(move |_| board.run.with(|it| it.found.attribution.clone())),
    );
    let source = move || {
        let name = match provider.get() {
            name if name == "builtin" => Key::NavBuiltin.say().to_owned(),
            name => name,
        };
        (!name.is_empty()).then(|| Key::NavProvider.fill(&[&name]))
    };
    let data = move || {
        let data = attribution.get();
        (!data.is_empty()).then(|| Key::NavData.fill(&[&data]))
    };
    view! {
        <div class="nav-share actions">
            <button type="button" class="quiet small"
                on:click=move |_| copy(browser::address(), Key::NavLinkCopied)>{Key::NavCopyLink}</button>
            <button type="button" class="quiet small" on:click=copy_steps>{Key::NavCopySteps}</button>
            <button type="button" class="quiet small" on:click=move |_| save(true)>{Key::RouteGpx}</button>
            <button type="button" class="quiet small" on:click=move |_| save(false)>
                {Key::RouteGeoJson}
            </button>
            <button type="button" class="quiet small" on:click=move |_| drop(window().print())>
                {Key::NavPrint}
            </button>
        </div>
        <div class="nav-source hint">
            {move || source().map(|it| view! { <p>{it}</p> })}
            {move || data().map(|it| view! { <p>{it}</p> })}
            <p>{Key::NavNotForDriving}</p>
        </div>
    }
}

/// The directions as text for sharing.
fn directions(own: &Alternative, name: &str) -> String {
    let time = own.route.duration_in_traffic.as_ref().unwrap_or(&own.route.duration);
    let mut text = format!("{name} ({}, {})\n", own.route.distance.text, time.text);
    for (index, step) in own.route.steps.iter().enumerate() {
        let facts = [step.distance.as_str(), step.duration.as_str()];
        let facts: Vec<&str> = facts.into_iter().filter(|it| !it.is_empty()).collect();
        let facts =
            if facts.is_empty() { String::new() } else { format!(" ({})", facts.join(", ")) };
        text.push_str(&format!("{}. {}{facts}\n", index + 1, step.instruction));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::Refusal;
    use crate::families::navigation::found::Found;
    use crate::families::navigation::found::tests::{details, route, routes};

    #[test]
    fn advises_other_places_if_helpful() {
        let refusal = |status| Refusal { status, ..Refusal::default() };
        let refused = |status| is_about_places(&CallError::Refused(Box::new(refusal(status))));
        assert!(refused(404) && refused(422));
        assert!(!refused(403) && !refused(429) && !refused(503));
        assert!(!is_about_places(&CallError::Offline));
    }

    #[test]
    fn directions_are_a_numbered_list_below_the_summary() {
        let mut found = Found::default();
        let mut own = route(0, 32_400, 2_700, None);
        own.steps[0].distance = "200 m".to_owned();
        found.take("", routes(&[own]), details("東京駅"));
        let text = directions(&found.alternatives[0], "0 経由");
        assert_eq!(text, "0 経由 (32400, 2700)\n1. 進む (200 m)\n2. 着く\n");
    }
}
