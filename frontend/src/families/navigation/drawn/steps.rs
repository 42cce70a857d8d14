//! What to do along a route, in order, linked with the map: the route for those who do not see it.

use leptos::prelude::*;
use output::navigation::{RouteDetails, Step};

use crate::text::Key;

/// Steps drawn at most.
const STEPS_MAX: usize = 500;
/// Steps shown before one asks for the rest.
const STEPS_SHORT: usize = 8;
/// Characters of an instruction at most.
const TEXT_MAX: usize = 300;

/// The points of the line between which a step lies; none where that is not known.
pub(super) fn span(
    details: Option<&RouteDetails>,
    points: usize,
    step: usize,
) -> Option<(usize, usize)> {
    let at = &details?.steps_at;
    let last = points.checked_sub(1)?;
    let place = |index: usize| Some(usize::try_from(*at.get(index)?).ok()?.min(last));
    let begin = place(step)?;
    Some((begin, place(step + 1).unwrap_or(last).max(begin)))
}

/// The step on which a point of the line lies.
pub(super) fn step_at(details: Option<&RouteDetails>, point: usize) -> Option<usize> {
    let begun = details?.steps_at.iter().take_while(|it| **it as usize <= point);
    begun.count().checked_sub(1)
}

/// Draws the steps; looking at one lights it up on the map.
#[component]
pub(super) fn StepList(
    steps: Vec<Step>,
    /// The step that is lit up, by list and map alike.
    lit: RwSignal<Option<usize>>,
    /// Whether the steps are known on the map.
    is_placed: bool,
) -> impl IntoView {
    let count = steps.len().min(STEPS_MAX);
    let is_whole = RwSignal::new(count <= STEPS_SHORT + 2);
    let is_shown =
        move |index: usize| is_whole.get() || index < STEPS_SHORT || lit.get() == Some(index);
    let item = move |(index, step): (usize, Step)| {
        let sign = sign(step.maneuver.as_deref());
        let text: String = step.instruction.chars().take(TEXT_MAX).collect();
        let far = [step.distance, step.duration];
        let far = far.into_iter().filter(|it| !it.is_empty()).collect::<Vec<_>>().join(" · ");
        let content = view! {
            <span class="direction-sign" aria-hidden="true">{sign}</span>
            <span class="direction-text">{text}</span>
            <span class="direction-far">{far}</span>
        };
        let is_lit = move || lit.get() == Some(index);
        let content = if is_placed {
            any_view! {
                <button type="button" class="direction-button" aria-pressed=move || is_lit().to_string()
                    on:click=move |_| lit.update(|it| {
                        *it = if *it == Some(index) { None } else { Some(index) };
                    })>{content}</button>
            }
        } else {
            any_view! { <div class="direction-button">{content}</div> }
        };
        view! {
            <li class="direction" class:is-lit=is_lit hidden=move || !is_shown(index)>{content}</li>
        }
    };
    (count > 0).then(|| {
        view! {
            <div class="directions">
                <p class="label">{move || Key::RouteSteps.fill(&[&count.to_string()])}</p>
                <ol class="direction-list">
                    {steps.into_iter().take(STEPS_MAX).enumerate().map(item).collect_view()}
                </ol>
                {move || (!is_whole.get()).then(|| view! {
                    <button type="button" class="quiet small" on:click=move |_| is_whole.set(true)>
                        {move || Key::RouteStepsAll.fill(&[&count.to_string()])}
                    </button>
                })}
            </div>
        }
    })
}

/// A sign for what Google calls it.
fn sign(maneuver: Option<&str>) -> &'static str {
    match maneuver.unwrap_or_default() {
        "turn-left" | "turn-sharp-left" => "↰",
        "turn-right" | "turn-sharp-right" => "↱",
        "turn-slight-left" | "fork-left" | "keep-left" | "ramp-left" => "↖",
        "turn-slight-right" | "fork-right" | "keep-right" | "ramp-right" => "↗",
        "uturn-left" | "uturn-right" => "⤺",
        "merge" => "⇈",
        "roundabout-left" | "roundabout-right" => "↻",
        "ferry" | "ferry-train" => "⛴",
        _ => "↑",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_step_and_its_points_find_each_other() {
        let details = RouteDetails { steps_at: vec![0, 10, 25], ..RouteDetails::default() };
        let details = Some(&details);
        assert_eq!(span(details, 40, 0), Some((0, 10)));
        assert_eq!(span(details, 40, 2), Some((25, 39)), "the last goes to the end");
        assert_eq!(span(details, 40, 3), None);
        for (point, step) in [(0, 0), (9, 0), (10, 1), (39, 2)] {
            assert_eq!(step_at(details, point), Some(step), "{point}");
        }
        assert_eq!((span(None, 40, 0), step_at(None, 3)), (None, None));
    }

    #[test]
    fn places_that_are_not_on_the_line_break_nothing() {
        let details = RouteDetails { steps_at: vec![900, 3, u32::MAX], ..RouteDetails::default() };
        for step in 0..4 {
            if let Some((from, to)) = span(Some(&details), 40, step) {
                assert!(from <= to && to < 40, "{step}");
            }
        }
        assert_eq!(span(Some(&details), 0, 0), None);
        assert_eq!(step_at(Some(&details), 5), None);
    }
}
