//! The shown routes as plain state, their map content, and the list of steps, linked with the map: the text alternative
//! of the route.

use std::sync::Arc;

use leptos::prelude::*;
use output::navigation::{Details, End, Route, RouteDetails, Routes, Step};

use crate::families::navigation::export::ExportedRoute;
use crate::families::navigation::line::{self, Point};
use crate::families::navigation::route_map::{Pin, Scene, Tone};
use crate::text::{Key, Lang};

/// Maximum number of routes drawn; the tool gives three.
const ROUTES_MAX: usize = 10;
/// Maximum number of characters shown of a step.
const STEP_CHARS_MAX: usize = 300;

/// A route with its decoded line.
pub(super) struct Drawn {
    pub(super) route: Route,
    pub(super) details: Option<RouteDetails>,
    line: Arc<Vec<Point>>,
}

/// The routes and the selection; at least one route.
#[derive(Clone, Copy)]
pub(super) struct Shown {
    drawn: StoredValue<Vec<Drawn>>,
    ends: StoredValue<(Option<Pin>, Option<Pin>)>,
    stops: StoredValue<Vec<Pin>>,
    attribution: StoredValue<String>,
    chosen: RwSignal<usize>,
    pub(super) step: RwSignal<Option<usize>>,
}

impl Shown {
    /// The routes of an output, if there are any.
    pub(super) fn new(routes: Routes, details: Option<Details>) -> Option<Self> {
        let details = details.unwrap_or_default();
        let mut of_route = details.routes.into_iter();
        let with_line = |route: Route| Drawn {
            line: Arc::new(line::decode(&route.polyline).unwrap_or_default()),
            details: of_route.next(),
            route,
        };
        let drawn: Vec<Drawn> = routes.routes.into_iter().take(ROUTES_MAX).map(with_line).collect();
        let first = drawn.first()?;
        // Missing ends are taken from the first line.
        let pin = |end: &Option<End>| end.as_ref().and_then(Pin::new);
        let start = pin(&details.origin).or(first.line.first().map(bare));
        let goal = pin(&details.destination).or(first.line.last().map(bare));
        let stops = details.via.iter().filter_map(Pin::new).collect();
        Some(Self {
            drawn: StoredValue::new(drawn),
            ends: StoredValue::new((start, goal)),
            stops: StoredValue::new(stops),
            attribution: StoredValue::new(details.attribution),
            chosen: RwSignal::new(0),
            step: RwSignal::new(None),
        })
    }

    /// Whether there is anything to draw on a map.
    pub(super) fn has_line(self) -> bool {
        self.drawn.with_value(|it| it.iter().any(|it| it.line.len() > 1))
    }

    /// Reads all routes.
    pub(super) fn with<T>(self, look: impl FnOnce(&[Drawn]) -> T) -> T {
        self.drawn.with_value(|it| look(it))
    }

    /// Reads the selected route.
    pub(super) fn with_chosen<T>(self, look: impl FnOnce(&Drawn) -> T) -> T {
        let index = self.chosen.get();
        self.with(|it| look(&it[index]))
    }

    /// Index of the selected route.
    pub(super) fn chosen(self) -> usize {
        self.chosen.get()
    }

    /// Selects a route.
    pub(super) fn choose(self, index: usize) {
        self.step.set(None);
        if index < self.with(<[Drawn]>::len) {
            self.chosen.set(index);
        }
    }

    /// Highlights the step of a point of the selected line.
    pub(super) fn light(self, point: usize) {
        let found = untrack(|| self.with_chosen(|it| step_at(it.details.as_ref(), point)));
        self.step.set(found);
    }

    /// The highlighted step as numbered text.
    pub(super) fn step_text(self, lang: Lang) -> Option<String> {
        let index = self.step.get()?;
        let step = self.with_chosen(|it| it.route.steps.get(index).cloned())?;
        let text: String = step.instruction.chars().take(STEP_CHARS_MAX).collect();
        Some(lang.fill(Key::RouteStepLit, &[&(index + 1).to_string(), &text]))
    }

    /// Whether the selected route's steps have positions.
    pub(super) fn is_placed(self) -> bool {
        self.with_chosen(|it| span(it.details.as_ref(), it.line.len(), 0).is_some())
    }

    /// The names of the ends.
    pub(super) fn names(self) -> (String, String) {
        let name = |it: &Option<Pin>| it.as_ref().map(|it| it.name.clone()).unwrap_or_default();
        self.ends.with_value(|(start, goal)| (name(start), name(goal)))
    }

