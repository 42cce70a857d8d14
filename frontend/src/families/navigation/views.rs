//! The navigation view: form, map and result (NAV-60 to NAV-68).

mod advice;
mod form;
mod result;
mod routes;

use leptos::prelude::*;
use leptos::task::spawn_local;
use output::navigation::Point;

use crate::browser;
use crate::families::navigation::board::{Board, End, SEARCH, Side};
use crate::families::navigation::place;
use crate::families::navigation::query::{Mode, RouteQuery};
use crate::families::navigation::route_map::{Pin, PlaceAs, RouteMap, Scene, Tone};
use crate::families::navigation::run::Run;
use crate::page::{lasting, page};
use crate::route::{FamilyRoute, Route};
use crate::text::{Key, Lang};
use form::SearchForm;
use result::ResultView;

#[component]
pub(crate) fn NavigationView() -> impl IntoView {
    let board = lasting(Board::new);
    board.meet();
    Effect::new(move |_| {
        page().route.track();
        // A search changes the address without navigating, so the address itself is read.
        if let Some(query) = RouteQuery::from_route(&Route::parse(&browser::hash())) {
            untrack(|| board.follow(&query));
        }
    });
    Effect::new(move |_| board.retell(Lang::spoken()));
    // Who says from where or where to will search.
    Effect::new(move |_| {
        if board.query() != RouteQuery::default() {
            spawn_local(async {
                SEARCH.fetch().await;
            });
        }
    });
    let scene = Memo::new(move |_| board.run.with(|run| scene(board, run)));
    let on_step = move |point: usize| {
        let step = board.run.with_untracked(|run| {
            run.found.alternatives.get(run.chosen).and_then(|it| it.step_at(point))
        });
        if let Some(step) = step {
            board.step.set(Some(step));
            browser::reveal(&routes::id(step));
        }
    };
    let on_place = move |(lat, lng, role): (f64, f64, PlaceAs)| {
        let side = if role == PlaceAs::Origin { Side::From } else { Side::To };
        board.set_point(side, Point { lat, lng });
    };
    view! {
        <div class="navigation">
            <div class="nav-head"><h1 tabindex="-1" id="stage">{Key::NavTitle}</h1></div>
            <section class="nav-ask" aria-label=Key::NavForm><SearchForm/></section>
            <div class="nav-map" id="nav-map">
                <button type="button" class="skip is-inner"
                    on:click=move |_| browser::focus("nav-result")>{Key::MapSkip}</button>
                <RouteMap scene on_choose=move |index| board.choose(index) on_step on_place/>
            </div>
            <section class="nav-found" aria-labelledby="nav-result"><ResultView/></section>
            <p class="nav-foot">{move || board.planner.get().map(|it| it.footer().say())}</p>
        </div>
    }
}

/// The map's content for a search and the form.
fn scene(board: Board, run: &Run) -> Scene {
    let found = &run.found;
    let pin = |end: End, searched: &str, known: Option<Point>| {
        let text = end.text();
        // A found place belongs to its query, not to text typed since.
        let known = known.filter(|_| text.trim() == searched);
        let point = end.point.get().or(known).filter(|it| place::is_on_globe(*it))?;
        Some(Pin { lat: point.lat, lng: point.lng, name: text })
    };
    let location = |end: &Option<output::navigation::End>| end.as_ref().map(|it| it.location);
    let chosen = found.alternatives.get(run.chosen);
    Scene {
        lines: found.alternatives.iter().map(|it| it.line.clone()).collect(),
        chosen: run.chosen,
        start: pin(board.from, &run.query.from, location(&found.origin)),
        goal: pin(board.to, &run.query.to, location(&found.destination)),
        stops: chosen.iter().flat_map(|it| &it.via).filter_map(Pin::new).collect(),
        step: chosen.zip(board.step.get()).and_then(|(it, step)| it.span(step)),
        area: board.area.get().flatten().filter(|_| board.is_area_drawn.get()),
        tone: tone(run),
        attribution: found.attribution.clone(),
    }
}

fn tone(run: &Run) -> Tone {
    match run.query.mode {
        Mode::Ai if run.query.is_planned() && run.fell_back.is_none() => Tone::Ai,
        Mode::Ai | Mode::Normal => Tone::Normal,
        Mode::Walk => Tone::Plain,
    }
}
