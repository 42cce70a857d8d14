//! The steps of the route that is looked at, each linked with its piece of the map, both ways.

use leptos::prelude::*;
use output::navigation::Step;

use crate::families::navigation::board::Board;
use crate::families::navigation::found::STEPS_MAX;
use crate::families::navigation::turn;
use crate::text::Key;

/// Of the button of a step.
pub(super) fn id(step: usize) -> String {
    format!("nav-step{step}")
}

/// The list; it says all that the map shows.
#[component]
pub(super) fn Steps() -> impl IntoView {
    let board: Board = expect_context();
    let steps = Memo::new(move |_| {
        board.run.with(|run| {
            let own = run.found.alternatives.get(run.chosen);
            own.map(|it| it.route.steps.clone()).unwrap_or_default()
        })
    });
    let count = move || Key::NavStepCount.fill(&[&steps.with(Vec::len).to_string()]);
    let list = move || {
        let steps = steps.get();
        if steps.is_empty() {
            return any_view! { <p class="hint">{Key::NavNoSteps}</p> };
        }
        let last = steps.len() - 1;
        let steps = steps.into_iter().take(STEPS_MAX).enumerate();
        let item = move |(index, it): (usize, Step)| step(board, index, it, index == last);
        any_view! { <ol class="nav-steps">{steps.map(item).collect_view()}</ol> }
    };
    view! {
        <section class="nav-directions" aria-labelledby="nav-steps-title">
            <h3 class="section-title" id="nav-steps-title">
                {Key::NavSteps}<span class="count">{count}</span>
            </h3>
            {list}
        </section>
    }
}

fn step(board: Board, index: usize, step: Step, is_last: bool) -> impl IntoView {
    let is_shown = Memo::new(move |_| board.step.get() == Some(index));
    let show = move || board.step.set(Some(index));
    let facts: Vec<String> =
        [step.distance, step.duration].into_iter().filter(|it| !it.is_empty()).collect();
    let maneuver = step.maneuver.as_deref().or(is_last.then_some("arrive"));
    let (turn, is_mirrored) = turn::of(maneuver);
    view! {
        <li>
            <button type="button" class="nav-step" id=id(index) class:is-shown=move || is_shown.get()
                aria-current=move || is_shown.get().then_some("step")
                on:click=move |_| show() on:focus=move |_| show()
                on:mouseenter=move |_| show()>
                <svg class="nav-turn" class:is-mirrored=is_mirrored viewBox="0 0 24 24" width="24"
                    height="24" aria-hidden="true" focusable="false"><path d=turn.path()/></svg>
                <span class="nav-step-text">{step.instruction}</span>
                <span class="nav-step-facts">{facts.join(" · ")}</span>
            </button>
        </li>
    }
}