    /// The map's content.
    pub(super) fn scene(self) -> Scene {
        let chosen = self.chosen.get();
        let lit = self.step.get();
        let step = self.with(|routes| {
            let route = &routes[chosen];
            span(route.details.as_ref(), route.line.len(), lit?)
        });
        let (start, goal) = self.ends.get_value();
        Scene {
            lines: self.with(|it| it.iter().map(|it| Arc::clone(&it.line)).collect()),
            chosen,
            start,
            goal,
            stops: self.stops.get_value(),
            step,
            area: None,
            tone: Tone::Plain,
            attribution: self.attribution.get_value(),
        }
    }

    /// The selected route for export.
    pub(super) fn exported(self) -> ExportedRoute {
        let (from, to) = self.names();
        let attribution = self.attribution.get_value();
        untrack(|| {
            self.with_chosen(|route| {
                ExportedRoute::new(
                    &route.route,
                    route.details.as_ref(),
                    &route.line,
                    (&from, &to),
                    &attribution,
                )
            })
        })
    }
}

fn bare((lat, lng): &Point) -> Pin {
    Pin { lat: *lat, lng: *lng, name: String::new() }
}

/// Maximum number of steps drawn.
const STEPS_MAX: usize = 500;
/// Number of steps shown before expanding.
const STEPS_SHORT: usize = 8;
/// Maximum number of characters of an instruction.
const TEXT_MAX: usize = 300;

/// The points of the line between which a step lies; none if unknown.
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

/// The step of a point of the line.
pub(super) fn step_at(details: Option<&RouteDetails>, point: usize) -> Option<usize> {
    let begun = details?.steps_at.iter().take_while(|it| **it as usize <= point);
    begun.count().checked_sub(1)
}

/// Draws the steps; selecting one highlights it on the map.
#[component]
pub(super) fn StepList(
    steps: Vec<Step>,
    /// The highlighted step, shared by list and map.
    lit: RwSignal<Option<usize>>,
    /// Whether the steps have positions.
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
                    on:click=move |_| lit.update(|lit| {
                        *lit = if *lit == Some(index) { None } else { Some(index) };
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

/// The sign of a Google maneuver.
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

    const LINE: &str = "_p~iF~ps|U_ulLnnqC_mqNvxq`@";

    fn route(line: &str) -> Route {
        let step = |text: &str| Step { instruction: text.to_owned(), ..Step::default() };
        let steps = vec![step("出る"), step("曲がる"), step("着く")];
        Route { polyline: line.to_owned(), steps, ..Route::default() }
    }

    fn shown(lines: &[&str], details: Option<Details>) -> Shown {
        let routes = lines.iter().map(|it| route(it)).collect();
        Shown::new(Routes { routes, ..Routes::default() }, details).unwrap()
    }

    #[test]
    fn click_highlights_step_and_new_route_clears_it() {
        let owner = Owner::new();
        owner.set();
        let of_route = RouteDetails { steps_at: vec![0, 1, 2], ..RouteDetails::default() };
        let details = Details { routes: vec![of_route; 2], ..Details::default() };
        let shown = shown(&[LINE, LINE], Some(details));
        shown.light(1);
        assert_eq!(shown.step_text(Lang::Ja).as_deref(), Some("2. 曲がる"));
        assert_eq!(shown.scene().step, Some((1, 2)));
        shown.choose(1);
        assert_eq!(
            (shown.chosen(), shown.step_text(Lang::Ja), shown.scene().step),
            (1, None, None)
        );
        shown.choose(7);
        assert_eq!(shown.chosen(), 1, "there is no such route");
    }

    /// Broken routes are shown without a map.
    #[test]
    fn draws_line_without_details_and_no_map_if_broken() {
        let owner = Owner::new();
        owner.set();
        let whole = shown(&[LINE], None);
        assert!(whole.has_line() && !whole.is_placed());
        let start = whole.scene().start.unwrap();
        assert_eq!((start.lat, start.lng, start.name.as_str()), (38.5, -120.2, ""));
        let broken = shown(&["?", "\u{0}"], None);
        assert!(!broken.has_line() && broken.scene().start.is_none());
        broken.light(3);
        assert_eq!(broken.step_text(Lang::En), None);
        assert!(Shown::new(Routes::default(), None).is_none());
    }

    #[test]
    fn draws_no_pin_off_the_globe() {
        let end = |lat, lng| {
            let location = output::navigation::Point { lat, lng };
            Pin::new(&End { name: "x".to_owned(), location, ..End::default() })
        };
        assert!(end(35.0, 139.0).is_some());
        assert!(end(135.0, 139.0).is_none() && end(f64::NAN, 0.0).is_none());
    }

    #[test]
    fn finds_points_of_step_and_step_of_point() {
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
    fn survives_step_positions_off_the_line() {
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
